// Gates and what stands at them: arm one, see who is held, decide his fate.
import { command, sideOf } from './controls.js';
import { write } from './svg.js';
import { attemptWord, keyText } from './words.js';

// armed is what the form of one side asks for.
export function armed(panel, form) {
	const data = new FormData(form);
	arm(panel, sideOf(form), data.get('gate'), data.has('freeze'));
}

// A frozen hold does not renew its lease, so that another may take over.
const arm = (panel, side, gate, freeze) => command(panel, 'POST', '/stage/gates', { side, gate, owner: 'shop', count: 1, ...(freeze && { freeze }) });

// A step is the gate after this one, armed before the request goes on.
export async function decide(panel, box, fate) {
	const { side, hold, gate } = heldOn(panel, sideOf(box))[0] ?? {};
	if (!hold) return;
	if (fate === 'step') {
		const gates = [...box.parentElement.querySelectorAll('[data-arm] option:not([hidden])')].map((option) => option.value);
		const next = gates[gates.indexOf(gate) + 1];
		if (next && !(await arm(panel, side, next))) return;
	}
	const ms = fate === 'delay' ? Number(box.querySelector('select').value) : undefined;
	command(panel, 'POST', `/stage/holds/${hold}`, { action: fate === 'step' ? 'deliver' : fate, ms });
}

export async function disarm(panel) {
	await command(panel, 'DELETE', '/stage/faults');
	command(panel, 'DELETE', '/stage/gates');
}

const heldOn = (panel, side) => panel.model.state.holds.filter((hold) => hold.side === side);

export function fillHolds(panel) {
	const { faults, gates, holds, mistake } = panel.model.state;
	panel.find('[data-do="disarm"]').hidden = !(faults.length || gates.length || holds.length);
	for (const side of panel.sides) {
		const form = side.querySelector('[data-arm]');
		form.hidden = false; // it needs a script
		for (const option of form.querySelectorAll('[data-only]')) option.hidden = option.disabled = option.dataset.only !== mistake;
		if (form.gate.selectedOptions[0]?.disabled) form.gate.selectedIndex = 0;
		const box = side.querySelector('[data-held]');
		const held = heldOn(panel, side.dataset.side);
		box.hidden = !held.length;
		if (held.length) describe(panel, box, held);
	}
}

function describe(panel, box, [{ gate, owner, key, trace }, ...more]) {
	const { attempt, of } = panel.model.log.find((e) => e.trace === trace && e.attempt) ?? {};
	const clock = owner === 'shop' ? '; the shop’s clock stands still' : '';
	const others = more.length ? `; ${more.length} more behind it` : '';
	write(box.querySelector('[data-gate]'), gate);
	write(box.querySelector('[data-who]'), `${attemptWord({ attempt, of }).toLowerCase()}, ${key && 'key '}${keyText(key)}${clock}${others}`);
}
