// One side of a scene as an SVG tree.
import { geometry, rowsOf } from './geometry.js';
import { drawDeliveries, drawKills, drawLeases, drawNow, drawWaits, nowX } from './draw_time.js';
import { drawRequest } from './draw_request.js';
import { after, over } from './labels.js';
import { Sheet } from './sheet.js';
import { ended } from './story.js';
import { digits } from './words.js';
import { h, path } from './svg.js';

const moneySize = 48;

// Where the story is told in part, plan.whole is all of it.
export function drawSide(plan, side, { name, height, network = true, ghost, filter, chosen, curtain }) {
	const { size } = plan;
	const story = plan.stories[side];
	const whole = plan.whole ?? story;
	const spots = places(plan, side);
	const g0 = geometry({ height, size });
	const stay = (r) => ({ id: r.id, from: spots.col(r) - g0.mark, to: spots.until(r) - (r.killed && !r.answer ? g0.mark : 0) + 14 * g0.m });
	const { rows, count } = rowsOf(whole.requests.filter(reached).map(stay));
	const runs = Boolean(plan.whole) || story.leases.some((l) => !l.taken && l.until > plan.now);
	const wrong = story.deliveries.some((d) => d.fault || d.sent.attempt > 1 || (d.result && d.result.outcome !== 'receipt'));
	const g = geometry({
		height, size, shop: !plan.external, rows: count, receipts: wrong || (story.deliveries.length ? 'wanted' : false),
		lease: whole.leases.length ? (runs ? moneySize : size * 1.5) : 0,
	});
	const sheet = new Sheet({ plan, g, name, ghost, filter, chosen });
	lanes(sheet, plan, network);
	drawNow(sheet);
	drawKills(sheet, story, spots);
	for (const clock of story.clocks) later(sheet, spots.own('clock', clock), clock.ms / 36e5);
	drawLeases(sheet, story, spots);
	drawDeliveries(sheet, story, spots);
	const again = takenAgain(story);
	for (const request of story.requests) {
		drawRequest({ sheet, g, spots, request, again, y: g.row(rows.get(request.id) ?? 0) });
	}
	drawWaits(sheet, story, spots);
	// A client from outside chooses its side; the other one has no part in it.
	if (!plan.whole && !story.requests.length && !story.kills.length) {
		const at = (share) => over(plan.left + (plan.width - plan.left) * share, (g.apiTop + g.top) / 2);
		sheet.wish(9, ['nothing was sent here'], [0.5, 0.25, 0.75].map(at), 'quiet');
	}
	if (story.left) sheet.wish(9, [`${story.left} earlier in the log`], [after(plan.left, g.height - 4)], 'quiet');
	return { height: g.height, nodes: [...sheet.nodes(), curtain && cloth(plan, g)].filter(Boolean), size };
}

// The curtain hangs in front of all boxes behind the shop.
function cloth({ left, width }, { m, y, pill, size, height }) {
	const [x, top] = [left - 24 * m, y.network + pill / 2 + 5];
	return h('g', { key: 'curtain', class: 'curtain' },
		h('rect', { x, y: top, width: width - x, height: height - top }),
		h('text', { class: 'mid', x: (x + width) / 2, y: (top + height) / 2 + size / 3 }, 'what the client cannot see'));
}

// Captures under another key than the first take money a second time.
function takenAgain(story) {
	const all = story.requests.flatMap((r) => r.calls).map((c) => c.result).filter((e) => e?.outcome === 'captured');
	all.sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
	const first = (e) => all.find(({ scene }) => scene === e.scene);
	return new Set(all.filter((e) => e.provider_key !== first(e).provider_key).map((e) => e.seq));
}

const reached = (request) => request.decisions.length + request.calls.length + request.holds.length > 0;

export function places(plan, side) {
	const at = (event) => event && plan.axis.at(event.at_ms, event.seq);
	const of = (id, event) => plan.axis.x.get(`${side}:${id}`) ?? at(event);
	const col = (r) => of(`${r.id}:col`);
	const back = (r) => of(`${r.id}:back`, r.answer);
	const end = (r) => of(`${r.id}:end`) ?? back(r) ?? at(ended(r));
	const kill = (k) => of(`kill${k.seq}`, k.event);
	const now = nowX(plan);
	return {
		at, col, back, end, kill, now,
		ms: (t) => plan.axis.at(t, Infinity),
		decision: (r, i) => (i ? of(`${r.id}:d${i}`, r.decisions[i]) : of(`${r.id}:d0`) ?? col(r)),
		hold: (r, i) => of(`${r.id}:h${i}`, r.holds[i].event),
		own: (kind, event) => of(`${kind}${event.seq}`, event),
		ready: (k) => k.ready && of(`ready${k.seq}`, k.ready),
		near: (r, event) => (event.at_ms - r.sent.at_ms <= 25 ? col(r) : at(event)),
		until: (r) => (r.answer ? back(r) : r.killed ? kill(r.killed) : ended(r) ? end(r) : now),
	};
}

function lanes(sheet, plan, network) {
	const { g } = sheet;
	const start = plan.left - 24 * g.m;
	const name = (text, y) => sheet.put('ground', h('text', { class: 'lane-name', x: 0, y: g.base(y) }, text));
	const lane = (text, y) => {
		sheet.stroke('ground', 'lane', path`M${start} ${y}H${plan.width}`);
		name(text, y);
	};
	for (const { x } of plan.ticks) sheet.stroke('ground', 'grid', path`M${x} ${g.top - g.mark / 2}V${g.height}`);
	for (const [from, to] of plan.skipped) breakMark(sheet, (plan.axis.at(from, Infinity) + plan.axis.at(to, Infinity)) / 2);
	if (g.y.shop) lane('shop', g.y.shop);
	if (network) lane('network', g.y.network);
	for (let n = 0; n < g.rows; n++) lane(n === g.rows - 1 ? 'API' : '', g.row(n));
	if (g.y.lease) name('lease', g.y.lease);
	lane('provider', g.y.provider);
	if (g.y.receipts) lane('receipts', g.y.receipts);
	sheet.board.take(0, 0, start - 4, g.height);
}

// Hours put on the retention clock.
function later(sheet, x, hours) {
	breakMark(sheet, x);
	const y = sheet.g.label(sheet.g.top);
	sheet.board.take(x - 30, 0, x + 30, y);
	sheet.put('word', h('text', { class: 'strong mid', x, y }, hours < 48 ? `+${hours} h` : `+${hours / 24} days`));
}

function breakMark(sheet, x) {
	const { g } = sheet;
	const slash = (dx) => path`M${x + dx + 5} ${g.top - 8}L${x + dx - 5} ${g.height - 4}`;
	sheet.stroke('bar', 'break', slash(-3) + slash(3));
	sheet.board.take(x - 8, 0, x + 8, g.height);
}

export function drawAxis(plan) {
	const { size } = plan;
	const all = plan.ticks.filter(({ x }) => x < plan.width - size * 2);
	const numbers = all.map(({ t, x }, i) => h('text', { class: 'note mid', x, y: size * 1.1 }, i === all.length - 1 ? `${digits(t)} ms` : digits(t)));
	return { height: Math.ceil(size * 1.5), nodes: numbers, size };
}
