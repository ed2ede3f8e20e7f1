// The sheet on which one side is drawn: layers from back to front, and a board
// that knows what is taken. Words are placed last, when all marks stand. Pure.
import { Board } from './labels.js';
import { h, path, round } from './svg.js';

const layers = ['ground', 'line', 'bar', 'pill', 'mark', 'word'];

export class Sheet {
  constructor({ plan, geometry, name, ghost = false, filter = '', chosen = 0 }) {
    Object.assign(this, { plan, g: geometry, name, ghost, filter, chosen });
    this.layers = Object.fromEntries(layers.map((layer) => [layer, []]));
    this.board = new Board({ width: plan.width, height: geometry.height, size: geometry.size });
    this.wishes = [];
  }

  put(layer, ...nodes) {
    this.layers[layer].push(...nodes);
  }

  /** line is a stroke through points [x, y, x, y …]; words keep off it. */
  line(key, points, cls = 'arrow', layer = 'line') {
    for (let i = 0; i + 3 < points.length; i += 2) {
      const [x1, y1, x2, y2] = points.slice(i, i + 4);
      if (x1 === x2 || y1 === y2) this.board.take(Math.min(x1, x2) - 3, Math.min(y1, y2) - 2, Math.max(x1, x2) + 3, Math.max(y1, y2) + 2);
    }
    const data = points.map((n, i) => (i % 2 ? ' ' : i ? 'L' : 'M') + round(n)).join('');
    this.put(layer, h('path', { key, class: cls, d: data }));
  }

  /** arrow is a line with a head at its last point, which points down or up. */
  arrow(key, points) {
    const [x, y] = points.slice(-2);
    const down = y > points.at(-3);
    const r = 5 * this.g.m;
    const back = down ? -9 * this.g.m : 9 * this.g.m;
    this.line(key, [...points.slice(0, -1), y + back * 0.6]);
    this.board.take(x - r - 2, y, x + r + 2, y + back);
    this.put('line', h('path', { key: `${key}h`, class: 'head', d: path`M${x - r} ${y + back}H${x + r}L${x} ${y}Z` }));
  }

  /** mark is an outcome's shape as a button that opens the event. */
  mark(event, shape, x, y, { size = this.g.mark, number = 0, says }) {
    this.board.take(x - size / 2 - 1, y - size / 2 - 1, x + size / 2 + 1, y + size / 2 + 1);
    const dim = this.filter && this.filter !== event.outcome ? ' dim' : '';
    const open = event.seq === this.chosen ? ' chosen' : '';
    const button = this.ghost ? {} : { role: 'button', tabindex: '0', 'aria-label': `${this.name}: ${says}`, 'data-seq': event.seq };
    this.put('mark', h('g', { key: `m${event.seq}`, class: `mark o-${shape}${dim}${open}`, ...button },
      shape === 'replay' ? h('circle', { class: 'paper', cx: x, cy: y, r: size / 2 }) : null,
      h('circle', { class: 'hit', cx: x, cy: y, r: size / 2 + 2 }),
      h('use', { href: `#s-${shape}`, x: x - size / 2, y: y - size / 2, width: size, height: size }),
      number ? h('text', { class: 'num', x: x, y: y + this.g.size * 0.34 }, String(number)) : null));
  }

  /** fits says whether a pill has room here: its own arrow may pass below it,
   * another pill may not. */
  fits(x, y, width) {
    const pills = this.layers.pill.filter((n) => n.tag === 'rect').map((n) => n.attrs);
    return !pills.some((p) => Math.abs(p.y + p.height / 2 - y) < this.g.pill && Math.abs(p.x + p.width / 2 - x) < (p.width + width) / 2);
  }

  /** pill is a key on its arrow; no key is a dashed pill. */
  pill(key, x, y, text, width) {
    const height = this.g.pill;
    this.board.take(x - width / 2, y - height / 2, x + width / 2, y + height / 2);
    this.put('pill',
      h('rect', { key: `${key}p`, class: text ? 'pill' : 'pill pill-none', x: x - width / 2, y: y - height / 2, width: width, height, rx: height / 2 }),
      h('text', { key: `${key}t`, class: 'pill-text', x: x, y: y + this.g.size * 0.34 }, text || 'no key'));
  }

  /** wish asks for a word: texts from long to short, spots in order of
   * preference. The lower rank is placed first. */
  wish(rank, key, texts, spots, cls, kind = 'plain', stay = false) {
    this.wishes.push({ rank, key, texts, spots, cls, kind, stay });
  }

  /** nodes is the finished drawing. */
  nodes() {
    for (const w of [...this.wishes].sort((a, b) => a.rank - b.rank)) {
      const place = this.board.word(w.texts, w.spots, w.kind, w.stay);
      if (place) this.put('word', h('text', { key: w.key, class: `${w.cls} halo${place.end ? ' end' : place.mid ? ' mid' : ''}`, x: place.x, y: place.y }, place.text));
    }
    return layers.map((layer) => h('g', { key: layer, class: `layer-${layer}` }, this.layers[layer]));
  }
}
