// Places words so that none covers a mark or another word: each word offers a
// few places and a few lengths, the first that is free is taken, and a word
// without a free place is left out (its mark still carries the name). Pure.

// Widths in ems of narrow, common, capital and wide characters; a little
// generous, since nothing can be measured before it is drawn.
const ems = { plain: [0.3, 0.55, 0.69, 0.86], bold: [0.32, 0.59, 0.74, 0.92], mono: [0.61, 0.61, 0.61, 0.61] };

/** The width of a text in units at a font size. */
export function textWidth(text, size, kind = 'plain') {
  const [narrow, common, capital, wide] = ems[kind] ?? ems.plain;
  const em = (c) => (/[\s,.:;ilI]/.test(c) ? narrow : /[mwMW—…]/.test(c) ? wide : /[A-Z]/.test(c) ? capital : common);
  return [...text].reduce((sum, c) => sum + em(c), 0) * size;
}

/** Board remembers what is taken: boxes as [left, top, right, bottom]. */
export class Board {
  constructor({ width, height, size }) {
    this.edge = [0, 0, width, height];
    this.size = size;
    this.taken = [];
  }

  /** take reserves a box for a mark, a pill or a line. */
  take(left, top, right, bottom) {
    this.taken.push([Math.min(left, right), Math.min(top, bottom), Math.max(left, right), Math.max(top, bottom)]);
  }

  free(box) {
    const [left, top, right, bottom] = box;
    if (left < this.edge[0] || right > this.edge[2] || top < this.edge[1] || bottom > this.edge[3]) return false;
    return !this.taken.some((t) => left < t[2] && right > t[0] && top < t[3] && bottom > t[1]);
  }

  /**
   * word places a text. texts: from the longest to the shortest; spots:
   * [{ x, y, end }] with y the baseline, and end where the text ends at x
   * instead of starting there, mid where x is its middle. A long text elsewhere is better than a short
   * one here, unless `stay` says that the place matters more. Returns
   * { text, x, y, end }, or null.
   */
  word(texts, spots, kind = 'plain', stay = false) {
    const tries = stay
      ? spots.flatMap((spot) => texts.map((text) => [text, spot]))
      : texts.flatMap((text) => spots.map((spot) => [text, spot]));
    for (const [text, spot] of tries) {
      const box = this.box(text, spot, kind);
      if (!this.free(box)) continue;
      const gap = this.size * 0.5;
      this.take(box[0] - gap, box[1], box[2] + gap, box[3]);
      return { text, ...spot };
    }
    return null;
  }

  box(text, { x, y, end, mid }, kind) {
    const width = textWidth(text, this.size, kind);
    const left = end ? x - width : mid ? x - width / 2 : x;
    return [left, y - this.size * 0.82, left + width, y + this.size * 0.26];
  }
}
