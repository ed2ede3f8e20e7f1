// One time axis for all sides: wider where marks would meet, without idle time.

export const idle = 1500; // idle milliseconds beyond this are left out …
const calm = 100; // … but for these, at either side

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

// solve places points [{ id, t, seq, need: [{ from: id, gap }] }]; `gap` is the
// least distance from an earlier one, `jump` the width of a break.
export function solve({ points, left, right, skipped = [], jump = 36 }) {
	const sorted = [...points].sort((a, b) => a.t - b.t || a.seq - b.seq);
	const needs = earlierOnly(sorted);
	const place = (scale, squeeze) => forward(sorted, needs, { left, scale, squeeze, skipped, jump });
	const tooWide = (xs) => xs.at(-1) > right;
	let xs = place(0, 1);
	if (sorted.length > 1) {
		xs = tooWide(xs) ? place(0, search((f) => tooWide(place(0, f)), 1)) : place(search((s) => tooWide(place(s, 1)), right - left), 1);
	}
	return { x: new Map(sorted.map((p, i) => [p.id, xs[i]])), at: (t, seq = 0) => between(sorted, xs, t, seq) };
}

// The largest value that is not too much: forty halvings are below a pixel.
function search(tooMuch, high) {
	let low = 0;
	for (let i = 0; i < 40; i++) {
		const middle = (low + high) / 2;
		if (tooMuch(middle)) high = middle;
		else low = middle;
	}
	return low;
}

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

function length(from, to, scale, skipped, jump) {
	let [time, extra] = [to - from, 0];
	for (const [start, end] of skipped) {
		const cut = Math.max(0, Math.min(to, end) - Math.max(from, start));
		time -= cut;
		extra += (jump * cut) / (end - start);
	}
	return time * scale + extra;
}

function between(sorted, xs, t, seq) {
	const i = sorted.findIndex((p) => p.t > t || (p.t === t && p.seq > seq));
	if (i <= 0) return xs.at(i);
	const [a, b] = [sorted[i - 1], sorted[i]];
	const share = b.t === a.t ? 0 : (t - a.t) / (b.t - a.t);
	return xs[i - 1] + (xs[i] - xs[i - 1]) * share;
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 300_000, 3_600_000];

export function ticks({ axis, from, to, skipped, gap }) {
	const spent = to - from - skipped.reduce((sum, [a, b]) => sum + b - a, 0);
	const step = steps.find((s) => spent / s <= 6) ?? steps.at(-1);
	const out = [];
	for (let t = 0; t <= to - from; t = nextTick(t + step, step, from, skipped)) {
		const x = axis.at(from + t, Infinity);
		if (!out.length || x - out.at(-1).x >= gap) out.push({ t, x });
	}
	return out;
}

function nextTick(next, step, from, skipped) {
	const gap = skipped.find(([a, b]) => from + next > a && from + next < b);
	return gap ? Math.ceil((gap[1] + calm - from) / step) * step : next;
}
