// The websocket: follows the run log from where the page stands, and comes
// back by itself. Which frames are new is the reducer's business.

/** Reconnects wait a random time below base × 2^n, capped: a room of phones
 * must not come back all at once. Milliseconds. */
export const backoff = { base: 250, cap: 8000 };

/** delay is full jitter: `random` is in [0, 1), attempt counts from 0. */
export function delay(attempt, random, { base, cap } = backoff) {
  return random * Math.min(cap, base * 2 ** Math.min(attempt, 20));
}

/**
 * follow keeps a connection open. after() says which event was the last one;
 * onFrame gets each decoded frame; onState gets "connecting", "live" or
 * "lost". `env` holds what tests exchange. Returns stop().
 */
export function follow({ url, after, onFrame, onState }, env = browser()) {
  let attempt = 0;
  let socket = null;
  let stopped = false;

  function open() {
    onState(attempt ? 'lost' : 'connecting');
    socket = env.socket(`${url}${url.includes('?') ? '&' : '?'}after=${after()}`);
    socket.onopen = () => {
      attempt = 0;
      onState('live');
    };
    socket.onmessage = ({ data }) => {
      const frame = decode(data);
      if (frame) onFrame(frame);
    };
    socket.onclose = again;
  }

  // Every ending is the same to us: refused, closed, lost.
  function again() {
    if (stopped) return;
    onState('lost');
    env.later(open, delay(attempt++, env.random()));
  }

  open();
  return () => {
    stopped = true;
    socket?.close();
  };
}

// A frame that is no JSON object is a bug elsewhere; the next one may be fine.
function decode(data) {
  try {
    const frame = JSON.parse(data);
    return frame && typeof frame === 'object' ? frame : null;
  } catch {
    return null;
  }
}

function browser() {
  return { socket: (url) => new WebSocket(url), later: (fn, ms) => setTimeout(fn, ms), random: Math.random };
}
