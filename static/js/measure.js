// How large the drawings may be. A unit is one pixel of a 1280 × 720 page, and grows
// with the root's font or the picture.
export function measure(root, sides) {
	const rem = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
	const unit = Math.max(rem, Math.min(innerWidth / 1280, innerHeight / 720));
	const font = document.body.classList.contains('projector') ? 20 : sides.length === 1 ? 15 : 13;
	const width = Math.round(Math.max(320, (sides[0]?.querySelector('[data-draw]').clientWidth || 612 * unit) / unit));
	const bottom = (document.querySelector('.projector .foot') ?? root.querySelector('.hints') ?? root.querySelector('.counters')).getBoundingClientRect().bottom + scrollY;
	const rows = sides.map((side) => Math.max(...['.draw', '.purse'].map((part) => side.querySelector(part).offsetHeight)));
	const free = (innerHeight - bottom + rows.reduce((a, b) => a + b, 0)) / unit - 8;
	return { unit, font, width, free };
}

// Where the largest words leave no room for the story, smaller ones do.
export const fonts = (font) => [font, 17, 15, 13].filter((f) => f <= font);
