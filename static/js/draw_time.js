// What is drawn along the time axis rather than along a request: waits, kills,
// leases and the present. Pure.
import { ended } from './story.js';
import { textWidth } from './labels.js';
import { ms } from './words.js';
import { h, path } from './svg.js';

/** nowX is the x of the present. A recording draws it clear of its last mark
 * (plan.edge, in units). */
export const nowX = (plan) => plan.axis.at(Math.min(plan.now, plan.to), Infinity) + (plan.edge ?? 0);

/** drawNow shades what has not happened yet, while something is pending. */
export function drawNow(sheet) {
  const { plan, g } = sheet;
  if (!plan.open) return;
  const x = nowX(plan);
  if (x < plan.width) sheet.put('ground', h('rect', { key: 'future', class: 'future', x, y: 0, width: plan.width - x, height: g.height }));
  if (plan.edge !== undefined) sheet.board.take(x - 3, 0, x + 3, g.height); // it does not move under the words
  sheet.put('ground', h('path', { key: 'now', class: 'now', d: path`M${x} 0V${g.height}` }));
}

/** drawWaits draws the pauses between attempts as hatched bars. */
export function drawWaits(sheet, story, spots) {
  const { g } = sheet;
  if (!g.y.shop) return;
  const [top, bottom] = [g.y.shop + g.mark / 2, g.y.network - g.pill / 2];
  const y = Math.min((top + bottom) / 2, top + 12 * g.m);
  for (const wait of story.waits) {
    const next = nextColumn(story, spots, wait);
    const before = story.requests.findLast((r) => ended(r) && ended(r).at_ms <= wait.at_ms + 5);
    const from = before ? spots.end(before) : spots.at(wait);
    const to = Math.max(Math.min(spots.ms(wait.at_ms + (wait.ms ?? 0)), next ?? Infinity), Math.min(from + 8, next ?? Infinity));
    bar(sheet, wait, from, to, y);
  }
}

// A wait ends where the attempt begins that it waited for.
function nextColumn(story, spots, wait) {
  const next = story.requests.find((r) => r.n === wait.attempt && r.first.at_ms >= wait.at_ms);
  return next ? spots.col(next) - 3 : null;
}

function bar(sheet, wait, from, to, y) {
  const { g } = sheet;
  const half = Math.min(4.5 * g.m, y - g.y.shop - g.mark / 2 - 2);
  sheet.board.take(from, y - half, to, y + half);
  sheet.put('bar', h('g', { key: `w${wait.seq}`, class: 'o-attempt' },
    h('rect', { class: 'hatched', x: from, y: y - half, width: to - from, height: half * 2 }),
    h('path', { class: 'wait', d: path`M${from} ${y - half - 2}v${half * 2 + 4}M${to} ${y - half - 2}v${half * 2 + 4}` })));
  const why = /retry-after/i.test(`${wait.text} ${wait.reason ?? ''}`) ? 'Retry-After' : 'jitter';
  const base = y + g.size * 0.35;
  const texts = [`waits ${ms(wait.ms ?? 0)}, ${why}`, `waits ${ms(wait.ms ?? 0)}`, ms(wait.ms ?? 0)];
  sheet.wish(5, `w${wait.seq}t`, texts, [{ x: from - 7, y: base, end: true }, { x: to + 7, y: base }, { x: from - 2, y: base + g.size * 1.25 }, { x: to - 4, y: base + g.size * 1.25, end: true }], 'plain');
}

/** drawKills tears the API's lane from the kill until the process is back. */
export function drawKills(sheet, story, spots) {
  const { g } = sheet;
  const [top, bottom] = [g.apiTop - g.mark * 0.7, g.row(0) + g.mark * 0.7];
  for (const kill of story.kills) {
    const from = spots.kill(kill);
    const to = Math.max(spots.ready(kill) ?? spots.now, from + 40 * g.m);
    const name = { role: 'button', tabindex: '0', 'aria-label': `${sheet.name}: PROCESS KILLED${kill.ready ? `, back after ${ms(kill.ready.at_ms - kill.at)}` : ', not back yet'}`, 'data-seq': kill.event.seq };
    sheet.put('pill', h('g', { key: `m${kill.seq}`, class: 'mark o-killed', ...(sheet.ghost ? {} : name) },
      h('path', { class: 'torn', d: torn(from, to, top, bottom, 6 * g.m) }),
      to - from > g.size * 5.2 ? h('text', { class: 'torn-text', x: (from + to) / 2, y: (top + bottom) / 2 + g.size * 0.35 }, 'KILLED') : null));
    sheet.board.take(from, top, to, bottom);
    if (!kill.ready) sheet.wish(3, `r${kill.seq}`, ['down'], [{ x: to + 8, y: g.row(0) + g.size * 0.35 }], 'strong');
  }
}

// A ribbon with teeth at both ends.
function torn(from, to, top, bottom, tooth) {
  const quarter = (bottom - top) / 4;
  const left = [0, 1, 0, 1, 0].map((t, i) => [from + t * tooth, top + i * quarter]);
  const right = [0, 1, 0, 1, 0].map((t, i) => [to - t * tooth, bottom - i * quarter]);
  return 'M' + [...left, ...right].map(([x, y]) => `${x} ${y}`).join('L') + 'Z';
}

/** drawLeases draws a dead attempt's claim: hatched what has elapsed, digits
 * for what is left. */
export function drawLeases(sheet, story, spots) {
  story.leases.forEach((lease, i) => drawLease(sheet, lease, spots, i));
}

function drawLease(sheet, lease, spots, i) {
  const { g, plan } = sheet;
  const [top, bottom] = [g.y.lease - g.lease / 2, g.y.lease + g.lease / 2];
  const from = spots.col(lease.request);
  const taken = lease.taken ? spots.at(lease.taken) : null;
  const end = Math.max(spots.ms(Math.min(lease.until, plan.to)), from + 20);
  const until = taken === null ? end : Math.min(end, taken);
  const gone = taken === null ? Math.min(spots.now, until) : until;
  sheet.put('bar',
    h('rect', { key: `lg${i}`, class: 'lease-gone o-busy', x: from, y: top, width: Math.max(0, gone - from), height: g.lease }),
    h('rect', { key: `ll${i}`, class: 'lease-left o-busy', x: gone, y: top, width: Math.max(0, until - gone), height: g.lease }));
  const left = lease.taken ? 0 : Math.max(0, lease.until - plan.now);
  const what = lease.taken ? 'lease ended' : left > 0 ? 'claim' : 'lease over';
  const room = Math.max(gone, from + 60) - from - 20;
  const texts = [`${what}: attempt ${lease.n}, fence ${lease.fence}`, `${what}, fence ${lease.fence}`, what];
  const text = texts.find((t) => textWidth(t, g.size) < room) ?? '';
  if (text) onPaper(sheet, `lw${i}`, text, from + 10, textWidth(text, g.size), g.size, 'plain');
  // The digits are the time still left, at the size of money while it matters.
  const big = g.size * 2.4; // lanes.css has the same size
  const number = `${(left / 1000).toFixed(2)} s`;
  const width = textWidth(`${number} left`, big, 'bold') * 0.84;
  if (left > 0) onPaper(sheet, `ld${i}`, number, Math.max(until - width - 8, from + 4), width, big, 'lease-digits', h('tspan', { class: 'unit', dx: g.size * 0.4 }, 'left'));
  sheet.board.take(from, top, Math.max(until, from + width), bottom);
}

// Words on the hatching need a ground of their own.
function onPaper(sheet, key, text, x, width, size, cls, ...more) {
  const { g } = sheet;
  const height = Math.min(size * 1.2, g.lease - 5);
  sheet.put('word',
    h('rect', { key: `${key}r`, class: 'paper', x: x - 4, y: g.y.lease - height / 2, width: width + 8, height: height }),
    h('text', { key, class: cls, x, y: g.y.lease + size * 0.36 }, text, ...more));
}
