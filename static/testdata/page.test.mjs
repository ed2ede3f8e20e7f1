import { test } from 'node:test';
import assert from 'node:assert/strict';
import { backoff, delay, follow } from '../js/live.js';
import { currencyOf, moneyRows } from '../js/books.js';
import { details, logItems, storyName } from '../js/log.js';
import { aheadOf } from '../js/feed.js';
import { empty, reduce } from '../js/reduce.js';
import { tell } from './scenes.mjs';

const textOf = (n) => (typeof n === 'string' ? n : n.kids.map(textOf).join(''));

test('reconnects wait a full jitter below base \u00d7 2^n, capped', () => {
  for (const share of [0, 0.25, 0.5, 0.999]) {
    assert.equal(delay(0, share), share * backoff.base);
    assert.equal(delay(3, share), share * backoff.base * 8);
    for (const n of [10, 64, 1000]) assert.equal(delay(n, share), share * backoff.cap);
  }
});

// A websocket and a clock that the test moves.
function bench() {
  const sockets = [];
  const waits = [];
  const env = { random: () => 0.5, later: (fn, ms) => waits.push({ fn, ms }), socket: (url) => (sockets.push({ url, close() { this.onclose?.(); } }), sockets.at(-1)) };
  const seen = { frames: [], states: [], last: 7 };
  follow({ url: '/live', after: () => seen.last, onFrame: (f) => seen.frames.push(f), onState: (s) => seen.states.push(s) }, env);
  return { sockets, waits, seen };
}

test('a reconnect asks from the last event on', () => {
  const { sockets, waits, seen } = bench();
  assert.equal(sockets[0].url, '/live?after=7');
  sockets[0].onopen();
  seen.last = 12;
  sockets[0].onclose();
  waits[0].fn();
  assert.equal(sockets[1].url, '/live?after=12');
  assert.deepEqual(seen.states, ['connecting', 'live', 'lost', 'lost']);
});

test('waits grow while nobody answers, and start anew after a success', () => {
  const { sockets, waits } = bench();
  for (let i = 0; i < 3; i++) {
    sockets.at(-1).onclose();
    waits.at(-1).fn();
  }
  assert.deepEqual(waits.map((w) => w.ms), [125, 250, 500]);
  sockets.at(-1).onopen();
  sockets.at(-1).onclose();
  assert.equal(waits.at(-1).ms, 125);
});

test('a frame that is no JSON object is dropped, the next one is taken', () => {
  const { sockets, seen } = bench();
  for (const data of ['{', '3', 'null', '{"seq":1}']) sockets[0].onmessage({ data });
  assert.deepEqual(seen.frames, [{ seq: 1 }]);
});

const owner = (wanted, ledger, captured, more) => ({ wanted: wanted === null ? null : { eur: wanted }, ledger: { eur: ledger }, captured: { eur: captured }, overcharged: wanted === null ? null : { eur: Math.max(0, captured - wanted) }, unpaid: wanted === null ? null : { eur: Math.max(0, wanted - ledger) }, charges: 1, captures: 2, receipts: 1, stock: -1, ...more });

test('wrong money is more than the customer wanted', () => {
  const rows = moneyRows(owner(5000, 10_000, 10_000), 'eur');
  assert.deepEqual(rows.text, { wanted: '\u20ac50.00', ledger: '\u20ac100.00', captured: '\u20ac100.00', overcharged: '\u20ac50.00', unpaid: '\u20ac0.00' });
  assert.deepEqual(rows.wrong, { wanted: false, ledger: true, captured: true, overcharged: true, unpaid: false });
  assert.equal(rows.verdict, 'charged twice');
  assert.equal(rows.tally, '1 charge, 2 captures, 1 receipt, stock \u22121');
});

test('the verdict says what the books say', () => {
  const verdict = (o, open) => moneyRows(o, 'eur', { open }).verdict;
  assert.equal(verdict(owner(5000, 5000, 5000)), 'correct');
  assert.equal(verdict(owner(5000, 0, 5000)), 'books differ');
  assert.equal(verdict(owner(5000, 0, 0)), 'not paid');
  assert.equal(verdict(owner(5000, 0, 0), true), 'in progress');
  assert.equal(verdict(owner(15_000, 15_000, 20_000)), 'overcharged');
  assert.equal(verdict(owner(null, 5000, 5000)), 'books agree');
  assert.equal(verdict(owner(0, 0, 0)), '');
  assert.equal(verdict(null), '');
});

test('what nobody knows is a dash, never a zero', () => {
  assert.equal(moneyRows(owner(null, 500, 500), 'eur').text.wanted, '\u2014');
  assert.deepEqual(moneyRows(null, 'eur').text, { wanted: '\u2014', ledger: '\u2014', captured: '\u2014', overcharged: '\u2014', unpaid: '\u2014' });
});

test('amounts are shown in the scene\u2019s own currency', () => {
  const yen = { wanted: { jpy: 500 }, ledger: { jpy: 500 }, captured: { jpy: 500 } };
  assert.equal(currencyOf(yen, ''), 'jpy');
  assert.equal(currencyOf(yen, 'kwd'), 'kwd');
  assert.equal(currencyOf(null, ''), 'eur');
  assert.equal(moneyRows(yen, 'jpy').text.captured, '\u00a5500');
});

const model = (name, sides) => tell(name, sides).reduce(reduce, empty());

test('the log is newest first, with times since the story began and a heading', () => {
  const items = logItems(model('lost'));
  assert.match(textOf(items[0]), /shop, key \u20267F3A/);
  assert.match(textOf(items[1]), /^2\u00a0191 ms/);
  assert.match(textOf(items.at(-1)), /^0 msATTEMPT 1 of 10/);
  assert.equal(items.length, tell('lost').length + 1);
});

test('a filtered log holds that outcome alone; two sides are named', () => {
  const items = logItems(model('lost', ['naive', 'safe']), { filter: 'silence', sides: 2 });
  assert.deepEqual(items.slice(1).map((n) => /NAIVE|SAFE/.exec(textOf(n))[0]), ['SAFE', 'NAIVE']);
});

test('narration in the log is bold between asterisks and nothing else', () => {
  const item = logItems(model('normal')).find((n) => /charged once/.test(textOf(n)));
  assert.ok(!textOf(item).includes('*'));
  assert.ok(!textOf(item).includes('NOTE'));
});

test('the inspector shows what an event holds and leaves out what it does not', () => {
  const event = tell('lost').find((e) => e.outcome === 'silence');
  const text = details(event, event.at_ms - 2000).map(textOf).join(' ');
  for (const part of ['SILENCE ?', '2\u00a0000 ms into the story', 'shop', '0f8e-7F3A', 'took2\u00a0000 ms']) assert.ok(text.includes(part), `${part} in ${text}`);
  assert.ok(!text.includes('amount'));
});

test('a story is named by its key, or by the lack of one', () => {
  assert.equal(storyName(model('lost'), 'ord_1'), 'shop, key \u20267F3A');
  assert.equal(storyName(model('lost', ['naive']), 'ord_1'), 'shop, no key');
  assert.equal(storyName(empty(), 'gone'), 'gone');
});

test('a clock is corrected only where it is clearly wrong', () => {
  const date = 'Mon, 30 Nov 2026 20:00:00 GMT';
  const ahead = (ms) => aheadOf(date, Date.parse(date) + 500 + ms);
  assert.deepEqual([0, 900, -1900, 2600, -90_000].map(ahead), [0, 0, 0, 2600, -90_000]);
  assert.equal(aheadOf(null), 0);
});
