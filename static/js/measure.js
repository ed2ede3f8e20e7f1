// How large the drawings may be, in their own units.

/**
 * measure reads the page: one unit is one pixel of a 1280 × 720 page, and grows
 * with the root's font or with the picture, whichever is larger. The height is
 * what is left of the window for each side, so that money, lanes and counters
 * stand on one screen.
 */
export function measure(root, sides) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
  const unit = Math.max(rem, Math.min(innerWidth / 1280, innerHeight / 720));
  const font = fontOf(sides);
  const box = sides[0]?.querySelector('[data-draw]');
  const width = Math.max(320, (box?.clientWidth || 612 * unit) / unit);
  return { unit, font, width: Math.round(width), height: heightOf(root, sides, unit) };
}

// lanes.css has the same sizes.
function fontOf(sides) {
  if (document.body.classList.contains('projector')) return 20;
  return sides.length === 1 ? 15 : 13;
}

// Below these, marks and pills would touch; above, the lanes fall apart.
const least = 190;
const most = 330;

function heightOf(root, sides, unit) {
  const area = root.querySelector('.sides');
  if (!area || !sides.length) return least;
  const rest = ['.scale', '.counters'].reduce((sum, name) => sum + outer(root.querySelector(name)), 0);
  const heads = sides.reduce((sum, side) => sum + outer(side.querySelector('.side-head')) + 12 * unit, 0);
  const top = area.getBoundingClientRect().top + scrollY;
  const free = innerHeight - top - rest - heads - 20 * unit;
  return Math.max(least, Math.min(most, free / sides.length / unit));
}

const outer = (element) => (element && !element.hidden ? element.offsetHeight + 8 : 0);
