// What one step shows. The recording is laid out as a whole, so that nothing moves
// when more is revealed. Pure.
import { plan, together } from './plan.js';
import { tell } from './story.js';

const drawn = ['request', 'decision', 'provider', 'commit', 'response', 'wait', 'fault', 'process'];
const inTime = (a, b) => a.at_ms - b.at_ms || a.seq - b.seq;

// lay puts all that will ever be shown on one axis.
export function lay(events, sides, { lanes, owners = {}, width, size }) {
	const all = {};
	for (const side of sides) {
		const own = events.filter((e) => e.side === side && lanes.includes(e.lane) && drawn.includes(e.kind) && (!owners[side] || e.owner === owners[side]));
		all[side] = own.slice(Math.max(0, own.findIndex((e) => e.kind === 'request'))).sort(inTime);
	}
	return { all, made: plan({ events: Object.values(all).flat().sort(inTime), sides, width, size, now: 1e9 }) };
}

// Behind a closed curtain only what the shop sees is known.
export const known = (all, upto, curtain) => all.filter((e) => e.seq <= upto && (!curtain || e.lane === 'shop')).sort(inTime);

// What has a mark of its own.
const marked = ({ lane, kind }) => kind !== 'wait' && kind !== 'commit' && (lane !== 'api' || (kind !== 'request' && kind !== 'provider'));

// asOf is one side as of a step. The present is drawn clear of the last mark.
export function asOf({ all, made }, side, upto, curtain) {
	const past = known(all[side], upto);
	const story = tell(known(past, upto, curtain));
	const whole = made.stories[side];
	// The layout has places for so many requests; the rest is in the log.
	story.requests = story.requests.filter((r) => made.axis.x.has(`${side}:${r.id}:col`));
	if (!whole.leases.length) story.leases = [];
	// Two clicks are told apart by letters, in the order of their arrival.
	const loop = (request) => request.id.split('.')[0];
	const loops = [...new Set(whole.requests.map(loop))];
	if (loops.length > 1) for (const r of story.requests) r.letter = 'ABCDEFGH'[loops.indexOf(loop(r))];
	const now = past.at(-1)?.at_ms ?? made.from;
	const next = all[side].find((e) => e.seq > upto && e.at_ms > now + together && marked(e));
	const free = next ? made.axis.at(next.at_ms, next.seq) - made.axis.at(now, Infinity) : Infinity;
	return { ...made, now, edge: past.length && Math.max(0, Math.min(made.size * 1.4, free / 2)), open: past.length < all[side].length, stories: { [side]: story }, whole };
}

/** keyName is how a button's data-keys spells a key; "" where the key belongs
 * to a field, to the focused control or to the browser. */
export function keyName({ key, ctrlKey, altKey, metaKey, repeat }, { text, control, off }) {
	if (ctrlKey || altKey || metaKey || repeat || text || (off && !key.startsWith('Page'))) return '';
	return key === ' ' ? (control ? '' : 'space') : key.toLowerCase();
}
