// From a scene's events to each side's story and the one time axis.
import { breaks, solve, ticks } from './axis.js';
import { sizes } from './geometry.js';
import { busyTimes, ended, external, held, pending, settled, tell } from './story.js';
import { pillWidth, textWidth } from './labels.js';

// The earliest are left to the log.
export const mostRequests = 8;

export const together = 25; // milliseconds: closer steps of a request share a place

// `over` is as in story.js; lengths are in units, times in ms.
export function plan({ events, sides, width, size, now, over }) {
	const s = sizes(size);
	const stories = Object.fromEntries(sides.map((side) => [side, shorten(tell(events.filter((e) => e.side === side), over))]));
	const all = Object.values(stories);
	const from = Math.min(...events.filter((e) => e.kind !== 'note').map((e) => e.at_ms), now);
	const open = all.some((story) => pending(story, now));
	const points = sides.flatMap((side) => pointsOf(side, stories[side], s));
	const busy = all.flatMap((story) => busyTimes(story, now));
	const to = open ? horizon(busy, from, now, all) : Math.max(from + 20, ...points.map((p) => p.t));
	points.push({ id: 'from', t: from, seq: -1 }, { id: 'to', t: to, seq: Infinity });
	const skipped = breaks(busy, from, open ? now : to);
	points.push(...skipped.flatMap((gap, i) => edges(gap, i, points, s)));
	const left = textWidth('provider', size) + 42 * s.m;
	const last = all.some((story) => story.requests.some(held)) ? 'HELD at provider-called' : 'RESUMED';
	const right = width - 14 * s.m - (open && last === 'RESUMED' ? 0 : textWidth(last, size, 'bold'));
	const axis = solve({ points, left, right, skipped, jump: 24 * s.m });
	const requests = all.flatMap((story) => story.requests);
	return { from, to, now, open, stories, axis, skipped, ticks: ticks({ axis, from, to, skipped, gap: size * 3.7 }), width, left, size, external: requests.length > 0 && requests.every(external) };
}

function shorten(story) {
	return { ...story, requests: story.requests.slice(-mostRequests), left: Math.max(0, story.requests.length - mostRequests) };
}

// It reaches a round number beyond now, so that it moves in steps.
function horizon(busy, from, now, stories) {
	const base = breaks(busy, from, now).at(-1)?.[1] ?? from;
	const span = Math.max(now - base, 1) * 1.04;
	const step = span < 600 ? 300 : span < 3000 ? 500 : span < 10_000 ? 2000 : 10_000;
	const leases = stories.flatMap((story) => story.leases.filter((l) => !l.taken).map((l) => l.until));
	return Math.max(base + Math.ceil(span / step) * step, ...leases);
}

// What each kind needs at its left and right, in units at size 13.
const room = { col: [12, 27], ring: [16, 17], back: [10, 8], end: [12, 20], kill: [9, 9], ready: [9, 11], clock: [40, 44] };
const banner = 100;

function pointsOf(side, story, s) {
	const list = [...story.requests.flatMap(steps), ...story.kills.flatMap(killSteps), ...story.clocks.map(clockStep)].sort((a, b) => a.t - b.t || a.seq - b.seq);
	const results = story.requests.flatMap((r) => r.calls.map((c) => c.result).filter(Boolean));
	return [
		...list.map(({ id, kind, t, seq }, i) => ({ id: `${side}:${id}`, kind, t, seq, need: needs(side, list, i, s) })),
		...row(side, 'tag', results, 80 * s.m), // captures are boxes: two of them need room for both
		...row(side, 'told', story.deliveries.map((d) => d.sent), 34 * s.m),
	];
}

// What is alone on its lane keeps a distance to its own kind only.
function row(side, kind, events, gap) {
	const id = (e) => `${side}:${kind}${e.seq}`;
	const list = [...events].sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
	return list.map((e, i) => ({ id: id(e), kind, t: e.at_ms, seq: e.seq, need: i ? [{ from: id(list[i - 1]), gap }] : [] }));
}

// A break keeps clear of what is before it and of the column after it.
function edges([start, end], i, points, s) {
	const need = points.filter((p) => p.t <= start).map((p) => ({ from: p.id, gap: (p.kind === 'tag' ? 74 : 30) * s.m }));
	points.filter((p) => p.kind === 'col' && p.t >= end).forEach((p) => p.need.push({ from: `skip${i}>`, gap: 40 * s.m }));
	return [{ id: `skip${i}<`, t: start, seq: Infinity, need }, { id: `skip${i}>`, t: end, seq: Infinity }];
}

function needs(side, list, i, s) {
	const { kind, request, kill } = list[i];
	const need = [];
	const want = (other, gap) => other && need.push({ from: `${side}:${other.id}`, gap });
	const before = (wanted) => list.slice(0, i).findLast((p) => p.kind === wanted);
	if (kind === 'col') {
		const column = before('col');
		want(column, column && (columnWidth(request, s) + columnWidth(column.request, s)) / 2 + 8);
		want(before('back'), pillWidth(request.key, s) / 2 + 8 * s.m);
	}
	if (i && (kind !== 'col' || list[i - 1].kind !== 'col')) want(list[i - 1], (room[list[i - 1].kind][1] + room[kind][0]) * s.m);
	if (kill) want(list.find((p) => p.id === kill), banner * s.m);
	return need;
}

// Below the client's key may hang the provider's.
function columnWidth(request, s) {
	return Math.max(...[request.key, request.calls[0]?.call?.provider_key].map((key) => pillWidth(key, s)));
}

export function steps(request) {
	const out = [];
	const add = (id, kind, event) => out.push({ id: `${request.id}:${id}`, kind, t: event.at_ms, seq: event.seq, request });
	const start = request.sent;
	add('col', 'col', start);
	request.decisions.forEach((d, i) => (i || d.at_ms - start.at_ms > together) && add(`d${i}`, 'ring', d));
	request.holds.forEach((hold, i) => add(`h${i}`, 'ring', hold.event));
	// Whoever waits may go on with the commit, unless the answer was held back.
	const back = request.answer && (request.holds.length ? request.answer : settled(request) ?? request.answer);
	if (back) add('back', 'back', back);
	const end = ended(request);
	if (end && end !== back && (!back || Math.abs(end.at_ms - back.at_ms) > together)) add('end', 'end', end);
	return out;
}

const clockStep = (e) => ({ id: `clock${e.seq}`, kind: 'clock', t: e.at_ms, seq: e.seq });

function killSteps({ seq, at, ready }) {
	const out = [{ id: `kill${seq}`, kind: 'kill', t: at, seq }];
	if (ready) out.push({ id: `ready${seq}`, kind: 'ready', t: ready.at_ms, seq: ready.seq, kill: `kill${seq}` });
	return out;
}
