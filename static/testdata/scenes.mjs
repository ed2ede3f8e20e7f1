// Scenes as the stage would tell them, for the tests of the drawing.

/** Tale collects events of one side and one key. */
export class Tale {
  constructor({ side = 'safe', key = '0f8e-7F3A', scene = 'ord_1', owner = 'shop' } = {}) {
    Object.assign(this, { side, key, scene, owner, list: [] });
  }

  add(at, lane, kind, rest = {}) {
    this.list.push({ side: this.side, key: this.key, scene: this.scene, owner: this.owner, lane, kind, at_ms: 1_700_000_000_000 + at, text: `${lane} ${kind}`, ...rest });
    return this;
  }

  attempt(at, trace, n = 1) {
    return this.add(at, 'shop', 'request', { outcome: 'attempt', attempt: n, of: 10, trace, amount: 5000, currency: 'eur' });
  }

  work(at, trace, charge) {
    return this.add(at + 2, 'api', 'decision', { outcome: 'started', trace, fence: 1, lease_ms: 3000 })
      .add(at + 3, 'api', 'commit', { trace })
      .add(at + 4, 'api', 'provider', { trace, provider_key: `cap_${charge}` });
  }

  captured(at, trace, charge) {
    return this.add(at, 'provider', 'provider', { outcome: 'captured', trace, key: '', provider_key: `cap_${charge}`, amount: 5000, currency: 'eur' });
  }

  done(at, trace, charge) {
    return this.captured(at, trace, charge).add(at + 3, 'api', 'commit', { trace }).add(at + 4, 'api', 'response', { trace, status: 201 });
  }

  end(at, trace, status = 201, rest = {}) {
    return this.add(at, 'shop', 'response', { trace, status, ...rest });
  }

  note(at, text) {
    return this.add(at, 'shop', 'note', { text });
  }

  held(at, trace, gate) {
    return this.add(at, 'api', 'gate', { outcome: 'held', gate, trace }).note(at, `SAFE is HELD at ${gate}. *The rest waits.*`);
  }

  delivers(at, trace, charge, attempt = 1) {
    return this.add(at, 'receipts', 'webhook', { trace, charge, attempt });
  }

  takes(at, charge, outcome = 'receipt') {
    return this.add(at, 'receipts', 'webhook', { key: '', charge, outcome, status: 200 });
  }
}

const normal = (t, at = 0, p = 'n') => t.attempt(at, p).work(at, p, 'ch_0001').done(at + 205, p, 'ch_0001').end(at + 211, p).note(at + 211, 'One attempt: *charged once.*');

function lost(t, at = 0) {
  t.attempt(at, 'l1').work(at, 'l1', 'ch_0001').done(at + 205, 'l1', 'ch_0001')
    .add(at + 210, 'network', 'fault', { trace: 'l1', outcome: 'lost', how: 'silent' })
    .end(at + 2000, 'l1', 0, { outcome: 'silence', ms: 2000 })
    .add(at + 2001, 'shop', 'wait', { attempt: 2, ms: 184 })
    .attempt(at + 2186, 'l2', 2);
  if (t.side === 'naive') return t.work(at + 2186, 'l2', 'ch_0002').done(at + 2391, 'l2', 'ch_0002').end(at + 2397, 'l2');
  return t.add(at + 2188, 'api', 'decision', { trace: 'l2', outcome: 'replay' }).add(at + 2189, 'api', 'response', { trace: 'l2', status: 201 }).end(at + 2191, 'l2', 201, { outcome: 'replay' });
}

function clicks(t, n) {
  if (t.side === 'naive') return raced(t, n);
  for (let i = 0; i < n; i++) {
    t.attempt(i * 4, `d${i}`);
    if (i) t.add(i * 4 + 2, 'api', 'decision', { trace: `d${i}`, outcome: 'busy', lease_ms: 2900 });
    else t.work(0, 'd0', 'ch_0001');
  }
  t.done(205, 'd0', 'ch_0001').end(211, 'd0');
  for (let i = 1; i < n; i++) t.add(210 + i, 'api', 'decision', { trace: `d${i}`, outcome: 'replay' }).add(211 + i, 'api', 'response', { trace: `d${i}`, status: 201 }).end(212 + i, `d${i}`);
  return t;
}

// Without a key each click is a charge, and they end in any order.
function raced(t, n) {
  for (let i = 0; i < n; i++) t.attempt(i * 4, `d${i}`).work(i * 4, `d${i}`, `ch_000${i}`);
  for (let i = n - 1; i >= 0; i--) t.done(205 + (n - i), `d${i}`, `ch_000${i}`).end(211 + (n - i), `d${i}`);
  return t;
}

function kill(t) {
  return t.attempt(0, 'k1').work(0, 'k1', 'ch_0001')
    .add(120, 'api', 'process', { outcome: 'killed', key: '' })
    .end(121, 'k1', 0, { outcome: 'reset' }).add(122, 'shop', 'wait', { attempt: 2, ms: 90 }).captured(204, 'k1', 'ch_0001')
    .attempt(213, 'k2', 2).add(214, 'network', 'fault', { trace: 'k2', outcome: 'reset' }).end(215, 'k2', 0, { outcome: 'reset' })
    .add(480, 'api', 'process', { outcome: 'ready', key: '' })
    .attempt(530, 'k3', 3).add(532, 'api', 'decision', { trace: 'k3', outcome: 'busy', lease_ms: 2470 }).add(1532, 'api', 'response', { trace: 'k3', status: 409 }).end(1533, 'k3', 409, { outcome: 'busy' })
    .add(1534, 'shop', 'wait', { attempt: 4, ms: 1000, text: 'waits (Retry-After)' })
    .attempt(2535, 'k4', 4).add(2537, 'api', 'decision', { trace: 'k4', outcome: 'busy', lease_ms: 465 })
    .add(3005, 'api', 'decision', { trace: 'k4', outcome: 'resumed', fence: 2 }).add(3007, 'api', 'provider', { trace: 'k4', provider_key: 'cap_ch_0001' })
    .add(3010, 'provider', 'provider', { outcome: 'replay', trace: 'k4', key: '', provider_key: 'cap_ch_0001' }).add(3014, 'api', 'commit', { trace: 'k4' }).add(3015, 'api', 'response', { trace: 'k4', status: 201 }).end(3017, 'k4');
}

function curl(t, at, trace, outcome, status) {
  return t.add(at, 'network', 'request', { trace, outcome: 'attempt', attempt: 1 }).add(at + 1, 'api', 'decision', { trace, outcome })
    .add(at + 2, 'api', 'response', { trace, status }).add(at + 3, 'network', 'response', { trace, status, outcome });
}

const silent = (t) => t.attempt(0, 's1').add(1, 'network', 'fault', { trace: 's1', outcome: 'lost', how: 'silent' }).end(2000, 's1', 0, { outcome: 'silence', ms: 2000 });
const declined = (t) => t.attempt(0, 'x1').work(0, 'x1', 'ch_0001').add(204, 'provider', 'provider', { outcome: 'declined', trace: 'x1', key: '', provider_key: 'cap_ch_0001' }).add(208, 'api', 'response', { trace: 'x1', status: 402 }).end(210, 'x1', 402, { outcome: 'declined' });
// The provider captures and stays silent: the API gives up, asks again, and
// gets the same capture. And a look-up by key, which only asks.
function quiet(t) {
  return t.attempt(0, 'q1').work(0, 'q1', 'ch_0001').captured(205, 'q1', 'ch_0001')
    .add(504, 'api', 'provider', { trace: 'q1', provider_key: 'cap_ch_0001', ms: 501, reason: 'timed out; outcome unknown' }).add(505, 'api', 'wait', { trace: 'q1', attempt: 2, ms: 21 })
    .add(729, 'provider', 'provider', { outcome: 'replay', trace: 'q1', key: '', provider_key: 'cap_ch_0001', ms: 201 })
    .add(730, 'api', 'provider', { trace: 'q1', provider_key: 'cap_ch_0001', ms: 727 }).add(731, 'api', 'commit', { trace: 'q1', status: 201 }).add(732, 'api', 'response', { trace: 'q1', status: 201 }).end(733, 'q1');
}

function asked(t) {
  return t.attempt(0, 'a1').add(1, 'api', 'decision', { trace: 'a1', outcome: 'resumed', fence: 2 }).add(2, 'api', 'provider', { trace: 'a1', provider_key: 'cap_ch_0001' })
    .add(205, 'api', 'provider', { trace: 'a1', provider_key: 'cap_ch_0001', ms: 202 }).add(206, 'api', 'commit', { trace: 'a1', status: 201 }).add(208, 'api', 'response', { trace: 'a1', status: 201 }).end(207, 'a1');
}

// Held before the answer is sent, for a minute and a half, and then delivered.
function held(t) {
  t.attempt(0, 'g1').work(0, 'g1', 'ch_0001').captured(205, 'g1', 'ch_0001').add(207, 'api', 'provider', { trace: 'g1', provider_key: 'cap_ch_0001', ms: 203 })
    .add(208, 'api', 'commit', { trace: 'g1', status: 201 }).held(209, 'g1', 'committed').delivers(210, 'g1', 'ch_0001').takes(214, 'ch_0001');
  return t.add(90_000, 'api', 'gate', { trace: 'g1', how: 'deliver', gate: 'committed' }).add(90_001, 'api', 'response', { trace: 'g1', status: 201 }).end(90_003, 'g1');
}

// The first message is lost, its answer to the second is lost, the third is
// known.
function receipts(t) {
  normal(t).delivers(212, 'n', 'ch_0001').add(213, 'receipts', 'fault', { trace: 'n', outcome: 'lost', text: 'The request is lost here (silent).' })
    .delivers(1500, 'n', 'ch_0001', 2).takes(1503, 'ch_0001').add(1504, 'receipts', 'fault', { trace: 'n', outcome: 'lost', text: 'The work was done, but the answer (200) is lost here (silent).' });
  return t.delivers(2700, 'n', 'ch_0001', 3).takes(2703, 'ch_0001', 'replay');
}

const twice = (t) => lost(normal(t), 61_000);
const external = (t) => curl(curl(t, 0, 'c1', 'conflict', 409), 4000, 'c2', 'replay', 201);
const ten = (t) => Array.from({ length: 12 }, (_, i) => i).reduce((tale, i) => tale.attempt(i * 2100, `t${i}`, i + 1).end(i * 2100 + 2000, `t${i}`, 0, { outcome: 'silence', ms: 2000 }), t);

/** The scenes by name; each writes into a Tale. */
export const scenes = { normal, lost, double: (t) => clicks(t, 2), five: (t) => clicks(t, 5), kill, silent, quiet, asked, declined, held, receipts, twice, external, ten };

/** tell gives one scene's events on some sides, numbered in the order of time. */
export function tell(name, sides = ['safe']) {
  const all = sides.flatMap((side) => scenes[name](new Tale({ side, key: side === 'naive' ? '' : '0f8e-7F3A' })).list);
  all.sort((a, b) => a.at_ms - b.at_ms);
  return all.map((event, i) => ({ ...event, seq: i + 1 }));
}
