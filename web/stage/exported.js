// Stands for the server in an exported file: the page's own scripts ask what
// they always ask, and are answered from what was written down.
(() => {
	const kept = JSON.parse(document.getElementById('exported').textContent);
	const answer = (status, body, type) => new Response(body, { status, headers: { 'Content-Type': type, Date: kept.date } });
	const json = 'application/json';

	window.fetch = async (request, options) => {
		const { pathname, searchParams } = new URL(String(request.url ?? request), 'http://exported');
		if ((options?.method ?? 'GET') !== 'GET') return answer(405, '{"detail":"This is a recording: nothing can be done here."}', json);
		if (pathname === '/stage/exchange') {
			const html = kept.exchanges[`${searchParams.get('side')}/${searchParams.get('trace')}`];
			return html ? answer(200, html, 'text/html') : answer(404, '{"detail":"Nothing was kept of that request."}', json);
		}
		const found = kept.answers[pathname];
		return found ? answer(200, JSON.stringify(found), json) : answer(404, '{"detail":"This is a recording; that is not in it."}', json);
	};

	// The panel follows a socket. What has happened arrives; nothing more will.
	window.WebSocket = class {
		constructor() {
			setTimeout(() => {
				this.onopen?.();
				for (const frame of kept.frames) this.onmessage?.({ data: JSON.stringify(frame) });
			});
		}

		close() {}
	};

	// Addresses of the stage lead nowhere from a file: their words stay. What the
	// scripts draw is theirs to change, so there only the click is taken away.
	const inside = 'a[href^="/"]';
	addEventListener('DOMContentLoaded', () => {
		for (const link of document.querySelectorAll(inside)) link.removeAttribute('href');
	});
	addEventListener('click', (event) => event.target.closest?.(inside) && event.preventDefault(), true);
	addEventListener('submit', (event) => event.preventDefault(), true);
})();
