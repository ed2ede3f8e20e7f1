// One side of a scene as an SVG tree. Pure: what is drawn depends on the
// events, the axis and the clock that it is given, on nothing else.
import { geometry, rowsOf, sizes } from './geometry.js';
import { drawKills, drawLeases, drawNow, drawWaits, nowX } from './draw_time.js';
import { drawRequest } from './draw_request.js';
import { pillWidth } from './plan.js';
import { Sheet } from './sheet.js';
import { begun, ended } from './story.js';
import { ticks } from './axis.js';
import { digits } from './words.js';
import { h, path } from './svg.js';

/** drawSide returns { height, nodes, g } of one side; height is at most what
 * was asked for, unless the rows need more. Where the story is told in part,
 * plan.whole is all of it: the lanes lie as they will at the end. */
export function drawSide(plan, side, { name, height, network = true, ghost, filter, chosen }) {
  const story = plan.stories[side];
  const whole = plan.whole ?? story;
  const spots = places(plan, side);
  const { rows, count } = rowsOf(whole.requests.filter((r) => reached(r)).map((r) => stay(plan, spots, r)));
  const g = geometry({ height, size: plan.size, shop: !plan.external, rows: count, lease: whole.leases.length > 0 });
  const sheet = new Sheet({ plan, geometry: g, name, ghost, filter, chosen });
  lanes(sheet, plan, network);
  drawNow(sheet);
  drawKills(sheet, story, spots);
  drawLeases(sheet, story, spots);
  const again = takenAgain(story);
  const level = levels(whole.requests, spots, g);
  for (const request of story.requests) {
    drawRequest({ sheet, g, spots, request, again, level: level.get(request.id), y: g.row(rows.get(request.id) ?? 0) });
  }
  drawWaits(sheet, story, spots);
  if (!plan.whole && !story.requests.length && !story.kills.length) nothing(sheet, plan);
  if (story.left) sheet.wish(9, 'left', [`${story.left} earlier in the log`], [{ x: plan.left, y: g.height - 4 }], 'quiet');
  return { height: g.height, nodes: sheet.nodes(), g };
}

// A client from outside chooses its side; the other one has no part in it.
function nothing(sheet, plan) {
  const y = (sheet.g.apiTop + sheet.g.top) / 2;
  const spots = [0.5, 0.25, 0.75].map((share) => ({ x: plan.left + (plan.width - plan.left) * share, y, mid: true }));
  sheet.wish(9, 'none', ['nothing was sent here'], spots, 'quiet');
}

// The captures that take money a second time: under another key than the
// first of the story.
function takenAgain(story) {
  const all = story.requests.flatMap((r) => r.calls).map((c) => c.result).filter((e) => e?.outcome === 'captured');
  all.sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
  return new Set(all.filter((e) => e.provider_key !== all[0].provider_key).map((e) => e.seq));
}

// Pills that would cover each other stand above and below the lane in turn.
function levels(requests, spots, g) {
  const level = new Map(requests.map((r) => [r.id, 0]));
  requests.slice(1).forEach((request, i) => {
    const before = requests[i];
    if (spots.col(request) - spots.col(before) >= (pillWidth(request, g) + pillWidth(before, g)) / 2 + 2) return;
    if (!level.get(before.id)) level.set(before.id, -1);
    level.set(request.id, -level.get(before.id));
  });
  return level;
}

const reached = (request) => request.decisions.length > 0 || request.calls.length > 0;

// How long a request stays in the API, in units, with room for its word.
function stay(plan, spots, request) {
  const s = sizes(plan.size);
  const to = request.answer ? spots.back(request) : request.killed ? spots.kill(request.killed) - s.mark : ended(request) ? spots.end(request) : spots.now;
  return { id: request.id, from: spots.col(request) - s.mark, to: to + 14 * s.m };
}

/** places gives the x of each moment of a side. Moments too close to have a
 * place of their own share the one before. */
export function places(plan, side) {
  const x = (id) => plan.axis.x.get(`${side}:${id}`);
  const at = (event) => plan.axis.at(event.at_ms, event.seq);
  const col = (r) => x(`${r.id}:col`);
  const back = (r) => x(`${r.id}:back`) ?? (r.answer ? at(r.answer) : undefined);
  return {
    col,
    back,
    at,
    now: nowX(plan),
    ms: (t) => plan.axis.at(t, Infinity),
    decision: (r, i) => x(`${r.id}:d${i}`) ?? (i ? at(r.decisions[i]) : col(r)),
    end: (r) => x(`${r.id}:end`) ?? back(r) ?? at(ended(r)),
    tag: (event) => x(`tag${event.seq}`) ?? at(event),
    kill: (kill) => x(`kill${kill.seq}`) ?? at(kill.event),
    ready: (kill) => (kill.ready ? x(`ready${kill.seq}`) ?? at(kill.ready) : undefined),
    near: (r, event) => (event.at_ms - begun(r).at_ms <= 25 ? col(r) : at(event)),
  };
}

function lanes(sheet, plan, network) {
  const { g } = sheet;
  const start = plan.left - 24 * g.m;
  const lane = (id, name, y) => sheet.put('ground',
    h('path', { key: `l${id}`, class: 'lane', d: path`M${start} ${y}H${plan.width}` }),
    h('text', { key: `n${id}`, class: 'lane-name', x: 0, y: y + g.size * 0.34 }, name));
  for (const { x } of tickMarks(plan)) {
    sheet.put('ground', h('path', { key: `g${x}`, class: 'grid', d: path`M${x} ${g.top - g.mark / 2}V${g.height}` }));
  }
  for (const [from, to] of plan.skipped) breakMark(sheet, plan, from, to);
  if (g.y.shop) lane('shop', 'shop', g.y.shop);
  if (network) lane('network', 'network', g.y.network);
  for (let n = 0; n < g.rows; n++) lane(`api${n}`, n === g.rows - 1 ? 'API' : '', g.row(n));
  if (g.y.lease) sheet.put('ground', h('text', { key: 'nlease', class: 'lane-name', x: 0, y: g.y.lease + g.size * 0.34 }, 'lease'));
  lane('provider', 'provider', g.y.provider);
  sheet.board.take(0, 0, start - 4, g.height);
}

// A break in the axis is a gap in the lanes: two slanted strokes.
function breakMark(sheet, plan, from, to) {
  const x = (plan.axis.at(from, Infinity) + plan.axis.at(to, Infinity)) / 2;
  const { g } = sheet;
  const slash = (dx) => path`M${x + dx + 5} ${g.top - 8}L${x + dx - 5} ${g.height - 4}`;
  sheet.put('bar', h('path', { key: `b${from}`, class: 'break', d: path`${slash(-3)}${slash(3)}` }));
  sheet.board.take(x - 8, 0, x + 8, g.height);
}

/** tickMarks are the axis's numbers and their places. */
export function tickMarks(plan) {
  const { axis, from, skipped, size } = plan;
  return ticks({ axis, from, to: plan.to, skipped, gap: size * 3.7 });
}

/** drawAxis is the one axis below all sides. */
export function drawAxis(plan) {
  const { size } = plan;
  const all = tickMarks(plan).filter(({ x }) => x < plan.width - size * 2);
  const numbers = all.map(({ t, x }, i) => h('text', { key: `t${t}`, class: 'note mid', x, y: size * 1.1 }, i === all.length - 1 ? `${digits(t)} ms` : digits(t)));
  return { height: Math.ceil(size * 1.5), nodes: numbers };
}
