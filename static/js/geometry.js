// Where the lanes lie. All lengths are drawing units: at a font size of 13
// (20 on the projector) one unit is one pixel of a 1280-pixel page. Pure.

/** sizes that follow from the font size: the mark's box, the pill's and the
 * tag's height. Marks grow more slowly than words. */
export function sizes(size) {
  const m = 1 + (size / 13 - 1) * 0.6;
  return { size, m, mark: 26 * m, pill: size + 7, tag: size + 11, lease: size * 2.3 };
}

/**
 * geometry gives every lane its y. `rows` are the API's, for requests at the
 * same time: the first request has the lowest, next to the provider. Lanes
 * that are not in use fall away. The height is met where it can be; where it
 * is too small the drawing is taller, where it is generous the rest stays
 * empty below.
 */
export function geometry({ height, size, shop = true, rows = 1, lease = false }) {
  const s = sizes(size);
  const room = height - s.tag / 2 - 6;
  const wish = lanes({ s, shop, rows, lease, pill: true });
  const pill = sum(wish, 'min') <= room; // else the provider's key stands beside the money
  const y = {};
  let at = 0;
  for (const gap of stretch(pill ? wish : lanes({ s, shop, rows, lease, pill }), room)) y[gap.lane] = at += gap.length;
  const row = (n) => y[`row${Math.min(n, rows - 1)}`];
  return { ...s, y, row, rows, callPill: pill, label: (lane) => lane - s.mark * 0.54 - s.size * 0.26 - 3, top: y.shop ?? y.network, apiTop: row(rows - 1), height: Math.ceil(at + s.tag / 2 + 6) };
}

// The gap above each lane: the least that keeps marks and pills apart, the
// most that still reads as one picture.
function lanes({ s, shop, rows, lease, pill }) {
  const half = s.mark / 2;
  const head = { min: s.size * 1.1 + 5 + s.mark * 0.54, most: s.size * 1.1 + 14 + s.mark * 0.54 };
  const drop = { min: half + s.pill / 2 + 10, most: half + s.pill / 2 + 42 };
  const all = shop ? [{ lane: 'shop', ...head }, { lane: 'network', ...drop }] : [{ lane: 'network', ...head }];
  all.push({ lane: `row${rows - 1}`, min: drop.min + 2, most: drop.most });
  for (let n = rows - 2; n >= 0; n--) all.push({ lane: `row${n}`, min: s.mark * 0.86, most: s.mark * 1.35 });
  if (lease) all.push({ lane: 'lease', min: half + 6 + s.lease / 2, most: half + 14 + s.lease / 2 });
  const above = lease ? s.lease / 2 : half;
  const key = pill ? s.pill + 10 : 10;
  all.push({ lane: 'provider', min: above + s.tag / 2 + key, most: above + s.tag / 2 + key + 30 });
  return all;
}

// stretch shares what is left of the height among the gaps, in proportion to
// what each may take.
function stretch(gaps, height) {
  const least = sum(gaps, 'min');
  const share = Math.max(0, Math.min(1, (height - least) / (sum(gaps, 'most') - least)));
  return gaps.map((g) => ({ lane: g.lane, length: g.min + (g.most - g.min) * share }));
}

const sum = (gaps, name) => gaps.reduce((total, gap) => total + gap[name], 0);

/** rowsOf gives each request a row, so that no two that overlap share one.
 * spans: [{ id, from, to }] in units, in the order of their start. */
export function rowsOf(spans) {
  const ends = [];
  const rows = new Map();
  for (const { id, from, to } of spans) {
    let row = ends.findIndex((end) => end <= from);
    if (row < 0) row = ends.length;
    ends[row] = to;
    rows.set(id, row);
  }
  return { rows, count: Math.max(1, ends.length) };
}
