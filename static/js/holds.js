// Gates and what stands at them: arm one, see who is held, decide his fate.
import { command, sideOf } from './controls.js';
import { keyName } from './lesson_steps.js';
import { write } from './svg.js';
import { attemptWord, keyText } from './words.js';

// How long K must be held: a slip of the finger kills nothing. Milliseconds.
const sure = 600;

// A browser that refuses storage forgets the choice, and nothing else.
const memory = (() => { try { return localStorage; } catch { return {}; } })();

// startHolds listens for the buttons and for the keys that press them.
export function startHolds(panel) {
	const { root } = panel;
	const shortcuts = panel.find('[data-shortcuts]');
	shortcuts.checked = memory.shortcuts !== 'off';
	shortcuts.addEventListener('change', () => { memory.shortcuts = shortcuts.checked ? 'on' : 'off'; });
	root.addEventListener('click', ({ target }) => {
		const { fate, does } = target.closest('[data-fate], [data-does]')?.dataset ?? {};
		if (fate) decide(panel, target.closest('[data-held]'), fate);
		else if (does === 'disarm') disarm(panel);
		else if (does === 'keys') panel.find('dialog').showModal();
	});
	root.addEventListener('submit', (event) => {
		if (!event.target.matches('[data-arm]')) return;
		event.preventDefault();
		arm(panel, sideOf(event.target), new FormData(event.target).get('gate'));
	});
	let killing;
	document.addEventListener('keydown', (event) => {
		const off = !shortcuts.checked || panel.find('dialog').open;
		const text = event.target.closest('input, textarea, select');
		const button = pressedBy(panel, keyName(event, { text, control: true, off }));
		if (!button) return;
		event.preventDefault();
		if (button.dataset.fate !== 'kill') return void button.click();
		button.classList.add('sure');
		killing = { button, timer: setTimeout(() => button.click(), sure) };
	});
	document.addEventListener('keyup', () => {
		clearTimeout(killing?.timer);
		killing?.button.classList.remove('sure');
	});
}

// The first button on show that has the key: with two held, the upper one's.
const pressedBy = (panel, name) => (name ? [...panel.root.querySelectorAll(`[data-keys="${CSS.escape(name)}"]`)].find((button) => button.offsetParent) : null);

const arm = (panel, side, gate) => command(panel, 'POST', '/stage/gates', { side, gate, owner: 'shop', count: 1 });

// A step is the gate after this one, armed before the request goes on.
async function decide(panel, box, fate) {
	const { side, hold, gate } = heldOn(panel, sideOf(box))[0] ?? {};
	if (!hold) return;
	if (fate === 'step') {
		const gates = [...box.parentElement.querySelectorAll('[data-arm] option:not([hidden])')].map((option) => option.value);
		const next = gates[gates.indexOf(gate) + 1];
		if (next && !(await arm(panel, side, next))) return;
	}
	const ms = fate === 'delay' ? Number(box.querySelector('select').value) : undefined;
	command(panel, 'POST', `/stage/holds/${hold}`, { action: fate === 'step' ? 'deliver' : fate, ms });
}

async function disarm(panel) {
	await command(panel, 'DELETE', '/stage/faults');
	command(panel, 'DELETE', '/stage/gates');
}

const heldOn = (panel, side) => panel.model.state.holds.filter((hold) => hold.side === side);

// fillHolds shows who is held, and the gates that the mistake has.
export function fillHolds(panel) {
	const { faults, gates, holds, mistake } = panel.model.state;
	panel.find('[data-does="disarm"]').hidden = !(faults.length || gates.length || holds.length);
	for (const side of panel.sides) {
		const form = side.querySelector('[data-arm]');
		form.hidden = false; // it needs a script
		for (const option of form.querySelectorAll('[data-only]')) option.hidden = option.disabled = option.dataset.only !== mistake;
		if (form.gate.selectedOptions[0]?.disabled) form.gate.selectedIndex = 0;
		const box = side.querySelector('[data-held]');
		const held = heldOn(panel, side.dataset.side);
		box.hidden = !held.length;
		if (held.length) describe(panel, box, held);
	}
}

function describe(panel, box, [{ gate, owner, key, trace }, ...more]) {
	const { attempt, of } = panel.model.log.find((e) => e.trace === trace && e.attempt) ?? {};
	const clock = owner === 'shop' ? '; the shop’s clock stands still' : '';
	const others = more.length ? `; ${more.length} more behind it` : '';
	write(box.querySelector('[data-gate]'), gate);
	write(box.querySelector('[data-who]'), `${attemptWord({ attempt, of }).toLowerCase()}, ${key && 'key '}${keyText(key)}${clock}${others}`);
}
