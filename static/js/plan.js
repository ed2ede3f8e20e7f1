// From a scene's events to what every side is drawn by: its story and the one
// time axis. Pure; the clock is an argument.
import { breaks, solve } from './axis.js';
import { sizes } from './geometry.js';
import { begun, busyTimes, ended, pending, settled, tell } from './story.js';
import { textWidth } from './labels.js';
import { shortKey } from './words.js';

/** More requests than this on one side cannot be told apart; the earliest are
 * left to the log. */
export const mostRequests = 8;

/** Two steps of one request closer than this share a place: the arrow between
 * them is upright, their names keep the true times. Milliseconds. */
export const together = 25;

/** plan makes everything that the drawings of one scene have in common.
 * events: of all sides, ordered; sides: ids; width in units; now in ms. */
export function plan({ events, sides, width, size, now }) {
  const s = sizes(size);
  const stories = Object.fromEntries(sides.map((side) => [side, shorten(tell(events.filter((e) => e.side === side)))]));
  const all = Object.values(stories);
  const from = Math.min(...events.filter((e) => e.kind !== 'note').map((e) => e.at_ms), now);
  const open = all.some((story) => pending(story, now));
  const points = sides.flatMap((side) => pointsOf(side, stories[side], s));
  const busy = all.flatMap((story) => busyTimes(story, now));
  const to = open ? horizon(busy, from, now, all) : Math.max(from + 20, ...points.map((p) => p.t));
  points.push({ id: 'from', t: from, seq: -1 }, { id: 'to', t: to, seq: Infinity });
  const skipped = breaks(busy, from, open ? now : to);
  points.push(...skipped.flatMap((gap, i) => edges(gap, i, points, s)));
  const left = textWidth('provider', size) + 42 * s.m; // names, and half a pill
  const right = width - (open ? 14 * s.m : textWidth('RESUMED', size, 'bold') + 14 * s.m); // room for the last word
  const axis = solve({ points, left, right, skipped, jump: 24 * s.m });
  return { from, to, now, open, stories, axis, skipped, width, left, right, size, external: isExternal(all) };
}

function shorten(story) {
  return { ...story, requests: story.requests.slice(-mostRequests), left: Math.max(0, story.requests.length - mostRequests) };
}

const isExternal = (stories) => {
  const requests = stories.flatMap((story) => story.requests);
  return requests.length > 0 && requests.every((r) => begun(r).lane !== 'shop');
};

const marks = [300, 600, 1000, 1500, 2000, 2500, 3000, 4000, 5000, 6000, 8000, 10_000, 15_000, 20_000, 30_000, 45_000, 60_000];

// While something is pending, the axis reaches a round number beyond now, so
// that it moves in steps and not with every frame.
function horizon(busy, from, now, stories) {
  const cuts = breaks(busy, from, now);
  const base = cuts.length ? cuts.at(-1)[1] : from;
  const span = Math.max(now - base, 1) * 1.04;
  const round = base + (marks.find((m) => m >= span) ?? span);
  const leases = stories.flatMap((story) => story.leases.filter((l) => !l.taken).map((l) => l.until));
  return Math.max(round, ...leases);
}

// The least distance between two neighbours on one side, in units at size 13:
// half of each mark, and a little air. What stands on different lanes needs
// less. `ready` also keeps its banner's width from the kill.
const apart = {
  col: { ring: 44, back: 38, end: 40, kill: 28, ready: 20 },
  ring: { col: 34, ring: 34, back: 28, end: 22, kill: 26, ready: 22 },
  back: { col: 8, ring: 24, back: 18, end: 18, kill: 18, ready: 20 },
  end: { col: 32, ring: 22, back: 18, end: 30, kill: 16, ready: 16 },
  kill: { col: 20, ring: 24, back: 12, end: 16, kill: 20, ready: 20 },
  ready: { col: 22, ring: 24, back: 16, end: 16, kill: 24, ready: 20 },
};
const banner = 100;

function pointsOf(side, story, s) {
  const list = [...story.requests.flatMap((r) => steps(r)), ...story.kills.flatMap(killSteps)];
  list.sort((a, b) => a.t - b.t || a.seq - b.seq);
  const name = (point, i) => ({ id: `${side}:${point.id}`, kind: point.kind, t: point.t, seq: point.seq, need: needs(side, list, i, s) });
  return [...list.map(name), ...tags(side, story, s)];
}

// A break keeps clear of the boxes and arrows before it and of the column
// after it.
function edges([start, end], i, points, s) {
  const room = { tag: 74 * s.m, back: 18 * s.m, end: 22 * s.m, col: 44 * s.m, ring: 26 * s.m, ready: 14 * s.m };
  const need = points.filter((p) => p.t <= start && room[p.kind]).map((p) => ({ from: p.id, gap: room[p.kind] }));
  points.filter((p) => p.kind === 'col' && p.t >= end).forEach((p) => p.need.push({ from: `skip${i}>`, gap: 40 * s.m }));
  return [{ id: `skip${i}<`, t: start, seq: Infinity, need }, { id: `skip${i}>`, t: end, seq: Infinity }];
}

// What a point must keep away from: its neighbour, for a column also the
// column and the arrow before it (a pill is wider than a mark), for a restart
// its kill.
function needs(side, list, i, s) {
  const point = list[i];
  const need = [];
  const want = (other, gap) => other && need.push({ from: `${side}:${other.id}`, gap });
  const before = (kind) => list.slice(0, i).findLast((p) => p.kind === kind);
  if (i && !(point.kind === 'col' && list[i - 1].kind === 'col')) want(list[i - 1], apart[list[i - 1].kind][point.kind] * s.m);
  if (point.kind === 'col') {
    const column = before('col');
    want(column, column && (columnWidth(point.request, s) + columnWidth(column.request, s)) / 2 + 8);
    want(before('back'), pillWidth(point.request, s) / 2 + apart.back.col * s.m);
  }
  if (point.kind === 'ready') want(list.find((p) => p.id === point.kill), banner * s.m);
  return need;
}

/** pillWidth is the width of a request's key on its arrow. */
export function pillWidth(request, s) {
  return textWidth(request.key ? shortKey(request.key) : 'no key', s.size, 'mono') + 16 * s.m;
}

/** callWidth is the width of a provider's key on its arrow. */
export const callWidth = (key, s) => textWidth(shortKey(key), s.size, 'mono') + 14 * s.m;

// A column holds the client's key and, where the provider is called at once,
// the provider's below it.
function columnWidth(request, s) {
  const key = request.calls[0]?.call?.provider_key;
  return Math.max(pillWidth(request, s), key ? callWidth(key, s) : 0);
}

/** steps are the moments of a request that need a place of their own. */
export function steps(request) {
  const start = begun(request);
  const out = [{ id: `${request.id}:col`, kind: 'col', t: start.at_ms, seq: start.seq, request }];
  request.decisions.forEach((d, i) => {
    if (i || d.at_ms - start.at_ms > together) out.push({ id: `${request.id}:d${i}`, kind: 'ring', t: d.at_ms, seq: d.seq });
  });
  const back = request.answer && (settled(request) ?? request.answer);
  if (back) out.push({ id: `${request.id}:back`, kind: 'back', t: back.at_ms, seq: back.seq });
  const end = ended(request);
  if (end && end !== back && (!back || end.at_ms - back.at_ms > together)) out.push({ id: `${request.id}:end`, kind: 'end', t: end.at_ms, seq: end.seq });
  return out;
}

function killSteps(kill) {
  const out = [{ id: `kill${kill.seq}`, kind: 'kill', t: kill.at, seq: kill.seq }];
  if (kill.ready) out.push({ id: `ready${kill.seq}`, kind: 'ready', t: kill.ready.at_ms, seq: kill.ready.seq, kill: `kill${kill.seq}` });
  return out;
}

// Captures are boxes: two of them need room for both.
function tags(side, story, s) {
  const results = story.requests.flatMap((r) => r.calls.filter((c) => c.result).map((c) => c.result));
  results.sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
  return results.map((e, i) => ({
    id: `${side}:tag${e.seq}`, kind: 'tag', t: e.at_ms, seq: e.seq,
    need: i ? [{ from: `${side}:tag${results[i - 1].seq}`, gap: 80 * s.m }] : [],
  }));
}
