import { test } from 'node:test';
import assert from 'node:assert/strict';
import { busyTimes, ended, external, held, lost, patience, pending, settled, tell as join } from '../js/story.js';
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

test('an event without a trace belongs to no request', () => {
  const { requests } = join([{ ...new Tale().add(0, 'api', 'decision', { outcome: 'started' }).list[0], seq: 1 }]);
  assert.deepEqual(requests, []);
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

test('until somebody is told, a lease ends one length after the last heartbeat', () => {
  const killed = (at) => new Tale().attempt(0, 'b').work(0, 'b', 'ch').add(at, 'api', 'process', { outcome: 'killed' }).list.map((e, i) => ({ ...e, seq: i + 1 }));
  const left = (at) => join(killed(at)).leases[0].until - at0 - at;
  assert.deepEqual([left(902), left(1002), left(60_002)], [2100, 3000, 3000]);
});

test('a held request is open as long as it stands, and busy for nobody', () => {
  const part = (ms) => join(tell('held').filter((e) => e.at_ms <= at0 + ms));
  assert.equal(held(part(300).requests[0]).event.gate, 'committed');
  assert.equal(pending(part(300), at0 + 10 * patience), true);
  assert.deepEqual(busyTimes(part(300), at0 + 60_000)[0], [at0, at0 + 209]);
  assert.equal(held(part(90_000).requests[0]), null);
  assert.equal(part(90_000).requests[0].holds[0].until.how, 'deliver');
});

test('a hold ends with a kill, with whatever the API does next, and where the stage says so', () => {
  const [request] = join([...tell('held').slice(0, 9), { ...tell('kill').find((e) => e.outcome === 'killed'), at_ms: at0 + 500, seq: 90 }]).requests;
  assert.ok(request.killed && !held(request));
  const went = tell('held').filter((e) => e.how !== 'deliver');
  assert.equal(join(went).requests[0].holds[0].until.kind, 'response');
  assert.equal(held(join(tell('held').slice(0, 9), () => true).requests[0]), null);
});

test('each delivery has what the shop made of it, joined by the charge', () => {
  const { deliveries, requests } = join(tell('receipts'));
  assert.deepEqual(deliveries.map((d) => [d.sent.attempt, d.result?.outcome ?? null, Boolean(d.fault)]), [[1, null, true], [2, 'receipt', true], [3, 'replay', false]]);
  assert.deepEqual(requests[0].faults, [], 'a fault on that wire is none of the request\u2019s');
  const crossed = new Tale().delivers(1, 'x', 'ch_1').delivers(2, 'y', 'ch_2').takes(3, 'ch_1').list.map((e, i) => ({ ...e, seq: i + 1 }));
  assert.deepEqual(join(crossed).deliveries.map((d) => Boolean(d.result)), [true, false]);
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

test('a shop that dies tears no request of the API', () => {
  const events = tell('kill').map((e) => (e.kind === 'process' ? { ...e, lane: 'shop' } : e));
  const { requests, kills } = join(events);
  assert.equal(kills.length, 1);
  assert.ok(requests.every((r) => r.killed === null));
});

test('a clock that is put on is kept apart from the requests', () => {
  const clock = { seq: 900, at_ms: at0, lane: 'api', kind: 'clock', ms: 90_000_000 };
  const { requests, clocks } = join([...tell('normal'), clock]);
  assert.deepEqual([requests.length, clocks], [1, [clock]]);
});
