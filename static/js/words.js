// What an outcome is called, how a key and a time are printed.

// Outcomes whose word is their name; the others are called differently.
const plainly = 'attempt started resumed replay busy ready captured reset lost held receipt refunded'.split(' ');

export const words = {
	...Object.fromEntries(plainly.map((name) => [name, name.toUpperCase()])),
	silence: 'SILENCE ?', unknown: 'OUTCOME UNKNOWN', conflict: '409 CONFLICT', declined: '402 DECLINED',
	killed: 'PROCESS KILLED', result_expired: 'EXPIRED', fenced: 'FENCED OFF', breaker_open: 'BREAKER OPEN',
};

// Kinds that have a shape of their own where no outcome is given.
const shapes = { request: 'request', response: 'answer', commit: 'commit', wait: 'wait', provider: 'request', webhook: 'request', gate: 'held', process: 'ready' };

export function wordOf({ kind, lane, outcome, status, attempt, of }) {
	if (outcome === 'attempt') return attemptWord({ attempt, of });
	if (Object.hasOwn(words, outcome ?? '')) return words[outcome];
	if (kind === 'response' && status) return String(status);
	if (kind === 'note' && lane === 'customer') return 'CUSTOMER';
	return { response: 'ANSWER', wait: 'WAITS' }[kind] ?? kind.toUpperCase();
}

export const attemptWord = ({ attempt, of }) => 'ATTEMPT' + (attempt ? ' ' + attempt : '') + (of ? ' of ' + of : '');

export const shapeOf = ({ outcome, kind }) => (Object.hasOwn(words, outcome ?? '') ? outcome : shapes[kind] ?? 'note');

// shortKey is what a pill has room for, as components.ShortKey.
export function shortKey(key = '') {
	const runes = [...key];
	if (runes.length <= 8) return key;
	if (/^[0-9A-Z]{4}-[0-9A-Z]{12,}$/.test(key)) return key.slice(0, 4);
	const kind = key.slice(0, Math.max(0, key.indexOf('_')));
	if (kind && [...kind].length <= 4) return kind + '_…' + runes.slice(-3).join('');
	return '…' + runes.slice(-4).join('');
}

export const keyText = (key) => (key ? shortKey(key) : 'no key');

// segments splits narration at pairs of asterisks, as components.Segments.
export const segments = (text = '') => text.split(/\*([^*]*)\*/).map((part, i) => [part, i % 2 === 1]).filter(([part]) => part);

export const plain = (text) => segments(text).map(([part]) => part).join('');

export const ms = (value) => digits(value) + ' ms';

export const digits = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u00a0');
