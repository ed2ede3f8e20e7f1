import { test } from 'node:test';
import assert from 'node:assert/strict';
import { counts, empty, latest, limits, played, reduce } from '../js/reduce.js';
import { scenes, tell, Tale } from './scenes.mjs';

const play = (events, model = empty()) => events.reduce(reduce, model);

// The server's state after some events, as it would count them.
function stateAfter(events) {
  const counters = {};
  const retries = {};
  for (const e of events.filter(counts)) {
    counters[e.side] ??= {};
    counters[e.side][e.outcome] = (counters[e.side][e.outcome] ?? 0) + 1;
    if (e.outcome === 'attempt' && e.attempt > 1) retries[e.side] = (retries[e.side] ?? 0) + 1;
  }
  return { seq: events.at(-1).seq, counters, retries, children: {}, faults: [] };
}

test('a page that followed equals a page that loads afresh', () => {
  for (const name of Object.keys(scenes)) {
    const events = tell(name, ['naive', 'safe']);
    assert.deepEqual(play(events), reduce(empty(), { type: 'snapshot', state: stateAfter(events), events }), name);
  }
});

test('a reconnect that repeats events changes nothing', () => {
  const events = tell('lost');
  const once = play(events);
  assert.equal(play(events, once), once);
  assert.deepEqual(play([...events.slice(0, 5), ...events.slice(2)]), once);
});

test('a snapshot in the middle and events after it end in the same model', () => {
  const events = tell('kill');
  for (const cut of [1, 7, events.length - 1]) {
    const before = events.slice(0, cut);
    const model = play(events.slice(cut), reduce(play(before.slice(0, 2)), { type: 'snapshot', state: stateAfter(before), events: before }));
    assert.deepEqual(model, play(events), `cut at ${cut}`);
  }
});

test('a server that started afresh voids what we had', () => {
  const old = play(tell('kill'));
  const fresh = tell('normal').slice(0, 3);
  assert.deepEqual(reduce(old, { type: 'snapshot', state: stateAfter(fresh), events: fresh }), play(fresh));
});

test('a replay that the API decides and the shop receives is one replay', () => {
  const model = play(tell('lost'));
  assert.equal(model.counters.safe.replay, 1);
  assert.equal(model.counters.safe.attempt, 2);
  assert.equal(model.counters.safe.silence, 1);
  assert.equal(model.retries.safe, 1);
});

test('busy and conflict are counted apart, and a decline once', () => {
  assert.equal(play(tell('double')).counters.safe.busy, 1);
  const external = play(tell('external'));
  assert.deepEqual([external.counters.safe.conflict, external.counters.safe.busy, external.counters.safe.replay], [1, undefined, 1]);
  assert.equal(play(tell('declined')).counters.safe.declined, 1);
});

test('sides are counted apart', () => {
  const model = play(tell('lost', ['naive', 'safe']));
  assert.deepEqual([model.counters.naive.started, model.counters.safe.started], [2, 1]);
  assert.deepEqual([model.counters.naive.replay, model.counters.safe.replay], [undefined, 1]);
});

test('a fetched state wins, and its events are not counted again', () => {
  const events = tell('normal');
  const early = play(events.slice(0, 3));
  const state = { ...stateAfter(events), counters: { safe: { attempt: 41 } } };
  const model = play(events.slice(3), reduce(early, { type: 'state', state }));
  assert.equal(model.counters.safe.attempt, 41);
  assert.equal(model.seq, events.at(-1).seq);
});

test('an older state brings its children and faults, not its counters', () => {
  const model = play(tell('normal'));
  const later = reduce(model, { type: 'state', state: { seq: 1, counters: {}, children: { safe: { state: 'down' } }, faults: [{ id: 'f' }] } });
  assert.equal(later.children.safe.state, 'down');
  assert.equal(later.faults.length, 1);
  assert.equal(later.counters, model.counters);
});

test('narration is the shop lane\u2019s last note', () => {
  const model = play(tell('normal'));
  assert.equal(model.narration.text, 'One attempt: *charged once.*');
});

test('nothing grows without a bound', () => {
  let seq = 0;
  let model = empty();
  for (let i = 0; i < limits.scenes + 5; i++) {
    const tale = new Tale({ scene: `s${i}` });
    for (let j = 0; j < limits.events + 3; j++) tale.attempt(i * 1000 + j, `t${j}`);
    tale.add(i * 1000, 'api', 'process', { outcome: 'killed', scene: '', key: '' });
    for (const e of tale.list) model = reduce(model, { ...e, seq: ++seq });
  }
  for (let i = 0; i < limits.processes + 3; i++) model = reduce(model, { ...new Tale().add(0, 'api', 'process', { outcome: 'ready', scene: '' }).list[0], seq: ++seq });
  assert.equal(model.log.length, limits.log);
  assert.equal(model.scenes.length, limits.scenes);
  assert.equal(model.processes.length, limits.processes);
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

test('a kill outside any story is played in the one that it fell into', () => {
  const tale = new Tale().attempt(0, 'a').end(50, 'a').add(70, 'api', 'process', { outcome: 'killed', scene: '', key: '' });
  const other = new Tale({ scene: 'ord_2' }).attempt(500, 'b').add(600, 'api', 'process', { outcome: 'ready', scene: '', key: '' });
  const model = play([...tale.list, ...other.list].map((e, i) => ({ ...e, seq: i + 1 })));
  assert.deepEqual(played(model, 'ord_1').map((e) => e.outcome ?? e.kind), ['attempt', 'response', 'killed']);
  assert.deepEqual(played(model, 'ord_2').map((e) => e.outcome), ['attempt', 'ready']);
  assert.deepEqual(played(model, 'none'), []);
});

test('an event is folded without changing the model before it', () => {
  const events = tell('kill');
  const half = play(events.slice(0, 8));
  const copy = structuredClone(half);
  play(events.slice(8), half);
  assert.deepEqual(half, copy);
});
