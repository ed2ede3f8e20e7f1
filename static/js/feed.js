// Fetches books and state after events, ten times a second at most, one at a
// time.

const pause = 100; // milliseconds between two fetches while events come in
const calm = 5000; // without events somebody else may still arm a fault

export class Feed {
	// onFetched gets { state, books, ahead }, each null where it was not to be had.
	constructor(onFetched) {
		Object.assign(this, { onFetched, timer: 0, busy: false, again: false });
		setInterval(() => document.hidden || this.soon(), calm);
	}

	// soon asks for fresh figures; many calls are one fetch.
	soon() {
		if (this.busy) this.again = true;
		else this.timer ||= setTimeout(() => this.fetch(), pause);
	}

	async fetch() {
		[this.timer, this.busy, this.again] = [0, true, false];
		const [state, books] = await Promise.all([get('/stage/state'), get('/stage/books')]);
		this.busy = false;
		this.onFetched({ state: state.body, books: books.body, ahead: state.ahead });
		if (this.again) this.soon();
	}
}

// The figures on the page stand until there are better ones.
async function get(url) {
	try {
		const response = await fetch(url, { headers: { Accept: 'application/json' } });
		return { body: response.ok ? await response.json() : null, ahead: aheadOf(response.headers.get('Date')) };
	} catch {
		return { body: null, ahead: null };
	}
}

// aheadOf is how far our clock is ahead of an answer's Date, in ms. That has whole
// seconds: below two it is noise.
export function aheadOf(date, now = Date.now()) {
	const ahead = now - Date.parse(date) - 500;
	return Math.abs(ahead) > 2000 ? ahead : 0;
}
