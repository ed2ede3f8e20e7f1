// The run that stands on the panel before anything has happened: what losing
// the answer looks like, in the panel's own language. Pure.

const at = (ms, lane, kind, rest) => ({ at_ms: ms, lane, kind, key: '7F3A', owner: 'shop', trace: `t${rest.n ?? 1}`, attempt: rest.n ?? 1, of: 10, ...rest });

/** ghost gives the example's events for each side, safe and naive. */
export function ghost(sides) {
  return sides.flatMap((side) => [...start(1), ...(side === 'naive' ? start(2) : replay())].map((e) => ({ ...e, side, key: side === 'naive' ? '' : e.key })))
    .map((event, i) => ({ ...event, seq: i + 1 }));
}

function start(n) {
  const t = n === 1 ? 0 : 2190;
  const end = n === 1
    ? [at(t + 209, 'network', 'fault', { outcome: 'lost', n }), at(2000, 'shop', 'response', { outcome: 'silence', ms: 2000, n }), at(2001, 'shop', 'wait', { attempt: 2, ms: 184, trace: '' })]
    : [at(t + 210, 'shop', 'response', { status: 201, n })];
  return [
    at(t, 'shop', 'request', { outcome: 'attempt', n }),
    at(t + 2, 'api', 'decision', { outcome: 'started', n }),
    at(t + 4, 'api', 'provider', { provider_key: `cap_ch_00${n}5M2`, n }),
    at(t + 204, 'provider', 'provider', { outcome: 'captured', amount: 5000, currency: 'eur', provider_key: `cap_ch_00${n}5M2`, n }),
    at(t + 208, 'api', 'response', { status: 201, n }),
    ...end,
  ];
}

function replay() {
  return [
    at(2190, 'shop', 'request', { outcome: 'attempt', n: 2 }),
    at(2192, 'api', 'decision', { outcome: 'replay', n: 2 }),
    at(2193, 'api', 'response', { status: 201, outcome: 'replay', n: 2 }),
    at(2195, 'shop', 'response', { status: 201, outcome: 'replay', n: 2 }),
  ];
}
