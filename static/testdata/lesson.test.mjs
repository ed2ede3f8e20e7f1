import { test } from 'node:test';
import assert from 'node:assert/strict';
import { drawSide } from '../js/draw.js';
import { keyName } from '../js/keys.js';
import { asOf, known, lay, upTo } from '../js/lesson_steps.js';
import { tell } from './scenes.mjs';

const sides = ['naive', 'safe'];
const lanes = ['shop', 'network', 'api', 'provider'];
const at0 = 1_700_000_000_000;

// A run's clock begins with the run, and its processes are ready before
// anything is sent.
function recorded(name, rest = {}) {
  const ready = sides.map((side, i) => ({ side, seq: i + 1, at_ms: i, lane: 'api', kind: 'process', outcome: 'ready', text: '' }));
  return [...ready, ...tell(name, sides).map((e) => ({ ...e, ...rest, seq: e.seq + 2, at_ms: e.at_ms - at0 + 50 }))];
}

function laid(name, { wish = lanes, owners, size = 20, width = 892 } = {}) {
  return lay(recorded(name), sides, { lanes: wish, owners, width, size });
}

const flatten = (nodes) => nodes.flatMap((n) => (typeof n === 'string' ? [] : [n, ...flatten(n.kids)]));
const textOf = (n) => (typeof n === 'string' ? n : n.kids.map(textOf).join(''));
const draw = (made, side, rest = {}) => flatten(drawSide(made, side, { name: side.toUpperCase(), height: 0, ...rest }).nodes);
const marks = (all) => all.filter((n) => n.tag === 'g' && /\bmark\b/.test(n.attrs.class ?? '') && n.attrs['data-seq']);
// A torn lane grows until the process is back; all other marks have a place.
const places = (all) => new Map(marks(all).map((m) => [m.attrs['data-seq'], m.kids.find((k) => k.tag === 'use' || k.tag === 'rect')?.attrs]).filter(([, at]) => at));

test('a recording begins with its first request, and leaves out lanes that are not the lesson\u2019s', () => {
  const { all, made } = laid('lost', { wish: ['shop', 'api', 'provider'] });
  assert.equal(all.safe[0].kind, 'request');
  assert.equal(made.from, Math.min(all.safe[0].at_ms, all.naive[0].at_ms));
  assert.ok(!all.safe.some((e) => e.lane === 'network'));
});

test('one owner\u2019s events alone are laid out where a step looks at one', () => {
  const mine = recorded('normal', { owner: 'run_1_o06' });
  const others = recorded('lost', { owner: 'run_1_o07' }).map((e) => ({ ...e, seq: e.seq + 1000 }));
  const both = lay([...mine, ...others], sides, { lanes, owners: { naive: 'run_1_o06', safe: 'run_1_o06' }, width: 892, size: 20 });
  assert.ok(both.all.safe.length > 0 && both.all.safe.every((e) => e.owner === 'run_1_o06'));
});

test('nothing moves when more is revealed', () => {
  for (const name of ['lost', 'double', 'kill']) {
    const whole = laid(name);
    for (const side of sides) {
      const last = places(draw(asOf(whole, side, upTo(Infinity)), side));
      let before = new Set();
      for (const { seq } of whole.all[side]) {
        const now = places(draw(asOf(whole, side, upTo(seq)), side));
        for (const [mark, { x, y }] of now) {
          const end = last.get(mark);
          // The provider's answer settles by a hair once the API has read it.
          assert.ok(Math.abs(x - end.x) < 5 && y === end.y, `${name}, ${side}: mark ${mark} as of ${seq} is at ${x}, ${y}, then at ${end.x}, ${end.y}`);
        }
        for (const mark of before) assert.ok(now.has(mark), `${name}, ${side}: mark ${mark} is gone as of ${seq}`);
        before = new Set(now.keys());
      }
      assert.deepEqual(before, new Set(last.keys()));
    }
  }
});

test('no step draws what is not a number', () => {
  for (const name of ['normal', 'lost', 'double', 'kill', 'silent', 'declined']) for (const curtain of [false, true]) {
    const whole = laid(name);
    for (const side of sides) for (const { seq } of [{ seq: 0 }, ...whole.all[side]]) {
      for (const node of draw(asOf(whole, side, upTo(seq), curtain), side, { network: false })) {
        for (const [key, value] of Object.entries(node.attrs)) assert.doesNotMatch(String(value), /NaN|Infinity|undefined/, `${name} as of ${seq}: ${node.tag} ${key}`);
      }
    }
  }
});

test('what is not revealed yet is shaded, the end is not', () => {
  const whole = laid('lost');
  const shaded = (upto) => draw(asOf(whole, 'safe', upTo(upto)), 'safe').filter((n) => n.attrs.class === 'future').length;
  assert.equal(shaded(0), 1);
  assert.equal(shaded(whole.all.safe.at(-2).seq), 1);
  assert.equal(shaded(Infinity), 0);
});

test('the present does not cut the last mark while there is room before the next', () => {
  const whole = laid('lost');
  const silence = whole.all.safe.find((e) => e.outcome === 'silence');
  const made = asOf(whole, 'safe', upTo(silence.seq));
  assert.equal(made.now, silence.at_ms);
  assert.ok(made.edge > 10, `${made.edge} units behind the silence`);
  const next = whole.all.safe.find((e) => e.seq > silence.seq && e.kind === 'request');
  assert.ok(made.axis.at(made.now, Infinity) + made.edge < made.axis.at(next.at_ms, next.seq));
});

test('behind the curtain there is only what the shop sees', () => {
  const { all } = laid('lost');
  const open = known(all.safe, upTo(Infinity));
  const closed = known(all.safe, upTo(Infinity), true);
  assert.ok(closed.length > 0 && closed.length < open.length);
  assert.ok(closed.every((e) => e.lane === 'shop'));
  const outcomes = draw(asOf(laid('lost'), 'safe', upTo(Infinity), true), 'safe').map((n) => n.attrs.href).filter(Boolean);
  assert.deepEqual([...new Set(outcomes)].sort(), ['#s-attempt', '#s-silence']);
});

test('a lane that is not the lesson\u2019s has no name and no line', () => {
  const names = (network) => draw(asOf(laid('lost'), 'safe', upTo(Infinity)), 'safe', { network }).filter((n) => n.attrs.class === 'lane-name').map(textOf);
  assert.deepEqual(names(true), ['shop', 'network', 'API', 'provider']);
  assert.deepEqual(names(false), ['shop', 'API', 'provider']);
});

test('two clicks are told apart by letters, two attempts by numbers', () => {
  const numbers = (events) => draw(asOf(lay(events, sides, { lanes, width: 892, size: 20 }), 'safe', upTo(Infinity)), 'safe').filter((n) => n.attrs.class === 'num').map(textOf);
  const named = (name, loop) => recorded(name).map((e) => (e.trace ? { ...e, trace: loop(e.trace) } : e));
  assert.deepEqual(numbers(named('double', (t) => `LOOP${t}.1`)), ['A', 'B']);
  assert.deepEqual(numbers(named('lost', (t) => `LOOP.${t}`)), ['1', '2']);
  const label = draw(asOf(lay(named('double', (t) => `LOOP${t}.1`), sides, { lanes, width: 892, size: 20 }), 'safe', upTo(Infinity)), 'safe').map((n) => n.attrs['aria-label']).find((l) => /BUSY/.test(l ?? ''));
  assert.match(label, /^SAFE: click B, attempt 1 of 10: BUSY/);
});

test('a request that waits inside is tied to its decision', () => {
  const late = recorded('normal').map((e) => (e.at_ms > 50 ? { ...e, at_ms: e.at_ms + 300 } : e));
  const tied = (events) => draw(asOf(lay(events, sides, { lanes, width: 892, size: 20 }), 'safe', upTo(Infinity)), 'safe').some((n) => n.tag === 'path' && /\binside\b/.test(n.attrs.class));
  assert.ok(tied(late));
  assert.ok(!tied(recorded('normal')));
});

test('a claim that a restart forgot has no lease to wait for', () => {
  const forgotten = recorded('kill').map((e) => (e.side === 'naive' && e.outcome === 'busy' ? { ...e, outcome: 'started', lease_ms: undefined } : e));
  const whole = lay(forgotten, sides, { lanes, width: 892, size: 20 });
  assert.equal(whole.made.stories.naive.leases.length, 0);
  assert.equal(whole.made.stories.safe.leases.length, 1);
  // Not even while the recording does not show yet that it was forgotten.
  const killed = whole.all.naive.find((e) => e.outcome === 'killed');
  assert.equal(asOf(whole, 'naive', upTo(killed.seq)).stories.naive.leases.length, 0);
});

test('the lease\u2019s digits are as of the step', () => {
  const whole = laid('kill');
  const busy = whole.all.safe.find((e) => e.outcome === 'busy');
  const digits = (upto) => draw(asOf(whole, 'safe', upTo(upto)), 'safe').filter((n) => n.attrs.class === 'lease-digits').map(textOf);
  assert.deepEqual(digits(busy.seq), ['2.47 sleft']);
  assert.deepEqual(digits(Infinity), []);
});

test('no word of a step stands on the line of the present', () => {
  const whole = laid('lost');
  for (const { seq } of whole.all.safe) {
    const all = draw(asOf(whole, 'safe', upTo(seq)), 'safe');
    const line = all.find((n) => n.attrs.class === 'now');
    if (!line) continue;
    const x = Number(/^M([\d.]+)/.exec(line.attrs.d)[1]);
    for (const n of all.filter((n) => n.tag === 'text' && /\bhalo\b/.test(n.attrs.class))) {
      const width = textOf(n).length * 20 * 0.4; // less than any font takes
      const left = /\bend\b/.test(n.attrs.class) ? n.attrs.x - width : n.attrs.x;
      if (!/\bmid\b/.test(n.attrs.class)) assert.ok(left + width < x || left > x, `"${textOf(n)}" as of ${seq}`);
    }
  }
});

const key = (name, rest = {}) => ({ key: name, ctrlKey: false, altKey: false, metaKey: false, repeat: false, ...rest });

test('keys are spelled as buttons have them', () => {
  for (const [pressed, want] of [['PageDown', 'pagedown'], ['PageUp', 'pageup'], [' ', 'space'], ['V', 'v'], ['.', '.'], ['?', '?'], ['3', '3']]) {
    assert.equal(keyName(key(pressed), {}), want);
  }
});

test('a key belongs to the field, the control or the browser first', () => {
  assert.equal(keyName(key('v'), { text: true }), '');
  assert.equal(keyName(key(' '), { control: true }), '');
  assert.equal(keyName(key('PageDown'), { control: true }), 'pagedown');
  for (const held of ['ctrlKey', 'altKey', 'metaKey', 'repeat']) assert.equal(keyName(key('r', { [held]: true }), {}), '');
});

test('switched off, only the remote\u2019s two keys are left', () => {
  assert.equal(keyName(key('b'), { off: true }), '');
  assert.equal(keyName(key(' '), { off: true }), '');
  assert.equal(keyName(key('PageDown'), { off: true }), 'pagedown');
});

test('the word at the present is that of a request that is still inside', () => {
  const whole = laid('kill');
  const resumed = whole.all.safe.find((e) => e.outcome === 'resumed');
  for (const { seq } of whole.all.safe) {
    const made = asOf(whole, 'safe', upTo(seq));
    const x = made.axis.at(made.now, Infinity) + made.edge + 9;
    const there = draw(made, 'safe').filter((n) => n.tag === 'text' && Math.abs(n.attrs.x - x) < 1 && /\bword\b/.test(n.attrs.class)).map(textOf);
    const open = made.stories.safe.requests.filter((r) => !r.answer && !r.killed && !r.end).length > 0;
    if (!open) assert.deepEqual(there, [], `as of ${seq}`);
    if (seq === resumed.seq) assert.match(there.join(), /^RESUMED/);
  }
});
