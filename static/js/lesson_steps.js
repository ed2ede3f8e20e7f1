// What one step of a recorded run shows. The recording is laid out once, as a
// whole; a step only leaves out what is not revealed yet, so nothing that was
// shown moves when more comes. Pure.
import { plan } from './plan.js';
import { tell } from './story.js';
import { plain } from './words.js';

const drawn = ['request', 'decision', 'provider', 'commit', 'response', 'wait', 'fault', 'process'];
// The outcomes that a client notices by itself.
const noticed = ['attempt', 'silence', 'reset'];

/** eventsOf are one side's events with a place in the lanes, from its first
 * request on, of one owner where one is named, in the order of time. */
export function eventsOf(run, side, lanes, owner = '') {
  const all = run.events.filter((e) => e.side === side && (!owner || e.owner === owner) && lanes.includes(e.lane) && drawn.includes(e.kind));
  return all.slice(Math.max(0, all.findIndex((e) => e.kind === 'request'))).sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
}

/** lay puts everything that will ever be shown on one axis. owners: side → owner. */
export function lay(run, sides, { lanes, owners = {}, width, size }) {
  const all = Object.fromEntries(sides.map((side) => [side, eventsOf(run, side, lanes, owners[side])]));
  const events = Object.values(all).flat().sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
  return { all, made: plan({ events, sides, width, size, now: 1e9 }) };
}

/** asOf is the plan of one side as of a step: events up to number `upto`, and
 * behind a closed curtain only what happened in the shop. */
export function asOf({ all, made }, side, upto, curtain = false) {
  const known = all[side].filter((e) => e.seq <= upto);
  const story = tell(curtain ? known.filter((e) => e.lane === 'shop') : known);
  // The layout has places for so many requests; the rest is in the log.
  story.requests = story.requests.filter((r) => made.axis.x.has(`${side}:${r.id}:col`));
  const now = Math.max(made.from, ...known.map((e) => e.at_ms));
  return { ...made, now, open: known.length < all[side].length, stories: { [side]: story }, whole: made.stories[side] };
}

/** figuresOf are a side's counters; "?" hides what the client cannot see. */
export function figuresOf(step, side, outcomes, curtain) {
  return Object.fromEntries(outcomes.map((o) => [o, curtain && !noticed.includes(o) ? '?' : step.counters[side]?.[o] ?? 0]));
}

/** spoken is a step's sentence for the ears; where one side alone has moved
 * on, it says which. */
export function spoken(step, before) {
  const text = plain(step.say);
  const moved = Object.keys(step.upto).filter((side) => step.upto[side] !== (before?.upto[side] ?? 0));
  if (moved.length !== 1 || text.toLowerCase().includes(moved[0])) return text;
  return `${moved[0][0].toUpperCase()}${moved[0].slice(1)}: ${text}`;
}

const keys = { PageDown: 'next', PageUp: 'back', ' ': 'next', '.': 'blank', b: 'blank', v: 'curtain', u: 'sides', r: 'again', '?': 'help' };

/** commandOf says what a key means here: "next", "answer 3", "" for nothing.
 * where: "text" in a field that takes text, "control" on a button, else "". */
export function commandOf({ key, ctrlKey, altKey, metaKey, repeat }, { where = '', off = false } = {}) {
  if (ctrlKey || altKey || metaKey || repeat || where === 'text') return '';
  if (off && !key.startsWith('Page')) return '';
  if (key === ' ' && where) return '';
  if (/^[1-4]$/.test(key)) return `answer ${key}`;
  return keys[key.length === 1 ? key.toLowerCase() : key] ?? '';
}
