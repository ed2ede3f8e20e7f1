// Brings the page to one step or moment. The server has printed most of it;
// lesson.css knows its data attributes.
import { ask } from './ask.js';
import { currencyOf, fillMoney, moneyRows } from './books.js';
import { fillCounters } from './controls.js';
import { drawCrowd } from './crowd.js';
import { drawAxis, drawSide } from './draw.js';
import { asOf, known, lay, upTo, until } from './lesson_steps.js';
import { bold, logItems } from './log.js';
import { fonts, measure } from './measure.js';
import { ms, wordOf } from './words.js';
import { patch, svg, write } from './svg.js';

const most = 110;

export function show(l) {
	const { root, run, player } = l;
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
	const owners = pick ? { naive: pick, safe: pick } : step.owner;
	const told = (side) => upTo(pick ? (board.includes(side) ? Infinity : 0) : step.upto[side] ?? 0);
	let laid, seen;
	for (const font of fonts(size.font)) {
		laid = lay(run?.events ?? [], l.names, { lanes: l.lanes, owners, width: size.width, size: font });
		Object.assign(player, { events: laid.every, step: laid.every.findLastIndex((e) => told(e.side)(e)) + 1 });
		const { moment, event } = player;
		seen = (side) => (moment === null ? told(side) : event ? until(event) : () => false);
		svg(l.find('[data-axis]'), laid.made.width, run ? drawAxis(laid.made) : { height: 1, nodes: [] }, 'axis');
		fit(l, size.unit, shown.map((side) => maker(l, laid, side, seen(side.dataset.side), curtain)));
		if (l.find('.screen').offsetHeight <= innerHeight) break;
	}
	if (!run) return;
	time(l, laid.every);
	fill(l, step, laid, known(l.names.flatMap((side) => known(laid.all[side], seen(side), curtain)), () => true));
}

function frame(l, item) {
	Object.assign(l.root.dataset, item.dataset);
	if (l.over) l.root.dataset.mode = 'end';
	else if (l.player.moment !== null) Object.assign(l.root.dataset, { mode: 'lanes', board: '', ask: item.dataset.ask === 'open' ? 'asked' : item.dataset.ask });
	if (l.hung !== null) l.root.dataset.curtain = l.hung;
	const line = l.find('[data-sentence]');
	line.replaceChildren(...item.cloneNode(true).childNodes);
	line.classList.toggle('long', item.matches('.long'));
	for (const half of l.all('.board-half')) half.inert = !item.dataset.board.includes(half.dataset.board);
	for (const cell of l.all('[data-pick]')) cell.setAttribute('aria-pressed', String(cell.dataset.pick === l.pick));
}

// time shows where in the recording one is; away from the steps the sentence is
// the event's own.
function time(l, events) {
	const { position, moment, event, timer } = l.player;
	const at = event ? event.at_ms - events[0].at_ms : 0;
	const slider = l.find('[data-time]');
	Object.assign(slider, { max: events.length, value: position });
	slider.setAttribute('aria-valuetext', `${ms(at)}, event ${position} of ${events.length}`);
	write(l.find('[data-moment]'), ms(at));
	l.find('[data-do="play"]').setAttribute('aria-pressed', String(timer !== null));
	if (moment === null || l.over) return;
	const line = l.find('[data-sentence]');
	const text = event?.text || (event ? wordOf(event) : 'Nothing has happened yet.');
	line.replaceChildren();
	line.classList.toggle('long', text.length > 70);
	patch(line, event ? [`${event.side.toUpperCase()}: `, ...bold(text)] : [text]);
}

function maker(l, laid, side, shown, curtain) {
	const name = side.getAttribute('aria-label');
	const made = asOf(laid, side.dataset.side, shown, curtain);
	const with_ = { name, network: l.lanes.includes('network'), filter: l.filter, chosen: l.chosen, curtain };
	return (height) => {
		const drawn = made.rows ? drawCrowd(made, { ...with_, height }) : drawSide(made, side.dataset.side, { ...with_, height });
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

function figuresOf(l, step, side) {
	const { moment, event } = l.player;
	const { naive, safe } = step.owner ?? {};
	const url = `/stage/runs/${l.run.id}/moments${naive ? `/${naive}/${safe}` : ''}`;
	if (moment !== null && l.moments.url !== url) {
		l.moments = { url };
		ask(url).then(({ body }) => l.moments.url === url && show(l, Object.assign(l.moments, body)));
	}
	if (moment === null || !l.moments[side]) return { money: step.upto[side] ? step.money[side] : null, counters: step.counters[side] };
	const past = event ? l.moments[side].filter(until(event)) : [];
	return { money: past.findLast((m) => m.money)?.money ?? null, counters: past.at(-1)?.counters ?? {} };
}

function fill(l, step, laid, events) {
	const figures = Object.fromEntries(l.names.map((side) => [side, figuresOf(l, step, side)]));
	fillCounters(l.root, { counters: Object.fromEntries(l.names.map((side) => [side, figures[side].counters])) }, l.filter);
	for (const side of l.sides) {
		const id = side.dataset.side;
		const { money } = figures[id];
		const open = l.player.moment === null ? laid.all[id].some((e) => e.seq > step.upto[id]) : l.player.position < laid.every.length;
		const rows = moneyRows(money, currencyOf(money), { open });
		if (open) rows.wrong.unpaid = false; // what is still under way is owed to nobody
		fillMoney(side, rows);
	}
	for (const says of l.all('.board-half:not([inert]) [aria-pressed="true"] + .reading')) {
		l.find(`[data-side="${says.closest('.board-half').dataset.board}"] .verdict`).textContent = says.textContent;
	}
	const log = events.slice(-200).map((e) => ({ ...e, scene: 'run' }));
	patch(l.find('[data-log]'), logItems({ scenes: [{ id: 'run', events: log.slice(0, 1) }], log }, { filter: l.filter, sides: 2 }));
}
