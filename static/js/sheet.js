// What one side is drawn on. Words are placed last, when all marks stand.
import { Board, pillWidth } from './labels.js';
import { h, path, round } from './svg.js';
import { keyText, ms } from './words.js';

const layers = ['ground', 'line', 'bar', 'pill', 'mark', 'word'];

export class Sheet {
	constructor({ plan, g, name, ghost = false, filter = '', chosen = 0 }) {
		Object.assign(this, { plan, g, name, ghost, filter, chosen, wishes: [] });
		this.layers = Object.fromEntries(layers.map((layer) => [layer, []]));
		this.board = new Board({ width: plan.width, height: g.height, size: g.size });
	}

	put(layer, ...nodes) {
		this.layers[layer].push(...nodes);
	}

	stroke(layer, cls, d, more) {
		this.put(layer, h('path', { class: cls, d, ...more }));
	}

	rect(layer, cls, x, y, width, height, more) {
		this.put(layer, h('rect', { class: cls, x, y, width: Math.max(0, width), height, ...more }));
	}

	// line is a stroke through points [x, y, x, y …]; words keep off it.
	line(points, cls = 'arrow') {
		for (let i = 0; i + 3 < points.length; i += 2) {
			const [x1, y1, x2, y2] = points.slice(i, i + 4);
			if (x1 === x2 || y1 === y2) this.board.take(Math.min(x1, x2) - 3, Math.min(y1, y2) - 2, Math.max(x1, x2) + 3, Math.max(y1, y2) + 2);
		}
		this.stroke('line', cls, points.map((n, i) => (i % 2 ? ' ' : i ? 'L' : 'M') + round(n)).join(''));
	}

	arrow(points) {
		const [x, y] = points.slice(-2);
		const r = 5 * this.g.m;
		const back = (y > points.at(-3) ? -9 : 9) * this.g.m;
		this.line([...points.slice(0, -1), y + back * 0.6]);
		this.board.take(x - r - 2, y, x + r + 2, y + back);
		this.stroke('line', 'head', path`M${x - r} ${y + back}H${x + r}L${x} ${y}Z`);
	}

	// button is what opens an event. It has a key: redrawn, it keeps its focus.
	button(event, cls, says, ...kids) {
		const dim = this.filter && this.filter !== event.outcome ? ' dim' : '';
		const open = event.seq === this.chosen ? ' chosen' : '';
		const name = this.ghost ? {} : { role: 'button', tabindex: '0', 'aria-label': `${this.name}: ${says} at ${ms(event.at_ms - this.plan.from)}`, 'data-seq': event.seq };
		this.put('mark', h('g', { key: `m${event.seq}`, class: `mark ${cls}${dim}${open}`, ...name }, ...kids));
	}

	mark(event, shape, x, y, { size = this.g.mark, number, says }) {
		this.board.take(x - size / 2 - 1, y - size / 2 - 1, x + size / 2 + 1, y + size / 2 + 1);
		this.button(event, `o-${shape}`, says,
			shape === 'replay' && h('circle', { class: 'paper', cx: x, cy: y, r: size / 2 }),
			h('circle', { class: 'hit', cx: x, cy: y, r: size / 2 + 2 }),
			h('use', { href: `#s-${shape}`, x: x - size / 2, y: y - size / 2, width: size, height: size }),
			number && h('text', { class: 'num', x, y: this.g.base(y) }, String(number)));
	}

	pill(x, y, key) {
		const [height, width] = [this.g.pill, pillWidth(key, this.g)];
		const pills = this.layers.pill.filter((n) => n.tag === 'rect').map((n) => n.attrs);
		if (pills.some((p) => Math.abs(p.y + height / 2 - y) < height && Math.abs(p.x + p.width / 2 - x) < (p.width + width) / 2)) return false;
		this.board.take(x - width / 2, y - height / 2, x + width / 2, y + height / 2);
		this.rect('pill', key ? 'pill' : 'pill pill-none', x - width / 2, y - height / 2, width, height, { rx: height / 2 });
		this.put('pill', h('text', { class: 'pill-text', x, y: this.g.base(y) }, keyText(key)));
		return true;
	}

	wish(rank, texts, spots, cls) {
		this.wishes.push({ rank, texts, spots, cls });
	}

	nodes() {
		for (const w of this.wishes.sort((a, b) => a.rank - b.rank)) {
			const place = this.board.word(w.texts, w.spots, /word|strong/.test(w.cls) ? 'bold' : 'plain');
			if (place) this.put('word', h('text', { class: `${w.cls} halo${place.end ? ' end' : place.mid ? ' mid' : ''}`, x: place.x, y: place.y }, place.text));
		}
		return layers.map((layer) => h('g', { key: layer, class: `layer-${layer}` }, this.layers[layer]));
	}
}
