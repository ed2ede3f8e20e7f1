// The checkout with a script: each click is one POST, and the page stays. The
// buttons are never disabled, since what makes a double click harmless is the
// API, not the page. Without this script the form works as forms do.
import { h, patch } from './svg.js';

let started = 0; // requests of this page, in the order of their start
let shown = 0; // the latest one whose answer is on the page

/** startCheckout takes over the form. "told" is the event by which the panel
 * says that the customer was told something. */
export function startCheckout() {
  document.addEventListener('submit', (event) => {
    if (!event.target.matches('form.pay')) return;
    event.preventDefault();
    send(event.target, event.submitter);
  });
  document.addEventListener('told', () => look());
  setInterval(() => section()?.dataset.checking === 'true' && look(), 2000);
}

const section = () => document.querySelector('[data-checkout]');

function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  // A button without the attribute says the page's own address.
  return exchange(button?.hasAttribute('formaction') ? button.formAction : form.action, { method: 'POST', body });
}

const look = () => exchange(location.pathname, {});

// An answer that was overtaken by a later request's is dropped: it shows what
// was true before.
async function exchange(url, options) {
  const mine = ++started;
  try {
    const response = await fetch(url, { credentials: 'same-origin', headers: { Accept: 'text/html' }, ...options });
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    if (mine <= shown) return;
    shown = mine;
    show(page, response.ok);
  } catch {
    // No answer is not a failed payment, and a repeat by itself would be a
    // retry that nobody sees.
    if (options.method && mine > shown) tell('The shop did not answer. The outcome is unknown; pressing again sends the same key.');
  }
}

function show(page, ok) {
  const next = page.querySelector('[data-checkout]');
  if (next) return replace(next);
  const head = page.querySelector('main h1')?.textContent ?? '';
  const detail = page.querySelector('main h1 + p')?.textContent ?? '';
  if (!ok) tell(`${head}. ${detail}`.trim());
  return undefined;
}

// The section is brought to the new state piece by piece, so that a button
// keeps its focus and a second click its target.
function replace(next) {
  const here = section();
  if (!here) return;
  const choice = here.dataset.order === next.dataset.order ? here.querySelector('select')?.value : null;
  for (const { name, value } of next.attributes) here.setAttribute(name, value);
  patch(here, node(next).kids);
  const select = here.querySelector('select');
  if (select && choice === null) select.value = next.querySelector('select').value;
}

function node(element) {
  const attrs = Object.fromEntries([...element.attributes].map(({ name, value }) => [name, value]));
  const kids = [...element.childNodes].filter((n) => n.nodeType === 1 || n.nodeType === 3);
  return h(element.localName, attrs, kids.map((n) => (n.nodeType === 3 ? n.data : node(n))));
}

function tell(text) {
  const here = section();
  let notice = here?.querySelector('.notice');
  if (here && !notice) notice = here.appendChild(document.createElement('p'));
  if (!notice) return;
  notice.className = 'notice notice-open';
  notice.textContent = text;
}
