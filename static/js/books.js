// The money of one owner on one side, as the books have it.
import { money } from './money.js';
import { write } from './svg.js';

const taken = ['wanted', 'ledger', 'captured'];
const left = ['overcharged', 'unpaid'];

export function currencyOf(owner, wish) {
	const known = Object.keys({ ...owner?.wanted, ...owner?.ledger, ...owner?.captured }).sort();
	return wish || known[0] || 'eur';
}

// "—" is what nobody knows. Wrong money is more than was wanted.
export function moneyRows(owner, currency, { open = false } = {}) {
	const sum = Object.fromEntries([...taken, ...left].map((name) => [name, owner?.[name] ? owner[name][currency] ?? 0 : null]));
	const text = Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, value === null ? '—' : money(value, currency)]));
	const over = (value) => sum.wanted !== null && value !== null && value > sum.wanted;
	return {
		text,
		wrong: { wanted: false, ledger: over(sum.ledger), captured: over(sum.captured), overcharged: sum.overcharged > 0, unpaid: sum.unpaid > 0 },
		verdict: owner ? verdict(sum, open) : '',
		tally: owner ? tally(owner) : '',
	};
}

function verdict({ wanted, ledger, captured, overcharged, unpaid }, open) {
	if (overcharged > 0) return captured === 2 * wanted ? 'charged twice' : 'overcharged';
	if (open) return 'in progress';
	if (ledger !== captured) return 'books differ';
	if (unpaid > 0) return 'not paid';
	if (wanted === null) return 'books agree';
	return wanted || captured ? 'correct' : '';
}

const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

function tally({ charges = 0, captures = 0, receipts = 0, stock = 0 }) {
	return `${plural(charges, 'charge')}, ${plural(captures, 'capture')}, ${plural(receipts, 'receipt')}, stock ${String(stock).replace('-', '\u2212')}`;
}

export function fillMoney(side, rows, stale) {
	for (const name of taken) {
		const row = side.querySelector(`[data-money="${name}"]`);
		write(row.querySelector('.sum'), rows.text[name]);
		row.classList.toggle('wrong', rows.wrong[name]);
		row.classList.toggle('long', rows.text[name].length > 8);
	}
	for (const name of left) {
		const rest = side.querySelector(`[data-rest="${name}"]`);
		write(rest.querySelector('b'), rows.text[name]);
		rest.classList.toggle('off', rows.wrong[name]);
	}
	write(side.querySelector('[data-verdict]'), rows.verdict);
	write(side.querySelector('[data-tally]'), stale ? `${rows.tally} (stale: the API is down)` : rows.tally);
}
