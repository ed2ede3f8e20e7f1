// One time axis for all sides. It is linear wherever there is room; where two
// marks would cover each other it gives way, and where nothing was going on it
// leaves the time out. Its numbers are always the true milliseconds. Pure.

/** Idle time longer than this is left out of the axis. Milliseconds. */
export const idle = 1500;
/** What stays of it on either side. Milliseconds. */
const calm = 100;

/** breaks finds the stretches in which nothing was pending: [from, to] in
 * milliseconds, with a little calm left on both sides. */
export function breaks(busy, from, to) {
  const out = [];
  let until = from;
  for (const [start, end] of [...busy].sort((a, b) => a[0] - b[0])) {
    if (start - until > idle) out.push([until + calm, start - calm]);
    until = Math.max(until, end);
  }
  if (to - until > idle) out.push([until + calm, to]);
  return out;
}

/**
 * solve places points on the axis.
 * points: [{ id, t, seq, need: [{ from: id, gap }] }]; `need` keeps a point at
 * least `gap` units right of an earlier one.
 * left, right: where the first and the last point stand, in units.
 * skipped: from breaks(); each is `jump` units wide.
 * Returns { x: id → units, at(t, seq) → units }.
 */
export function solve({ points, left, right, skipped = [], jump = 36 }) {
  const sorted = [...points].sort((a, b) => a.t - b.t || a.seq - b.seq);
  const needs = earlierOnly(sorted);
  const place = (scale, squeeze) => forward(sorted, needs, { left, scale, squeeze, skipped, jump });
  const width = (xs) => xs.at(-1) - left;
  const room = right - left;
  let xs = place(0, 1);
  if (sorted.length > 1 && width(xs) > room) {
    const squeeze = search((f) => width(place(0, f)) > room, 0, 1);
    xs = place(0, squeeze);
  } else if (sorted.length > 1) {
    const scale = search((s) => width(place(s, 1)) > room, 0, room);
    xs = place(scale, 1);
  }
  return { x: new Map(sorted.map((p, i) => [p.id, xs[i]])), at: (t, seq = 0) => between(sorted, xs, t, seq) };
}

// search finds the largest value that is not too much. Forty halvings are far
// below a pixel.
function search(tooMuch, low, high) {
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2;
    if (tooMuch(middle)) high = middle;
    else low = middle;
  }
  return low;
}

// A need that points forward in time cannot be met from left to right.
function earlierOnly(sorted) {
  const index = new Map(sorted.map((p, i) => [p.id, i]));
  return sorted.map((p, i) => (p.need ?? []).map((n) => ({ at: index.get(n.from), gap: n.gap })).filter((n) => n.at < i));
}

function forward(sorted, needs, { left, scale, squeeze, skipped, jump }) {
  const xs = [];
  sorted.forEach((point, i) => {
    let x = i ? xs[i - 1] + length(sorted[i - 1].t, point.t, scale, skipped, jump * squeeze) : left;
    for (const need of needs[i]) x = Math.max(x, xs[need.at] + need.gap * squeeze);
    xs.push(x);
  });
  return xs;
}

// length of a stretch of time in units: what is skipped counts as one jump.
function length(from, to, scale, skipped, jump) {
  let time = to - from;
  let extra = 0;
  for (const [start, end] of skipped) {
    const cut = Math.min(to, end) - Math.max(from, start);
    if (cut <= 0) continue;
    time -= cut;
    extra += (jump * cut) / (end - start);
  }
  return time * scale + extra;
}

function between(sorted, xs, t, seq) {
  let i = sorted.findIndex((p) => p.t > t || (p.t === t && p.seq > seq));
  if (i < 0) return xs.at(-1);
  if (i === 0) return xs[0];
  const [a, b] = [sorted[i - 1], sorted[i]];
  const share = b.t === a.t ? 0 : (t - a.t) / (b.t - a.t);
  return xs[i - 1] + (xs[i] - xs[i - 1]) * share;
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 300_000, 3_600_000];

/** ticks are the numbers under the axis: [{ t, x }], t in milliseconds since
 * `from`. None stands inside a break, and none closer than `gap` units to the
 * one before. */
export function ticks({ axis, from, to, skipped, gap }) {
  const spent = to - from - skipped.reduce((sum, [a, b]) => sum + b - a, 0);
  const step = steps.find((s) => spent / s <= 6) ?? steps.at(-1);
  const out = [];
  for (let t = 0; t <= to - from; t = nextTick(t, step, from, skipped)) {
    const x = axis.at(from + t, Infinity);
    if (!out.length || x - out.at(-1).x >= gap) out.push({ t, x });
  }
  return out;
}

// After a break the numbers go on at the next full step.
function nextTick(t, step, from, skipped) {
  const next = t + step;
  const gap = skipped.find(([a, b]) => from + next > a && from + next < b);
  return gap ? Math.ceil((gap[1] + calm - from) / step) * step : next;
}
