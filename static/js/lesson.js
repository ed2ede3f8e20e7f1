// One lesson: asks for a run, waits until it is recorded, and reveals it. The
// address holds run, step and moment, so a reload restores them.
import { ask } from './ask.js';
import { show } from './lesson_view.js';
import { Player } from './player.js';
import { prefixed } from './speak.js';
import { inspect } from './log.js';
import { plain, wordOf } from './words.js';
import { write } from './svg.js';

const pause = 250; // between two looks at a run, in milliseconds
const patience = 400; // looks; the stage bounds a run to less

// A browser that refuses storage forgets, and nothing else.
const memory = (() => { try { return sessionStorage; } catch { return {}; } })();
const later = (ms) => new Promise((done) => setTimeout(done, ms));

export function startLesson(root) {
	const lesson = new Lesson(root);
	root.addEventListener('click', (e) => lesson.click(e.target));
	root.addEventListener('input', (e) => e.target.matches('[data-time]') && lesson.player.to(Number(e.target.value)));
	addEventListener('resize', () => show(lesson));
	addEventListener('hashchange', () => lesson.run && lesson.restore());
	show(lesson);
	lesson.open();
}

class Lesson {
	constructor(root) {
		Object.assign(this, { root, run: null, at: 0, over: false, view: 'both', pick: '', filter: '', chosen: 0, hung: null, moments: {} });
		this.sides = this.all('[data-side]');
		this.names = this.sides.map((s) => s.dataset.side);
		this.lanes = this.find('[data-lanes]').dataset.lanes.split(' ');
		this.player = new Player(() => this.moved());
	}

	find(selector) {
		return this.root.querySelector(selector);
	}

	all(selector) {
		return [...this.root.querySelectorAll(selector)];
	}

	// A tab that nobody looks at must not start processes. One run at a time on a
	// stage: another one is waited for.
	async open() {
		const url = new URL(location.href);
		let id = this.root.dataset.run;
		if (!id && document.hidden) await new Promise((seen) => document.addEventListener('visibilitychange', seen, { once: true }));
		this.busy = true;
		for (let looks = 1; looks < patience; looks++) {
			const { status, body } = await (id ? ask(`/stage/runs/${id}`) : ask(`/stage/lessons/${this.root.dataset.lesson}/runs`, { seed: Number(url.searchParams.get('seed')) || 0 }));
			if (status === 200 && body.state !== 'running') return this.take(body, url);
			if (status === 202) id = body.id;
			else if (status === 409) this.say('Another lesson is running. This one starts when that has ended.');
			else if (status !== 200) return this.say(`${body?.detail ?? 'The stage does not answer.'} PgDn makes a new run.`, 'NOT RUN');
			this.find('[data-badge]').textContent = id ? `RUNNING ${((looks * pause) / 1000).toFixed(1)} s` : 'WAITING';
			await later(id ? pause : 1000);
		}
		return this.say('The run does not end. PgDn makes a new one.', 'NOT RUN');
	}

	take(run, url) {
		this.busy = false;
		if (this.root.hasAttribute('data-recorded')) {
			this.run = run;
			this.guess(memory[`guess ${run.id}`]);
			return this.restore(this.wanted ? 1 : 0);
		}
		url.searchParams.delete('seed');
		url.searchParams.set('run', run.id);
		if (this.wanted) url.hash = 'step=2';
		history.replaceState(null, '', url);
		return location.reload();
	}

	say(text, badge) {
		if (badge) [this.find('[data-badge]').textContent, this.busy] = [badge, false];
		this.find('[data-sentence]').textContent = this.find('[data-status]').textContent = text;
	}

	restore(more = 0) {
		const hash = new URLSearchParams(location.hash.slice(1));
		this.go((parseInt(hash.get('step'), 10) || 1) - 1 + more);
		if (hash.has('event')) this.player.to(parseInt(hash.get('event'), 10) || 0);
	}

	// go reveals the recording up to a step, from 0. Behind the last step of a
	// tour is its end.
	go(n) {
		const last = this.run.steps.length - 1;
		this.over = n > last && Boolean(this.find('[data-end]'));
		this.at = Math.max(0, Math.min(last, n));
		if (this.hung === Boolean(this.run.steps[this.at].curtain)) this.hung = null;
		this.pick = '';
		this.player.leave();
		this.find('[data-step]').textContent = this.at + 1;
		this.inspect(0);
		this.address();
		this.find('[data-status]').textContent = this.over ? this.find('[data-end] h2').textContent : this.root.dataset.spoken;
	}

	moved() {
		const { event, moment } = this.player;
		show(this);
		this.address();
		if (moment !== null) write(this.find('[data-status]'), event ? prefixed(event.side, plain(event.text) || wordOf(event)) : 'Nothing has happened yet.');
	}

	address() {
		const { moment } = this.player;
		const hash = `#step=${this.at + 1}${moment === null ? '' : `&event=${moment}`}`;
		history.replaceState(null, '', hash);
		const link = this.find('[data-badge]');
		if (link.href) link.hash = hash;
	}

	click(target) {
		const of = (name) => target.closest(`[data-${name}]`)?.getAttribute(`data-${name}`);
		const flip = (name, value) => { this[name] = this[name] === value ? '' : value; };
		if (of('do')) this.does(of('do'));
		else if (of('answer')) this.guess(of('answer'));
		else if (of('pick')) flip('pick', of('pick'));
		else if (of('outcome')) flip('filter', of('outcome'));
		else if (of('seq')) this.inspect(Number(of('seq')));
		else if (target.closest('[data-close]')) this.inspect(0);
		show(this);
	}

	does(name) {
		const { previous, next, fresh, curtain } = this.root.dataset;
		const drawer = this.find(`[data-drawer="${name}"]`);
		if (name === 'sides') this.view = { both: 'naive', naive: 'safe', safe: 'both' }[this.view];
		else if (name === 'curtain') this.hung = curtain !== 'true';
		else if (name === 'again') location.assign(fresh);
		else if (name === 'next') this.next(next, fresh);
		else if (name === 'play') this.player.play();
		else if (name === 'on' || name === 'off') this.player.to(this.player.position + (name === 'on' ? 1 : -1));
		else if (drawer) this.drawer(drawer);
		else if (name !== 'back') return;
		else if (this.over || this.player.moment !== null) this.go(this.at);
		else if (this.at) this.go(this.at - 1);
		else if (previous) location.assign(memory[previous] ?? previous);
	}

	next(next, fresh) {
		if (this.busy) this.wanted = true;
		else if (!this.run) location.assign(fresh);
		else if (this.at < this.run.steps.length - 1) this.go(this.at + 1);
		else if (next) {
			memory[fresh] = location.href;
			location.assign(next);
		} else if (!this.over) this.go(this.at + 1);
	}

	guess(n) {
		if (!n) return;
		memory[`guess ${this.run.id}`] = this.find('[data-guess]').textContent = n;
		for (const button of this.all('[data-answer]')) button.setAttribute('aria-pressed', String(button.dataset.answer === n));
	}

	drawer(box) {
		if (box.classList.toggle('open')) box.focus();
	}

	inspect(seq) {
		this.chosen = seq;
		inspect(this.find('[data-inspector]'), seq && this.run.events.find((e) => e.seq === seq), 0);
		show(this);
	}
}
