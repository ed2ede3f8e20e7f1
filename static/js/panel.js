// Frames go into the model, the model onto the page, ten times a second at most.
import { Feed } from './feed.js';
import { drawAxis, drawSide } from './draw.js';
import { fillControls, fillCounters, startControls } from './controls.js';
import { currencyOf, fillMoney, moneyRows } from './books.js';
import { details, bold, logItems, storyName } from './log.js';
import { fillHolds, startHolds } from './holds.js';
import { follow } from './live.js';
import { ghost } from './ghost.js';
import { measure } from './measure.js';
import { plan } from './plan.js';
import { empty, inTime, latest, reduce } from './reduce.js';
import { held, pending } from './story.js';
import { plain } from './words.js';
import { h, patch, write } from './svg.js';

const frame = 100; // milliseconds between two drawings
const tallest = 330; // units: beyond it a side's lanes fall apart

// startPanel brings one panel to life and keeps it so.
export function startPanel(root) {
	const panel = new Panel(root);
	const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${root.dataset.live}`;
	follow({ url, after: () => panel.model.seq, onFrame: (f) => panel.take(f), onState: (s) => panel.connection(s) });
	startControls(panel);
	startHolds(panel);
	addEventListener('resize', () => panel.soon());
	document.addEventListener('visibilitychange', () => panel.soon());
	panel.draw();
}

class Panel {
	constructor(root) {
		Object.assign(this, { root, model: empty(), view: { scene: '', filter: '', chosen: 0 }, ahead: 0, timer: 0, last: 0 });
		this.sides = [...root.querySelectorAll('[data-side]')];
		this.feed = new Feed((got) => this.fetched(got));
	}

	find(selector) {
		return this.root.querySelector(selector);
	}

	take(received) {
		const before = this.model;
		this.model = reduce(before, received);
		if (this.model === before) return;
		if (received.lane === 'customer' || received.type === 'snapshot') document.dispatchEvent(new Event('told'));
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
		for (const badge of document.querySelectorAll('[data-connection]')) {
			badge.hidden = false;
			badge.dataset.connection = state;
			badge.textContent = { connecting: 'CONNECTING', live: 'LIVE', lost: 'RECONNECTING' }[state];
		}
		if (state === 'live') this.feed.soon();
	}

	soon() {
		this.timer ||= setTimeout(() => this.draw(), Math.max(0, this.last + frame - performance.now()));
	}

	draw() {
		clearTimeout(this.timer);
		[this.timer, this.last] = [0, performance.now()];
		const { sides, model: { scenes, state } } = this;
		// What is on show: the chosen story, else the latest, else the example.
		const scene = scenes.find((s) => s.id === this.view.scene) ?? latest(this.model);
		const names = sides.map((s) => s.dataset.side);
		const events = scene ? [...scene.events].sort(inTime) : ghost(names);
		const now = scene ? Date.now() - this.ahead : 1e6;
		const over = (event) => state.seq >= event.seq && !state.holds.some((hold) => hold.trace === event.trace);
		const size = measure(this.root, sides);
		const made = plan({ events, sides: names, width: size.width, size: size.font, now, over });
		this.lanes(made, size, !scene);
		svg(this.find('[data-axis]'), made.width, drawAxis(made), 'axis');
		this.fill(scene, events, made);
		if (made.open && !document.hidden) this.soon();
	}

	// Each side gets what its lanes and its money need, and a share of the rest.
	lanes(made, { free, unit }, isGhost) {
		const name = (side) => side.getAttribute('aria-label');
		const make = (side, height) => drawSide(made, side.dataset.side, { name: name(side), height, ghost: isGhost, ...this.view });
		const least = this.sides.map((side) => Math.max(make(side, 0).height, side.querySelector('.purse').offsetHeight / unit));
		const spare = Math.max(0, (free - least.reduce((a, b) => a + b, 0)) / least.length);
		this.sides.forEach((side, i) => {
			const label = `${name(side)}: ${isGhost ? 'an example of what will be drawn here' : 'lanes over time'}`;
			svg(side.querySelector('[data-draw]'), made.width, make(side, Math.min(tallest, least[i] + spare)), isGhost ? 'lanes ghost' : 'lanes', label);
			side.classList.toggle('is-ghost', isGhost);
		});
	}

	fill(scene, events, made) {
		const { model, view } = this;
		this.sentence(scene, events, made);
		fillCounters(this.root, model.state, view.filter);
		fillControls(this);
		fillHolds(this);
		patch(this.find('[data-log]'), logItems(model, { filter: view.filter, sides: this.sides.length }));
		this.picker(scene);
		const owner = events.find((e) => e.owner)?.owner ?? 'shop';
		const currency = scene && events.findLast((e) => e.currency)?.currency;
		for (const side of this.sides) {
			const books = this.books?.sides?.[side.dataset.side];
			const figures = books?.owners?.[owner] ?? null;
			const open = scene && pending(made.stories[side.dataset.side], made.now);
			fillMoney(side, moneyRows(figures, currencyOf(figures, currency), { open }), books?.stale);
		}
	}

	sentence(scene, events, made) {
		const told = (e) => e.kind === 'note' && e.lane === 'shop';
		const stands = Object.values(made.stories).flatMap((story) => story.requests.map(held)).find(Boolean);
		// Who is held goes first.
		const note = events.find((e) => stands && told(e) && e.seq === stands.event.seq + 1) ?? events.findLast(told) ?? events.find((e) => e.kind === 'request');
		if (!scene || !note) return;
		const line = this.find('[data-sentence]');
		line.classList.toggle('long', note.text.length > 100);
		patch(line, bold(note.text));
		this.announce(plain(note.text));
	}

	// One polite sentence a second at most, and always the last one.
	announce(text) {
		clearTimeout(this.saying);
		const wait = (this.said ?? -1e9) + 1000 - performance.now();
		if (wait > 0) this.saying = setTimeout(() => this.announce(text), wait);
		else if (write(this.find('[data-status]'), text)) this.said = performance.now();
	}

	picker(scene) {
		const select = this.find('[data-scene]');
		const newest = latest(this.model);
		const others = this.model.scenes.filter((s) => s !== newest).toReversed();
		select.hidden = !others.length;
		if (!scene) return;
		const name = (s) => (s === newest ? 'now: ' : '') + storyName(this.model, s.id);
		patch(select, [newest, ...others].map((s) => h('option', { value: s === newest ? '' : s.id }, name(s))));
		select.value = scene === newest ? '' : scene.id;
	}

	// inspect opens the event behind a mark; 0 closes.
	inspect(seq) {
		this.view.chosen = seq;
		const { log, scenes } = this.model;
		const box = this.find('[data-inspector]');
		const event = seq && [...log, ...scenes.flatMap((s) => s.events)].find((e) => e.seq === seq);
		box.hidden = !event;
		if (event) {
			const story = scenes.find((s) => s.events.includes(event))?.events ?? [event];
			patch(box, details(event, Math.min(...story.map((e) => e.at_ms))));
			box.focus();
		}
		this.soon();
	}
}

// svg puts a drawing into its box.
export function svg(box, width, { height, nodes, size }, cls, label) {
	const attrs = label ? { role: 'group', 'aria-label': label } : { 'aria-hidden': 'true' };
	patch(box, [h('svg', { class: cls, viewBox: `0 0 ${Math.round(width)} ${height}`, 'font-size': size, ...attrs }, nodes)]);
}
