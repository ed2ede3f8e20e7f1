// From a heap of events to one side's story.

// Milliseconds; the shop's policy ends after 30 s.
export const patience = 40_000;
const beats = 3; // a live attempt renews its lease this often in its length

// over(event) says that a hold has ended though no event tells of it.
export function tell(events, over = () => false) {
	const story = { requests: [], waits: [], kills: [], leases: [], deliveries: [], clocks: [] };
	const known = new Map(); // trace → request: the same on every lane that it crosses
	for (const event of events) {
		if (event.kind === 'process') process(story.kills, event);
		else if (event.kind === 'clock') story.clocks.push(event);
		else if (event.lane === 'receipts') deliver(story.deliveries, event);
		else if (event.kind === 'wait') event.lane === 'shop' && story.waits.push(event);
		else if (event.trace && event.kind !== 'note') put(known.get(event.trace) ?? start(story.requests, known, event), event);
	}
	for (const request of story.requests) {
		strike(request, story.kills);
		for (const hold of request.holds) hold.until ??= request.killed?.event ?? (over(hold.event) ? hold.event : null);
		if (request.killed && request.decisions.length) story.leases.push(lease(request, events));
	}
	story.leases = story.leases.filter((l) => l.until > l.from.at_ms && l.taken?.outcome !== 'started');
	return story;
}

// `ready` without a kill is the first start: nothing was torn.
function process(kills, event) {
	const open = kills.at(-1);
	if (event.outcome === 'killed') kills.push({ event, at: event.at_ms, seq: event.seq, ready: null });
	else if (event.outcome === 'ready' && open) open.ready ??= event;
}

// The API tells that it delivers, the shop what it makes of it.
function deliver(deliveries, event) {
	const open = deliveries.findLast(({ sent }) => (event.charge ? sent.charge === event.charge : sent.trace === event.trace));
	if (event.kind === 'fault' && open) open.fault = event;
	else if (event.status && open && !open.result) open.result = event;
	else if (event.kind === 'webhook') deliveries.push({ sent: event, result: event.status ? event : null });
}

function start(requests, known, event) {
	const request = {
		id: event.trace, n: 0, of: 0, key: event.key ?? '', sent: event, last: 0,
		faults: [], decisions: [], calls: [], commits: [], holds: [], answer: null, end: null, killed: null,
	};
	requests.push(request);
	known.set(event.trace, request);
	return request;
}

function put(request, event) {
	request.last = Math.max(request.last, event.at_ms);
	request.n ||= event.attempt ?? 0;
	request.of ||= event.of ?? 0;
	const open = request.holds.at(-1);
	if (event.outcome === 'held') request.holds.push({ event, until: null });
	else if (open && event.lane === 'api') open.until ??= event; // its fate, or that it went on
	if (event.kind === 'request') sent(request, event);
	else if (event.kind === 'provider') provider(request.calls, event);
	else if (event.kind === 'response') request[event.lane === 'api' ? 'answer' : 'end'] = event;
	else request[{ fault: 'faults', decision: 'decisions', commit: 'commits' }[event.kind]]?.push(event);
}

// The network sees every request; only an external client's first mark is
// there.
function sent(request, event) {
	if (event.lane !== 'shop' && (event.outcome !== 'attempt' || request.sent.lane === 'shop')) return;
	request.sent = event;
	request.key = event.key ?? ''; // as the client sent it, whatever others call it
}

// The API asks, the provider acts, the API has an answer or gives up.
function provider(calls, event) {
	const open = calls.findLast((c) => !c.answer);
	if (event.lane === 'provider' && open && !open.result) open.result = event;
	else if (event.lane === 'provider') calls.push({ call: null, result: event, answer: null });
	else if (open && (event.ms > 0 || open.result)) open.answer = event;
	else calls.push({ call: event, result: null, answer: null });
}

export const external = (request) => request.sent.lane !== 'shop';

export const lost = (request) => request.faults.find((f) => f.outcome === 'lost' && f.lane === 'network') ?? null;

export const isWork = (decision) => decision.outcome === 'started' || decision.outcome === 'resumed';

// settled is the commit that holds the answer: with it the work is done.
export const settled = (request) => request.commits.findLast((c, i) => c.status > 0 || i > 0) ?? null;

// Of an external client the answer that left is all that is seen.
export const ended = (request) => request.end ?? (external(request) ? request.answer ?? lost(request) : null);

export const held = (request) => request.holds.find((hold) => !hold.until) ?? null;

// A kill ends the work of each request that was inside the process.
function strike(request, kills) {
	const from = request.decisions[0] ?? request.calls[0]?.call ?? request.holds[0]?.event;
	if (from) request.killed = kills.find((k) => k.event.lane !== 'shop' && k.at >= from.at_ms && k.at < (request.answer?.at_ms ?? Infinity)) ?? null;
}

// A claim was renewed at each beat until the kill; who asks later is told the rest.
function lease(request, events) {
	const claim = request.decisions[0];
	const { at } = request.killed;
	const after = events.filter((e) => e.kind === 'decision' && e.key === request.key && e.at_ms >= claim.at_ms);
	const taken = after.find((e) => e !== claim && ['resumed', 'replay', 'started'].includes(e.outcome)) ?? null;
	const told = after.findLast((e) => e.lease_ms > 0 && e.at_ms > at && (!taken || e.at_ms < taken.at_ms));
	const beat = (claim.lease_ms ?? 0) / beats;
	const until = told ? told.at_ms + told.lease_ms : claim.at_ms + beat * (beats + Math.floor((at - claim.at_ms) / (beat || Infinity)));
	return { from: claim, until, taken, fence: claim.fence ?? 0, n: request.n, request };
}

export function pending(story, now) {
	const near = (at) => now - at < patience;
	return (
		story.requests.some((r) => held(r) || (!ended(r) && near(r.last))) ||
		story.waits.some((w) => w.at_ms + (w.ms ?? 0) > now) ||
		story.kills.some((k) => !k.ready && near(k.at)) ||
		story.leases.some((l) => !l.taken && now < l.until)
	);
}

// busyTimes are stretches [from, to] in which something was pending.
export function busyTimes(story, now) {
	const open = (from, to) => [from, to ?? Math.min(now, from + patience)];
	return [
		...story.requests.flatMap((r) => unheld(r, open(r.sent.at_ms, ended(r)?.at_ms ?? r.killed?.at))),
		...story.waits.map((w) => [w.at_ms, w.at_ms + (w.ms ?? 0)]),
		...story.kills.map((k) => open(k.at, k.ready?.at_ms)),
		...story.leases.map((l) => [l.from.at_ms, l.taken?.at_ms ?? l.until]),
		...story.deliveries.map((d) => [d.sent.at_ms, d.sent.at_ms]),
	];
}

// Who stands at a gate waits for a person, which may take minutes.
function unheld({ holds }, [from, to]) {
	const out = [];
	for (const { event, until } of holds) {
		out.push([from, event.at_ms]);
		if (!until) return out;
		from = until.at_ms;
	}
	return [...out, [from, Math.max(from, to)]];
}
