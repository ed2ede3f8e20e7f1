// The panel's whole memory as one pure function: (model, frame) → model. A
// frame is an event, a snapshot, or a state that was fetched. Nothing here
// reads a clock, the page or the network, so a reconnect and a fresh load end
// in the same model.

/** Bounds: a page that stays open for a day must not grow. */
export const limits = { scenes: 12, events: 300, processes: 40, log: 200 };

// Events are counted where the thing is decided or noticed first: a replay
// that the API decides and the shop then receives is one replay.
const countedAt = {
  request: ['attempt'],
  decision: ['started', 'resumed', 'replay', 'conflict', 'busy', 'result_expired', 'fenced'],
  response: ['silence', 'reset'],
  provider: ['captured', 'declined'],
  process: ['killed', 'ready'],
  fault: ['lost'],
  breaker: ['breaker_open'],
};

/** empty is the model before the first frame. */
export function empty() {
  return { seq: 0, counted: 0, counters: {}, retries: {}, children: {}, faults: [], scenes: [], processes: [], log: [], narration: null };
}

/** reduce folds one frame into the model and returns a new one; an event that
 * was seen already changes nothing. */
export function reduce(model, frame) {
  if (frame.type === 'snapshot') return snapshot(frame);
  if (frame.type === 'state') return known(model, frame.state);
  if (!(frame.seq > model.seq)) return model;
  return fold(model, frame);
}

// A snapshot means that the server's ring has moved on, or that it started
// afresh: what we had is void.
function snapshot({ state, events }) {
  const start = known(empty(), state);
  const model = (events ?? []).reduce((m, e) => (e.seq > m.seq ? fold(m, e) : m), start);
  return { ...model, seq: Math.max(model.seq, state?.seq ?? 0) };
}

// The server's own figures win where they count no fewer events than ours.
function known(model, state) {
  if (!state) return model;
  const next = { ...model, children: state.children ?? {}, faults: state.faults ?? [] };
  if (state.seq < model.counted) return next;
  return { ...next, counted: state.seq, counters: state.counters ?? {}, retries: state.retries ?? {} };
}

function fold(model, event) {
  const next = { ...model, seq: event.seq, log: last([...model.log, event], limits.log) };
  if (event.seq > model.counted) count(next, event);
  if (isNarration(event)) next.narration = event;
  if (event.kind === 'process' && !event.scene) {
    next.processes = last([...model.processes, event], limits.processes);
  } else if (sceneOf(event)) {
    next.scenes = inScene(model.scenes, event);
  }
  return next;
}

/** counts says whether an event moves the counter of its outcome. */
export function counts(event) {
  const unknown = event.kind === 'response' && event.lane === 'api' && event.outcome === 'unknown';
  return unknown || (countedAt[event.kind]?.includes(event.outcome) ?? false);
}

function count(next, event) {
  next.counted = event.seq;
  if (!counts(event)) return;
  const side = { ...next.counters[event.side] };
  side[event.outcome] = (side[event.outcome] ?? 0) + 1;
  next.counters = { ...next.counters, [event.side]: side };
  if (event.outcome === 'attempt' && event.attempt > 1) {
    next.retries = { ...next.retries, [event.side]: (next.retries[event.side] ?? 0) + 1 };
  }
}

const isNarration = (event) => event.kind === 'note' && event.lane === 'shop';

/** sceneOf is the story that an event belongs to; "" belongs to none. */
export function sceneOf(event) {
  return event.scene || (event.key ? `${event.owner}/${event.key}` : '');
}

function inScene(scenes, event) {
  const id = sceneOf(event);
  const at = scenes.findIndex((scene) => scene.id === id);
  if (at < 0) return last([...scenes, touched({ id, events: [], active: 0 }, event)], limits.scenes);
  return scenes.with ? scenes.with(at, touched(scenes[at], event)) : scenes.map((s, i) => (i === at ? touched(s, event) : s));
}

// A scene comes to the front when somebody asks for something in it.
function touched(scene, event) {
  return {
    id: scene.id,
    events: last([...scene.events, event], limits.events),
    active: event.kind === 'request' || scene.active === 0 ? event.seq : scene.active,
  };
}

const last = (list, n) => (list.length > n ? list.slice(list.length - n) : list);

/** latest is the scene in which something was asked last; null before the first. */
export function latest(model) {
  return model.scenes.reduce((best, scene) => (!best || scene.active > best.active ? scene : best), null);
}

/** played are a scene's events with the kills and restarts that fell into it,
 * in the order of time. */
export function played(model, id) {
  const scene = model.scenes.find((s) => s.id === id);
  if (!scene) return [];
  const times = scene.events.map((e) => e.at_ms);
  const first = Math.min(...times);
  const end = Math.max(...times);
  const next = Math.min(...model.scenes.map((s) => s.events[0].at_ms).filter((t) => t > first));
  const near = model.processes.filter((e) => e.at_ms >= first && (e.at_ms <= end || e.at_ms < next));
  return [...scene.events, ...near].sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
}
