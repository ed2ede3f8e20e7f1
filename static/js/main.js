import { startCheckout } from './checkout.js';
import { startKeys } from './keys.js';
import { startPanel } from './panel.js';

startKeys();
if (document.querySelector('[data-checkout]')) startCheckout();
for (const root of document.querySelectorAll('[data-panel]')) startPanel(root);
for (const root of document.querySelectorAll('[data-lesson]')) import('./lesson.js').then((m) => m.startLesson(root));
