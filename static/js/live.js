// The websocket: follows the log from where the page stands, and comes back.

// A room of phones must not come back all at once. Milliseconds.
export const backoff = { base: 250, cap: 8000 };

// delay is full jitter: `random` is in [0, 1), attempt counts from 0.
export const delay = (attempt, random, { base, cap } = backoff) => random * Math.min(cap, base * 2 ** Math.min(attempt, 20));

// follow keeps a connection open; onState gets "connecting", "live" or "lost".
// Tests exchange `env`.
export function follow({ url, after, onFrame, onState }, env = browser()) {
	let attempt = 0;
	let socket = null;
	let stopped = false;

	function open() {
		onState(attempt ? 'lost' : 'connecting');
		socket = env.socket(`${url}?after=${after()}`);
		socket.onopen = () => {
			attempt = 0;
			onState('live');
		};
		socket.onmessage = ({ data }) => {
			const frame = decode(data);
			if (frame) onFrame(frame);
		};
		// Every ending is the same to us: refused, closed, lost.
		socket.onclose = () => {
			if (stopped) return;
			onState('lost');
			env.later(open, delay(attempt++, env.random()));
		};
	}

	open();
	return () => {
		stopped = true;
		socket.close();
	};
}

// A frame that is no JSON object is a bug elsewhere; the next one may be fine.
function decode(data) {
	try {
		const frame = JSON.parse(data);
		return typeof frame === 'object' ? frame : null;
	} catch {
		return null;
	}
}

const browser = () => ({ socket: (url) => new WebSocket(url), later: setTimeout.bind(globalThis), random: Math.random });
