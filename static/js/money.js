// Money in minor units. Its Go twin is components.Money; both are held to the
// table in components/testdata/money.json.

// ISO 4217: the currencies whose minor unit is not a hundredth.
const exponents = Object.fromEntries([
	...'bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf'.split(' ').map((code) => [code, 0]),
	...'bhd iqd jod kwd lyd omr tnd'.split(' ').map((code) => [code, 3]),
	...'clf uyw'.split(' ').map((code) => [code, 4]),
]);

const symbols = { eur: '€', usd: '$', gbp: '£', jpy: '¥' };

export function money(amount, currency) {
	const code = String(currency ?? '').trim().toLowerCase();
	const places = Object.hasOwn(exponents, code) ? exponents[code] : 2;
	const digits = String(Math.abs(amount)).padStart(places + 1, '0');
	// Grouping by hand: the browser's own formatter would follow its language.
	const whole = digits.slice(0, digits.length - places).replace(/\B(?=(\d{3})+$)/g, ',');
	const part = places ? '.' + digits.slice(-places) : '';
	return (amount < 0 ? '\u2212' : '') + prefix(code) + whole + part;
}

function prefix(code) {
	if (Object.hasOwn(symbols, code)) return symbols[code];
	return code === '' ? '' : code.toUpperCase() + ' ';
}
