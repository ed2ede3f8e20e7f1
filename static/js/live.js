// The websocket: follows the log from where the page stands, and comes back.

// A room of phones must not come back all at once. Milliseconds.
export const backoff = { base: 250, cap: 8000 };

export const delay = (attempt, random, { base, cap } = backoff) => random * Math.min(cap, base * 2 ** Math.min(attempt, 20));

// follow keeps a connection open; onState gets "connecting", "live" or "lost".
// Tests exchange `env`.
export function follow({ url, after, onFrame, onState }, env = browser()) {
	let attempt = 0;

	function open() {
		onState(attempt ? 'lost' : 'connecting');
		const socket = env.socket(`${url}?after=${after()}`);
		socket.onopen = () => {
			attempt = 0;
			onState('live');
		};
		socket.onmessage = ({ data }) => {
			const frame = decode(data);
			if (frame?.seq || frame?.type) onFrame(frame);
		};
		// Every ending is the same to us: refused, closed, lost.
		socket.onclose = () => {
			onState('lost');
			env.later(open, delay(attempt++, env.random()));
		};
	}

	open();
}

// A frame that is no JSON is a bug elsewhere; the next one may be fine.
function decode(data) {
	try {
		return JSON.parse(data);
	} catch {
		return null;
	}
}

const browser = () => ({ socket: (url) => new WebSocket(url), later: setTimeout.bind(globalThis), random: Math.random });
