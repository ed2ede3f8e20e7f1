// Brings the page to one step of the recording: sentence, question, lanes,
// money, counters, board, log.
import { currencyOf, fillMoney, moneyRows } from './books.js';
import { fillCounters } from './controls.js';
import { drawAxis, drawSide } from './draw.js';
import { asOf, eventsOf, figuresOf, lay } from './lesson_steps.js';
import { bold, logItems } from './log.js';
import { svg } from './panel.js';
import { h, patch, round } from './svg.js';

const most = 120; // units that a side's lanes may grow beyond their least height

const small = matchMedia('(max-width: 40rem)');

/** show draws the lesson as it stands; without a recording only the frame. */
export function show(l) {
  const step = l.step;
  const curtain = l.closed;
  const board = step?.board ?? [];
  const pick = board.length ? l.pick : '';
  l.root.classList.toggle('boarding', board.length > 0);
  l.root.classList.toggle('picking', Boolean(pick));
  if (step) {
    patch(l.find('[data-sentence]'), bold(step.say));
    l.find('[data-sentence]').classList.toggle('long', step.say.length > 78);
    question(l, step);
    fillCounters(l.root, { counters: Object.fromEntries(l.names.map((s) => [s, figuresOf(step, s, l.outcomes, curtain)])), retries: {} }, l.filter);
    for (const side of l.sides) purse(l, step, side, curtain);
    boards(l, step, board, pick);
    log(l, step, curtain);
  }
  hints(l, step);
  lanes(l, step, { curtain, pick, board });
}

// The question: open, then one line with what was guessed; the right answer
// once it is told.
function question(l, step) {
  const box = l.find('[data-question]');
  const before = l.run.steps[l.at - 1];
  const open = step.question && !step.answered && !before?.question;
  box.hidden = !step.question;
  box.classList.toggle('open', open);
  for (const button of box.querySelectorAll('[data-answer]')) {
    const n = Number(button.dataset.answer);
    button.setAttribute('aria-pressed', String(n === l.guess));
    button.parentElement.hidden = !open && !(step.answered && n === l.right);
  }
  const right = step.answered && l.guess === l.right ? ', right' : '';
  l.find('[data-guess]').textContent = l.guess ? `your guess: ${l.guess}${right}` : '';
}

function purse(l, step, side, curtain) {
  const id = side.dataset.side;
  const figures = step.upto[id] ? step.money[id] : null;
  const rows = moneyRows(figures, currencyOf(figures), { open: step.upto[id] < l.ends[id] });
  if (curtain) {
    for (const name of ['ledger', 'captured', 'overcharged', 'unpaid']) [rows.text[name], rows.wrong[name]] = ['?', false];
    rows.verdict = '';
  }
  fillMoney(side, rows);
}

// A side whose board is not revealed yet shows that there are so many orders,
// and nothing of how they end.
function boards(l, step, board, pick) {
  const box = l.find('[data-boards]');
  if (!box) return;
  box.hidden = !board.length;
  const mark = pick || l.told;
  for (const half of box.querySelectorAll('[data-board]')) {
    const known = board.includes(half.dataset.board);
    half.classList.toggle('veiled', !known);
    half.inert = !known;
    let say = '';
    for (const cell of half.querySelectorAll('[data-pick]')) {
      cell.setAttribute('aria-pressed', String(cell.dataset.pick === pick));
      cell.classList.toggle('picked', known && cell.dataset.pick === mark);
      if (cell.dataset.pick === mark) say = [h('b', {}, cell.querySelector('.no').textContent), ` ${cell.dataset.say}`];
    }
    patch(half.querySelector('[data-reading]'), known ? say : []);
  }
}

function log(l, step, curtain) {
  const events = l.names.flatMap((s) => eventsOf(l.run, s, l.lanes, step.owner?.[s]).filter((e) => e.seq <= step.upto[s] && (!curtain || e.lane === 'shop')));
  events.sort((a, b) => a.at_ms - b.at_ms || a.seq - b.seq);
  const story = events.slice(-200).map((e) => ({ ...e, scene: 'run' }));
  patch(l.find('[data-log]'), logItems({ scenes: [{ id: 'run', events: story.slice(0, 1) }], log: story }, { filter: l.filter, sides: 2 }));
}

function hints(l, step) {
  const text = (name, value, pressed) => {
    const button = l.find(`.hint[data-do="${name}"]`);
    button.querySelector('[data-text]').textContent = value;
    if (pressed !== undefined) button.setAttribute('aria-pressed', String(pressed));
  };
  text('curtain', l.closed ? 'curtain: closed' : 'curtain', l.closed);
  text('sides', { both: 'both sides', naive: 'naive alone', safe: 'safe alone' }[l.view]);
  text('next', step || l.busy ? 'next' : 'start');
  l.find('[data-place]').textContent = step ? `· step ${l.at + 1} of ${l.run.steps.length} · seed ${l.run.seed}` : '';
  const scrub = l.find('[data-scrub]');
  scrub.parentElement.hidden = !step;
  if (step) [scrub.max, scrub.value] = [l.run.steps.length, l.at + 1];
}

function lanes(l, step, { curtain, pick, board }) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const unit = Math.max(rem, Math.min(innerWidth / 1280, innerHeight / 720));
  const shown = l.sides.filter((s) => l.view === 'both' || s.dataset.side === l.view);
  l.sides.forEach((s) => { s.hidden = !shown.includes(s); });
  const off = board.length > 0 && !pick;
  l.find('.sides').hidden = l.find('[data-axis]').hidden = off;
  if (off || small.matches || !shown.length) return;
  const owners = pick ? { naive: pick, safe: pick } : step?.owner ?? {};
  const width = Math.max(320, Math.round(shown[0].querySelector('[data-draw]').clientWidth / unit));
  const laid = lay(l.run ?? { events: [] }, l.names, { lanes: l.lanes, owners, width, size: l.projector ? 20 : 13 });
  const makers = shown.map((side) => maker(l, laid, side, pick ? (board.includes(side.dataset.side) ? Infinity : 0) : step?.upto[side.dataset.side] ?? 0, curtain && !pick));
  const least = makers.map((make) => make(0).height);
  const spare = room(l, shown, unit, pick) - (pick ? Math.max(...least) : least.reduce((a, b) => a + b, 0));
  shown.forEach((side, i) => {
    const { height, nodes } = makers[i](least[i] + Math.max(0, Math.min(most, spare / (pick ? 1 : shown.length))));
    svg(side.querySelector('[data-draw]'), laid.made.width, { height, nodes }, 'lanes', `${side.getAttribute('aria-label')}: lanes over time`);
  });
  svg(l.find('[data-axis]'), laid.made.width, step ? drawAxis(laid.made) : { height: 1, nodes: [] }, 'axis');
}

function maker(l, laid, side, upto, curtain) {
  const id = side.dataset.side;
  const made = asOf(laid, id, upto, curtain);
  return (height) => {
    const drawn = drawSide(made, id, { name: side.getAttribute('aria-label'), height, lanes: l.lanes, filter: l.filter, chosen: l.chosen });
    if (curtain) drawn.nodes.push(cloth(made, drawn));
    return drawn;
  };
}

// The curtain hangs in front of all boxes behind the shop.
function cloth(made, { g, height }) {
  const top = g.y.network + g.pill / 2 + 5;
  const left = made.left - 24 * g.m;
  return h('g', { key: 'curtain', class: 'curtain' },
    h('rect', { x: round(left), y: round(top), width: round(made.width - left), height: round(height - top) }),
    h('text', { class: 'mid', x: round((left + made.width) / 2), y: round((top + height) / 2 + g.size / 3) }, 'behind the curtain: what the client cannot see'));
}

// The height that is left for lanes on one screen, in units.
function room(l, shown, unit, pick) {
  const top = l.find('.sides').getBoundingClientRect().top + scrollY;
  const below = l.find('.scale').offsetHeight + l.find('.foot').offsetHeight + 24 * unit;
  const heads = shown.map((s) => s.querySelector('.side-head').offsetHeight + 16 * unit);
  return (innerHeight - top - below - (pick ? heads[0] : heads.reduce((a, b) => a + b, 0))) / unit;
}
