// One lesson: asks for a run, waits until it is recorded, and reveals it. The
// address holds run and step, so a reload restores both.
import { keyName } from './lesson_steps.js';
import { show } from './lesson_view.js';
import { details } from './log.js';
import { patch } from './svg.js';

const pause = 250; // between two looks at a run, in milliseconds
const patience = 400; // looks; the stage bounds a run to less

// A browser that refuses storage forgets, and nothing else.
const memory = (() => { try { return sessionStorage; } catch { return {}; } })();
const later = (ms) => new Promise((done) => setTimeout(done, ms));

/** startLesson brings a lesson's page to life. */
export function startLesson(root) {
	const lesson = new Lesson(root);
	document.addEventListener('keydown', (e) => lesson.key(e));
	root.addEventListener('click', (e) => lesson.click(e.target));
	root.addEventListener('input', (e) => e.target.matches('[data-scrub]') && lesson.go(e.target.value - 1));
	addEventListener('resize', () => show(lesson));
	show(lesson);
	lesson.open();
}

class Lesson {
	constructor(root) {
		Object.assign(this, { root, run: null, at: 0, view: 'both', pick: '', filter: '', chosen: 0, hung: null });
		this.sides = this.all('[data-side]');
		this.names = this.sides.map((s) => s.dataset.side);
		this.lanes = this.find('[data-lanes]').dataset.lanes.split(' ');
		this.find('[data-shortcuts]').checked = memory.shortcuts !== 'off';
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

	// The server prints the steps, the board and the checks.
	take(run, url) {
		this.busy = false;
		if (this.root.hasAttribute('data-recorded')) {
			this.run = run;
			this.guess(memory[`guess ${run.id}`]);
			return this.go((parseInt(url.hash.slice(1), 10) || 1) - (this.wanted ? 0 : 1));
		}
		url.searchParams.delete('seed');
		url.searchParams.set('run', run.id);
		if (this.wanted) url.hash = '2';
		history.replaceState(null, '', url);
		return location.reload();
	}

	say(text, badge) {
		if (badge) [this.find('[data-badge]').textContent, this.busy] = [badge, false];
		this.find('[data-sentence]').textContent = this.find('[data-status]').textContent = text;
	}

	/** go reveals the recording up to a step, from 0. */
	go(n) {
		this.at = Math.max(0, Math.min(this.run.steps.length - 1, n));
		if (this.hung === Boolean(this.run.steps[this.at].curtain)) this.hung = null;
		this.pick = '';
		history.replaceState(null, '', `#${this.at + 1}`);
		this.find('[data-step]').textContent = this.find('[data-scrub]').value = this.at + 1;
		this.inspect(0);
		this.find('[data-status]').textContent = this.root.dataset.spoken;
	}

	key(event) {
		const mark = event.target.closest('g[data-seq]');
		const name = mark && /^( |Enter)$/.test(event.key) ? 'mark' : keyName(event, {
			text: event.target.closest('input:not([type="range"], [type="checkbox"]), textarea, select'),
			control: document.activeElement !== document.body, off: !this.find('[data-shortcuts]').checked,
		});
		const button = name && this.find(`[data-keys~="${CSS.escape(name)}"]`);
		if (name === 'mark') this.click(mark);
		else if (button?.offsetParent) button.click();
		else return;
		event.preventDefault();
	}

	click(target) {
		const of = (name) => target.closest(`[data-${name}]`)?.getAttribute(`data-${name}`);
		const flip = (name, value) => { this[name] = this[name] === value ? '' : value; };
		memory.shortcuts = this.find('[data-shortcuts]').checked ? 'on' : 'off';
		if (of('do')) this.does(of('do'));
		else if (of('answer')) this.guess(of('answer'));
		else if (of('pick')) flip('pick', of('pick'));
		else if (of('outcome')) flip('filter', of('outcome'));
		else if (of('seq')) this.inspect(Number(of('seq')));
		else if (target.closest('[data-close]')) this.inspect(0);
		show(this);
	}

	// A dark screen comes back before anything else happens.
	does(name) {
		const { previous, next, fresh, curtain } = this.root.dataset;
		if (name === 'blank' || this.root.matches('.dark')) this.root.classList.toggle('dark');
		else if (name === 'sides') this.view = { both: 'naive', naive: 'safe', safe: 'both' }[this.view];
		else if (name === 'curtain') this.hung = curtain !== 'true';
		else if (name === 'again') location.assign(fresh);
		else if (name === 'next') this.next(next, fresh);
		else if (name !== 'back') this.drawer(this.find(`[data-drawer="${name}"]`));
		else if (this.at) this.go(this.at - 1);
		else if (previous) location.assign(memory[previous] ?? previous); // as it was left
	}

	next(next, fresh) {
		if (this.busy) this.wanted = true;
		else if (!this.run) location.assign(fresh);
		else if (this.at < this.run.steps.length - 1) this.go(this.at + 1);
		else if (next) {
			memory[fresh] = location.href;
			location.assign(next);
		}
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
		const event = seq && this.run.events.find((e) => e.seq === seq);
		const box = this.find('[data-inspector]');
		this.chosen = seq;
		box.hidden = !event;
		if (event) patch(box, details(event, 0));
		show(this);
	}
}

// ask is a fetch that always answers; status 0 is no answer.
async function ask(url, command) {
	try {
		const response = await fetch(url, command && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(command) });
		return { status: response.status, body: await response.json().catch(() => null) };
	} catch {
		return { status: 0 };
	}
}
