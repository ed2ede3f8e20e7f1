// Brings the marked parts of a page up to date, once a second while somebody
// looks.
setInterval(async () => {
  if (document.hidden) return;
  const text = await fetch(location).then((r) => r.text(), () => '');
  const page = new DOMParser().parseFromString(text, 'text/html');
  for (const part of document.querySelectorAll('[data-again]')) {
    const next = page.getElementById(part.id)?.innerHTML ?? part.innerHTML;
    if (next !== part.innerHTML) part.innerHTML = next;
  }
}, 1000);
