// One lesson: asks for a run, waits until it is recorded, and reveals it step
// by step. The address holds the run and the step, so a reload restores both.
import { details } from './log.js';
import { commandOf, spoken } from './lesson_steps.js';
import { show, small } from './lesson_view.js';

const pause = 250; // between two looks at a run, in milliseconds
const patience = 90_000; // the stage bounds a run to less

/** startLesson brings a lesson's page to life. */
export const startLesson = (root) => new Lesson(root).open();

const later = (ms) => new Promise((done) => setTimeout(done, ms));

// A browser that refuses storage forgets, and nothing else.
const store = (kind) => { try { return window[kind]; } catch { return {}; } };

class Lesson {
  constructor(root) {
    this.root = root;
    this.sides = [...root.querySelectorAll('[data-side]')];
    this.names = this.sides.map((s) => s.dataset.side);
    this.outcomes = [...root.querySelectorAll('[data-outcome]')].map((c) => c.dataset.outcome);
    this.lanes = this.find('[data-lanes]').dataset.lanes.split(' ');
    this.right = Number(this.find('[data-question]').dataset.right);
    this.projector = document.body.classList.contains('projector');
    this.off = store('localStorage').shortcuts === 'off';
    Object.assign(this, { run: null, at: fromHash(), view: 'both', pick: '', filter: '', chosen: 0, guess: 0, hung: null, busy: false, wanted: false });
    this.find('[data-question]').hidden = true;
    this.find('[data-shortcuts]').checked = !this.off;
    if (small.matches) this.find('[data-drawer="log"]').hidden = false;
    document.addEventListener('keydown', (e) => this.key(e));
    root.addEventListener('click', (e) => this.click(e.target));
    root.addEventListener('input', (e) => e.target.matches('[data-scrub]') && this.go(Number(e.target.value) - 1));
    root.addEventListener('change', (e) => e.target.matches('[data-shortcuts]') && this.shortcuts(e.target.checked));
    addEventListener('resize', () => show(this));
    addEventListener('hashchange', () => this.go(fromHash()));
  }

  find(selector) {
    return this.root.querySelector(selector);
  }

  get step() {
    return this.run?.steps[this.at];
  }

  /** closed says whether the curtain hangs: as the step has it, unless the
   * presenter has drawn it. */
  get closed() {
    return this.hung ?? Boolean(this.step?.curtain);
  }

  async open() {
    show(this);
    const { run } = this.root.dataset;
    if (run) return this.follow(run);
    // A tab that nobody looks at must not start processes.
    if (document.hidden) await new Promise((seen) => document.addEventListener('visibilitychange', seen, { once: true }));
    return this.make(Number(new URLSearchParams(location.search).get('seed')) || 0);
  }

  // One run at a time on a stage: another one is waited for.
  async make(seed = 0) {
    this.busy = true;
    this.badge('STARTING');
    for (const end = Date.now() + patience; Date.now() < end; await later(1000)) {
      const { status, body } = await ask(`/stage/lessons/${this.root.dataset.lesson}/runs`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ seed }) });
      if (status === 202) return this.follow(body.id);
      if (status !== 409) return this.stuck(body?.detail ?? 'The stage does not answer.');
      this.say('Another lesson is running. This one starts when that one has ended.');
    }
    return this.stuck('Another lesson is still running.');
  }

  async follow(id) {
    this.busy = true;
    for (const begin = Date.now(); Date.now() - begin < patience; await later(pause)) {
      const { status, body } = await ask(`/stage/runs/${encodeURIComponent(id)}`);
      if (status === 200 && body.state !== 'running') return this.take(body);
      if (status > 200) return this.stuck(status === 404 ? 'The stage does not have that recording any more.' : 'That run could not be made; the stage’s log says why.');
      this.badge(`RUNNING ${((Date.now() - begin) / 1000).toFixed(1)} s`);
    }
    return this.stuck('The run does not end.');
  }

  async take(run) {
    const url = new URL(location.href);
    if (!url.pathname.startsWith('/runs/')) {
      url.searchParams.delete('seed');
      url.searchParams.set('run', run.id);
    }
    history.replaceState(null, '', url);
    if (!this.root.hasAttribute('data-recorded') || this.run) await this.print(url);
    this.run = run;
    this.busy = false;
    this.guess = Number(store('sessionStorage')[`guess ${run.id}`]) || 0;
    this.ends = Object.fromEntries(this.names.map((s) => [s, Math.max(...run.steps.map((step) => step.upto[s]))]));
    this.told = run.steps.find((step) => step.owner?.naive)?.owner.naive;
    const badge = this.badge(run.state === 'broken' ? 'BROKEN PROMISE' : 'RECORDED');
    badge.href = `/runs/${run.id}`;
    badge.classList.toggle('broken', run.state === 'broken');
    this.go(this.at + (this.wanted ? 1 : 0));
    this.wanted = false;
  }

  // What is only printed, board and checks, comes with the recording's page.
  async print(url) {
    const html = await fetch(url).then((r) => r.text()).catch(() => '');
    const page = new DOMParser().parseFromString(html, 'text/html');
    for (const slot of page.querySelectorAll('[data-slot]')) this.find(`[data-slot="${slot.dataset.slot}"]`).replaceChildren(...slot.childNodes);
  }

  badge(text) {
    const badge = this.find('[data-badge]');
    badge.textContent = text;
    return badge;
  }

  say(text) {
    this.find('[data-sentence]').textContent = this.find('[data-status]').textContent = text;
  }

  stuck(text) {
    Object.assign(this, { busy: false, run: null, at: 0, wanted: false });
    this.badge('NOT RUN');
    this.say(`${text} Start makes a new run.`);
    show(this);
  }

  /** go reveals the recording up to a step, from 0. */
  go(n) {
    const last = (this.run?.steps.length ?? 0) - 1;
    if (last < 0) return;
    [this.at, this.pick] = [Math.max(0, Math.min(last, n)), ''];
    if (this.hung === Boolean(this.step.curtain)) this.hung = null;
    history.replaceState(null, '', `#${this.at + 1}`);
    this.find('[data-status]').textContent = spoken(this.step, this.run.steps[this.at - 1]);
    this.inspect(0);
  }

  key(event) {
    const text = event.target.closest?.('input:not([type="range"], [type="checkbox"]), textarea, select');
    const mark = event.target.closest?.('g[data-seq]');
    if (mark && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      return this.inspect(Number(mark.getAttribute('data-seq')));
    }
    const where = text ? 'text' : document.activeElement === document.body ? '' : 'control';
    const command = commandOf(event, { where, off: this.off });
    if (!command) return undefined;
    event.preventDefault();
    return this.does(...command.split(' '));
  }

  click(target) {
    const at = (name) => target.closest(`[data-${name}]`)?.getAttribute(`data-${name}`);
    const outcome = at('outcome');
    if (at('do')) this.does(at('do'));
    else if (at('answer')) this.does('answer', at('answer'));
    else if (at('pick')) this.pick = this.pick === at('pick') ? '' : at('pick');
    else if (at('seq')) return this.inspect(Number(at('seq')));
    else if (target.closest('[data-close]')) return this.inspect(0);
    else if (outcome) this.filter = this.filter === outcome ? '' : outcome;
    else return undefined;
    return show(this);
  }

  // does one command: a key's, or its button's.
  does(name, n) {
    const blank = this.find('[data-blank]');
    // A dark screen comes back before anything else happens.
    if (name === 'blank' || !blank.hidden) blank.hidden = !blank.hidden;
    else if (name === 'next') this.next();
    else if (name === 'back') this.back();
    else if (name === 'again' && !this.busy) this.again();
    else if (name === 'curtain' && this.run) this.hung = !this.closed;
    else if (name === 'sides') this.view = { both: 'naive', naive: 'safe', safe: 'both' }[this.view];
    else if (name === 'answer' && this.step?.question && !this.step.answered) this.guess = store('sessionStorage')[`guess ${this.run.id}`] = Number(n);
    else this.drawer(name);
    show(this);
  }

  next() {
    if (this.busy) this.wanted = true;
    else if (!this.run) this.make();
    else if (this.at < this.run.steps.length - 1) this.go(this.at + 1);
    else if (this.root.dataset.next) {
      store('sessionStorage')[`before ${this.root.dataset.next}`] = location.href;
      location.assign(this.root.dataset.next);
    }
  }

  // Back from a lesson's first step leads to where the one before was left.
  back() {
    const { lesson, previous } = this.root.dataset;
    if (this.at > 0) return this.go(this.at - 1);
    const left = store('sessionStorage')[`before /lessons/${lesson}${new URL(location.href).searchParams.has('tour') ? `?tour=${new URL(location.href).searchParams.get('tour')}` : ''}`];
    if (previous) location.assign(left ?? previous);
    return undefined;
  }

  again() {
    this.at = 0;
    this.make();
  }

  drawer(name) {
    const box = this.find(`[data-drawer="${name}"]`);
    if (!box) return;
    const over = this.projector || name === 'help';
    box.hidden = over ? !box.hidden : false;
    if (!box.hidden) box.focus();
  }

  inspect(seq) {
    this.chosen = seq;
    const box = this.find('[data-inspector]');
    const event = seq && this.run.events.find((e) => e.seq === seq);
    box.hidden = !event;
    show(this);
  }

  shortcuts(on) {
    this.off = !on;
    store('localStorage').shortcuts = on ? 'on' : 'off';
  }
}

const fromHash = () => Math.max(0, Number(location.hash.slice(1)) - 1 || 0);

// ask is a fetch that always answers; status 0 is no answer.
async function ask(url, options) {
  try {
    const response = await fetch(url, options);
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch {
    return { status: 0, body: null };
  }
}
