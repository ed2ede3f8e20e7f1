import { ended, external, isWork, lost } from './story.js';
import { after, before, beside, pillWidth } from './labels.js';
import { ms, wordOf } from './words.js';
import { path } from './svg.js';

export function faulted(on, fault) {
	const { sheet, g, request, spots } = on;
	if (fault === lost(request)) return request.decisions.length ? null : gone(on, on.lostAt + 2, 1, ['request lost here', 'lost'], on.lostAt + g.size);
	// The first clause of a fault's sentence; the whole is in the log.
	const texts = fault.outcome === 'reset' ? ['nobody there: reset', 'reset'] : [(fault.text ?? '').split(/[,.(:]/)[0].trim(), 'fault'];
	if (fault.lane === 'provider') return sheet.wish(3, texts, beside(spots.at(fault), 8, g.base(g.y.provider)), 'note');
	return sheet.wish(3, texts, beside(spots.near(request, fault), pillWidth(request.key, g) / 2 + 6, g.base(g.y.network)), 'note');
}

// Three strokes that get fainter: something went this way and did not arrive.
function gone({ sheet, x, g }, y, way, texts, level) {
	[1, 0.6, 0.3].forEach((opacity, i) => sheet.stroke('bar', 'fade o-silence', path`M${x} ${y + way * (3 + i * 9)}v${way * 5}`, { opacity }));
	sheet.board.take(x - 3, y, x + 3, y + way * 26);
	sheet.wish(3, texts, [after(x + 10, level), after(x + 10, level + g.size * 1.2), before(x - 10, level)], 'plain');
}

export function answered(on) {
	const { sheet, g, request, spots, y, from } = on;
	const { decisions, answer } = request;
	const last = decisions.at(-1);
	const at = last ? spots.decision(request, decisions.length - 1) : on.x;
	const x = Math.max(spots.back(request), at + 8);
	const worked = decisions.some(isWork);
	if (!worked && last?.outcome !== 'busy') sheet.line([at + g.mark / 2, y, x, y]);
	if (lost(request) && !request.end?.status) {
		const top = external(request) ? from + g.mark + 8 : g.y.network + 9;
		sheet.line([x, y - 4, x, top]);
		return gone({ ...on, x }, top, -1, ['answer lost here', 'lost here', 'lost'], g.base(g.y.network));
	}
	const end = Math.max(x, request.end ? spots.end(request) : x);
	const bottom = y - (worked ? 4 : 0);
	sheet.arrow(end - x > 3 ? [x, bottom, x, g.y.network, end, g.y.network, end, from + g.mark / 2 + 1] : [x, bottom, x, from + g.mark / 2 - 3]);
	const under = g.under(from);
	sheet.wish(3, [String(request.end?.status || answer.status || '')], [...beside(end, 8, under), after(end + 8, under + g.size * 1.1)], 'plain');
	return last?.outcome === 'replay' && sheet.wish(6, ['not asked again'], [after(at - g.mark / 2, g.base(g.y.provider)), ...beside(x, 4, g.base(g.y.provider))], 'plain');
}

export function finished(on) {
	const { sheet, g, request, spots, x, from } = on;
	const { end, answer, killed } = request;
	const start = x + g.mark / 2 + 2;
	const dots = (to) => sheet.stroke('bar', 'dotted o-attempt', path`M${start} ${from}H${to}`);
	if (!end) {
		const quiet = ended(request) || (killed && external(request));
		return !quiet && sheet.plan.open && spots.now > start + 4 && dots(spots.now);
	}
	const at = spots.end(request);
	if (end.outcome === 'silence') return silence(on, end, start, at);
	if (answer && (!lost(request) || end.status)) return null;
	dots(at - g.mark / 2);
	const reset = end.outcome === 'reset';
	if (reset) sheet.mark(end, 'reset', at, from, { size: g.mark * 0.9, says: `${on.says}: connection reset, outcome unknown` });
	return sheet.wish(3, [reset ? 'RESET' : wordOf(end)], [...beside(at, -8, g.under(from)), after(at - g.mark / 2, g.label(from))], 'plain');
}

function silence({ sheet, g, request, from, says }, end, start, at) {
	const third = (at - g.mark * 0.55 - start) / 3;
	[1, 0.6, 0.3].forEach((opacity, i) => sheet.stroke('bar', 'fade far o-silence', path`M${start + i * third} ${from}h${third}`, { opacity }));
	const length = ms(end.ms || end.at_ms - request.sent.at_ms);
	sheet.mark(end, 'silence', at, from, { size: g.mark * 1.08, says: `${says}: SILENCE, no answer in ${length}` });
	const top = g.label(from);
	const places = [before(at + g.mark * 0.3, top), after(at - g.mark / 2, top)];
	sheet.wish(2, [`SILENCE ? no answer in ${length}`, `SILENCE ? ${length}`, 'SILENCE ?'], places, 'word o-silence');
}
