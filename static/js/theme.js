// Dark or light, Big, and whether keys work; kept. A classic script in the head,
// so that the first paint is right.
(() => {
	const { dataset } = document.documentElement;
	// A browser that refuses storage forgets the choice, and nothing else.
	const memory = (() => { try { return localStorage; } catch { return {}; } })();
	for (const name of ['theme', 'big', 'keys']) dataset[name] ||= memory[name] ?? ''; // the server may force a theme

	const on = {
		theme: () => (dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark',
		big: () => (dataset.big ? dataset.big === 'on' : document.body.classList.contains('projector')),
		keys: () => dataset.keys !== 'off',
	};

	function show() {
		for (const box of document.querySelectorAll('[data-switches]')) box.hidden = false;
		for (const button of document.querySelectorAll('[data-switch]')) {
			const name = button.dataset.switch;
			if (name === 'theme') button.textContent = on.theme() ? 'Light' : 'Dark';
			else button.setAttribute('aria-pressed', String(on[name]()));
		}
	}

	document.addEventListener('DOMContentLoaded', show);
	document.addEventListener('click', ({ target }) => {
		const name = target.closest?.('[data-switch]')?.dataset.switch;
		if (!name) return;
		const [yes, no] = name === 'theme' ? ['dark', 'light'] : ['on', 'off'];
		memory[name] = dataset[name] = on[name]() ? no : yes;
		show();
		dispatchEvent(new Event('resize')); // sizes follow from the root
	});
})();
