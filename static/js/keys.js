// A key presses the first button on show that has its name in data-keys, so whatever
// a key does, a click does too.

// How long K must be held: a slip of the finger kills nothing. Milliseconds.
const sure = 600;

const fields = 'input:not([type="range"], [type="checkbox"]), textarea, select';

// keyName is how data-keys spells a key; "" where it belongs to a field, to the
// focused control or to the browser.
export function keyName({ key, ctrlKey, altKey, metaKey, repeat }, { text, control, off }) {
	if (ctrlKey || altKey || metaKey || repeat || text || (off && !key.startsWith('Page'))) return '';
	return key === ' ' ? (control ? '' : 'space') : key.toLowerCase();
}

export function startKeys() {
	const main = document.querySelector('main');
	let killing;
	const letGo = () => {
		clearTimeout(killing?.timer);
		killing?.button.classList.remove('sure');
	};
	document.addEventListener('click', ({ target }) => target.closest('[data-do="blank"]') && main.classList.toggle('dark'));
	document.addEventListener('keyup', letGo);
	document.addEventListener('keydown', (event) => {
		const button = wanted(event);
		if (!button) return;
		event.preventDefault();
		if (button.dataset.fate !== 'kill') return void button.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
		letGo();
		button.classList.add('sure');
		killing = { button, timer: setTimeout(() => button.click(), sure) };
	});
}

// An open sheet takes its key first; a dark screen comes back before anything
// else happens.
function wanted(event) {
	const { target, key } = event;
	const mark = target.closest('g[data-seq]');
	if (mark && /^( |Enter)$/.test(key)) return mark;
	const open = document.querySelector('.inspector:not([hidden])');
	const name = keyName(event, {
		text: target.closest(fields), control: document.activeElement !== document.body,
		off: document.documentElement.dataset.keys === 'off' && !(open && key === 'Escape'),
	});
	const all = name ? [...document.querySelectorAll(`[data-keys~="${CSS.escape(name)}"]`)].filter((button) => button.offsetParent) : [];
	const button = all.find((b) => open?.contains(b)) ?? all[0];
	return button && (document.querySelector('.dark .cover') ?? button);
}
