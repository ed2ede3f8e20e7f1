// What stands on the panel before anything has happened: a lost answer, in the
// panel's own language. Pure.

// A line is time, lane, kind, and an outcome or a status.
const start = (t) => `${t} shop request attempt|${t + 2} api decision started|${t + 4} api provider|${t + 204} provider provider captured|${t + 208} api response 201`;
const first = `${start(0)}|209 network fault lost|2000 shop response silence|2001 shop wait`;
const second = {
	naive: `${start(2190)}|2400 shop response 201`,
	safe: '2190 shop request attempt|2192 api decision replay|2193 api response 201|2195 shop response 201',
};

// ghost gives the example's events for each side, safe and naive.
export function ghost(sides) {
	const event = (line, side, n) => {
		const [at, lane, kind, what] = line.split(' ');
		return {
			side, lane, kind, at_ms: Number(at), [what > 0 ? 'status' : 'outcome']: what, key: side === 'naive' ? '' : '7F3A', trace: `t${n}`, attempt: n, of: 10,
			provider_key: `cap_ch_00${n}5M2`, amount: 5000, currency: 'eur', ...(kind === 'wait' && { attempt: 2, ms: 184 }),
		};
	};
	const lines = (side) => [first, second[side]].flatMap((script, i) => script.split('|').map((line) => event(line, side, i + 1)));
	return sides.flatMap(lines).map((e, i) => ({ ...e, seq: i + 1 }));
}
