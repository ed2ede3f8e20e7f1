// From a heap of events to a story: which request was answered by whom, what
// was killed, whose lease runs. Pure; one side at a time.

/** A request that has heard nothing for this long is not waited for any more:
 * the shop's policy ends after 30 s. Milliseconds. */
export const patience = 40_000;

/** tell joins one side's events, ordered by time, into requests, waits, kills
 * and leases. */
export function tell(events) {
  const story = { requests: [], waits: [], kills: [], leases: [] };
  const books = { trace: new Map(), provider: new Map() };
  for (const event of events) {
    if (event.kind === 'process') process(story, event);
    else if (event.kind === 'wait') event.lane === 'shop' && story.waits.push(event);
    else if (event.kind !== 'note' && event.kind !== 'clock') put(requestOf(story, books, event), event);
  }
  story.requests.forEach((request) => strike(request, story.kills));
  story.leases = story.requests.filter((r) => r.killed && r.decisions.length).map((r) => lease(r, events)).filter((l) => l.until > l.from.at_ms && l.taken?.outcome !== 'started'); // a claim that was forgotten has none
  return story;
}

// `ready` without a kill is the first start: nothing was torn.
function process(story, event) {
  const open = story.kills.at(-1);
  if (event.outcome === 'killed') story.kills.push({ event, at: event.at_ms, seq: event.seq, ready: null });
  else if (event.outcome === 'ready' && open && !open.ready) open.ready = event;
}

function requestOf(story, books, event) {
  const found = books.trace.get(event.trace) ?? (event.trace ? null : byKeys(story, books, event));
  const request = found ?? start(story, event);
  if (event.trace) books.trace.set(event.trace, request);
  if (event.provider_key) books.provider.set(event.provider_key, request);
  return request;
}

// The card provider may not know whose request it serves; its key does.
function byKeys(story, books, event) {
  return books.provider.get(event.provider_key) ?? story.requests.findLast((r) => r.key === (event.key ?? '') && !r.end);
}

function start(story, event) {
  const request = {
    id: event.trace || `e${event.seq}`,
    n: event.attempt ?? 0,
    of: event.of ?? 0,
    key: event.key ?? '',
    owner: event.owner ?? '',
    first: event,
    sent: null, faults: [], decisions: [], calls: [], commits: [], answer: null, end: null, killed: null,
  };
  story.requests.push(request);
  return request;
}

// Where an event goes in its request. What has no place is still in the log.
function put(request, event) {
  request.n ||= event.attempt ?? 0;
  request.of ||= event.of ?? 0;
  if (event.kind === 'request') sent(request, event);
  else if (event.kind === 'fault') request.faults.push(event);
  else if (event.kind === 'decision') request.decisions.push(event);
  else if (event.kind === 'commit') request.commits.push(event);
  else if (event.kind === 'provider') provider(request, event);
  else if (event.kind === 'response') response(request, event);
}

// The network sees every request; only an external client's first mark is
// there.
function sent(request, event) {
  if (event.lane !== 'shop' && (event.outcome !== 'attempt' || request.sent)) return;
  request.sent = event;
  request.key = event.key ?? ''; // as the client sent it, whatever others call it
}

// A call to the card provider is told three times: the API asks, the provider
// acts, the API has an answer (with the time that it took) or gives up.
function provider(request, event) {
  const { calls } = request;
  const open = calls.findLast((c) => !c.answer);
  if (event.lane === 'provider') {
    if (open && !open.result) open.result = event;
    else calls.push({ call: null, result: event, answer: null });
  } else if (open && (event.ms > 0 || open.result)) open.answer = event;
  else calls.push({ call: event, result: null, answer: null });
}

function response(request, event) {
  if (event.lane === 'api') request.answer = event;
  else request.end = event;
}

/** external says that no shop of ours sent it: curl, an SDK. */
export const external = (request) => (request.sent ?? request.first).lane !== 'shop';

/** lost is the fault that swallowed the answer or the request between client
 * and API, if any. */
export const lost = (request) => request.faults.find((f) => f.outcome === 'lost' && f.lane === 'network') ?? null;

/** settled is the commit that holds the answer: with it the work is done, and
 * whoever waits may go on. */
export const settled = (request) => request.commits.findLast((c, i) => c.status > 0 || i > 0) ?? null;

/** begun is when the request set out, as an event. */
export const begun = (request) => request.sent ?? request.first;

/** ended is the event after which nobody waits any more; null while open. An
 * external client's end is not seen: the answer that left stands for it. */
export function ended(request) {
  if (request.end) return request.end;
  if (external(request)) return request.answer ?? lost(request);
  return null;
}

// A kill ends the work of each request that was inside the process.
function strike(request, kills) {
  const from = request.decisions[0] ?? request.calls[0]?.call;
  if (!from) return;
  const until = request.answer?.at_ms ?? Infinity;
  request.killed = kills.find((k) => k.at >= from.at_ms && k.at < until) ?? null;
}

// A claim's lease, as far as the events show it: each that names the time left
// moves the end, until somebody takes over.
function lease(request, events) {
  const claim = request.decisions[0];
  const after = events.filter((e) => e.kind === 'decision' && e.key === request.key && e.at_ms >= claim.at_ms);
  const taken = after.find((e) => e !== claim && (e.outcome === 'resumed' || e.outcome === 'replay' || e.outcome === 'started')) ?? null;
  const seen = after.filter((e) => e.lease_ms > 0 && (!taken || e.at_ms < taken.at_ms));
  const until = Math.max(claim.at_ms, ...seen.map((e) => e.at_ms + e.lease_ms));
  return { from: claim, until, taken, fence: claim.fence ?? 0, n: request.n, request };
}

/** pending says whether something is still on its way at `now`, so that time
 * keeps running on the axis. Milliseconds since the epoch. */
export function pending(story, now) {
  const near = (at) => now - at < patience;
  return (
    story.requests.some((r) => !ended(r) && near(lastOf(r))) ||
    story.waits.some((w) => w.at_ms + (w.ms ?? 0) > now) ||
    story.kills.some((k) => !k.ready && near(k.at)) ||
    story.leases.some((l) => !l.taken && now < l.until)
  );
}

function lastOf(request) {
  const all = [request.first, request.sent, request.answer, ...request.decisions, ...request.commits, ...request.faults];
  return Math.max(...all.filter(Boolean).map((e) => e.at_ms));
}

/** busyTimes are the stretches in which something was pending, for an axis
 * that leaves out the rest: [from, to] in milliseconds since the epoch. */
export function busyTimes(story, now) {
  const open = (from, to) => [from, to ?? Math.min(now, from + patience)];
  return [
    ...story.requests.map((r) => open(begun(r).at_ms, ended(r)?.at_ms ?? r.killed?.at)),
    ...story.waits.map((w) => [w.at_ms, w.at_ms + (w.ms ?? 0)]),
    ...story.kills.map((k) => open(k.at, k.ready?.at_ms)),
    ...story.leases.map((l) => [l.from.at_ms, l.taken?.at_ms ?? l.until]),
  ];
}
