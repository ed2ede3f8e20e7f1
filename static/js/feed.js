// Fetches the books and the state after events, at most ten times a second,
// and never two at a time.

/** Milliseconds between two fetches while events come in. */
const pause = 100;
/** Without events somebody else may still arm a fault. Milliseconds. */
const calm = 5000;

export class Feed {
  /** onFetched gets { state, books, ahead }; each is null where it was not to
   * be had. `ahead` is how far our clock is ahead of the server's, in ms. */
  constructor(onFetched) {
    this.onFetched = onFetched;
    this.timer = 0;
    this.busy = false;
    this.again = false;
    setInterval(() => document.hidden || this.soon(), calm);
  }

  /** soon asks for fresh figures; many calls are one fetch. */
  soon() {
    if (this.busy) this.again = true;
    else if (!this.timer) this.timer = setTimeout(() => this.fetch(), pause);
  }

  async fetch() {
    this.timer = 0;
    this.busy = true;
    const [state, books] = await Promise.all([get('/stage/state'), get('/stage/books')]);
    this.busy = false;
    this.onFetched({ state: state.body, books: books.body, ahead: state.ahead });
    if (this.again) {
      this.again = false;
      this.soon();
    }
  }
}

// The figures on the page stand until there are better ones.
async function get(url) {
  try {
    const response = await fetch(url, { headers: { Accept: 'application/json' } });
    const date = Date.parse(response.headers.get('Date') ?? '');
    const ahead = Number.isNaN(date) ? null : Date.now() - date - 500; // the middle of that second
    return { body: response.ok ? await response.json() : null, ahead };
  } catch {
    return { body: null, ahead: null };
  }
}

/** booksOf finds an owner's figures in what was fetched. */
export function booksOf(books, side, owner) {
  const found = books?.sides?.[side];
  return { figures: found?.owners?.[owner] ?? null, stale: Boolean(found?.stale) };
}
