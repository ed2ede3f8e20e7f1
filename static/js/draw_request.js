// One request, from the client's mark to the answer or the silence.
import { ended, external, isWork, lost, settled } from './story.js';
import { answered, faulted, finished } from './draw_end.js';
import { called } from './draw_provider.js';
import { after, before } from './labels.js';
import { attemptWord, shapeOf, wordOf } from './words.js';
import { path } from './svg.js';

// `y` is its row at the API, `again` are captures beyond the first.
export function drawRequest(on) {
	const { g, request, spots } = on;
	on.x = spots.col(request);
	on.from = external(request) ? g.y.network : g.y.shop;
	on.says = (request.letter ? `click ${request.letter}, ` : '') + attemptWord({ attempt: request.n, of: request.of }).toLowerCase();
	on.lostAt = external(request) ? on.from + g.mark + g.pill : g.y.network - 2;
	sent(on);
	request.decisions.forEach((decision, i) => decided(on, decision, i));
	work(on);
	request.holds.forEach((hold, i) => stands(on, hold, i));
	request.calls.forEach((call, i) => called(on, call, i));
	for (const fault of request.faults) faulted(on, fault);
	if (request.answer) answered(on);
	finished(on);
}

function sent(on) {
	const { sheet, g, request, x, y, from, says } = on;
	const { key, n, of, letter, decisions: [first] } = request;
	sheet.mark(request.sent, 'attempt', x, from, { number: letter ?? n, says: `${says}, key ${key || 'none'}` });
	const top = g.label(from);
	const texts = [attemptWord({ attempt: n, of }), of && `${n} of ${of}`].filter(Boolean);
	sheet.wish(2, texts, [after(x - g.mark / 2, top), before(x + g.mark / 2, top)], 'word o-attempt');
	const gone = lost(request) && !first;
	// The arrow ends at the first decision's mark, else at the API's edge.
	const target = gone ? on.lostAt : first ? y - ring(first, g) / 2 - 2 : g.apiTop - g.mark * 0.7 - 3;
	sheet.arrow([x, from + g.mark / 2, x, target]);
	// It may stand inside for a while before anything is decided.
	const edge = first ? on.spots.decision(request, 0) - ring(first, g) / 2 : 0;
	if (edge > x + 2) sheet.line([x, target, x, y, edge, y], 'arrow inside');
	sheet.pill(x, external(request) || gone ? (from + target) / 2 : g.y.network, key);
}

const ring = (decision, g) => (decision.outcome === 'replay' ? g.mark * 1.22 : g.mark);

function decided(on, decision, i) {
	const { sheet, g, request, spots, y } = on;
	const { decisions, answer, killed } = request;
	const x = spots.decision(request, i);
	const half = ring(decision, g) / 2;
	const next = decisions[i + 1];
	const busy = decision.outcome === 'busy';
	sheet.mark(decision, shapeOf(decision), x, y, { size: half * 2, says: `${on.says}: ${wordOf(decision)}` });
	const places = g.around(x, y, half, !busy && !next && (isWork(decision) || answer) ? workEnd(on) : 0);
	if (!next && sheet.plan.edge && !answer && !killed) places.push(after(spots.now + 9, g.base(y)));
	sheet.wish(1, wordsOf(decision), places, `word o-${shapeOf(decision)}`);
	if (!busy) return;
	const until = next ? spots.decision(request, i + 1) - ring(next, g) / 2 : spots.until(request);
	if (until > x + half + 5) sheet.stroke('bar', 'dotted o-busy', path`M${x + half + 3} ${y}H${until}`);
}

function wordsOf(decision) {
	const word = wordOf(decision);
	if (decision.outcome === 'resumed' && decision.fence) return [`${word}, fence ${decision.fence}`, word];
	return decision.outcome === 'conflict' ? [word, 'CONFLICT'] : [word];
}

function workEnd({ request, spots, x }) {
	const { answer, killed, holds } = request;
	const done = settled(request);
	if (done && ((!answer && !killed) || holds.length)) return spots.at(done);
	return answer || killed || !ended(request) ? spots.until(request) : x;
}

function work(on) {
	const { sheet, g, request, spots, y } = on;
	const i = request.decisions.findIndex(isWork);
	if (i < 0) return;
	const from = spots.decision(request, i);
	const to = workEnd(on);
	sheet.stroke('bar', `work o-${request.decisions[i].outcome}`, path`M${from} ${y}H${to}`);
	sheet.board.take(from, y - 4, to, y + 4);
	// A commit is a notch in the work: from here on it is on disk.
	for (const commit of request.commits) {
		const x = Math.min(Math.max(spots.near(request, commit), from + g.mark / 2 + 3), to - 1.5);
		sheet.stroke('bar', 'notch', path`M${x} ${y - 6 * g.m}V${y + 6 * g.m}`);
	}
}

// A held request glows from the gate to its fate, or to the present.
function stands(on, { event, until }, i) {
	const { sheet, g, request, spots, y } = on;
	const x = spots.hold(request, i);
	const to = Math.max(until ? spots.at(until) : spots.now, x);
	sheet.stroke('line', until ? 'stands' : 'stands glow', path`M${x} ${y}H${to}`);
	const word = `HELD at ${event.gate}`;
	sheet.mark(event, 'held', x, y, { says: `${on.says}: ${word}` });
	sheet.wish(0, until ? ['HELD'] : [word, 'HELD'], g.around(x, y, g.mark / 2, until ? 0 : to), 'word');
}
