// The API's call to the card provider, and what came of it. Pure.
import { begun } from './story.js';
import { clock, isWork } from './draw_shared.js';
import { money } from './money.js';
import { textWidth } from './labels.js';
import { shapeOf, shortKey, wordOf } from './words.js';
import { h, round } from './svg.js';

/** called draws one provider call of a request, the i-th. */
export function called(on, { call, result }, i) {
  const { sheet, g, request, spots, y } = on;
  const event = call ?? result;
  const j = Math.max(0, request.decisions.findLastIndex((d) => isWork(d) && d.at_ms <= event.at_ms));
  const start = spots.decision(request, j);
  const near = event.at_ms - (request.decisions[j] ?? begun(request)).at_ms <= 25;
  const x = near && i === 0 ? start : Math.max(spots.at(event), start + (near ? 16 * g.m * i : 0));
  const to = g.y.provider - 2;
  sheet.arrow(`p${event.seq}`, [x, y + (near && i === 0 ? g.mark / 2 : 5), x, to]);
  const key = event.provider_key || result?.provider_key;
  const low = (g.y.lease ? g.y.lease + g.lease / 2 : y + g.mark / 2) + 4;
  const middle = (low + g.y.provider - g.tag / 2 - 4) / 2;
  if (key && i === 0 && g.callPill) sheet.pill(`q${event.seq}`, x, middle, shortKey(key), textWidth(shortKey(key), g.size, 'mono') + 14 * g.m);
  if (result) provided(on, result, x, middle);
}

// What the card provider made of it: money is a box, taken again it is filled.
function provided(on, result, x, middle) {
  const { sheet, g, request, spots, captured, y } = on;
  const back = request.answer && result.at_ms <= request.answer.at_ms ? spots.back(request) : null;
  if (result.outcome === 'captured') {
    const again = captured.size > 0 && !captured.has(result.provider_key);
    captured.add(result.provider_key);
    tag(on, result, x, back, again);
  } else {
    const at = Math.max(spots.tag(result), x + 26 * g.m);
    sheet.line(`v${result.seq}`, [x, g.y.provider, at, g.y.provider]);
    sheet.mark(result, shapeOf(result), at, g.y.provider, { size: g.mark * 0.92, says: `the card provider: ${wordOf(result)} ${clock(on, result)}` });
    const text = result.outcome === 'replay' ? ['same capture, not charged again', 'not charged again'] : [wordOf(result)];
    sheet.wish(4, `y${result.seq}`, text, sideSpots(g, at, g.mark / 2), 'note');
  }
  if (back !== null && back > x + 4) sheet.line(`r${result.seq}`, [back, g.y.provider - g.tag / 2 - 1, back, y + 4]);
  else if (back === null && middle) sheet.board.take(x - 2, y, x + 2, g.y.provider);
}

function tag(on, result, x, back, again) {
  const { sheet, g, spots } = on;
  const text = money(result.amount ?? 0, result.currency);
  const width = textWidth(text, g.size, 'bold') + 16 * g.m;
  const left = Math.min(Math.max((back ?? spots.tag(result)) - 8 * g.m, x + 14 * g.m), sheet.plan.width - width - 2);
  sheet.line(`v${result.seq}`, [x, g.y.provider, left, g.y.provider]);
  sheet.board.take(left - 2, g.y.provider - g.tag / 2, left + width + 2, g.y.provider + g.tag / 2);
  const dim = sheet.filter && sheet.filter !== 'captured' ? ' dim' : '';
  const name = { role: 'button', tabindex: '0', 'aria-label': `${sheet.name}: ${text} captured${again ? ' again' : ''} ${clock(on, result)}`, 'data-seq': result.seq };
  sheet.put('mark', h('g', { key: `m${result.seq}`, class: `mark money-tag${again ? ' again' : ''}${dim}`, ...(sheet.ghost ? {} : name) },
    h('rect', { class: 'tag', x: round(left), y: round(g.y.provider - g.tag / 2), width: round(width), height: g.tag }),
    h('text', { class: 'tag-text', x: round(left + width / 2), y: round(g.y.provider + g.size * 0.35) }, text)));
  const word = again ? 'captured again' : 'captured';
  const key = result.provider_key && !g.callPill ? [`${word}, ${shortKey(result.provider_key)}`] : [];
  sheet.wish(4, `y${result.seq}`, [...key, word], sideSpots(g, left + width / 2, width / 2, x - 8), again ? 'strong' : 'note');
}

function sideSpots(g, x, half, left = x - half) {
  const y = g.y.provider + g.size * 0.35;
  return [{ x: x + half + 8, y }, { x: left - 8, y, end: true }, { x: x - half - 8, y: g.y.provider - g.size * 0.5, end: true }];
}
