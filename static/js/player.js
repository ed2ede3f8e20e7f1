// Any moment of a recording can be looked at, or played. What it shows does not
// depend on how one came there.

// An event stands so long at least, a silence at most. Milliseconds.
const least = 150;
const most = 1500;
const frames = 200; // of a run with many clients

const browser = () => ({ later: setTimeout.bind(globalThis), stop: clearTimeout.bind(globalThis) });

export class Player {
	// moment is how many events are shown; null while a step is told, which shows
	// `step`.
	constructor(onMove, env = browser()) {
		Object.assign(this, { onMove, env, events: [], moment: null, step: 0, timer: null });
	}

	get position() {
		return Math.min(this.moment ?? this.step, this.events.length);
	}

	get event() {
		return this.events[this.position - 1] ?? null;
	}

	to(moment) {
		this.stop();
		this.set(moment);
	}

	set(moment) {
		this.moment = Math.max(0, Math.min(this.events.length, moment));
		this.onMove();
	}

	leave() {
		this.stop();
		this.moment = null;
	}

	play() {
		if (this.timer !== null) return this.to(this.position);
		if (this.position === this.events.length) this.moment = 0;
		this.tick();
		return this.onMove();
	}

	tick() {
		const next = this.events[this.position];
		const wait = next && Math.max(least, Math.min(most, next.at_ms - (this.event ?? next).at_ms));
		this.timer = next ? this.env.later(() => {
			this.tick(this.moment = Math.min(this.events.length, this.position + Math.ceil(this.events.length / frames)));
			this.onMove();
		}, wait) : null;
	}

	stop() {
		this.env.stop(this.timer);
		this.timer = null;
	}
}
