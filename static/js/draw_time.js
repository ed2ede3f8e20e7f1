// What is drawn along time: waits, kills, leases, deliveries, the present.
import { ended } from './story.js';
import { after, before, beside, textWidth } from './labels.js';
import { ms, shapeOf } from './words.js';
import { h, path } from './svg.js';

// A recording draws the present clear of its last mark (plan.edge, in units).
export const nowX = (plan) => plan.axis.at(Math.min(plan.now, plan.to), Infinity) + (plan.edge ?? 0);

export function drawNow(sheet) {
	const { plan, g } = sheet;
	if (!plan.open) return;
	const x = nowX(plan);
	if (x < plan.width) sheet.rect('ground', 'future', x, 0, plan.width - x, g.height);
	if (plan.edge !== undefined) sheet.board.take(x - 3, 0, x + 3, g.height);
	sheet.stroke('ground', 'now', path`M${x} 0V${g.height}`);
}

export function drawWaits(sheet, story, spots) {
	const { g } = sheet;
	if (!g.y.shop) return;
	const [top, bottom] = [g.y.shop + g.mark / 2, g.y.network - g.pill / 2];
	const y = Math.min((top + bottom) / 2, top + 12 * g.m);
	for (const wait of story.waits) {
		// A wait ends where the attempt begins that it waited for.
		const next = story.requests.find((r) => r.n === wait.attempt && r.sent.at_ms >= wait.at_ms);
		const most = next ? spots.col(next) - 3 : Infinity;
		const prior = story.requests.findLast((r) => ended(r) && ended(r).at_ms <= wait.at_ms + 5);
		const from = prior ? spots.end(prior) : spots.at(wait);
		bar(sheet, wait, from, Math.min(Math.max(spots.ms(wait.at_ms + (wait.ms ?? 0)), from + 8), most), y);
	}
}

function bar(sheet, wait, from, to, y) {
	const { g } = sheet;
	const half = Math.min(4.5 * g.m, y - g.y.shop - g.mark / 2 - 2);
	sheet.board.take(from, y - half, to, y + half);
	sheet.rect('bar', 'hatched', from, y - half, to - from, half * 2);
	sheet.stroke('bar', 'wait o-attempt', path`M${from} ${y - half - 2}v${half * 2 + 4}M${to} ${y - half - 2}v${half * 2 + 4}`);
	const why = /retry-after/i.test(`${wait.text} ${wait.reason ?? ''}`) ? 'Retry-After' : 'jitter';
	const length = ms(wait.ms ?? 0);
	const [base, below] = [g.base(y), g.base(y) + g.size * 1.25];
	const spots = [before(from - 7, base), after(to + 7, base), after(from - 2, below), before(to - 4, below)];
	sheet.wish(5, [`waits ${length}, ${why}`, `waits ${length}`, length], spots, 'plain');
}

export function drawKills(sheet, story, spots) {
	const { g } = sheet;
	for (const kill of story.kills) {
		const [high, low] = kill.event.lane === 'shop' ? [g.y.shop, g.y.shop] : [g.apiTop, g.row(0)];
		const [top, bottom] = [high - g.mark * 0.7, low + g.mark * 0.7];
		const q = (bottom - top) / 4;
		const bite = path`l${6 * g.m} ${q}l${-6 * g.m} ${q}`;
		const teeth = bite + bite;
		const from = spots.kill(kill);
		const to = Math.max(spots.ready(kill) ?? spots.now, from + 40 * g.m);
		sheet.button(kill.event, 'o-killed', `PROCESS KILLED, ${kill.ready ? `back after ${ms(kill.ready.at_ms - kill.at)}` : 'not back yet'}`,
			h('path', { class: 'torn', d: path`M${from} ${top}${teeth}H${to}${teeth.replaceAll(' ', ' -')}Z` }),
			to - from > g.size * 5.2 && h('text', { class: 'torn-text', x: (from + to) / 2, y: g.base((top + bottom) / 2) }, 'KILLED'));
		sheet.board.take(from, top, to, bottom);
		if (!kill.ready) sheet.wish(3, ['down'], [after(to + 8, g.base(low))], 'strong');
	}
}

// A dead attempt's claim: hatched what has elapsed.
export function drawLeases(sheet, story, spots) {
	const { g, plan } = sheet;
	for (const lease of story.leases) {
		const top = g.y.lease - g.lease / 2;
		const from = spots.col(lease.request);
		const end = Math.max(spots.ms(Math.min(lease.until, plan.to)), from + 20);
		const until = lease.taken ? Math.min(end, spots.at(lease.taken)) : end;
		const gone = lease.taken ? until : Math.min(spots.now, until);
		sheet.rect('bar', 'lease-gone o-busy', from, top, gone - from, g.lease);
		sheet.rect('bar', 'lease-left o-busy', gone, top, until - gone, g.lease);
		const left = lease.taken ? 0 : Math.max(0, lease.until - plan.now);
		const what = lease.taken ? 'lease ended' : left > 0 ? 'claim' : 'lease over';
		const texts = [`${what}: attempt ${lease.n}, fence ${lease.fence}`, what];
		const text = texts.find((t) => textWidth(t, g.size) < Math.max(gone, from + 60) - from - 20);
		if (text) onPaper(sheet, text, from + 10, textWidth(text, g.size), g.size, 'plain');
		const number = `${(left / 1000).toFixed(2)} s`;
		const width = textWidth(number, g.lease, 'bold') * 0.86 + g.size * 2.6;
		if (left > 0) onPaper(sheet, number, Math.max(Math.min((gone + until - width) / 2, until - width - 4), from + 4), width, g.lease, 'lease-digits', h('tspan', { class: 'unit', dx: g.size * 0.4, 'font-size': g.size }, 'left'));
		sheet.board.take(from, top, Math.max(until, from + width), top + g.lease);
	}
}

// Words on the hatching need a ground of their own.
function onPaper(sheet, text, x, width, size, cls, ...more) {
	const height = Math.min(size * 1.2, sheet.g.lease - 5);
	sheet.rect('word', 'paper', x - 4, sheet.g.y.lease - height / 2, width + 8, height);
	sheet.put('word', h('text', { class: cls, x, y: sheet.g.y.lease + size * 0.35, 'font-size': size }, text, ...more));
}

export function drawDeliveries(sheet, story, spots) {
	const { g } = sheet;
	if (!g.y.receipts) return;
	for (const { sent, result, fault } of story.deliveries) {
		const event = result ?? fault ?? sent;
		const x = spots.own('told', sent);
		sheet.mark(event, shapeOf(event), x, g.y.receipts, { size: g.mark * 0.8, says: event.text });
		const word = result ? { receipt: 'receipt', replay: 'no second receipt' }[result.outcome] ?? 'not taken in' : fault ? 'lost' : 'on its way';
		sheet.wish(7, [fault && result ? `${word}, answer lost` : word, word], beside(x, g.mark * 0.4 + 6, g.base(g.y.receipts)), 'note');
	}
}
