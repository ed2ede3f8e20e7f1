// Brings the page to one step. The server has printed most of it; lesson.css knows
// its data attributes.
import { currencyOf, fillMoney, moneyRows } from './books.js';
import { fillCounters } from './controls.js';
import { drawAxis, drawSide } from './draw.js';
import { asOf, known, lay } from './lesson_steps.js';
import { logItems } from './log.js';
import { measure } from './measure.js';
import { svg } from './panel.js';
import { h, patch } from './svg.js';

const most = 110; // units that lanes may grow beyond their least height

/** show draws the lesson as it stands; without a run its frame. */
export function show(l) {
	const { root, run } = l;
	const item = l.all('[data-steps] li')[l.at];
	const step = run?.steps[l.at] ?? { upto: {} };
	if (run) frame(l, item);
	const board = item?.dataset.board ?? '';
	const pick = board && l.pick;
	if (pick) root.dataset.mode = 'replay';
	const curtain = root.dataset.curtain === 'true' && !board;
	const shown = l.sides.filter((s) => l.view === 'both' || s.dataset.side === l.view);
	Object.assign(root.dataset, { view: l.view, count: shown.length });
	l.find('.hint[data-do="curtain"]').setAttribute('aria-pressed', String(curtain));
	const size = measure(root, shown);
	const laid = lay(run?.events ?? [], l.names, { lanes: l.lanes, owners: pick ? { naive: pick, safe: pick } : step.owner, width: size.width, size: size.font });
	const upto = (side) => (pick ? (board.includes(side) ? Infinity : 0) : step.upto[side] ?? 0);
	svg(l.find('[data-axis]'), laid.made.width, run ? drawAxis(laid.made) : { height: 1, nodes: [] }, 'axis');
	fit(l, size.unit, shown.map((side) => maker(l, laid, side, upto(side.dataset.side), curtain)));
	if (run) fill(l, step, laid, known(l.names.flatMap((side) => known(laid.all[side], upto(side), curtain)), Infinity));
}

function frame(l, item) {
	Object.assign(l.root.dataset, item.dataset);
	if (l.hung !== null) l.root.dataset.curtain = l.hung;
	const line = l.find('[data-sentence]');
	line.replaceChildren(...item.cloneNode(true).childNodes);
	line.classList.toggle('long', item.matches('.long'));
	for (const half of l.all('.board-half')) half.inert = !item.dataset.board.includes(half.dataset.board);
	for (const cell of l.all('[data-pick]')) cell.setAttribute('aria-pressed', String(cell.dataset.pick === l.pick));
}

function maker(l, laid, side, upto, curtain) {
	const name = side.getAttribute('aria-label');
	const made = asOf(laid, side.dataset.side, upto, curtain);
	return (height) => {
		const drawn = drawSide(made, side.dataset.side, { name, height, network: l.lanes.includes('network'), filter: l.filter, chosen: l.chosen });
		if (curtain) drawn.nodes.push(cloth(made, drawn));
		svg(side.querySelector('[data-draw]'), made.width, drawn, 'lanes', `${name}: lanes over time`);
		return drawn.height;
	};
}

// The lanes share what is left between them and the foot of the screen.
function fit(l, unit, makers) {
	const least = makers.map((make) => make(0));
	const end = (name) => l.find(name).getBoundingClientRect().bottom;
	const spare = l.find('.below').getBoundingClientRect().top - Math.max(end('.sides'), end('.scale')) - 10 * unit;
	const each = Math.min(most, spare / unit / makers.length);
	if (each > 3) makers.forEach((make, i) => make(least[i] + each));
}

// The curtain hangs in front of all boxes behind the shop.
function cloth({ left, width }, { g, height }) {
	const [x, y] = [left - 24 * g.m, g.y.network + g.pill / 2 + 5];
	return h('g', { key: 'curtain', class: 'curtain' },
		h('rect', { x, y, width: width - x, height: height - y }),
		h('text', { class: 'mid', x: (x + width) / 2, y: (y + height) / 2 + g.size / 3 }, 'what the client cannot see'));
}

function fill(l, step, laid, events) {
	fillCounters(l.root, step, l.filter);
	for (const side of l.sides) {
		const id = side.dataset.side;
		const figures = step.upto[id] ? step.money[id] : null;
		const open = laid.all[id].some((e) => e.seq > step.upto[id]);
		const rows = moneyRows(figures, currencyOf(figures), { open });
		if (open) rows.wrong.unpaid = false; // what is still under way is owed to nobody
		fillMoney(side, rows);
	}
	for (const says of l.all('.board-half:not([inert]) [aria-pressed="true"] + .reading')) {
		l.find(`[data-side="${says.closest('.board-half').dataset.board}"] .verdict`).textContent = says.textContent;
	}
	const log = events.slice(-200).map((e) => ({ ...e, scene: 'run' }));
	patch(l.find('[data-log]'), logItems({ scenes: [{ id: 'run', events: log.slice(0, 1) }], log }, { filter: l.filter, sides: 2 }));
}
