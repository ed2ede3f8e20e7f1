// The panel's buttons.
import { h, patch, write } from './svg.js';

// startControls listens once for all: what is drawn anew needs no wiring.
export function startControls(panel) {
	const { root } = panel;
	root.addEventListener('click', (event) => clicked(panel, event.target));
	root.addEventListener('keydown', (event) => pressed(panel, event));
	root.addEventListener('submit', (event) => {
		if (!event.target.matches('[data-kill], [data-mistake]')) return; // without a script they are forms
		event.preventDefault();
		if (event.target.matches('[data-kill]')) command(panel, 'POST', '/stage/kill', { side: sideOf(event.target) });
	});
	root.addEventListener('change', ({ target }) => {
		if (target.matches('[data-scene]')) panel.view.scene = target.value;
		if (target.matches('[data-mistake] select')) command(panel, 'POST', '/stage/mistake', { id: target.value });
		panel.soon();
	});
}

export const sideOf = (element) => element.closest('[data-side]').dataset.side;

function clicked(panel, target) {
	const { view } = panel;
	const mark = target.closest('[data-seq]');
	const counter = target.closest('[data-outcome]');
	const fault = target.closest('[data-disarm]');
	if (mark) panel.inspect(Number(mark.getAttribute('data-seq')));
	else if (target.closest('[data-close]')) close(panel);
	else if (fault) command(panel, 'DELETE', `/stage/faults/${encodeURIComponent(fault.dataset.disarm)}`);
	else if (counter) view.filter = view.filter === counter.dataset.outcome ? '' : counter.dataset.outcome;
	panel.soon();
}

// A mark is a button, so it answers to Enter and Space as buttons do.
function pressed(panel, event) {
	const mark = event.target.closest('g[data-seq]');
	if (mark && (event.key === 'Enter' || event.key === ' ')) {
		event.preventDefault();
		panel.inspect(Number(mark.getAttribute('data-seq')));
	} else if (event.key === 'Escape' && !panel.find('[data-inspector]').hidden) {
		event.stopPropagation(); // it closes this, and disarms nothing
		close(panel);
	}
}

// The focus goes back to where it came from.
function close(panel) {
	const seq = panel.view.chosen;
	panel.inspect(0);
	panel.find(`.sides [data-seq="${seq}"]`)?.focus();
}

// command reports whether the stage took it.
export async function command(panel, method, url, body) {
	const options = body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {};
	panel.refused = '';
	try {
		const response = await fetch(url, { method, ...options });
		if (!response.ok) panel.refused = `${method} ${url}: ${response.status}`;
	} catch {
		panel.refused = `${method} ${url}: no answer`;
	}
	panel.feed.soon();
	panel.soon();
	return !panel.refused;
}

// fillControls shows the processes, the mistake, and what is armed.
export function fillControls(panel) {
	const { children, faults, gates, mistake } = panel.model.state;
	for (const side of panel.sides) {
		const mine = (armed) => (armed.side || 'safe') === side.dataset.side;
		const child = children[side.dataset.side];
		const box = side.querySelector('[data-child]');
		box.dataset.child = child?.state ?? '';
		write(box, panel.refused || (child ? childText(child) : ''));
		const list = side.querySelector('[data-armed]');
		const items = [...faults.filter(mine).map(faultItem), ...gates.filter(mine).map((g) => h('li', { key: g.id }, `armed: hold at ${g.gate} × ${g.count}`))];
		list.hidden = items.length === 0;
		patch(list, items);
		chosen(panel, side.querySelector('[data-mistake] select'), mistake);
	}
}

// Somebody else may have chosen; the checkout names the mistake too.
function chosen(panel, select, mistake) {
	if (!select || !mistake || panel.mistake === mistake) return;
	if (panel.mistake) document.dispatchEvent(new Event('told'));
	panel.mistake = select.value = mistake;
	write(select.closest('header').querySelector('[data-means]'), select.selectedOptions[0]?.textContent ?? '');
}

const childText = ({ state, pid, restarts }) => [`API ${state}`, pid && `pid ${pid}`, restarts && `restart ${restarts}`].filter(Boolean).join(', ');

function faultItem({ id, kind, attempts, boundary, owner, how }) {
	return h('li', { key: id, title: [boundary, owner, how].filter(Boolean).join(', ') },
		`armed: ${kind} × ${attempts} `, h('button', { type: 'button', class: 'btn-small', 'data-disarm': id }, 'Disarm'));
}

// fillCounters: a rare outcome's counter appears with its first event.
export function fillCounters(root, { counters, retries }, filter) {
	for (const card of root.querySelectorAll('[data-outcome]')) {
		const { outcome } = card.dataset;
		const boxes = [...card.querySelectorAll('[data-n]')];
		const figures = boxes.map((box) => counters[box.dataset.n]?.[outcome] ?? 0);
		boxes.forEach((box, i) => write(box, String(figures[i])));
		for (const box of card.querySelectorAll('[data-retries]')) write(box, String(retries[box.dataset.retries] ?? 0));
		if (card.hidden && figures.some(Boolean)) card.hidden = false;
		card.classList.toggle('zero', !figures.some(Boolean));
		card.setAttribute('aria-pressed', String(filter === outcome));
	}
}
