// A drawing is a tree of plain objects; patch touches only what differs, so that
// a mark keeps its focus.

const namespace = 'http://www.w3.org/2000/svg';

export function h(tag, { key = null, ...attrs } = {}, ...kids) {
	for (const name in attrs) if (typeof attrs[name] === 'number') attrs[name] = round(attrs[name]);
	return { tag, key, attrs, kids: kids.flat().filter(Boolean) };
}

export const round = (n) => Math.round(n * 10) / 10;

export const path = (parts, ...numbers) => String.raw({ raw: parts }, ...numbers.map((n) => (typeof n === 'number' ? round(n) : n)));

export function patch(parent, nodes) {
	const wanted = new Set(nodes.map((node) => node.key));
	const keyed = new Map();
	for (const child of [...parent.childNodes]) {
		if (child.vkey == null) continue;
		// What is gone goes first: moving what stays would cost it its focus.
		if (wanted.has(child.vkey)) keyed.set(child.vkey, child);
		else child.remove();
	}
	nodes.forEach((node, i) => {
		const here = parent.childNodes[i];
		const match = node.key != null ? keyed.get(node.key) : here;
		const element = match && fits(match, node) ? match : create(node, parent);
		if (element !== here) parent.insertBefore(element, here ?? null);
		fill(element, node);
	});
	while (parent.childNodes.length > nodes.length) parent.lastChild.remove();
}

function fits(element, node) {
	if (typeof node === 'string') return element.nodeType === 3;
	return element.localName === node.tag && (element.vkey ?? null) === node.key;
}

// Inside an SVG everything is SVG; elsewhere the tag decides.
function create(node, parent) {
	if (typeof node === 'string') return document.createTextNode(node);
	const svg = node.tag === 'svg' || parent.namespaceURI === namespace;
	const element = svg ? document.createElementNS(namespace, node.tag) : document.createElement(node.tag);
	element.vkey = node.key;
	return element;
}

function fill(element, node) {
	if (typeof node === 'string') return void write(element, node);
	const isSet = (name) => node.attrs[name] != null && node.attrs[name] !== false;
	for (const { name } of [...element.attributes]) if (!isSet(name)) element.removeAttribute(name);
	for (const [name, value] of Object.entries(node.attrs)) {
		if (isSet(name) && element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : value);
	}
	patch(element, node.kids);
}

export function write(element, text) {
	const differs = element && element.textContent !== text;
	if (differs) element.textContent = text;
	return differs;
}

export function svg(box, width, { height, nodes, size }, cls, label) {
	const attrs = label ? { role: 'group', 'aria-label': label } : { 'aria-hidden': 'true' };
	patch(box, [h('svg', { class: cls, viewBox: `0 0 ${Math.round(width)} ${height}`, 'font-size': size, ...attrs }, nodes)]);
}
