// The words of the panel: what an outcome is called, how a key and a time are
// printed. Pure.

/** word of an outcome; shape and word carry the meaning, colour only repeats it. */
export const words = {
  attempt: 'ATTEMPT',
  silence: 'SILENCE ?',
  started: 'STARTED',
  resumed: 'RESUMED',
  replay: 'REPLAY',
  conflict: '409 CONFLICT',
  busy: 'BUSY',
  killed: 'PROCESS KILLED',
  ready: 'READY',
  declined: '402 DECLINED',
  unknown: 'OUTCOME UNKNOWN',
  result_expired: 'EXPIRED',
  fenced: 'FENCED OFF',
  breaker_open: 'BREAKER OPEN',
  captured: 'CAPTURED',
  reset: 'RESET',
  lost: 'LOST',
  held: 'HELD',
};

// Kinds that have a shape of their own where no outcome is given.
const kindShapes = { request: 'request', response: 'answer', commit: 'commit', wait: 'wait', provider: 'request', note: 'note', gate: 'held', process: 'ready' };
const kindWords = { request: 'REQUEST', response: 'ANSWER', commit: 'COMMIT', wait: 'WAITS', provider: 'PROVIDER', fault: 'FAULT', note: 'NOTE', gate: 'GATE', process: 'PROCESS', decision: 'DECISION', webhook: 'WEBHOOK', breaker: 'BREAKER', clock: 'CLOCK' };

/** wordOf names an event: "ATTEMPT 2 of 10", "201", "REPLAY". */
export function wordOf(event) {
  if (event.outcome === 'attempt') return attemptWord(event);
  if (Object.hasOwn(words, event.outcome ?? '')) return words[event.outcome];
  if (event.kind === 'response' && event.status) return String(event.status);
  if (event.kind === 'note' && event.lane === 'customer') return 'CUSTOMER';
  return kindWords[event.kind] ?? String(event.kind).toUpperCase();
}

/** attemptWord says "ATTEMPT n of m"; a client whose m is unknown has none. */
export function attemptWord(event) {
  return 'ATTEMPT' + (event.attempt ? ' ' + event.attempt : '') + (event.of ? ' of ' + event.of : '');
}

/** shapeOf is the symbol of an event, without its "s-". */
export function shapeOf(event) {
  if (Object.hasOwn(words, event.outcome ?? '')) return event.outcome;
  return kindShapes[event.kind] ?? 'note';
}

/** shortKey prints a key on a pill; the Go twin is components.ShortKey. */
export function shortKey(key) {
  const runes = [...(key ?? '')];
  if (runes.length <= 8) return key ?? '';
  if (/^[0-9A-Z]{4}-[0-9A-Z]{12,}$/.test(key)) return key.slice(0, 4);
  const cut = key.indexOf('_');
  const kind = cut > 0 ? key.slice(0, cut) : '';
  if (kind && [...kind].length <= 4) return kind + '_…' + runes.slice(-3).join('');
  return '…' + runes.slice(-4).join('');
}

/** segments splits narration at pairs of asterisks; the Go twin is components.Segments. */
export function segments(text) {
  const out = [];
  const push = (part, bold) => part && out.push([part, bold]);
  while (text) {
    const open = text.indexOf('*');
    const close = open < 0 ? -1 : text.indexOf('*', open + 1);
    if (close < 0) return push(text, false), out;
    push(text.slice(0, open), false);
    push(text.slice(open + 1, close), true);
    text = text.slice(close + 1);
  }
  return out;
}

/** plain is narration without its marks, for a screen reader. */
export const plain = (text) => segments(text ?? '').map(([part]) => part).join('');

/** ms prints milliseconds with a space at the thousands: "2 000 ms". */
export function ms(value) {
  return digits(value) + ' ms';
}

/** digits groups a whole number by spaces that do not break. */
export function digits(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
}

/** span prints a length of time for a person: "40 ms", "1.4 s", "2 min". */
export function span(value) {
  if (value < 1000) return Math.round(value) + ' ms';
  if (value < 100_000) return (value / 1000).toFixed(1) + ' s';
  return Math.round(value / 60_000) + ' min';
}
