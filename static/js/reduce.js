// The panel's memory as one pure function. A reconnect and a fresh load end in the
// same model.

// Bounds: a page that stays open for a day must not grow.
export const limits = { scenes: 12, events: 300, log: 200 };

// What is armed, held and counted is the server's word: it has seen every event,
// we may not.
export function empty() {
	const state = { seq: 0, children: {}, faults: [], gates: [], holds: [], counters: {}, retries: {}, mistake: '' };
	return { seq: 0, state, scenes: [], log: [] };
}

export function reduce(model, frame) {
	if (frame.type === 'snapshot') return snapshot(frame);
	if (frame.type === 'state') return { ...model, state: { ...empty().state, ...frame.state } };
	return frame.seq > model.seq ? fold(model, frame) : model;
}

// The server's ring has moved on or it started afresh: what we had is void.
function snapshot({ state, events }) {
	const start = reduce(empty(), { type: 'state', state });
	const model = (events ?? []).reduce(reduce, start);
	return { ...model, seq: Math.max(model.seq, start.state.seq) };
}

function fold(model, event) {
	const scenes = sceneOf(event) ? inScene(model.scenes, event) : model.scenes;
	return { ...model, seq: event.seq, log: last([...model.log, event], limits.log), scenes };
}

export const sceneOf = (event) => event.scene || (event.key ? `${event.owner}/${event.key}` : '');

function inScene(scenes, event) {
	const id = sceneOf(event);
	const known = scenes.find((scene) => scene.id === id);
	const scene = known ?? { id, events: [], active: 0 };
	const next = {
		id,
		events: last([...scene.events, event], limits.events),
		// A scene comes to the front when somebody asks for something in it.
		active: event.kind === 'request' || scene.active === 0 ? event.seq : scene.active,
	};
	return known ? scenes.map((s) => (s === known ? next : s)) : last([...scenes, next], limits.scenes);
}

const last = (list, n) => list.slice(-n);

export const latest = (model) => model.scenes.reduce((best, scene) => (!best || scene.active > best.active ? scene : best), null);

// inTime orders events as they happened: boxes tell with delays of their own.
export const inTime = (a, b) => a.at_ms - b.at_ms || a.seq - b.seq;
