import { test } from 'node:test';
import assert from 'node:assert/strict';
import { drawCrowd } from '../js/crowd.js';
import { asOf, lay, upTo, until } from '../js/lesson_steps.js';

const sides = ['naive', 'safe'];
const lanes = ['shop', 'network', 'api', 'provider'];

// Two hundred clients, each charged once; the naive ones all at the same time.
function storm(clients = 200) {
  const out = [];
  for (const side of sides) for (let i = 0; i < clients; i++) {
    const at = side === 'naive' ? 1000 : 1000 + i * 12;
    const trace = `${side}${i}`;
    const add = (t, lane, kind, rest) => out.push({ side, lane, kind, at_ms: at + t, trace, owner: `o${i}`, text: '', ...rest });
    add(0, 'shop', 'request', { outcome: 'attempt', attempt: 1, of: 5 });
    add(1, 'network', 'request', { outcome: 'attempt' });
    add(2, 'api', 'decision', { outcome: i % 10 ? 'started' : 'replay' });
    add(5, 'provider', 'provider', { outcome: 'captured', amount: 100, currency: 'eur' });
    add(7, 'api', 'response', { status: 201, outcome: 'started' });
    add(9, 'shop', 'response', { status: 201 });
  }
  return out.sort((a, b) => a.at_ms - b.at_ms).map((e, i) => ({ ...e, seq: i + 1 }));
}

const flatten = (nodes) => nodes.flatMap((n) => (typeof n === 'string' ? [] : [n, ...flatten(n.kids)]));
const textOf = (n) => (typeof n === 'string' ? n : n.kids.map(textOf).join(''));
const draw = (laid, side, shown, rest = {}) => drawCrowd(asOf(laid, side, shown, rest.curtain), { name: side.toUpperCase(), height: 0, ...rest });
const marks = (drawn) => flatten(drawn.nodes).filter((n) => n.attrs['data-seq']);
const numbers = (drawn) => flatten(drawn.nodes).filter((n) => /strong/.test(n.attrs.class ?? '')).map((n) => Number(textOf(n).slice(2)));

test('two hundred clients are a few marks whose numbers add up', () => {
  const laid = lay(storm(), sides, { lanes, width: 892, size: 20 });
  for (const side of sides) {
    const drawn = draw(laid, side, upTo(Infinity));
    assert.ok(marks(drawn).length <= 60, `${marks(drawn).length} marks`);
    const alone = marks(drawn).length - numbers(drawn).length;
    assert.equal(numbers(drawn).reduce((a, b) => a + b, 0) + alone, 200 * 4);
    assert.ok(drawn.height <= 200, `${drawn.height} units high`);
  }
});

test('each row has its lane and its word, what only passes through has none', () => {
  const laid = lay(storm(), sides, { lanes, width: 892, size: 20 });
  assert.deepEqual(laid.made.rows.map((r) => `${r.lane} ${r.word}`), ['shop ATTEMPT', 'shop ANSWER', 'API REPLAY', 'API STARTED', 'provider CAPTURED']);
});

test('no mark moves when more is shown, and nothing is shown early', () => {
  const laid = lay(storm(), sides, { lanes, width: 892, size: 20 });
  const place = (drawn) => new Map(flatten(drawn.nodes).filter((n) => n.tag === 'use').map((n) => [`${n.attrs.x} ${n.attrs.y}`, n.attrs.href]));
  const last = place(draw(laid, 'safe', upTo(Infinity)));
  for (const n of [0, 7, 300, 1100]) {
    const now = draw(laid, 'safe', until(laid.every[n]));
    for (const [at, shape] of place(now)) assert.equal(last.get(at), shape);
    const seen = laid.every.slice(0, n + 1).map((e) => e.seq);
    for (const mark of marks(now)) assert.ok(seen.includes(mark.attrs['data-seq']));
  }
});

test('a few clients are drawn one by one', () => {
  assert.equal(lay(storm(3), sides, { lanes, width: 892, size: 20 }).made.rows, undefined);
});

test('behind the curtain there are only the shop\u2019s rows, and no number is not one', () => {
  const laid = lay(storm(), sides, { lanes, width: 320, size: 13 });
  const drawn = draw(laid, 'naive', upTo(Infinity), { curtain: true, height: 300 });
  assert.ok(marks(drawn).every((m) => /ATTEMPT|ANSWER/.test(m.attrs['aria-label'])));
  for (const node of flatten(drawn.nodes)) for (const value of Object.values(node.attrs)) assert.doesNotMatch(String(value), /NaN|Infinity|undefined/);
});
