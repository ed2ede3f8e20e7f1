// Where the lanes lie. At a font size of 13 (20 on the projector) one unit is one
// pixel of a 1280-pixel page.
import { after, before, over } from './labels.js';

const loose = 24;

export function sizes(size) {
	const m = 1 + (size / 13 - 1) * 0.6;
	return { size, m, mark: 26 * m, pill: size + 7, tag: size + 11 };
}

// `rows` are the API's, for requests at the same time; receipts are "wanted" where
// there is room, or needed (true).
export function geometry({ height, size, shop = true, rows = 1, lease = 0, receipts = false }) {
	const s = sizes(size);
	const lanes = (pill, last) => lanesOf({ s, shop, rows, lease, pill, receipts: last });
	const room = (last) => height - (last ? s.mark * 0.4 : s.tag / 2) - 6;
	// Where it is tight, the provider's key stands beside the money instead.
	const choices = [[true, receipts], [false, receipts], [true, receipts === true], [false, receipts === true]];
	const [pill, last] = choices.find(([p, r]) => sum(lanes(p, r)) <= room(r)) ?? choices[3];
	const y = {};
	let at = 0;
	const gaps = lanes(pill, last);
	const more = Math.max(0, Math.min(loose * s.m, (room(last) - sum(gaps)) / gaps.length));
	for (const { lane, min } of gaps) y[lane] = at += min + more;
	const row = (n) => y[`row${Math.min(n, rows - 1)}`];
	return {
		...s, y, row, rows, lease, callPill: pill, top: y.shop ?? y.network, apiTop: row(rows - 1), height: Math.ceil(at + height - room(last)),
		// Baselines of words above, on and below a lane's marks.
		label: (lane) => lane - s.mark * 0.54 - s.size * 0.26 - 3,
		base: (lane) => lane + s.size * 0.35,
		under: (lane) => lane + s.mark / 2 + s.size * 0.75,
		around: (x, y, half, right = 0) => around(s.size, x, y, half, Math.max(x + half, right)),
	};
}

function around(size, x, y, half, right) {
	const [high, low] = [y - half - 5, y + half + size];
	return [
		after(right + 8, y + size * 0.35), ...[high, low].map((line) => after(x + half + 4, line)), over(x, low),
		before(x - half - 8, y + size * 0.35), ...[high, low].map((line) => before(x - half, line)),
	];
}

function lanesOf({ s, shop, rows, lease, pill, receipts }) {
	const half = s.mark / 2;
	const all = [];
	const add = (lane, min) => all.push({ lane, min });
	const drop = half + s.pill / 2 + 10;
	add(shop ? 'shop' : 'network', s.size * 1.1 + 5 + s.mark * 0.54);
	if (shop) add('network', drop);
	add(`row${rows - 1}`, drop + 2);
	for (let n = rows - 2; n >= 0; n--) add(`row${n}`, s.mark * (rows > 2 ? 0.5 : 0.86));
	if (lease) add('lease', half + 6 + lease / 2);
	add('provider', (lease ? lease / 2 : half) + s.tag / 2 + (pill ? s.pill + 10 : 10));
	if (receipts) add('receipts', s.tag / 2 + s.mark * 0.4 + 7);
	return all;
}

const sum = (gaps) => gaps.reduce((total, gap) => total + gap.min, 0);

export function rowsOf(spans) {
	const ends = [];
	const rows = new Map();
	for (const { id, from, to } of spans) {
		let row = ends.findIndex((end) => end <= from);
		if (row < 0) row = ends.length;
		ends[row] = to;
		rows.set(id, row);
	}
	return { rows, count: Math.max(1, ends.length) };
}
