// Frames go into the model, the model onto the page, ten times a second at most.
import { Feed } from './feed.js';
import { drawAxis, drawSide } from './draw.js';
import { fillControls, fillCounters, startControls } from './controls.js';
import { currencyOf, fillMoney, moneyRows } from './books.js';
import { bold, inspect, logItems, storyName } from './log.js';
import { fillHolds } from './holds.js';
import { follow } from './live.js';
import { fonts, measure } from './measure.js';
import { plan } from './plan.js';
import { empty, inTime, latest, reduce } from './reduce.js';
import { Speaker, prefixed, sideName } from './speak.js';
import { held, pending } from './story.js';
import { plain } from './words.js';
import { h, patch, svg, write } from './svg.js';

const frame = 100; // milliseconds between two drawings
const tallest = 330; // units: beyond it a side's lanes fall apart
const still = matchMedia('(prefers-reduced-motion: reduce)'); // then the present does not travel

export function startPanel(root) {
	const panel = new Panel(root);
	const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${root.dataset.live}`;
	follow({ url, after: () => panel.model.seq, onFrame: (f) => panel.take(f), onState: (s) => panel.connection(s) });
	startControls(panel);
	addEventListener('resize', () => panel.soon());
	document.addEventListener('visibilitychange', () => panel.soon());
	panel.draw();
}

class Panel {
	constructor(root) {
		const view = { scene: '', filter: '', chosen: 0, sides: 'both', curtain: false };
		Object.assign(this, { root, view, model: empty(), ahead: 0, timer: 0, last: 0, leases: new Map() });
		this.sides = [...root.querySelectorAll('[data-side]')];
		this.ghost = JSON.parse(root.dataset.ghost);
		this.feed = new Feed((got) => this.fetched(got));
		this.speaker = new Speaker((text) => write(this.find('[data-status]'), text));
	}

	find(selector) {
		return this.root.querySelector(selector);
	}

	take(received) {
		const before = this.model;
		this.model = reduce(before, received);
		if (this.model === before) return;
		this.told ||= received.lane === 'customer' || received.type === 'snapshot';
		this.speaker.hear(received);
		this.feed.soon();
		this.soon();
	}

	fetched({ state, books, ahead }) {
		this.ahead = ahead ?? this.ahead;
		if (state) this.model = reduce(this.model, { type: 'state', state });
		if (books) this.books = books;
		this.soon();
	}

	connection(state) {
		this.state = state;
		this.badge();
		if (state === 'live') this.feed.soon();
	}

	badge() {
		for (const badge of document.querySelectorAll('[data-connection]')) {
			badge.hidden = false;
			badge.dataset.connection = this.state;
			badge.textContent = this.frozen ? 'PAUSED' : { connecting: 'CONNECTING', live: 'LIVE', lost: 'RECONNECTING' }[this.state];
		}
	}

	now() {
		return Date.now() - this.ahead;
	}

	// What happens meanwhile is shown afterwards.
	pause() {
		this.frozen = this.frozen ? null : { model: this.model, books: this.books, time: this.now() };
		this.badge();
	}

	soon(wait = frame) {
		this.timer ||= setTimeout(() => this.draw(), Math.max(0, this.last + wait - performance.now()));
	}

	draw() {
		clearTimeout(this.timer);
		[this.timer, this.last] = [0, performance.now()];
		if (this.told) document.dispatchEvent(new Event('told'));
		this.told = false;
		const { view, root } = this;
		const { model, time } = this.frozen ?? this;
		Object.assign(root.dataset, { view: view.sides, curtain: view.curtain });
		const sides = this.sides.filter((s) => view.sides === 'both' || s.dataset.side === view.sides || this.sides.length === 1);
		root.dataset.count = sides.length;
		const scene = model.scenes.find((s) => s.id === view.scene) ?? latest(model);
		const names = sides.map((s) => s.dataset.side);
		const all = scene ? [...scene.events].sort(inTime) : this.ghost;
		const events = all.filter((e) => !view.curtain || e.lane === 'shop');
		const now = scene ? time ?? this.now() : 1e6;
		const { seq, holds } = model.state;
		const over = (event) => seq >= event.seq && !holds.some((hold) => hold.trace === event.trace);
		const size = measure(root, sides);
		const made = this.lanes(sides, size, !scene, (font) => plan({ events, sides: names, width: size.width, size: font, now, over }));
		svg(this.find('[data-axis]'), made.width, drawAxis(made), 'axis');
		this.fill(model, scene, all, made);
		if (made.open && !this.frozen && !document.hidden) this.soon(still.matches ? 1000 : frame);
	}

	// Each side gets what its lanes and its money need, and a share of the rest.
	lanes(sides, { free, unit, font }, isGhost, layOut) {
		const name = (side) => side.getAttribute('aria-label');
		const make = (side, height) => drawSide(made, side.dataset.side, { name: name(side), height, ghost: isGhost, ...this.view });
		let made, least, spare;
		for (const size of fonts(font)) {
			made = layOut(size);
			least = sides.map((side) => Math.max(make(side, 0).height, side.querySelector('.purse').offsetHeight / unit));
			spare = (free - least.reduce((a, b) => a + b, 0)) / least.length;
			if (spare >= 0) break;
		}
		sides.forEach((side, i) => {
			const label = `${name(side)}: ${isGhost ? 'an example of what will be drawn here' : 'lanes over time'}`;
			svg(side.querySelector('[data-draw]'), made.width, make(side, Math.min(tallest, least[i] + Math.max(0, spare))), isGhost ? 'lanes ghost' : 'lanes', label);
			side.classList.toggle('is-ghost', isGhost);
		});
		return made;
	}

	fill(model, scene, events, made) {
		const { view } = this;
		const { books: read } = this.frozen ?? this;
		this.sentence(scene, events, made);
		fillCounters(this.root, model.state, view.filter);
		fillControls(this);
		fillHolds(this);
		const { log } = model;
		patch(this.find('[data-log]'), logItems({ ...model, log: view.curtain ? log.filter((e) => e.lane === 'shop' && e.kind !== 'note') : log }, { filter: view.filter, sides: this.sides.length }));
		this.picker(model, scene);
		const owner = events.find((e) => e.owner)?.owner ?? 'shop';
		const currency = scene && events.findLast((e) => e.currency)?.currency;
		for (const side of this.sides) {
			const books = read?.sides?.[side.dataset.side];
			const figures = books?.owners?.[owner] ?? null;
			const story = made.stories[side.dataset.side];
			fillMoney(side, moneyRows(figures, currencyOf(figures, currency), { open: scene && story && pending(story, made.now) }), books?.stale);
		}
	}

	sentence(scene, events, made) {
		const { curtain } = this.view; // the client's seat: what he is told, else what he sent
		const told = (e) => e.kind === 'note' && e.lane === (curtain ? 'customer' : 'shop');
		const stands = !curtain && Object.values(made.stories).flatMap((story) => story.requests.map(held)).find(Boolean);
		const note = events.find((e) => stands && told(e) && e.seq === stands.event.seq + 1) ?? events.findLast(told) ?? events.find((e) => e.kind === 'request');
		const line = this.find('[data-sentence]');
		if (!scene && this.model.seq) write(line, 'Nothing has happened yet.');
		if (!scene || !note) return;
		line.classList.toggle('long', note.text.length > 100);
		patch(line, bold(note.text));
		this.speaker.say(prefixed(told(note) ? '' : note.side, plain(note.text)), ...this.lease(made));
	}

	// A lease is told of when it begins to matter and when it has ended.
	lease({ stories, now }) {
		const told = this.leases;
		this.leases = new Map(Object.entries(stories).flatMap(([side, { leases }]) => leases.filter((l) => !l.taken && l.until > now).map((l) => [l.from.seq, { side, left: l.until - now }])));
		const begun = [...this.leases].filter(([seq]) => !told.has(seq)).map(([, { side, left }]) => `${sideName(side)}: the lease runs, ${(left / 1000).toFixed(1)} s left.`);
		return [...begun, ...[...told].filter(([seq]) => !this.leases.has(seq)).map(([, { side }]) => `${sideName(side)}: the lease has ended.`)];
	}

	picker(model, scene) {
		const select = this.find('[data-scene]');
		const newest = latest(model);
		const others = model.scenes.filter((s) => s !== newest).toReversed();
		select.hidden = !others.length;
		if (!scene) return;
		const name = (s) => (s === newest ? 'now: ' : '') + storyName(model, s.id);
		patch(select, [newest, ...others].map((s) => h('option', { value: s === newest ? '' : s.id }, name(s))));
		select.value = scene === newest ? '' : scene.id;
	}

	inspect(seq) {
		this.view.chosen = seq;
		const { log, scenes } = this.model;
		const event = seq && [...log, ...scenes.flatMap((s) => s.events)].find((e) => e.seq === seq);
		const story = event && (scenes.find((s) => s.events.includes(event))?.events ?? [event]);
		inspect(this.find('[data-inspector]'), event, event && Math.min(...story.map((e) => e.at_ms)));
		this.soon();
	}
}
