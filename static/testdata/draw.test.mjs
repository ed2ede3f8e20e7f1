import { test } from 'node:test';
import assert from 'node:assert/strict';
import { drawAxis, drawSide } from '../js/draw.js';
import { readFileSync } from 'node:fs';
import { textWidth } from '../js/labels.js';
import { mostRequests, plan } from '../js/plan.js';
import { tell as join } from '../js/story.js';
import { scenes, tell } from './scenes.mjs';

const ghost = JSON.parse(readFileSync(new URL('../../components/ghost.json', import.meta.url)));
const at0 = 1_700_000_000_000;

// draw one side; now is far behind the scene unless a test says when.
function draw(name, { side = 'safe', sides = [side], width = 612, size = 13, height = 214, upTo = Infinity, now = at0 + 1e6, filter } = {}) {
  const events = (name === 'ghost' ? ghost.filter((e) => sides.includes(e.side)) : tell(name, sides)).filter((e) => e.at_ms <= at0 + upTo);
  const made = plan({ events, sides, width, size, now: name === 'ghost' ? 1e6 : now });
  const drawn = drawSide(made, side, { name: side.toUpperCase(), height, ghost: name === 'ghost', filter });
  return { made, ...drawn, all: flatten(drawn.nodes) };
}

const flatten = (nodes) => nodes.flatMap((n) => (typeof n === 'string' ? [] : [n, ...flatten(n.kids)]));
const named = (all, cls) => all.filter((n) => (n.attrs.class ?? '').split(' ').includes(cls));
const marks = (all) => named(all, 'mark');
const labels = (all) => marks(all).map((n) => n.attrs['aria-label']);
const textOf = (n) => (typeof n === 'string' ? n : n.kids.map(textOf).join(''));
const words = (all) => all.filter((n) => n.tag === 'text').map(textOf);

test('every number in every drawing is a number', () => {
  for (const name of [...Object.keys(scenes), 'ghost']) for (const size of [13, 15, 20]) for (const width of [320, 612, 892]) {
    const { all, height, made } = draw(name, { sides: ['naive', 'safe'], size, width });
    assert.ok(height > 0);
    for (const node of [...all, ...flatten(drawAxis(made).nodes)]) {
      for (const [key, value] of Object.entries(node.attrs)) assert.doesNotMatch(String(value), /NaN|Infinity|undefined|null/, `${name}: ${node.tag} ${key}`);
    }
  }
});

test('keys are unique among siblings, so that patching keeps marks in place', () => {
  for (const name of Object.keys(scenes)) {
    for (const layer of draw(name, { sides: ['naive', 'safe'] }).nodes) {
      const keys = layer.kids.map((n) => n.key).filter(Boolean);
      assert.deepEqual(keys.filter((k, i) => keys.indexOf(k) !== i), [], `${name}, ${layer.key}`);
    }
  }
});

test('marks are buttons with a name, the example\u2019s are not', () => {
  for (const name of Object.keys(scenes)) {
    const found = marks(draw(name).all);
    assert.ok(found.length > 0);
    for (const mark of found) {
      assert.deepEqual([mark.attrs.role, mark.attrs.tabindex], ['button', '0']);
      assert.match(mark.attrs['aria-label'], /^SAFE: .+/);
      assert.ok(mark.attrs['data-seq'] > 0);
    }
  }
  assert.ok(marks(draw('ghost').all).every((m) => !m.attrs.role && !m.attrs.tabindex));
});

// The placer's promise, checked on what is drawn: no word on another word.
test('no word covers another word', () => {
  for (const name of [...Object.keys(scenes), 'ghost']) for (const [size, width, height] of [[13, 612, 190], [15, 612, 330], [20, 892, 190]]) {
    const { nodes } = draw(name, { size, width, height });
    const boxes = nodes.find((n) => n.key === 'word').kids.filter((n) => n.tag === 'text').map((n) => box(n, size));
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => assert.ok(!overlap(a, b), `${name} at ${size}: "${a.text}" and "${b.text}"`)));
  }
});

function box(node, size) {
  const text = textOf(node);
  const { x, y, class: cls } = node.attrs;
  const kind = /word/.test(cls) ? 'bold' : 'plain';
  const width = textWidth(text, size, kind) - 1;
  const left = /\bend\b/.test(cls) ? x - width : /\bmid\b/.test(cls) ? x - width / 2 : x;
  return { text, left, right: left + width, top: y - size * 0.8, bottom: y + size * 0.2 };
}

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

test('no pill covers another pill', () => {
  for (const name of Object.keys(scenes)) for (const [size, width, height] of [[13, 612, 190], [15, 612, 330], [20, 892, 190]]) {
    const { all } = draw(name, { side: 'naive', sides: ['naive', 'safe'], size, width, height });
    const pills = named(all, 'pill').map((n) => n.attrs);
    assert.ok(pills.length > 0);
    pills.forEach((a, i) => pills.slice(i + 1).forEach((b) => assert.ok(Math.abs(a.y - b.y) >= a.height - 1 || Math.abs(a.x + a.width / 2 - b.x - b.width / 2) >= (a.width + b.width) / 2 - 1, `${name} at ${size}`)));
  }
});

test('marks of one row do not cover each other', () => {
  for (const name of ['normal', 'lost', 'double', 'five', 'external', 'kill']) {
    const uses = draw(name, { size: 15, height: 330 }).all.filter((n) => n.tag === 'use').map((n) => n.attrs);
    uses.forEach((a, i) => uses.slice(i + 1).filter((b) => Math.abs(a.y - b.y) < 4).forEach((b) => {
      assert.ok(Math.abs(a.x - b.x) >= Math.min(a.width, b.width) * 0.7, `${name}: ${a.href} ${a.x} and ${b.href} ${b.x}`);
    }));
  }
});

test('the story of a lost answer is on the page, in words', () => {
  const { all } = draw('lost');
  const said = words(all).join(' | ');
  for (const word of ['ATTEMPT 1 of 10', 'ATTEMPT 2 of 10', 'SILENCE ?', 'answer lost here', 'STARTED', 'REPLAY', 'waits 184 ms, jitter', '\u20ac50.00', 'not asked again', '\u20267F3A', 'cap_\u2026001', '201']) {
    assert.ok(said.includes(word), `${word} in ${said}`);
  }
  assert.ok(labels(all).includes('SAFE: attempt 2 of 10: REPLAY at 2\u00a0188 ms'));
});

test('money taken again is a filled box; without a key the pill is dashed', () => {
  const { all } = draw('lost', { side: 'naive', sides: ['naive', 'safe'] });
  assert.equal(named(all, 'money-tag').length, 2);
  assert.equal(named(all, 'again').length, 1);
  assert.ok(words(all).includes('captured again'));
  assert.equal(named(all, 'pill-none').length, 2);
  assert.equal(words(all).filter((w) => w === 'no key').length, 2);
});

test('both sides share one axis', () => {
  const naive = draw('lost', { side: 'naive', sides: ['naive', 'safe'] });
  const safe = draw('lost', { side: 'safe', sides: ['naive', 'safe'] });
  const first = ({ all }) => marks(all).find((m) => /attempt 1/.test(m.attrs['aria-label'])).kids.find((k) => k.tag === 'use').attrs.x;
  assert.equal(first(naive), first(safe));
  assert.deepEqual(drawAxis(naive.made), drawAxis(safe.made));
});

test('a double click stands side by side, on two rows', () => {
  const { all } = draw('double');
  const uses = all.filter((n) => n.tag === 'use');
  const clicked = uses.filter((n) => n.attrs.href === '#s-attempt');
  assert.ok(clicked[1].attrs.x - clicked[0].attrs.x > 40);
  const y = (shape) => uses.find((n) => n.attrs.href === `#s-${shape}`).attrs.y;
  assert.ok(y('busy') < y('started') - 15, 'the second has a row of its own');
  assert.ok(words(all).includes('BUSY') && words(all).includes('REPLAY'));
});

test('of two charges the later capture is the second, and the boxes stand apart', () => {
  const { all } = draw('double', { side: 'naive', sides: ['naive', 'safe'] });
  const boxes = named(all, 'money-tag').map((n) => ({ again: n.attrs.class.includes('again'), x: n.kids[0].attrs.x, width: n.kids[0].attrs.width }));
  const [first, second] = boxes.sort((a, b) => a.x - b.x);
  assert.deepEqual([first.again, second.again], [false, true]);
  assert.ok(first.x + first.width <= second.x);
});

test('a side on which nothing was sent says so', () => {
  const events = tell('external');
  const made = plan({ events, sides: ['naive', 'safe'], width: 612, size: 13, now: at0 + 1e6 });
  const { nodes } = drawSide(made, 'naive', { name: 'NAIVE', height: 214 });
  assert.ok(words(flatten(nodes)).includes('nothing was sent here'));
});

test('a killed process tears its lane, and the lease is hatched to its end', () => {
  const { all } = draw('kill', { size: 15, height: 330 });
  assert.ok(labels(all).some((l) => /PROCESS KILLED, back after 360 ms/.test(l)));
  assert.ok(words(all).includes('KILLED'));
  assert.ok(words(all).some((w) => /^lease ended: attempt 1, fence 1/.test(w)));
  assert.ok(words(all).includes('RESUMED') || words(all).includes('RESUMED, fence 2'));
  assert.equal(named(all, 'lease-digits').length, 0, 'nothing is left to count');
});

test('in a recording a lane is torn as far as the present, until its process is back', () => {
  const events = tell('kill');
  const made = plan({ events, sides: ['safe'], width: 892, size: 13, now: at0 + 1e6 });
  const torn = (ms) => {
    const story = join(events.filter((e) => e.at_ms <= at0 + ms));
    const now = { ...made, now: at0 + ms, open: true, stories: { safe: story }, whole: made.stories.safe };
    return Number(/H([\d.]+)/.exec(named(flatten(drawSide(now, 'safe', { name: 'SAFE', height: 300 }).nodes), 'torn')[0].attrs.d)[1]);
  };
  assert.ok(torn(121) < torn(300) && torn(300) < torn(600));
});

test('while the lease runs its digits are the time still left, as large as money', () => {
  const when = (ms) => named(draw('kill', { upTo: 1534, now: at0 + ms, size: 15, height: 330 }).all, 'lease-digits');
  assert.deepEqual(when(1612).map(textOf), ['1.39 sleft']);
  assert.deepEqual(when(2512).map(textOf), ['0.49 sleft']);
  assert.ok(when(1612)[0].attrs['font-size'] >= 48);
  const lane = (options) => named(draw('kill', { size: 15, height: 330, ...options }).all, 'lease-gone')[0].attrs.height;
  assert.ok(lane({ upTo: 1534, now: at0 + 1612 }) > lane() * 1.5, 'once it is over it takes little room');
});

test('a held request glows from the gate to the present, in words too', () => {
  const { all } = draw('held', { upTo: 300, now: at0 + 20_000 });
  assert.equal(named(all, 'glow').length, 1);
  assert.ok(labels(all).includes('SAFE: attempt 1 of 10: HELD at committed at 209 ms'));
  assert.ok(words(all).includes('HELD at committed'));
  assert.equal(named(all, 'lease-digits').length, 0, 'its heartbeats keep the lease');
  const later = draw('held').all;
  assert.equal(named(later, 'glow').length, 0);
  assert.equal(named(later, 'stands').length, 1, 'where it stood is still to be seen');
});

test('who is held at the first gate has a row, though nothing is decided', () => {
  const events = tell('held').slice(0, 1);
  const made = plan({ events: [...events, { ...events[0], seq: 9, lane: 'api', kind: 'gate', outcome: 'held', gate: 'received', at_ms: at0 + 2 }], sides: ['safe'], width: 612, size: 13, now: at0 + 900 });
  assert.ok(labels(flatten(drawSide(made, 'safe', { name: 'SAFE', height: 214 }).nodes)).some((l) => /HELD at received/.test(l)));
});

test('a long hold is left out of the axis, and its end is on it', () => {
  const { made } = draw('held');
  assert.equal(made.skipped.length, 1);
  assert.ok(made.skipped[0][1] - made.skipped[0][0] > 80_000);
});

test('the receipts\u2019 lane shows each message and what the shop made of it', () => {
  const { all } = draw('receipts', { width: 892 });
  assert.ok(named(all, 'lane-name').map(textOf).includes('receipts'));
  for (const word of ['lost', 'receipt, answer lost', 'no second receipt']) assert.ok(words(all).includes(word), `${word} in ${words(all)}`);
  const shapes = all.filter((n) => n.tag === 'use').map((n) => n.attrs.href);
  for (const shape of ['#s-lost', '#s-receipt', '#s-replay']) assert.ok(shapes.includes(shape), shape);
});

test('an ordinary receipt gives way where there is no room, one that went wrong does not', () => {
  const lane = (name, height) => named(draw(name, { height }).all, 'lane-name').map(textOf).includes('receipts');
  assert.deepEqual([lane('held', 230), lane('held', 100), lane('receipts', 100)], [true, false, true]);
});

test('what has not happened yet is shaded while something is pending', () => {
  assert.equal(named(draw('lost', { upTo: 1000, now: at0 + 1200 }).all, 'future').length, 1);
  assert.equal(named(draw('lost').all, 'future').length, 0);
});

test('the axis moves in steps while time runs', () => {
  const ends = [310, 400, 550].map((ms) => draw('lost', { upTo: 210, now: at0 + ms }).made.to);
  assert.equal(new Set(ends).size, 1);
});

test('an order that is paid twice a minute apart stays readable', () => {
  const { made, all } = draw('twice');
  assert.equal(made.skipped.length, 1);
  assert.equal(named(all, 'break').length, 1);
  const ticks = drawAxis(made).nodes.map(textOf);
  assert.ok(ticks.some((t) => t.startsWith('61')), ticks.join());
  assert.equal(ticks[0], '0');
});

test('a client from outside enters at the network, and the shop\u2019s lane falls away', () => {
  const { all } = draw('external');
  const lanes = named(all, 'lane-name').map(textOf);
  assert.deepEqual(lanes, ['network', 'API', 'provider']);
  assert.ok(labels(all).some((l) => /409 CONFLICT/.test(l)));
});

test('a lost request never reaches the API, a decline has its own shape', () => {
  const silent = draw('silent').all;
  assert.ok(words(silent).includes('request lost here'));
  assert.ok(!silent.some((n) => n.attrs.href === '#s-started'));
  assert.ok(draw('declined').all.some((n) => n.attrs.href === '#s-declined'));
});

test('a provider that was silent is asked again, and takes no money again', () => {
  const { all } = draw('quiet', { size: 15, height: 330 });
  assert.equal(named(all, 'money-tag').length, 1);
  assert.ok(words(all).some((w) => /not charged again|replayed/.test(w)));
});

test('a look-up by key is drawn without a mark of money', () => {
  const { all } = draw('asked', { size: 15, height: 330 });
  assert.ok(words(all).some((w) => w.startsWith('asked by key')));
  assert.equal(named(all, 'money-tag').length, 0);
});

test('more requests than can be told apart are left to the log', () => {
  const { all, made } = draw('ten');
  assert.equal(made.stories.safe.requests.length, mostRequests);
  assert.equal(all.filter((n) => n.attrs.href === '#s-attempt').length, mostRequests);
});

test('a filter dims all other outcomes', () => {
  const { all } = draw('lost', { filter: 'replay' });
  for (const mark of marks(all)) assert.equal(/\bdim\b/.test(mark.attrs.class), !/\bo-replay\b/.test(mark.attrs.class));
});
