import { test } from 'node:test';
import assert from 'node:assert/strict';
import { Speaker, prefixed } from '../js/speak.js';
import { Player } from '../js/player.js';

// A clock that the test moves.
function bench() {
  const clock = { t: 0, due: [] };
  const env = {
    now: () => clock.t,
    later: (fn, ms) => clock.due.push({ fn, at: clock.t + ms }) && clock.due.at(-1),
    stop: (timer) => { if (timer) timer.fn = () => {}; },
  };
  const pass = (ms) => {
    const end = clock.t + ms;
    for (;;) {
      const next = clock.due.filter((d) => d.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      clock.due.splice(clock.due.indexOf(next), 1);
      clock.t = next.at;
      next.fn();
    }
    clock.t = end;
  };
  return { env, pass, clock };
}

const speaker = () => {
  const said = [];
  const b = bench();
  return { said, ...b, speaker: new Speaker((text) => said.push(text), b.env) };
};

test('one sentence a second, and always the last one', () => {
  const { said, pass, speaker: s } = speaker();
  for (const text of ['one', 'two', 'three']) s.say(text);
  assert.deepEqual(said, ['one']);
  pass(1000);
  assert.deepEqual(said, ['one', 'three']);
  s.say('three');
  pass(5000);
  assert.deepEqual(said, ['one', 'three']); // it stands already
});

test('the lease is not overtaken by a sentence', () => {
  const { said, pass, speaker: s } = speaker();
  s.say('one');
  s.say('two', 'Safe: the lease runs.');
  s.say('three');
  pass(1000);
  assert.deepEqual(said, ['one', 'Safe: the lease runs. three']);
});

test('in a storm there is one summary a second instead', () => {
  const { said, pass, speaker: s } = speaker();
  s.say('begins');
  for (let i = 0; i < 1000; i++) {
    s.hear({ side: i % 2 ? 'safe' : 'naive', kind: 'request', lane: 'shop', outcome: 'attempt', attempt: i });
    s.say(`sentence ${i}`);
    pass(1);
  }
  pass(1000);
  assert.ok(said.length <= 3, said.join('\n'));
  assert.match(said[1], /^Naive: ATTEMPT \d+ times\. Safe: ATTEMPT \d+ times\.$/);
});

test('a sentence says whose it is, once', () => {
  assert.equal(prefixed('safe', 'It was charged.'), 'Safe: It was charged.');
  assert.equal(prefixed('safe', 'SAFE replayed it.'), 'SAFE replayed it.');
  assert.equal(prefixed('', 'Both wait.'), 'Both wait.');
});

const events = [0, 0, 3, 2400, 9000].map((at_ms, i) => ({ at_ms, seq: i + 1 }));

function player() {
  const b = bench();
  const seen = [];
  const p = new Player(() => seen.push(p.position), b.env);
  p.events = events;
  return { p, seen, ...b };
}

test('every moment can be looked at, and none beyond the ends', () => {
  const { p } = player();
  p.to(3);
  assert.equal(p.event.seq, 3);
  p.to(99);
  assert.equal(p.position, 5);
  p.to(-1);
  assert.equal(p.event, null);
});

test('while a step is told the position is what the step shows', () => {
  const { p } = player();
  p.step = 2;
  assert.equal(p.position, 2);
  p.to(4);
  p.leave();
  assert.equal(p.position, 2);
});

test('playing comes to the end event by event, and a long silence is cut short', () => {
  const { p, seen, pass, clock } = player();
  p.to(0);
  seen.length = 0;
  p.play();
  pass(4000);
  assert.deepEqual([...new Set(seen)], [0, 1, 2, 3, 4, 5]);
  assert.equal(p.timer, null);
  assert.ok(clock.t < 9000);
});

test('playing pauses where it is, and begins anew at the end', () => {
  const { p, pass } = player();
  p.to(0);
  p.play();
  pass(200);
  const at = p.position;
  p.play();
  pass(60_000);
  assert.equal(p.position, at);
  p.to(5);
  p.play();
  assert.equal(p.position, 0);
});

test('a run with many events is played in a bounded number of pictures', () => {
  const { p, seen, pass } = player();
  p.events = Array.from({ length: 5000 }, (_, i) => ({ at_ms: i, seq: i + 1 }));
  p.to(0);
  seen.length = 0;
  p.play();
  pass(60_000);
  assert.ok(seen.length <= 202, `${seen.length} pictures`);
  assert.equal(p.position, 5000);
});
