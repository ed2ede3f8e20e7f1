// The list of events, and the sheet behind one.
import { h, patch } from './svg.js';
import { money } from './money.js';
import { sceneOf } from './reduce.js';
import { digits, ms, plain, segments, shapeOf, shortKey, wordOf } from './words.js';

// Newest first; a heading parts two stories.
export function logItems(model, { filter = '', sides = 1 } = {}) {
	const starts = new Map(model.scenes.map((s) => [s.id, Math.min(...s.events.map((e) => e.at_ms))]));
	const shown = model.log.filter((e) => !filter || e.outcome === filter).toReversed();
	let scene = null;
	return shown.flatMap((event) => {
		const id = sceneOf(event) || scene;
		const head = id === scene ? [] : [h('li', { key: `s${event.seq}`, class: 'story' }, storyName(model, id))];
		scene = id;
		return [...head, item(event, starts.get(id) ?? event.at_ms, sides)];
	});
}

export function storyName(model, id) {
	const events = model.scenes.find((s) => s.id === id)?.events ?? [];
	const event = events.find((e) => e.key) ?? events[0];
	if (!event) return id ?? '';
	const who = event.owner || 'somebody';
	return event.key ? `${who}, key ${shortKey(event.key)}` : `${who}, no key`;
}

function item(event, start, sides) {
	const word = wordOf(event);
	const text = event.text ?? '';
	// A sentence that begins with the word does not need it twice.
	const told = (event.kind === 'note' && event.lane === 'shop') || plain(text).toUpperCase().startsWith(word.split(' ')[0]);
	const says = told ? [] : [h('b', {}, word), ' '];
	const side = event.side.toUpperCase();
	const whose = sides > 1 && !text.startsWith(side) ? [h('span', { class: 'quiet' }, side), ' '] : [];
	const shape = shapeOf(event);
	return h('li', { key: `e${event.seq}` },
		h('button', { type: 'button', class: 'event', 'data-seq': event.seq },
			h('span', { class: 't' }, ms(event.at_ms - start)),
			h('svg', { class: `shape o-${shape}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('use', { href: `#s-${shape}` })),
			h('span', {}, ...says, ...whose, ...bold(text))));
}

export const bold = (text) => segments(text).map(([part, strong]) => (strong ? h('b', {}, part) : part));

export function details(e, start) {
	const rows = {
		'what happened': plain(e.text), when: `${digits(e.at_ms - start)} ms into the story`, side: e.side, lane: e.lane,
		attempt: e.attempt && (e.of ? `${e.attempt} of ${e.of}` : e.attempt), owner: e.owner, key: e.key, status: e.status,
		amount: e.amount && money(e.amount, e.currency), why: e.reason, how: e.how, took: e.ms && ms(e.ms), fence: e.fence,
		'lease left': e.lease_ms && ms(e.lease_ms), 'provider key': e.provider_key, charge: e.charge, trace: e.trace,
		event: `no. ${e.seq}, ${e.kind} ${e.outcome ?? ''}`,
	};
	return [
		h('header', {}, h('h2', {}, wordOf(e)), h('button', { type: 'button', class: 'btn-small', 'data-close': true, 'data-keys': 'escape' }, 'Close')),
		h('dl', {}, Object.entries(rows).filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, String(value))))),
	];
}

export function inspect(box, event, start) {
	box.hidden = !event;
	if (!event) return;
	const [fields, exchange] = box.children;
	patch(fields, details(event, start));
	box.focus();
	fetchExchange(exchange, event);
}

// Request and answer as sent, the decision, what the transaction wrote: where they
// are known, the server prints them.
async function fetchExchange(box, { side, trace, run }) {
	const wish = trace ? new URLSearchParams({ side, trace, ...(run && { run }) }).toString() : '';
	if (box.dataset.wish !== wish) box.replaceChildren();
	box.dataset.wish = wish;
	if (!wish) return;
	try {
		const response = await fetch(`/stage/exchange?${wish}`); // no Accept: a part, not a page
		const page = new DOMParser().parseFromString(await response.text(), 'text/html');
		// Another mark may have been chosen meanwhile.
		if (response.ok && box.dataset.wish === wish) box.replaceChildren(...page.body.childNodes);
	} catch {
		// the event's own fields stand above
	}
}
