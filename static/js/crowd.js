// Many clients: one row for each outcome, and what happened at about the same time
// is one mark with its number.
import { ticks } from './axis.js';
import { sizes } from './geometry.js';
import { textWidth } from './labels.js';
import { Sheet } from './sheet.js';
import { shapeOf, wordOf } from './words.js';
import { h, path } from './svg.js';

const most = 12;
const lanes = ['shop', 'network', 'api', 'provider', 'receipts'];

export const isCrowd = (events) => new Set(events.filter((e) => e.kind === 'request').map((e) => e.trace)).size > most;

// A row is a lane and an outcome. What only passes through has none.
function rowOf({ lane, kind, outcome, status }) {
	const passes = (lane === 'api' && kind === 'response') || (lane === 'network' && kind !== 'fault');
	if (outcome && !passes) return `${lane} ${outcome}`;
	return lane === 'shop' && kind === 'response' && status ? 'shop answer' : '';
}

export function layCrowd(every, { width, size }) {
	const kept = every.filter(rowOf);
	const place = (id) => lanes.indexOf(id.split(' ')[0]);
	const rows = [...new Set(kept.map(rowOf))].sort((a, b) => place(a) - place(b)).map((id) => {
		const event = kept.find((e) => rowOf(e) === id);
		return { id, lane: event.lane === 'api' ? 'API' : event.lane, word: event.outcome === 'attempt' ? 'ATTEMPT' : event.outcome ? wordOf(event) : 'ANSWER' };
	});
	const left = Math.max(...rows.map(({ lane, word }) => textWidth(lane, size) + textWidth(word, size, 'bold'))) + size * 2.4;
	const [from, to] = [kept[0].at_ms, kept.at(-1).at_ms + 1];
	const axis = { at: (t) => left + ((t - from) / (to - from)) * (width - size * 4 - left) };
	return { from, to, rows, axis, width, left, size, ticks: ticks({ axis, from, to, skipped: [], gap: size * 3.7 }) };
}

export function drawCrowd(plan, { name, height, filter, chosen, curtain }) {
	const { size, rows, axis } = plan;
	const s = sizes(size);
	const pitch = Math.max(s.mark * 0.94, height / rows.length);
	const g = { ...s, height: Math.ceil(pitch * rows.length), base: (y) => y + size * 0.35 };
	const sheet = new Sheet({ plan, g, name, filter, chosen });
	const text = (cls, x, y, what) => sheet.put('word', h('text', { class: cls, x, y: g.base(y) }, what));
	for (const { x } of plan.ticks) sheet.stroke('ground', 'grid', path`M${x} 0V${g.height}`);
	rows.forEach(({ id, lane, word }, i) => {
		const y = pitch * (i + 0.5);
		const shape = shapeOf({ outcome: id.split(' ')[1], kind: 'response' });
		sheet.stroke('ground', 'lane', path`M${plan.left - size} ${y}H${plan.width}`);
		if (lane !== rows[i - 1]?.lane) text('lane-name', 0, y, lane);
		text(`word end o-${shape}`, plan.left - size * 1.4, y, word);
		if (curtain && lane !== 'shop') return;
		// Clusters come from the whole run, so that none moves when more is shown.
		for (const cluster of clusters(plan.all.filter((e) => rowOf(e) === id), axis, g.mark + size * 2.6)) {
			const known = cluster.filter((e) => plan.shown.has(e));
			const x = axis.at(cluster[0].at_ms);
			const many = known.length > 1 && `× ${known.length}`;
			if (known.length) sheet.mark(known[0], shape, x, y, { size: g.mark * 0.8, says: [word, many].filter(Boolean).join(' ') });
			if (many) text('strong halo', x + g.mark * 0.52, y, many);
		}
	});
	return { height: g.height, nodes: sheet.nodes(), size };
}

function clusters(events, axis, room) {
	const out = [];
	for (const e of events) {
		const open = out.at(-1);
		if (open && axis.at(e.at_ms) - axis.at(open[0].at_ms) < room) open.push(e);
		else out.push([e]);
	}
	return out;
}
