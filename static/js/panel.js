// Wires the panel: frames go into the model, the model goes onto the page, at
// most ten times a second.
import { booksOf, Feed } from './feed.js';
import { drawAxis, drawSide } from './draw.js';
import { fillControls, fillCounters, startControls } from './controls.js';
import { currencyOf, fillMoney, moneyRows } from './books.js';
import { details, bold, logItems, storyName } from './log.js';
import { follow } from './live.js';
import { ghost } from './ghost.js';
import { measure } from './measure.js';
import { plan } from './plan.js';
import { empty, latest, played, reduce } from './reduce.js';
import { plain } from './words.js';
import { h, patch } from './svg.js';

const frame = 100; // milliseconds between two drawings

/** startPanel brings one panel to life and keeps it so. */
export function startPanel(root) {
  const panel = new Panel(root);
  const path = root.dataset.live;
  const url = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`;
  follow({ url, after: () => panel.model.seq, onFrame: (f) => panel.take(f), onState: (s) => panel.connection(s) });
  startControls(panel);
  addEventListener('resize', () => panel.soon());
  document.addEventListener('visibilitychange', () => panel.soon());
  panel.draw();
}

/** skewOf reads how far our clock is ahead from an answer's Date, which has
 * whole seconds: below two it is noise, or the same machine. Milliseconds. */
export const skewOf = (ahead) => (Math.abs(ahead) > 2000 ? ahead : 0);

class Panel {
  constructor(root) {
    this.root = root;
    this.model = empty();
    this.sides = [...root.querySelectorAll('[data-side]')];
    this.view = { scene: '', filter: '', chosen: 0 };
    this.skew = 0; // how far our clock is ahead of the server's, in milliseconds
    this.bound = Infinity; // an event cannot arrive before it has happened
    this.feed = new Feed((got) => this.fetched(got));
    this.timer = 0;
    this.last = 0;
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  take(received) {
    const before = this.model;
    this.model = reduce(before, received);
    if (this.model === before) return;
    if (received.at_ms) this.bound = Math.min(this.bound, Date.now() - received.at_ms);
    if (received.lane === 'customer' || received.type === 'snapshot') document.dispatchEvent(new Event('told'));
    this.feed.soon();
    this.soon();
  }

  fetched({ state, books, ahead }) {
    if (ahead !== null) this.skew = skewOf(ahead);
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

  // The events' clock, as far as we know it.
  now() {
    return Date.now() - (this.skew && Math.min(this.skew, this.bound));
  }

  soon() {
    if (this.timer) return;
    this.timer = setTimeout(() => this.draw(), Math.max(0, this.last + frame - performance.now()));
  }

  draw() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.last = performance.now();
    const { scene, events, isGhost } = this.stage();
    const size = measure(this.root, this.sides);
    const made = plan({ events, sides: this.sides.map((s) => s.dataset.side), width: size.width, size: size.font, now: isGhost ? 1e6 : this.now() });
    for (const side of this.sides) this.drawOne(side, made, size.height, isGhost);
    svg(this.find('[data-axis]'), made.width, drawAxis(made), 'axis');
    this.fill(scene, events, made);
    if (made.open && !document.hidden) this.soon();
  }

  // What is on show: the chosen story, else the latest, else the example.
  stage() {
    const scene = this.model.scenes.find((s) => s.id === this.view.scene) ?? latest(this.model);
    if (!scene) return { scene: null, events: ghost(this.sides.map((s) => s.dataset.side)), isGhost: true };
    return { scene, events: played(this.model, scene.id), isGhost: false };
  }

  drawOne(side, made, height, isGhost) {
    const name = side.querySelector('h2 b').textContent;
    const drawn = drawSide(made, side.dataset.side, { name, height, ghost: isGhost, filter: this.view.filter, chosen: this.view.chosen });
    svg(side.querySelector('[data-draw]'), made.width, drawn, isGhost ? 'lanes ghost' : 'lanes', `${name}: ${isGhost ? 'an example of what will be drawn here' : 'lanes over time'}`);
    side.classList.toggle('is-ghost', isGhost);
  }

  fill(scene, events, made) {
    this.sentence(scene, events);
    fillCounters(this.root, this.model, this.view.filter);
    fillControls(this);
    patch(this.find('[data-log]'), logItems(this.model, { filter: this.view.filter, sides: this.sides.length }));
    this.picker(scene);
    const owner = events.find((e) => e.owner)?.owner ?? 'shop';
    const currency = scene && events.findLast((e) => e.currency)?.currency;
    for (const side of this.sides) {
      const { figures, stale } = booksOf(this.books, side.dataset.side, owner);
      fillMoney(side, moneyRows(figures, currencyOf(figures, currency), { open: Boolean(scene) && made.open }), stale);
    }
  }

  sentence(scene, events) {
    // Before there is anything to tell, the request itself is what happened.
    const note = scene ? events.findLast((e) => e.kind === 'note' && e.lane === 'shop') ?? events.find((e) => e.kind === 'request') : this.model.narration;
    if (!note) return;
    const line = this.find('[data-sentence]');
    line.classList.toggle('long', note.text.length > 100);
    patch(line, bold(note.text));
    this.announce(plain(note.text));
  }

  // One polite sentence a second at most, and always the last one.
  announce(text) {
    if (text === this.said) return;
    const wait = (this.saidAt ?? -1e9) + 1000 - performance.now();
    clearTimeout(this.saying);
    if (wait > 0) {
      this.saying = setTimeout(() => this.announce(text), wait);
      return;
    }
    [this.said, this.saidAt] = [text, performance.now()];
    this.find('[data-status]').textContent = text;
  }

  picker(scene) {
    const select = this.find('[data-scene]');
    const others = this.model.scenes.toReversed();
    select.hidden = others.length < 2;
    const newest = latest(this.model);
    const options = [h('option', { key: 'now', value: '' }, `now: ${scene ? storyName(this.model, newest.id) : ''}`)];
    for (const s of others) if (s !== newest) options.push(h('option', { key: s.id, value: s.id }, storyName(this.model, s.id)));
    patch(select, options);
    select.value = this.model.scenes.some((s) => s.id === this.view.scene) && this.view.scene !== newest?.id ? this.view.scene : '';
  }

  /** inspect opens the event behind a mark; 0 closes. */
  inspect(seq) {
    this.view.chosen = seq;
    const box = this.find('[data-inspector]');
    const event = seq && [...this.model.log, ...this.model.scenes.flatMap((s) => s.events), ...this.model.processes].find((e) => e.seq === seq);
    box.hidden = !event;
    if (event) {
      const scene = this.model.scenes.find((s) => s.events.some((e) => e.seq === seq));
      patch(box, details(event, scene ? Math.min(...scene.events.map((e) => e.at_ms)) : event.at_ms));
      box.focus();
    }
    this.soon();
  }
}

/** svg puts a drawing into its box. */
export function svg(box, width, { height, nodes }, cls, label) {
  const attrs = label ? { role: 'group', 'aria-label': label } : { 'aria-hidden': 'true' };
  patch(box, [h('svg', { class: cls, viewBox: `0 0 ${Math.round(width)} ${height}`, ...attrs }, nodes)]);
}

