// Fetches books and state after events, ten times a second at most, one at a time.
import { ask } from './ask.js';

const pause = 100; // milliseconds between two fetches while events come in
const calm = 5000; // without events somebody else may still arm a fault

export class Feed {
	// onFetched gets { state, books, ahead }, the first two null where they were not
	// to be had: the figures on the page stand until there are better ones.
	constructor(onFetched) {
		Object.assign(this, { onFetched, timer: 0, busy: false, again: false });
		setInterval(() => document.hidden || this.soon(), calm);
	}

	soon() {
		if (this.busy) this.again = true;
		else this.timer ||= setTimeout(() => this.fetch(), pause);
	}

	async fetch() {
		[this.timer, this.busy, this.again] = [0, true, false];
		const [state, books] = await Promise.all([ask('/stage/state'), ask('/stage/books')]);
		this.busy = false;
		this.onFetched({ state: state.ok ? state.body : null, books: books.ok ? books.body : null, ahead: aheadOf(state.date) });
		if (this.again) this.soon();
	}
}

// aheadOf is how far our clock is ahead of an answer's Date, in ms. That has
// whole seconds: below two it is noise.
export function aheadOf(date, now = Date.now()) {
	const ahead = now - Date.parse(date) - 500;
	return Math.abs(ahead) > 2000 ? ahead : 0;
}
