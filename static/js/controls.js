import { ask } from './ask.js';
import { armed, decide, disarm } from './holds.js';
import { h, patch, write } from './svg.js';

// What looks at the picture and what is asked of the stage, by data-do.
const does = {
	disarm,
	sides: (panel) => { panel.view.sides = { both: 'naive', naive: 'safe', safe: 'both' }[panel.view.sides]; },
	curtain: (panel) => { panel.view.curtain = !panel.view.curtain; },
	pause: (panel) => panel.pause(),
};

// Forms work without a script; with one they are commands.
const forms = {
	arm: armed,
	kill: (panel, form) => command(panel, 'POST', '/stage/kill', { side: sideOf(form) }),
	mistake: () => {},
	async reset(panel) {
		const answer = await command(panel, 'POST', '/stage/reset', {});
		if (answer) offerUndo(answer.undo_ms);
		fresh(panel);
	},
	async undo(panel) {
		offerUndo(0);
		await command(panel, 'POST', '/stage/undo', {});
		fresh(panel);
	},
};

export function startControls(panel) {
	const main = document.querySelector('main');
	main.addEventListener('click', ({ target }) => clicked(panel, target));
	main.addEventListener('submit', (event) => {
		const form = forms[event.target.dataset.form];
		if (!form) return;
		event.preventDefault();
		form(panel, event.target);
	});
	main.addEventListener('change', ({ target }) => {
		if (target.matches('[data-scene]')) panel.view.scene = target.value;
		if (target.matches('[data-form="mistake"] select')) command(panel, 'POST', '/stage/mistake', { id: target.value });
		panel.soon();
	});
}

export const sideOf = (element) => element.closest('[data-side]').dataset.side;

function clicked(panel, target) {
	const { view } = panel;
	const mark = target.closest('[data-seq]');
	const counter = target.closest('[data-outcome]');
	const fault = target.closest('[data-disarm]');
	const fate = target.closest('[data-fate]');
	if (mark) panel.inspect(Number(mark.getAttribute('data-seq')));
	else if (target.closest('[data-close]')) close(panel);
	else if (fate) decide(panel, fate.closest('[data-held]'), fate.dataset.fate);
	else if (fault) command(panel, 'DELETE', `/stage/faults/${encodeURIComponent(fault.dataset.disarm)}`);
	else if (counter) view.filter = view.filter === counter.dataset.outcome ? '' : counter.dataset.outcome;
	else does[target.closest('[data-do]')?.dataset.do]?.(panel);
	panel.soon();
}

function close(panel) {
	const seq = panel.view.chosen;
	panel.inspect(0);
	panel.find(`.sides [data-seq="${seq}"]`)?.focus();
}

// A reset can be taken back for a while.
let undoable;

function offerUndo(ms) {
	const form = document.querySelector('[data-form="undo"]');
	clearTimeout(undoable);
	form.hidden = !ms;
	if (ms) undoable = setTimeout(offerUndo, ms, 0);
}

function fresh(panel) {
	panel.inspect(0);
	document.dispatchEvent(new Event('told'));
}

// command gives the stage's answer, or false where it refused.
export async function command(panel, method, url, body) {
	const { ok, status, body: answer } = await ask(url, body, method);
	panel.refused = ok ? '' : `${method} ${url}: ${status || 'no answer'}`;
	panel.feed.soon();
	panel.soon();
	return ok && (answer ?? {});
}

export function fillControls(panel) {
	const { children, faults, gates, mistake } = panel.model.state;
	for (const [name, on] of [['curtain', panel.view.curtain], ['pause', panel.frozen], ['sides', panel.view.sides !== 'both']]) {
		for (const button of document.querySelectorAll(`.hint[data-do="${name}"]`)) button.setAttribute('aria-pressed', String(Boolean(on)));
	}
	for (const side of panel.sides) {
		const mine = (armed) => (armed.side || 'safe') === side.dataset.side;
		const child = children[side.dataset.side];
		const box = side.querySelector('[data-child]');
		box.dataset.child = child?.state ?? '';
		write(box, panel.refused || (child ? childText(child) : ''));
		const list = side.querySelector('[data-armed]');
		const items = [...faults.filter(mine).map(faultItem), ...gates.filter(mine).map(gateItem)];
		list.hidden = items.length === 0;
		patch(list, items);
		chosen(panel, side.querySelector('[data-form="mistake"] select'), mistake);
	}
}

// Somebody else may have chosen; the checkout names the mistake too.
function chosen(panel, select, mistake) {
	if (!select || !mistake || panel.mistake === mistake) return;
	if (panel.mistake) document.dispatchEvent(new Event('told'));
	panel.mistake = select.value = mistake;
	write(select.closest('header').querySelector('[data-means]'), select.selectedOptions[0]?.textContent ?? '');
}

const childText = ({ state, pid, restarts }) => [!(restarts && pid) && `API ${state}`, pid && `pid ${pid}`, restarts && `restart ${restarts}`].filter(Boolean).join(', ');

const gateItem = ({ id, gate, count, freeze }) => h('li', { key: id }, `armed: ${freeze ? 'freeze' : 'hold'} at ${gate} × ${count}`);

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
		for (const box of card.querySelectorAll('[data-retries]')) write(box, String(retries?.[box.dataset.retries] ?? 0));
		if (card.hidden && figures.some(Boolean)) card.hidden = false;
		card.classList.toggle('zero', !figures.some(Boolean));
		card.setAttribute('aria-pressed', String(filter === outcome));
	}
}
