import { test } from 'node:test';
import assert from 'node:assert/strict';
import { empty, inTime, latest, limits, reduce } from '../js/reduce.js';
import { scenes, tell, Tale } from './scenes.mjs';

const play = (events, model = empty()) => events.reduce(reduce, model);
const state = (events, more) => ({ ...empty().state, seq: events.at(-1).seq, ...more });

test('a page that followed equals a page that loads afresh', () => {
  for (const name of Object.keys(scenes)) {
    const events = tell(name, ['naive', 'safe']);
    const now = state(events, { holds: [{ hold: 'h', trace: 'g1' }] });
    assert.deepEqual(reduce(play(events), { type: 'state', state: now }), reduce(empty(), { type: 'snapshot', state: now, events }), name);
  }
});

test('a reconnect that repeats events changes nothing', () => {
  const events = tell('lost');
  const once = play(events);
  assert.equal(play(events, once), once);
  assert.deepEqual(play([...events.slice(0, 5), ...events.slice(2)]), once);
});

test('a snapshot in the middle and events after it end in the same story', () => {
  const events = tell('kill');
  for (const cut of [1, 7, events.length - 1]) {
    const before = events.slice(0, cut);
    const model = play(events.slice(cut), reduce(play(before.slice(0, 2)), { type: 'snapshot', state: state(before), events: before }));
    assert.deepEqual(model.scenes, play(events).scenes, `cut at ${cut}`);
    assert.equal(model.seq, events.at(-1).seq);
  }
});

test('a server that started afresh voids what we had', () => {
  const old = play(tell('kill'));
  const fresh = tell('normal').slice(0, 3);
  assert.deepEqual(reduce(old, { type: 'snapshot', state: state(fresh), events: fresh }).log, fresh);
});

test('what is counted, armed and held is the server\u2019s word', () => {
  const model = play(tell('normal'));
  assert.deepEqual(model.state, empty().state);
  const later = reduce(model, { type: 'state', state: { seq: 1, counters: { safe: { attempt: 41 } }, holds: [{ hold: 'h' }] } });
  assert.equal(later.state.counters.safe.attempt, 41);
  assert.deepEqual([later.state.holds.length, later.state.faults], [1, []]);
  assert.equal(later.scenes, model.scenes);
});

test('nothing grows without a bound', () => {
  let seq = 0;
  let model = empty();
  for (let i = 0; i < limits.scenes + 5; i++) {
    const tale = new Tale({ scene: `s${i}` });
    for (let j = 0; j < limits.events + 3; j++) tale.attempt(i * 1000 + j, `t${j}`);
    for (const e of tale.list) model = reduce(model, { ...e, seq: ++seq });
  }
  assert.equal(model.log.length, limits.log);
  assert.equal(model.scenes.length, limits.scenes);
  assert.ok(model.scenes.every((s) => s.events.length <= limits.events));
});

test('the latest scene is the one in which something was asked last', () => {
  const first = new Tale({ scene: 'a' }).attempt(0, 'a1').list;
  const second = new Tale({ scene: 'b' }).attempt(10, 'b1').list;
  const answer = new Tale({ scene: 'a' }).end(20, 'a1').list;
  const again = new Tale({ scene: 'a' }).attempt(30, 'a2', 2).list;
  const numbered = [...first, ...second, ...answer, ...again].map((e, i) => ({ ...e, seq: i + 1 }));
  assert.equal(latest(play(numbered.slice(0, 3))).id, 'b');
  assert.equal(latest(play(numbered)).id, 'a');
  assert.equal(latest(empty()), null);
});

test('events of one scene are told in the order of time, and then of their numbers', () => {
  const list = [{ at_ms: 5, seq: 1 }, { at_ms: 3, seq: 3 }, { at_ms: 3, seq: 2 }];
  assert.deepEqual(list.sort(inTime).map((e) => e.seq), [2, 3, 1]);
});

test('an event is folded without changing the model before it', () => {
  const events = tell('kill');
  const half = play(events.slice(0, 8));
  const copy = structuredClone(half);
  play(events.slice(8), half);
  assert.deepEqual(half, copy);
});
