// The API's call to the card provider, and what came of it. Pure.
import { begun, settled } from './story.js';
import { clock, isWork } from './draw_shared.js';
import { money } from './money.js';
import { textWidth } from './labels.js';
import { callWidth } from './plan.js';
import { shapeOf, shortKey, wordOf } from './words.js';
import { h } from './svg.js';

/** called draws one provider call of a request, the i-th. */
export function called(on, { call, result, answer }, i) {
  const { sheet, g, y } = on;
  const event = call ?? result;
  const x = callX(on, call, result, i);
  const top = y + (i === 0 && x === on.spots.decision(on.request, workAt(on, event)) ? g.mark / 2 : 5);
  sheet.arrow(`p${event.seq}`, [x, top, x, g.y.provider - 2]);
  const key = event.provider_key || result?.provider_key;
  const low = (g.y.lease ? g.y.lease + g.lease / 2 : y + g.mark / 2) + 4;
  const middle = (low + g.y.provider - g.tag / 2 - 4) / 2;
  on.keyed = Boolean(key) && i === 0 && g.callPill && sheet.fits(x, middle, callWidth(key, g));
  if (on.keyed) sheet.pill(`q${event.seq}`, x, middle, shortKey(key), callWidth(key, g));
  const back = backX(on, result, answer);
  if (result) provided(on, result, x, back);
  else if (back !== null) lookedUp(on, answer, x, back);
  if (back !== null && back > x + 4) sheet.line(`r${event.seq}`, [back, g.y.provider, back, y + 4]);
}

// Which of the request's decisions let it make this call.
const workAt = (on, event) => Math.max(0, on.request.decisions.findLastIndex((d) => isWork(d) && d.at_ms <= event.at_ms));

// Right below the decision that let it run, where that was just before.
function callX(on, call, result, i) {
  const { g, request, spots } = on;
  const event = call ?? result;
  const at = call ? call.at_ms : result.at_ms - (result.ms ?? 0);
  const j = workAt(on, event);
  const start = spots.decision(request, j);
  const near = at - (request.decisions[j] ?? begun(request)).at_ms <= 25;
  if (near) return start + (i === 0 || on.request.calls[i - 1].call?.at_ms < at - 25 ? 0 : 16 * g.m * i);
  return Math.max(call ? spots.at(call) : spots.ms(at), start);
}

// Where the provider's answer reaches the API; null: it did not, or too late.
function backX(on, result, answer) {
  const { request, spots } = on;
  const event = answer ?? (request.answer && result && result.at_ms <= request.answer.at_ms ? result : null);
  if (!event || /unknown/.test(event.reason ?? '')) return null;
  const done = settled(request) ?? request.answer;
  return done && Math.abs(done.at_ms - event.at_ms) <= 25 ? spots.back(request) ?? spots.at(event) : spots.at(event);
}

// What the card provider made of it: money is a box, taken again it is filled.
function provided(on, result, x, back) {
  const { sheet, g, spots } = on;
  if (result.outcome === 'captured') return tag(on, result, x, back, on.again.has(result.seq));
  const at = Math.max(back ?? spots.tag(result), x + 26 * g.m);
  sheet.line(`v${result.seq}`, [x, g.y.provider, at, g.y.provider]);
  sheet.mark(result, shapeOf(result), at, g.y.provider, { size: g.mark * 0.92, says: `the card provider: ${wordOf(result)} ${clock(on, result)}` });
  const text = result.outcome === 'replay' ? ['same capture, not charged again', 'not charged again', 'replayed'] : [wordOf(result)];
  return sheet.wish(4, `y${result.seq}`, text, [...sideSpots(g, at, g.mark / 2), above(g, (x + at - g.mark / 2) / 2)], 'note');
}

// A look-up by key moves no money and leaves no mark in the provider's book.
function lookedUp(on, answer, x, back) {
  const { sheet, g } = on;
  sheet.line(`v${answer.seq}`, [x, g.y.provider, back, g.y.provider]);
  sheet.wish(4, `y${answer.seq}`, ['asked by key, nothing sent', 'asked by key'], [above(g, (x + back) / 2), { x: back + 8, y: g.y.provider + g.size * 0.35 }, { x: x - 12, y: g.y.provider + g.size * 0.35, end: true }], 'note');
}

// Over the middle of a stretch of the provider's lane.
const above = (g, x) => ({ x, y: g.y.provider - g.size * 0.64, mid: true });

function tag(on, result, x, back, again) {
  const { sheet, g, spots } = on;
  const text = money(result.amount ?? 0, result.currency);
  const width = textWidth(text, g.size, 'bold') + 16 * g.m;
  const left = Math.min(Math.max(spots.tag(result) - 8 * g.m, x + 14 * g.m), sheet.plan.width - width - 2);
  sheet.line(`v${result.seq}`, [x, g.y.provider, Math.max(left, back ?? 0), g.y.provider]);
  sheet.board.take(left - 2, g.y.provider - g.tag / 2, left + width + 2, g.y.provider + g.tag / 2);
  const dim = sheet.filter && sheet.filter !== 'captured' ? ' dim' : '';
  const name = { role: 'button', tabindex: '0', 'aria-label': `${sheet.name}: ${text} captured${again ? ' again' : ''} ${clock(on, result)}`, 'data-seq': result.seq };
  sheet.put('mark', h('g', { key: `m${result.seq}`, class: `mark money-tag${again ? ' again' : ''}${dim}`, ...(sheet.ghost ? {} : name) },
    h('rect', { class: 'tag', x: left, y: g.y.provider - g.tag / 2, width: width, height: g.tag }),
    h('text', { class: 'tag-text', x: left + width / 2, y: g.y.provider + g.size * 0.35 }, text)));
  const word = again ? 'captured again' : 'captured';
  const key = result.provider_key && !on.keyed ? [`${word}, ${shortKey(result.provider_key)}`] : [];
  sheet.wish(4, `y${result.seq}`, [...key, word], sideSpots(g, left + width / 2, width / 2, x - 8), again ? 'strong' : 'note');
}

function sideSpots(g, x, half, left = x - half) {
  const y = g.y.provider + g.size * 0.35;
  return [{ x: x + half + 8, y }, { x: left - 8, y, end: true }, { x: x - half - 8, y: g.y.provider - g.size * 0.64, end: true }];
}
