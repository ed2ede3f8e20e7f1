import { test } from 'node:test';
import assert from 'node:assert/strict';
import { busyTimes, ended, external, lost, patience, pending, settled, tell as join } from '../js/story.js';
import { Tale, tell } from './scenes.mjs';

const at0 = 1_700_000_000_000;

test('a trace joins its marks on all lanes', () => {
  const { requests } = join(tell('normal'));
  assert.equal(requests.length, 1);
  const [r] = requests;
  assert.deepEqual([r.n, r.of, r.key], [1, 10, '0f8e-7F3A']);
  assert.equal(r.decisions[0].outcome, 'started');
  assert.equal(r.calls[0].result.outcome, 'captured');
  assert.equal(r.commits.length, 2);
  assert.deepEqual([r.answer.lane, r.end.lane, ended(r)], ['api', 'shop', r.end]);
});

test('a provider that knows no trace is joined by its key', () => {
  const events = tell('lost', ['naive']).map((e) => (e.lane === 'provider' ? { ...e, trace: '' } : e));
  assert.deepEqual(join(events).requests.map((r) => r.calls.filter((c) => c.result).length), [1, 1]);
});

test('an event without a trace and without a match starts a request of its own', () => {
  const { requests } = join([{ ...new Tale().add(0, 'api', 'decision', { outcome: 'started' }).list[0], seq: 1 }]);
  assert.equal(requests[0].id, 'e1');
});

test('a double click is two requests, the second busy and then replayed', () => {
  const { requests } = join(tell('double'));
  assert.deepEqual(requests.map((r) => r.decisions.map((d) => d.outcome)), [['started'], ['busy', 'replay']]);
});

test('a lost answer is told from a lost request', () => {
  const [answer] = join(tell('lost')).requests;
  const [request] = join(tell('silent')).requests;
  assert.ok(lost(answer) && answer.decisions.length > 0);
  assert.ok(lost(request) && request.decisions.length === 0);
});

test('a call to the provider is asked, done and answered, each once', () => {
  const outcome = (c) => [Boolean(c.call), c.result?.outcome ?? null, c.answer?.ms ?? null];
  assert.deepEqual(join(tell('quiet')).requests[0].calls.map(outcome), [[true, 'captured', 501], [false, 'replay', 727]]);
  assert.deepEqual(join(tell('asked')).requests[0].calls.map(outcome), [[true, null, 202]]);
});

test('the API\u2019s own waits are not the shop\u2019s', () => {
  assert.deepEqual(join(tell('quiet')).waits, []);
});

test('work is done with the commit that holds the answer', () => {
  const [first, second] = join(tell('double')).requests;
  assert.equal(settled(first), first.commits[1]);
  assert.equal(settled(second), null);
  assert.equal(settled(join(tell('asked')).requests[0]).status, 201);
});

test('a fault between API and provider does not lose the client\u2019s answer', () => {
  const events = new Tale().attempt(0, 'a').add(5, 'provider', 'fault', { trace: 'a', outcome: 'lost' }).list.map((e, i) => ({ ...e, seq: i + 1 }));
  assert.equal(lost(join(events).requests[0]), null);
});

test('a client from outside ends with the answer that left', () => {
  const { requests } = join(tell('external'));
  assert.ok(requests.every(external));
  assert.deepEqual(requests.map((r) => ended(r).status), [409, 201]);
});

test('a kill strikes the request that was inside, and no other', () => {
  const { requests, kills } = join(tell('kill'));
  assert.equal(kills.length, 1);
  assert.equal(kills[0].ready.outcome, 'ready');
  assert.deepEqual(requests.map((r) => Boolean(r.killed)), [true, false, false, false]);
});

test('ready without a kill tears nothing', () => {
  const events = new Tale().add(0, 'api', 'process', { outcome: 'ready' }).list.map((e, i) => ({ ...e, seq: i + 1 }));
  assert.deepEqual(join(events).kills, []);
});

test('a dead attempt\u2019s lease runs until it is resumed', () => {
  const [lease] = join(tell('kill')).leases;
  assert.equal(lease.until - at0, 3002);
  assert.equal(lease.taken.outcome, 'resumed');
  assert.equal(lease.fence, 1);
});

test('a system without leases has none to draw', () => {
  const events = tell('kill').map(({ lease_ms: _, ...e }) => e);
  assert.deepEqual(join(events).leases, []);
});

test('a key is what the client sent, whatever the network calls it', () => {
  const events = tell('lost', ['naive']).map((e) => (e.kind === 'fault' ? { ...e, key: 'ord_1' } : e));
  assert.deepEqual(join(events).requests.map((r) => r.key), ['', '']);
});

test('before the takeover the lease ends where the last event says', () => {
  const events = tell('kill').filter((e) => e.at_ms < at0 + 1500);
  const [lease] = join(events).leases;
  assert.equal(lease.taken, null);
  assert.equal(lease.until - at0, 3002);
});

test('time runs while somebody waits, and stops when nobody does', () => {
  const part = (ms) => join(tell('kill').filter((e) => e.at_ms <= at0 + ms));
  assert.equal(pending(part(10), at0 + 60), true, 'an open request');
  assert.equal(pending(part(215), at0 + 300), true, 'a dead process');
  assert.equal(pending(part(1534), at0 + 2000), true, 'a wait');
  assert.equal(pending(part(5000), at0 + 5000), false, 'all answered');
  assert.equal(pending(part(10), at0 + patience + 100), false, 'nobody waits for ever');
});

test('what was pending is known as stretches of time', () => {
  const times = busyTimes(join(tell('lost')), at0 + 9000).map(([a, b]) => [a - at0, b - at0]);
  assert.deepEqual(times, [[0, 2000], [2186, 2191], [2001, 2185]]);
});
