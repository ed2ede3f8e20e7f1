// The money of one owner on one side, as the books have it. moneyRows is pure;
// fillMoney writes it into the page.
import { money } from './money.js';

/** currencyOf picks the currency that is shown large: the scene's own where it
 * has one, else the owner's first. */
export function currencyOf(owner, wish) {
  const known = Object.keys({ ...owner?.wanted, ...owner?.ledger, ...owner?.captured }).sort();
  return wish || known[0] || 'eur';
}

/**
 * moneyRows formats one owner's figures. "—" is a figure that nobody knows: an
 * external owner's wish, or an owner who has no books yet. Wrong money is more
 * than the customer wanted.
 */
export function moneyRows(owner, currency, { open = false } = {}) {
  const known = (sums) => (owner && sums !== null && sums !== undefined ? sums[currency] ?? 0 : null);
  const sum = { wanted: known(owner?.wanted), ledger: known(owner?.ledger), captured: known(owner?.captured), overcharged: known(owner?.overcharged), unpaid: known(owner?.unpaid) };
  const text = Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, value === null ? '—' : money(value, currency)]));
  const over = (value) => sum.wanted !== null && value !== null && value > sum.wanted;
  return {
    text,
    wrong: { ledger: over(sum.ledger), captured: over(sum.captured), overcharged: sum.overcharged > 0, unpaid: sum.unpaid > 0 },
    verdict: owner ? verdict(sum, open) : '',
    tally: owner ? tally(owner) : '',
  };
}

// One or two words at the side's name.
function verdict({ wanted, ledger, captured, overcharged, unpaid }, open) {
  if (overcharged > 0) return captured === 2 * wanted ? 'charged twice' : 'overcharged';
  if (open) return 'in progress';
  if (ledger !== captured) return 'books differ';
  if (unpaid > 0) return 'not paid';
  if (wanted === null) return 'books agree';
  return wanted || captured ? 'correct' : '';
}

const plural = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;

function tally({ charges = 0, captures = 0 }) {
  return `${plural(charges, 'charge')} in the ledger, ${plural(captures, 'capture')} at the card`;
}

/** fillMoney writes rows into one side's element; nothing is touched that is
 * right already. */
export function fillMoney(side, rows, stale) {
  const write = (element, text) => element && element.textContent !== text && (element.textContent = text);
  for (const name of ['wanted', 'ledger', 'captured']) {
    const row = side.querySelector(`[data-money="${name}"]`);
    write(row?.querySelector('.sum'), rows.text[name]);
    row?.classList.toggle('wrong', Boolean(rows.wrong[name]));
    row?.classList.toggle('long', rows.text[name].length > 9);
  }
  for (const name of ['overcharged', 'unpaid']) {
    const rest = side.querySelector(`[data-rest="${name}"]`);
    write(rest?.querySelector('b'), rows.text[name]);
    rest?.classList.toggle('off', Boolean(rows.wrong[name]));
  }
  write(side.querySelector('[data-verdict]'), rows.verdict);
  write(side.querySelector('[data-tally]'), stale ? `${rows.tally} (stale: the API is down)` : rows.tally);
}
