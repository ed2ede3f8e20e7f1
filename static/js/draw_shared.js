// What the parts of a request's drawing share. Pure.
import { ended, external, settled } from './story.js';
import { attemptWord, ms } from './words.js';

/** says begins each name: "attempt 2 of 10". */
export const says = (request) => (request.letter ? `click ${request.letter}, ` : '') + attemptWord({ attempt: request.n, of: request.of }).toLowerCase();
/** clock is an event's true time within its story. */
export const clock = (on, event) => `at ${ms(event.at_ms - on.sheet.plan.from)}`;

/** isWork says that a decision lets the request run. */
export const isWork = (decision) => decision.outcome === 'started' || decision.outcome === 'resumed';

/** lostAt is the y at which a lost request's arrow breaks off. */
export function lostAt(on) {
  return external(on.request) ? on.from + on.g.mark + on.g.pill : on.g.y.network - 2;
}

/** workEnd is the x at which a request's work in the API ends, so far. */
export function workEnd(on) {
  const { request, spots } = on;
  if (request.answer) return spots.back(request);
  if (request.killed) return spots.kill(request.killed);
  const done = settled(request);
  if (done) return spots.at(done);
  return ended(request) ? on.x : spots.now;
}
