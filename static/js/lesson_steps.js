// What a step or a moment shows. The recording is laid out as a whole, so that
// nothing moves when more is revealed.
import { isCrowd, layCrowd } from './crowd.js';
import { plan, together } from './plan.js';
import { inTime } from './reduce.js';
import { tell } from './story.js';

const drawn = ['request', 'decision', 'provider', 'commit', 'response', 'wait', 'fault', 'process', 'webhook', 'breaker', 'clock'];

export function lay(events, sides, { lanes, owners = {}, width, size }) {
	const all = {};
	for (const side of sides) {
		const own = events.filter((e) => e.side === side && lanes.includes(e.lane) && drawn.includes(e.kind) && (!owners[side] || e.owner === owners[side]));
		all[side] = own.slice(Math.max(0, own.findIndex((e) => e.kind === 'request'))).sort(inTime);
	}
	const every = Object.values(all).flat().sort(inTime);
	if (sides.some((side) => isCrowd(all[side]))) return { all, every, made: layCrowd(every, { width, size }) };
	return { all, every, made: plan({ events: every, sides, width, size, now: 1e9 }) };
}

// upTo is what a step shows of a side, by an event's number, and until what a
// moment shows, by its time.
export const upTo = (seq) => (e) => e.seq <= seq;
export const until = (last) => (e) => inTime(e, last) <= 0;

export const known = (all, shown, curtain) => all.filter((e) => shown(e) && (!curtain || e.lane === 'shop')).sort(inTime);

const marked = ({ lane, kind }) => kind !== 'wait' && kind !== 'commit' && (lane !== 'api' || (kind !== 'request' && kind !== 'provider'));

// asOf is one side as of a step. The present is drawn clear of the last mark.
export function asOf({ all, made }, side, shown, curtain) {
	const past = known(all[side], shown);
	if (made.rows) return { ...made, shown: new Set(past), all: all[side] };
	const story = tell(known(past, shown, curtain));
	const whole = made.stories[side];
	// The layout has places for so many requests; the rest is in the log.
	story.requests = story.requests.filter((r) => made.axis.x.has(`${side}:${r.id}:col`));
	if (!whole.leases.length) story.leases = [];
	// Two clicks are told apart by letters, in the order of their arrival.
	const loop = (request) => request.id.split('.')[0];
	const loops = [...new Set(whole.requests.map(loop))];
	if (loops.length > 1) for (const r of story.requests) r.letter = 'ABCDEFGH'[loops.indexOf(loop(r))];
	const now = past.at(-1)?.at_ms ?? made.from;
	const next = all[side].find((e) => !shown(e) && e.at_ms > now + together && marked(e));
	const free = next ? made.axis.at(next.at_ms, next.seq) - made.axis.at(now, Infinity) : Infinity;
	return { ...made, now, edge: past.length && Math.max(0, Math.min(made.size * 1.4, free / 2)), open: past.length < all[side].length, stories: { [side]: story }, whole };
}
