import { test } from 'node:test';
import assert from 'node:assert/strict';
import { breaks, idle, solve, ticks } from '../js/axis.js';
import { after, before, beside, Board, textWidth } from '../js/labels.js';
import { geometry, rowsOf } from '../js/geometry.js';

const points = (...times) => times.map((t, i) => ({ id: i, t, seq: i }));

test('the axis is linear where there is room', () => {
  const { x, at } = solve({ points: points(0, 100, 400), left: 50, right: 450 });
  assert.deepEqual([0, 1, 2].map((i) => Math.round(x.get(i))), [50, 150, 450]);
  assert.equal(Math.round(at(250)), 300);
});

test('two marks at one moment keep their distance, and time goes on', () => {
  const list = [{ id: 'a', t: 0, seq: 1 }, { id: 'b', t: 3, seq: 2, need: [{ from: 'a', gap: 60 }] }, { id: 'c', t: 200, seq: 3 }];
  const { x } = solve({ points: list, left: 0, right: 500 });
  assert.ok(x.get('b') - x.get('a') >= 60 - 1e-6);
  assert.ok(Math.abs(x.get('c') - 500) < 0.1);
});

test('where nothing fits, all distances shrink alike and order holds', () => {
  const list = Array.from({ length: 20 }, (_, i) => ({ id: i, t: i, seq: i, need: i ? [{ from: i - 1, gap: 60 }] : [] }));
  const { x } = solve({ points: list, left: 0, right: 300 });
  const steps = list.slice(1).map((p) => x.get(p.id) - x.get(p.id - 1));
  assert.ok(Math.max(...steps) - Math.min(...steps) < 0.01);
  assert.ok(x.get(19) <= 300.01);
});

test('a need that points forward in time is ignored', () => {
  const list = [{ id: 'a', t: 0, seq: 1, need: [{ from: 'b', gap: 50 }, { from: 'gone', gap: 9 }] }, { id: 'b', t: 10, seq: 2 }];
  const { x } = solve({ points: list, left: 10, right: 100 });
  assert.equal(x.get('a'), 10);
});

test('equal times are told apart by their order', () => {
  const list = [{ id: 'a', t: 5, seq: 1 }, { id: 'b', t: 5, seq: 2, need: [{ from: 'a', gap: 40 }] }, { id: 'c', t: 9, seq: 3 }];
  const { at, x } = solve({ points: list, left: 0, right: 200 });
  assert.ok(at(5, 1) < at(5, 2));
  assert.equal(at(-1), x.get('a'));
  assert.equal(at(99), x.get('c'));
});

test('only long idle times are left out', () => {
  assert.deepEqual(breaks([[0, 200], [200 + idle, 2000]], 0, 2000), []);
  assert.deepEqual(breaks([[0, 200], [60_000, 60_300]], 0, 60_300), [[300, 59_900]]);
  assert.deepEqual(breaks([[0, 200], [100, 9000], [9100, 9200]], 0, 20_000), [[9300, 20_000]]);
});

test('a break takes its own width, whatever its length', () => {
  const list = points(0, 200, 300, 60_100, 60_200, 60_400); // a break's edges are points
  const { at } = solve({ points: list, left: 0, right: 500, skipped: [[300, 60_100]], jump: 30 });
  assert.ok(Math.abs(at(60_100) - at(300) - 30) < 1);
  assert.ok(at(200) > 150);
});

test('ticks show true milliseconds, apart from each other and outside breaks', () => {
  const skipped = [[300, 60_100]];
  const axis = solve({ points: points(0, 200, 60_200, 60_400), left: 0, right: 500, skipped, jump: 30 });
  const all = ticks({ axis, from: 0, to: 60_400, skipped, gap: 40 });
  assert.ok(all.length >= 3);
  all.forEach(({ t, x }, i) => {
    assert.equal(x, axis.at(t, Infinity));
    assert.ok(!i || x - all[i - 1].x >= 40);
    assert.ok(t <= 300 || t >= 60_100);
  });
});

test('a word goes to the first free place, and nowhere if there is none', () => {
  const board = new Board({ width: 200, height: 40, size: 10 });
  board.take(0, 0, 60, 40);
  const place = board.word(['long word'], [{ x: 10, y: 20 }, { x: 70, y: 20 }]);
  assert.equal(place.x, 70);
  assert.equal(board.word(['a very long word that never fits anywhere here'], [{ x: 70, y: 20 }]), null);
  assert.equal(board.word(['x'], [{ x: 70, y: 20 }]), null, 'the place is taken now');
});

test('a shorter text is used where the longer one does not fit', () => {
  const board = new Board({ width: 60, height: 40, size: 10 });
  assert.equal(board.word(['a text that is far too long', 'short'], [{ x: 2, y: 20 }]).text, 'short');
});

test('a long text elsewhere is better than a short one here', () => {
  const board = new Board({ width: 200, height: 80, size: 10 });
  board.take(0, 0, 40, 40);
  const place = board.word(['twelve chars', 'six'], [before(95, 20), after(5, 60)]);
  assert.deepEqual([place.text, place.y], ['twelve chars', 60]);
});

test('beside a mark there are two places, one on either side', () => {
  assert.deepEqual(beside(50, 8, 20), [{ x: 58, y: 20 }, { x: 42, y: 20, end: true }]);
});

test('wide letters are wider, and mono is even', () => {
  assert.ok(textWidth('MMMM', 10) > textWidth('iiii', 10) * 2);
  assert.equal(textWidth('MMMM', 10, 'mono'), textWidth('iiii', 10, 'mono'));
});

test('requests at the same time get rows of their own, others share', () => {
  const { rows, count } = rowsOf([{ id: 'a', from: 0, to: 10 }, { id: 'b', from: 5, to: 30 }, { id: 'c', from: 12, to: 20 }]);
  assert.deepEqual([rows.get('a'), rows.get('b'), rows.get('c'), count], [0, 1, 0, 2]);
});

test('lanes never touch, whatever the height', () => {
  for (const size of [13, 15, 20]) for (const height of [60, 190, 330]) for (const rows of [1, 2, 5]) for (const lease of [0, 20, 48]) for (const receipts of [false, 'wanted', true]) {
    const g = geometry({ height, size, rows, lease, receipts });
    const order = [g.y.shop, g.y.network, ...Array.from({ length: rows }, (_, i) => g.row(rows - 1 - i)), ...(lease ? [g.y.lease] : []), g.y.provider, ...(g.y.receipts ? [g.y.receipts] : []), g.height];
    // Rows of many simultaneous requests may come closer: a bar is seven units.
    const least = (i) => (rows > 2 && i >= 2 && i < 1 + rows ? 12 : 16);
    order.slice(1).forEach((y, i) => assert.ok(y - order[i] >= least(i), `${size} ${height} ${rows} ${lease}: ${order}`));
    assert.ok(receipts === true ? g.y.receipts : receipts || !g.y.receipts);
    if (lease) assert.ok(g.y.lease - lease / 2 > g.row(0) && g.y.lease + lease / 2 < g.y.provider, 'the lease covers no lane');
    assert.ok(g.label(g.top) - g.size * 0.82 >= 0, 'the words above the first lane fit');
  }
});

test('lanes that are not in use fall away', () => {
  const g = geometry({ height: 200, size: 13, shop: false });
  assert.equal(g.y.receipts, undefined);
  assert.equal(g.y.shop, undefined);
  assert.equal(g.top, g.y.network);
});
