// One request, from the client's mark to the answer or the silence. Pure.
import { begun, ended, external, lost } from './story.js';
import { answered, faulted, finished } from './draw_end.js';
import { called } from './draw_provider.js';
import { clock, isWork, lostAt, says, workEnd } from './draw_shared.js';
import { pillWidth } from './plan.js';
import { attemptWord, shapeOf, shortKey, wordOf } from './words.js';
import { h, path } from './svg.js';

/** drawRequest draws one request into the sheet's layers. `y` is its row at
 * the API; `again` names the captures that took money a second time. */
export function drawRequest(on) {
  const { request } = on;
  on.x = on.spots.col(request);
  on.from = external(request) ? on.g.y.network : on.g.y.shop ?? on.g.y.network;
  on.word = says(request);
  sent(on);
  request.decisions.forEach((decision, i) => decided(on, decision, i));
  work(on);
  request.calls.forEach((call, i) => called(on, call, i));
  for (const fault of request.faults) faulted(on, fault);
  if (request.answer) answered(on);
  finished(on);
}

function sent(on) {
  const { sheet, g, request, x, from } = on;
  const first = begun(request);
  sheet.mark(first, 'attempt', x, from, { number: request.letter ?? request.n, says: `${on.word}, key ${request.key || 'none'}, ${clock(on, first)}` });
  const top = g.label(from);
  const texts = [attemptWord({ attempt: request.n, of: request.of }), request.of ? `${request.n} of ${request.of}` : ''].filter(Boolean);
  sheet.wish(2, `a${request.id}`, texts, [{ x: x - g.mark / 2, y: top }, { x: x + g.mark / 2, y: top, end: true }], 'word o-attempt', 'bold');
  const gone = lost(request) && !request.decisions.length;
  const target = gone ? lostAt(on) : arrivesAt(on);
  sheet.arrow(`s${request.id}`, [x, from + g.mark / 2, x, target]);
  if (request.decisions.length) inside(on, target);
  const middle = external(request) || gone ? (from + target) / 2 : g.y.network + (on.level ?? 0) * (g.pill / 2 + 1);
  sheet.pill(`k${request.id}`, x, middle, request.key ? shortKey(request.key) : '', pillWidth(request, g));
}

// A request may stand inside for a while before anything is decided.
function inside({ sheet, request, spots, g, x, y }, target) {
  const first = spots.decision(request, 0) - ring(request.decisions[0], g) / 2;
  if (first > x + 2) sheet.line(`i${request.id}`, [x, target, x, y, first, y]);
}

// Where the arrow ends: at the first decision's mark, else at the API's edge.
function arrivesAt(on) {
  const decision = on.request.decisions[0];
  const edge = decision ? ring(decision, on.g) / 2 + 2 : on.g.mark * 0.7 + 3;
  return (decision ? on.y : on.g.apiTop) - edge;
}

const ring = (decision, g) => (decision.outcome === 'replay' ? g.mark * 1.22 : g.mark);

function decided(on, decision, i) {
  const { sheet, g, request, spots, y } = on;
  const x = spots.decision(request, i);
  const size = ring(decision, g);
  sheet.mark(decision, shapeOf(decision), x, y, { size, says: `${on.word}: ${wordOf(decision)} ${clock(on, decision)}` });
  const last = i === request.decisions.length - 1;
  const right = decision.outcome === 'busy' ? x + size / 2 + 6 : Math.max(x + size / 2, last && (isWork(decision) || request.answer) ? workEnd(on) : 0) + 9;
  const around = beside({ g, x, y, size, right });
  if (last && sheet.plan.edge && !request.answer && !request.killed) around.push({ x: spots.now + 9, y: y + g.size * 0.35 }); // behind the present, where nothing is yet
  sheet.wish(1, `w${decision.seq}`, wordsOf(decision), around, `word o-${shapeOf(decision)}`, 'bold');
  if (decision.outcome === 'busy') waiting(on, decision, i, x + size / 2 + 3);
}

function wordsOf(decision) {
  if (decision.outcome === 'resumed' && decision.fence) return [`RESUMED, fence ${decision.fence}`, 'RESUMED'];
  return decision.outcome === 'conflict' ? [wordOf(decision), 'CONFLICT'] : [wordOf(decision)];
}

function beside({ g, x, y, size, right }) {
  const base = y + g.size * 0.35;
  const above = y - size / 2 - 5;
  const below = y + size / 2 + g.size;
  return [
    { x: right, y: base }, { x: x + size / 2 + 4, y: above }, { x: x + size / 2 + 4, y: below },
    { x, y: below, mid: true }, { x: x - size / 2 - 7, y: base, end: true }, { x: x - size / 2, y: above, end: true }, { x: x - size / 2, y: below, end: true },
  ];
}

// A busy request waits on its row until it is decided again or answered.
function waiting(on, decision, i, from) {
  const { sheet, spots, request, y } = on;
  const next = request.decisions[i + 1];
  const until = next ? spots.decision(request, i + 1) - ring(next, on.g) / 2 : request.answer ? spots.back(request) : request.killed ? spots.kill(request.killed) : ended(request) ? spots.end(request) : spots.now;
  if (until > from + 2) sheet.put('bar', h('path', { key: `d${decision.seq}`, class: 'dotted o-busy', d: path`M${from} ${y}H${until}` }));
}

function work(on) {
  const { sheet, request, spots, y } = on;
  const i = request.decisions.findIndex(isWork);
  if (i < 0) return;
  const from = spots.decision(request, i);
  const to = workEnd(on);
  const color = `o-${request.decisions[i].outcome}`;
  sheet.put('bar', h('path', { key: `j${request.id}`, class: `work ${color}`, d: path`M${from} ${y}H${to}` }));
  sheet.board.take(from, y - 4, to, y + 4);
  for (const commit of request.commits) committed(on, commit, from, to);
}

// A commit is a notch in the work: from here on it is on disk.
function committed(on, commit, from, to) {
  const { sheet, g, spots, y } = on;
  const x = Math.min(Math.max(spots.near(on.request, commit), from + g.mark / 2 + 3), to - 1.5);
  sheet.put('mark', h('path', { key: `c${commit.seq}`, class: 'notch', d: path`M${x} ${y - 6 * g.m}V${y + 6 * g.m}` }));
}
