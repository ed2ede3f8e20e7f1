// Each click is one POST, and the page stays. No button is ever disabled: what makes
// a double click harmless is the API.
import { h, patch } from './svg.js';

let started = 0;
let shown = 0; // the latest one whose answer is on the page

const section = () => document.querySelector('[data-checkout]');

export function startCheckout() {
	const look = () => exchange(location.pathname, {});
	document.addEventListener('submit', (event) => {
		if (!event.target.matches('form.pay')) return;
		event.preventDefault();
		const { target: form, submitter: button } = event;
		// A button without the attribute says the page's own address.
		const url = button?.hasAttribute('formaction') ? button.formAction : form.action;
		exchange(url, { method: 'POST', body: new URLSearchParams(new FormData(form, button)) });
	});
	document.addEventListener('told', look);
	setInterval(() => section()?.dataset.checking === 'true' && look(), 2000);
}

// An answer that a later request overtook shows what was true before.
async function exchange(url, options) {
	const mine = ++started;
	try {
		const response = await fetch(url, { headers: { Accept: 'text/html' }, ...options });
		const page = new DOMParser().parseFromString(await response.text(), 'text/html');
		if (mine <= shown) return;
		shown = mine;
		const next = page.querySelector('[data-checkout]');
		const says = (selector) => page.querySelector(selector)?.textContent ?? '';
		if (next) replace(section(), next);
		else if (!response.ok) tell(`${says('main h1')}. ${says('main h1 + p')}`.trim());
	} catch {
		// A repeat by itself would be a retry that nobody sees.
		if (options.method && mine > shown) tell('The shop did not answer. The outcome is unknown; pressing again sends the same key.');
	}
}

// Piece by piece, so that a button keeps its focus and a second click its target.
function replace(here, next) {
	const same = here.dataset.order === next.dataset.order;
	const choice = (same ? here : next).querySelector('select')?.value;
	for (const { name, value } of next.attributes) here.setAttribute(name, value);
	patch(here, node(next).kids);
	if (choice) here.querySelector('select').value = choice;
}

function node({ localName, attributes, childNodes }) {
	const attrs = Object.fromEntries([...attributes].map(({ name, value }) => [name, value]));
	return h(localName, attrs, [...childNodes].map((n) => (n.nodeType === 1 ? node(n) : n.nodeType === 3 && n.data)));
}

function tell(text) {
	const notice = section().querySelector('.notice') ?? section().appendChild(document.createElement('p'));
	notice.className = 'notice notice-open';
	notice.textContent = text;
}
