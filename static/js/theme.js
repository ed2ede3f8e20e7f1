// Dark, light and Big, kept. A classic script in the head, so that the first paint
// is right.
(() => {
	const root = document.documentElement;
	const { dataset } = root;
	// A browser that refuses storage forgets the choice, and nothing else.
	const memory = (() => { try { return localStorage; } catch { return {}; } })();
	dataset.theme ||= memory.theme ?? ''; // the server may force one
	dataset.big = memory.big ?? '';

	const dark = () => (dataset.theme || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
	const big = () => (dataset.big ? dataset.big === 'on' : document.body.classList.contains('projector'));
	const turn = {
		theme() { memory.theme = dataset.theme = dark() ? 'light' : 'dark'; },
		big() { memory.big = dataset.big = big() ? 'off' : 'on'; },
	};

	function show() {
		for (const box of document.querySelectorAll('[data-switches]')) box.hidden = false;
		for (const button of document.querySelectorAll('[data-switch="theme"]')) button.textContent = dark() ? 'Light' : 'Dark';
		for (const button of document.querySelectorAll('[data-switch="big"]')) button.setAttribute('aria-pressed', String(big()));
	}

	document.addEventListener('DOMContentLoaded', show);
	document.addEventListener('click', ({ target }) => {
		const name = target.closest?.('[data-switch]')?.dataset.switch;
		if (!name) return;
		turn[name]();
		show();
		dispatchEvent(new Event('resize')); // sizes follow from the root
	});
})();
