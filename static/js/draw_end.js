// How a request ends: the answer, the fault that swallowed it, the silence.
// Pure.
import { begun, ended, external, lost } from './story.js';
import { clock, isWork, lostAt } from './draw_shared.js';
import { pillWidth } from './plan.js';
import { ms, wordOf } from './words.js';
import { h, path } from './svg.js';

/** faulted says what the network did to a request. */
export function faulted(on, fault) {
  const { sheet, g, request, spots } = on;
  if (fault === lost(request)) return request.decisions.length ? null : lostRequest(on, fault);
  const y = fault.lane === 'provider' ? g.y.provider : g.y.network;
  const x = fault.lane === 'provider' ? spots.at(fault) : spots.near(request, fault);
  const texts = fault.outcome === 'reset' ? ['nobody there: reset', 'reset'] : [shorten(fault.text), 'fault'];
  const away = fault.lane === 'provider' ? 8 : pillWidth(request, g) / 2 + 6;
  sheet.wish(3, `f${fault.seq}`, texts, [{ x: x + away, y: y + g.size * 0.35 }, { x: x - away, y: y + g.size * 0.35, end: true }], 'note');
}

// The first clause of a fault's sentence; the whole is in the log.
const shorten = (text) => (text ?? '').split(/[,.(:]/)[0].trim();

function lostRequest(on, fault) {
  const { sheet, g, x } = on;
  const y = lostAt(on) + 2;
  fading(sheet, `f${fault.seq}`, x, y, 1);
  sheet.wish(3, `f${fault.seq}w`, ['request lost here', 'lost'], [{ x: x + 10, y: y + g.size }, { x: x - 10, y: y + g.size, end: true }], 'plain');
}

// Three strokes that get fainter: something went this way and did not arrive.
function fading(sheet, key, x, y, way) {
  [1, 0.6, 0.3].forEach((strength, i) => {
    const from = y + way * (3 + i * 9);
    sheet.put('bar', h('path', { key: `${key}${i}`, class: 'fade o-silence', 'stroke-opacity': strength, d: path`M${x} ${from}v${way * 5}` }));
  });
  sheet.board.take(x - 3, y, x + 3, y + way * 26);
}

/** answered draws the way back, as far as the answer came. */
export function answered(on) {
  const { sheet, g, request, spots, y, from } = on;
  const last = request.decisions.length - 1;
  const at = last < 0 ? on.x : spots.decision(request, last);
  const x = Math.max(spots.back(request), at + 8);
  const gone = lost(request) && !(request.end && request.end.status);
  const waited = request.decisions[last]?.outcome === 'busy'; // its dots lead there already
  if (!waited && !request.decisions.some(isWork)) sheet.line(`u${request.id}`, [at + g.mark / 2, y, x, y]);
  if (gone) return lostAnswer(on, x);
  const end = Math.max(x, request.end ? spots.end(request) : x);
  const bottom = y - (request.decisions.some(isWork) ? 4 : 0);
  const path = end - x > 3 ? [x, bottom, x, g.y.network, end, g.y.network, end, from + g.mark / 2 + 1] : [x, bottom, x, from + g.mark / 2 - 3];
  sheet.arrow(`b${request.id}`, path);
  const status = String(request.end?.status || request.answer.status || '');
  const level = from + g.mark / 2 + g.size * 0.75;
  sheet.wish(3, `t${request.id}`, [status], [{ x: end + 8, y: level }, { x: end - 8, y: level, end: true }, { x: end + 8, y: level + g.size * 1.1 }], 'plain');
  const spot = { y: g.y.provider + g.size * 0.35 };
  if (request.decisions.at(-1)?.outcome === 'replay') {
    sheet.wish(6, `z${request.id}`, ['not asked again'], [{ x: at - g.mark / 2, ...spot }, { x: x + 4, ...spot, end: true }, { x: at + g.mark, ...spot }], 'plain');
  }
}

function lostAnswer(on, x) {
  const { sheet, g, request, y } = on;
  const end = external(request) ? on.from + g.mark + 8 : g.y.network + 9;
  sheet.line(`b${request.id}`, [x, y - 4, x, end]);
  fading(sheet, `f${request.id}`, x, end, -1);
  const level = g.y.network + g.size * 0.35;
  sheet.wish(3, `f${request.id}w`, ['answer lost here', 'lost here', 'lost'], [{ x: x + 10, y: level }, { x: x + 10, y: level + g.size * 1.2 }, { x: x - 10, y: level, end: true }], 'plain');
}

/** finished draws how it ends for the client: an answer was drawn already; a
 * silence is an open question, a reset a torn line, an open request a line
 * that grows. */
export function finished(on) {
  const { sheet, g, request, spots, x, from } = on;
  const end = request.end;
  const start = x + g.mark / 2 + 2;
  if (!end) return ended(request) || request.killed && external(request) ? null : still(on, start);
  const at = spots.end(request);
  if (end.outcome === 'silence') return silence(on, end, start, at);
  if (request.answer && !(lost(request) && !end.status)) return null;
  sheet.put('bar', h('path', { key: `h${request.id}`, class: 'dotted o-attempt', d: path`M${start} ${from}H${at - g.mark / 2}` }));
  if (end.outcome === 'reset') sheet.mark(end, 'reset', at, from, { size: g.mark * 0.9, says: `${on.word}: connection reset, outcome unknown, ${clock(on, end)}` });
  const text = end.outcome === 'reset' ? 'RESET' : wordOf(end);
  const level = from + g.mark / 2 + g.size * 0.75;
  sheet.wish(3, `h${request.id}w`, [text], [{ x: at - 8, y: level }, { x: at + 8, y: level, end: true }, { x: at - g.mark / 2, y: g.label(from) }], 'plain');
  return null;
}

function silence(on, end, start, at) {
  const { sheet, g, request, from } = on;
  const stop = at - g.mark * 0.55;
  const step = Math.max(14 * g.m, (stop - start) / 10);
  for (let x = start, i = 0; x < stop - 2; x += step, i++) {
    const strength = Math.max(0.28, 1 - (0.78 * (x - start)) / (stop - start));
    sheet.put('bar', h('path', { key: `h${request.id}${i}`, class: 'fade o-silence', 'stroke-opacity': strength, d: path`M${x} ${from}H${Math.min(x + step * 0.7, stop)}` }));
  }
  const length = ms(end.ms || end.at_ms - begun(request).at_ms);
  sheet.mark(end, 'silence', at, from, { size: g.mark * 1.08, says: `${on.word}: SILENCE, no answer in ${length}` });
  const top = g.label(from);
  const texts = [`SILENCE ? no answer in ${length}`, `SILENCE ? ${length}`, 'SILENCE ?'];
  const spots = [{ x: at + g.mark * 0.3, y: top, end: true }, { x: at - g.mark / 2, y: top }, { x: at - g.mark * 0.7, y: from + g.mark * 0.5 + g.size, end: true }];
  sheet.wish(2, `h${request.id}w`, texts, spots, 'word o-silence', 'bold', true);
}

function still(on, start) {
  const { sheet, request, spots, from } = on;
  if (!sheet.plan.open || spots.now <= start + 4) return;
  sheet.put('bar', h('path', { key: `h${request.id}`, class: 'dotted o-attempt', d: path`M${start} ${from}H${spots.now}` }));
}
