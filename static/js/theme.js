// Dark, light and Big, kept from visit to visit. A classic script in the head,
// so that the first paint is right already.
(() => {
  const root = document.documentElement;
  const store = {
    get: (name) => { try { return localStorage.getItem(name); } catch { return null; } },
    // A browser that refuses storage forgets the choice, and nothing else.
    set: (name, value) => { try { localStorage.setItem(name, value); } catch { /* refused */ } },
  };
  const forced = root.dataset.theme; // by the server
  const theme = forced || store.get('theme');
  if (theme === 'dark' || theme === 'light') root.dataset.theme = theme;
  const big = store.get('big');
  if (big === 'on' || big === 'off') root.dataset.big = big;

  const isDark = () => root.dataset.theme === 'dark' || (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);
  const isBig = () => (root.dataset.big ? root.dataset.big === 'on' : document.body.classList.contains('projector'));

  function show() {
    for (const button of document.querySelectorAll('[data-switch="theme"]')) button.textContent = isDark() ? 'Light' : 'Dark';
    for (const button of document.querySelectorAll('[data-switch="big"]')) button.setAttribute('aria-pressed', String(isBig()));
  }

  const turn = {
    theme() { store.set('theme', (root.dataset.theme = isDark() ? 'light' : 'dark')); },
    big() { store.set('big', (root.dataset.big = isBig() ? 'off' : 'on')); },
  };

  document.addEventListener('DOMContentLoaded', () => {
    for (const box of document.querySelectorAll('[data-switches]')) box.hidden = false;
    show();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show);
  });
  document.addEventListener('click', (event) => {
    const button = event.target.closest?.('[data-switch]');
    if (!button) return;
    turn[button.dataset.switch]?.();
    show();
    dispatchEvent(new Event('resize')); // sizes follow from the root
  });
})();
