// One fetch for all that is JSON. It always answers; status 0 is no answer.
export async function ask(url, command, method = command ? 'POST' : 'GET') {
	try {
		const response = await fetch(url, { method, ...(command && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(command) }) });
		const { ok, status, headers } = response;
		return { ok, status, date: headers.get('Date'), body: await response.json().catch(() => null) };
	} catch {
		return { ok: false, status: 0, date: null, body: null };
	}
}
