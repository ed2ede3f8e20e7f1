import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { money } from '../js/money.js';
import { digits, keyText, ms, plain, segments, shapeOf, shortKey, wordOf } from '../js/words.js';

const table = (name) => JSON.parse(readFileSync(new URL(`../../components/testdata/${name}`, import.meta.url)));

test('money agrees with the Go twin', () => {
  for (const [amount, currency, want] of table('money.json')) assert.equal(money(amount, currency), want, `${amount} ${currency}`);
});

test('a currency named like a property of every object is only unknown', () => {
  assert.equal(money(1234, 'constructor'), 'CONSTRUCTOR 12.34');
  assert.equal(money(5, undefined), '0.05');
});

test('shortKey agrees with the Go twin', () => {
  for (const [key, want] of table('keys.json')) assert.equal(shortKey(key), want, key);
  assert.equal(shortKey(undefined), '');
  assert.deepEqual([keyText('7F3A'), keyText('')], ['7F3A', 'no key']);
});

test('segments agree with the Go twin', () => {
  for (const [text, want] of table('texts.json')) assert.deepEqual(segments(text), want, text);
  assert.equal(plain('a *b* c'), 'a b c');
  assert.equal(plain(undefined), '');
});

test('an attempt is named with its number, never as a retry', () => {
  assert.equal(wordOf({ kind: 'request', outcome: 'attempt', attempt: 2, of: 10 }), 'ATTEMPT 2 of 10');
  assert.equal(wordOf({ kind: 'request', outcome: 'attempt', attempt: 3 }), 'ATTEMPT 3');
});

test('the two 409 have different words and shapes', () => {
  const busy = { kind: 'response', status: 409, outcome: 'busy' };
  const conflict = { kind: 'response', status: 409, outcome: 'conflict' };
  assert.notEqual(wordOf(busy), wordOf(conflict));
  assert.notEqual(shapeOf(busy), shapeOf(conflict));
});

test('what has no outcome is named by its kind or status', () => {
  assert.equal(wordOf({ kind: 'response', status: 201 }), '201');
  assert.equal(wordOf({ kind: 'commit' }), 'COMMIT');
  assert.equal(wordOf({ kind: 'note', lane: 'customer' }), 'CUSTOMER');
  assert.equal(wordOf({ kind: 'something new' }), 'SOMETHING NEW');
  assert.equal(shapeOf({ kind: 'something new' }), 'note');
});

test('times are grouped by spaces that do not break', () => {
  assert.equal(ms(2000), '2\u00a0000 ms');
  assert.equal(digits(1234567), '1\u00a0234\u00a0567');
  assert.equal(digits(999.6), '1\u00a0000');
});
