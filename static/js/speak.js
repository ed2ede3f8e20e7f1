// What a screen reader is told: one sentence a second at most, in a storm a
// summary instead.
import { wordOf } from './words.js';

const storm = 20;

const browser = () => ({ now: () => performance.now(), later: setTimeout.bind(globalThis) });

export const sideName = (side) => side[0].toUpperCase() + side.slice(1);

export const prefixed = (side, text) => (!side || /\b(naive|safe)\b/i.test(text) ? text : `${sideName(side)}: ${text}`);

export class Speaker {
	constructor(write, env = browser()) {
		Object.assign(this, { write, env, said: -1e9, sentence: '', last: '', news: [], heard: [] });
	}

	hear(event) {
		if (event.outcome) this.heard.push(event);
	}

	// say is for the sentence that stands, `news` for what it must not overtake.
	say(sentence, ...news) {
		this.sentence = sentence;
		this.news.push(...news);
		const wait = this.said + 1000 - this.env.now();
		if (wait <= 0) this.speak();
		else this.timer ??= this.env.later(() => this.speak(), wait);
	}

	speak() {
		const { heard, news, sentence, last } = this;
		const text = heard.length > storm ? summary(heard) : [...news, sentence === last ? '' : sentence].join(' ').trim();
		Object.assign(this, { heard: [], news: [], last: sentence, timer: null });
		if (!text) return;
		this.said = this.env.now();
		this.write(text);
	}
}

function summary(events) {
	const counts = {};
	for (const event of events) {
		const name = `${sideName(event.side)}: ${event.outcome === 'attempt' ? 'ATTEMPT' : wordOf(event)}`;
		counts[name] = (counts[name] ?? 0) + 1;
	}
	return Object.entries(counts).map(([name, n]) => `${name} ${n} times.`).join(' ');
}
