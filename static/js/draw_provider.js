// The API's call to the card provider, and what came of it.
import { isWork, settled } from './story.js';
import { money } from './money.js';
import { after, before, over, textWidth } from './labels.js';
import { shapeOf, shortKey, wordOf } from './words.js';
import { h } from './svg.js';

export function called(on, { call, result, answer }, i) {
	const { sheet, g, y, spots, request } = on;
	const low = g.y.provider;
	const event = call ?? result;
	// Right below the decision that let it make this call, if that was just before.
	const work = Math.max(0, request.decisions.findLastIndex((d) => isWork(d) && d.at_ms <= event.at_ms));
	const start = spots.decision(request, work);
	const at = call?.at_ms ?? result.at_ms - (result.ms ?? 0);
	const near = at - (request.decisions[work] ?? request.sent).at_ms <= 25;
	const x = near ? start + 16 * g.m * i : Math.max(call ? spots.at(call) : spots.ms(at), start);
	sheet.arrow([x, y + (x === start ? g.mark / 2 : 5), x, low - 2]);
	const key = event.provider_key || result?.provider_key;
	const top = (g.y.lease ? g.y.lease + g.lease / 2 : y + g.mark / 2) + 4;
	const keyed = key && i === 0 && g.callPill && sheet.pill(x, (top + low - g.tag / 2 - 4) / 2, key);
	const back = backX(on, result, answer);
	if (result) provided(on, result, x, back, keyed);
	else if (back !== null) {
		// A look-up by key moves no money and leaves no mark in the provider's book.
		sheet.line([x, low, back, low]);
		sheet.wish(4, ['asked by key, nothing sent', 'asked by key'], [above(g, (x + back) / 2), after(back + 8, g.base(low)), before(x - 12, g.base(low))], 'note');
	}
	if (back !== null && back > x + 4) sheet.line([back, low, back, y + 4]);
}

const above = (g, x) => over(x, g.y.provider - g.size * 0.64);

// Where the provider's answer reaches the API; null: not, or too late.
function backX({ request, spots }, result, answer) {
	const event = answer ?? (request.answer && result && result.at_ms <= request.answer.at_ms ? result : null);
	if (!event || /unknown/.test(event.reason ?? '')) return null;
	const done = settled(request) ?? request.answer;
	const near = done && !request.holds.length && Math.abs(done.at_ms - event.at_ms) <= 25;
	return (near ? spots.back(request) : null) ?? spots.at(event);
}

function provided(on, result, x, back, keyed) {
	const { sheet, g, spots } = on;
	const low = g.y.provider;
	const from = spots.own('tag', result);
	if (result.outcome === 'captured') return tag(on, result, x, Math.max(from - 8 * g.m, x + 14 * g.m), back, keyed);
	const at = Math.max(back ?? from, x + 26 * g.m);
	sheet.line([x, low, at, low]);
	sheet.mark(result, shapeOf(result), at, low, { size: g.mark * 0.92, says: `the card provider: ${wordOf(result)}` });
	const text = result.outcome === 'replay' ? ['same capture, not charged again', 'not charged again', 'replayed'] : [wordOf(result)];
	return sheet.wish(4, text, [...g.around(at, low, g.mark / 2), above(g, (x + at - g.mark / 2) / 2)], 'note');
}

function tag(on, result, x, from, back, keyed) {
	const { sheet, g } = on;
	const again = on.again.has(result.seq);
	const text = money(result.amount ?? 0, result.currency);
	const width = textWidth(text, g.size, 'bold') + 16 * g.m;
	const left = Math.min(from, sheet.plan.width - width - 2);
	const middle = left + width / 2;
	const top = g.y.provider - g.tag / 2;
	sheet.line([x, g.y.provider, Math.max(left, back ?? 0), g.y.provider]);
	sheet.board.take(left - 2, top, left + width + 2, top + g.tag);
	const word = again ? 'captured again' : 'captured';
	sheet.button(result, again ? 'money-tag again' : 'money-tag', `${text} ${word}`,
		h('rect', { class: 'tag', x: left, y: top, width, height: g.tag }),
		h('text', { class: 'tag-text', x: middle, y: g.base(g.y.provider) }, text));
	const key = result.provider_key && !keyed ? [`${word}, ${shortKey(result.provider_key)}`] : [];
	const [right, ...others] = g.around(middle, g.y.provider, width / 2);
	sheet.wish(4, [...key, word], [right, before(x - 16, right.y), ...others], again ? 'strong' : 'note');
}
