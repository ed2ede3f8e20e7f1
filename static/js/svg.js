// A drawing is a tree of plain objects, so that it can be made and tested
// without a page; patch brings an element to that state and touches only what
// differs, so that a focused mark keeps its focus and a click its target.

const namespace = 'http://www.w3.org/2000/svg';

/** h makes a node: tag, attributes, children (nodes or strings). A `key`
 * attribute names the node among its siblings and is not written out. Numbers
 * are rounded. */
export function h(tag, attrs = {}, ...kids) {
  const { key, ...rest } = attrs;
  for (const name in rest) if (typeof rest[name] === 'number') rest[name] = round(rest[name]);
  return { tag, key: key ?? null, attrs: rest, kids: kids.flat().filter((kid) => kid !== null && kid !== undefined && kid !== false) };
}

/** round keeps coordinates short: a tenth of a unit is below a pixel. */
export const round = (n) => Math.round(n * 10) / 10;

/** path is a template for a path's data, with its numbers rounded. */
export const path = (parts, ...numbers) => String.raw({ raw: parts }, ...numbers.map((n) => (typeof n === 'number' ? round(n) : n)));

/** patch makes the children of `parent` equal to `nodes`. */
export function patch(parent, nodes) {
  const wanted = new Set(nodes.map((node) => node.key ?? null));
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
    const element = fits(match, node) ? match : create(node, parent);
    if (element !== here) parent.insertBefore(element, here ?? null);
    fill(element, node);
  });
  while (parent.childNodes.length > nodes.length) parent.lastChild.remove();
}

function fits(element, node) {
  if (!element) return false;
  if (typeof node === 'string') return element.nodeType === 3;
  return element.nodeType === 1 && element.localName === node.tag && (element.vkey ?? null) === node.key;
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
  if (typeof node === 'string') {
    if (element.data !== node) element.data = node;
    return;
  }
  for (const { name } of [...element.attributes]) if (!isSet(node.attrs[name])) element.removeAttribute(name);
  for (const [name, value] of Object.entries(node.attrs)) {
    if (isSet(value) && element.getAttribute(name) !== String(value)) element.setAttribute(name, value === true ? '' : value);
  }
  patch(element, node.kids);
}

const isSet = (value) => value !== undefined && value !== null && value !== false;
