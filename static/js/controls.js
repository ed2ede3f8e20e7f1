// The panel's buttons: counters that filter, marks that open, kill -9, faults
// that are disarmed, the choice of the story. Commands are POSTs and DELETEs.
import { h, patch } from './svg.js';
import { shortKey } from './words.js';

/** startControls listens once for the whole panel, so that what is drawn anew
 * needs no wiring. */
export function startControls(panel) {
  const { root } = panel;
  root.addEventListener('click', (event) => clicked(panel, event.target));
  root.addEventListener('keydown', (event) => pressed(panel, event));
  root.addEventListener('submit', (event) => event.target.matches('[data-kill]') && kill(panel, event));
  root.addEventListener('change', (event) => {
    if (!event.target.matches('[data-scene]')) return;
    panel.view.scene = event.target.value;
    panel.soon();
  });
}

function clicked(panel, target) {
  const mark = target.closest('[data-seq]');
  const counter = target.closest('[data-outcome]');
  const fault = target.closest('[data-disarm]');
  if (mark) panel.inspect(Number(mark.getAttribute('data-seq')));
  else if (target.closest('[data-close]')) close(panel);
  else if (fault) command(panel, 'DELETE', `/stage/faults/${encodeURIComponent(fault.dataset.disarm)}`);
  else if (counter) {
    panel.view.filter = panel.view.filter === counter.dataset.outcome ? '' : counter.dataset.outcome;
    panel.soon();
  }
}

// A mark is a button, so it answers to Enter and Space as buttons do.
function pressed(panel, event) {
  const mark = event.target.closest('g[data-seq]');
  if (mark && (event.key === 'Enter' || event.key === ' ')) {
    event.preventDefault();
    panel.inspect(Number(mark.getAttribute('data-seq')));
  } else if (event.key === 'Escape' && !panel.find('[data-inspector]').hidden) {
    close(panel);
  }
}

// The focus goes back to where it came from.
function close(panel) {
  const seq = panel.view.chosen;
  panel.inspect(0);
  panel.find(`.sides [data-seq="${seq}"]`)?.focus();
}

function kill(panel, event) {
  event.preventDefault();
  const side = new FormData(event.target).get('side');
  command(panel, 'POST', '/stage/kill', { side });
}

async function command(panel, method, url, body) {
  const options = body ? { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) } : {};
  panel.refused = '';
  try {
    const response = await fetch(url, { method, ...options });
    if (!response.ok) panel.refused = `${method} ${url}: ${response.status}`;
  } catch {
    panel.refused = `${method} ${url}: no answer`;
  }
  panel.feed.soon();
  panel.soon();
}

/** fillControls shows the processes and the armed faults. */
export function fillControls(panel) {
  for (const side of panel.sides) {
    const child = panel.model.children[side.dataset.side];
    const box = side.querySelector('[data-child]');
    box.dataset.child = child?.state ?? '';
    const text = panel.refused || (child ? childText(child) : '');
    if (box.textContent !== text) box.textContent = text;
    fillFaults(side.querySelector('[data-faults]'), panel.model.faults.filter((f) => (f.side || 'safe') === side.dataset.side));
  }
}

function fillFaults(list, faults) {
  list.hidden = faults.length === 0;
  patch(list, faults.map(faultItem));
}

function childText({ state, pid, restarts }) {
  const again = restarts ? `, restart ${restarts}` : '';
  if (state === 'ready') return `API ready, pid ${pid}${again}`;
  return state === 'starting' ? 'API starting …' : 'API down';
}

function faultItem(fault) {
  const parts = [fault.boundary, fault.how, fault.key && `key ${shortKey(fault.key)}`, fault.owner, fault.status, fault.ms && `${fault.ms} ms`];
  return h('li', { key: fault.id, title: parts.filter(Boolean).join(', ') },
    `armed: ${fault.kind} × ${fault.attempts} `, h('button', { type: 'button', class: 'btn-small', 'data-disarm': fault.id }, 'Disarm'));
}

/** fillCounters writes the figures; a rare outcome's counter appears with its
 * first event. */
export function fillCounters(root, model, filter) {
  for (const card of root.querySelectorAll('[data-outcome]')) {
    const { outcome } = card.dataset;
    const figures = [...card.querySelectorAll('[data-n]')].map((box) => fillFigure(box, model.counters[box.dataset.n]?.[outcome] ?? 0));
    for (const box of card.querySelectorAll('[data-retries]')) fillFigure(box, model.retries[box.dataset.retries] ?? 0);
    if (card.hidden && figures.some(Boolean)) card.hidden = false;
    card.classList.toggle('zero', !figures.some(Boolean));
    card.setAttribute('aria-pressed', String(filter === outcome));
  }
  const figures = root.querySelectorAll('[data-outcome]:not([hidden]) [data-n]').length;
  root.querySelector('[data-counters]').classList.toggle('many', figures > (root.dataset.count > 1 ? 12 : document.body.classList.contains('projector') ? 6 : 7));
}

function fillFigure(box, n) {
  if (box.textContent !== String(n)) box.textContent = String(n);
  return n;
}
