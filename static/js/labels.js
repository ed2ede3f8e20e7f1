// Places words so that none covers a mark or another word.

import { keyText } from './words.js';

// y is the baseline, x where the word starts, ends or has its middle.
export const after = (x, y) => ({ x, y });
export const before = (x, y) => ({ x, y, end: true });
export const over = (x, y) => ({ x, y, mid: true });
export const beside = (x, gap, y) => [after(x + gap, y), before(x - gap, y)];

// Ems of narrow, common, capital and wide characters.
const ems = { plain: [0.3, 0.55, 0.69, 0.86], bold: [0.32, 0.59, 0.74, 0.92], mono: [0.61, 0.61, 0.61, 0.61] };

export function textWidth(text, size, kind = 'plain') {
	const [narrow, common, capital, wide] = ems[kind];
	const em = (c) => (/[\s,.:;ilI]/.test(c) ? narrow : /[mwMW—…]/.test(c) ? wide : /[A-Z]/.test(c) ? capital : common);
	return [...text].reduce((sum, c) => sum + em(c), 0) * size;
}

export const pillWidth = (key, { size, m }) => textWidth(keyText(key), size, 'mono') + 16 * m;

export class Board {
	constructor({ width, height, size }) {
		Object.assign(this, { width, height, size, taken: [] });
	}

	take(left, top, right, bottom) {
		this.taken.push([Math.min(left, right), Math.min(top, bottom), Math.max(left, right), Math.max(top, bottom)]);
	}

	free([left, top, right, bottom]) {
		if (left < 0 || right > this.width || top < 0 || bottom > this.height) return false;
		return !this.taken.some((t) => left < t[2] && right > t[0] && top < t[3] && bottom > t[1]);
	}

	word(texts, spots, kind = 'plain') {
		const tries = texts.flatMap((text) => spots.map((spot) => [text, spot]));
		const found = tries.find(([text, spot]) => this.free(this.box(text, spot, kind)));
		if (!found) return null;
		const [left, top, right, bottom] = this.box(...found, kind);
		this.take(left - this.size * 0.5, top, right + this.size * 0.5, bottom);
		return { text: found[0], ...found[1] };
	}

	box(text, { x, y, end, mid }, kind) {
		const width = textWidth(text, this.size, kind);
		const left = x - (end ? width : mid ? width / 2 : 0);
		return [left, y - this.size * 0.82, left + width, y + this.size * 0.26];
	}
}
