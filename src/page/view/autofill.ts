import { byId } from '../dom.js';
import type { App } from '../flow/app.js';
import type { Autofill } from '../flow/autofill.js';
import { formatClock } from './time.js';

/** Milliseconds without a further change of the options after which the request that waits is replaced. */
const SETTLED = 400;

const STATES = {
  off: 'Not waiting. Focus the field to begin anew.',
  arming: 'Asking the server for a challenge…',
  armed: 'The browser waits: focus the field and pick a passkey.',
  unavailable: 'This browser has no conditional mediation.',
} as const;

/** The field whose autofill offers passkeys. */
export function mountAutofill(app: App, autofill: Autofill): void {
  const box = byId('autofill-switch', HTMLInputElement);
  const field = byId('autofill', HTMLInputElement);
  const hint = byId('autofill-state', HTMLParagraphElement);
  let before = app.store.get().setup;
  let renewal: ReturnType<typeof setTimeout> | undefined;

  box.addEventListener('change', () => app.store.set({ setup: { ...app.store.get().setup, autofill: box.checked } }));
  field.addEventListener('focus', () => void autofill.arm());
  app.store.watch(['busy', 'mode'], ({ busy }) => {
    if (busy === undefined) {
      void autofill.arm();
    }
  });
  app.store.watch(['setup'], ({ setup }) => {
    if (setup.autofill !== before.autofill) {
      void (setup.autofill ? autofill.arm() : autofill.disarm());
    } else if (setup.autofill) {
      clearTimeout(renewal);
      renewal = setTimeout(() => void autofill.renew(), SETTLED);
    }
    before = setup;
  });
  let since = '';
  app.store.watch(['autofill'], (state) => {
    since = state.autofill === 'armed' ? ` Armed at ${formatClock(Date.now())}.` : '';
  });
  app.store.watch(['autofill', 'setup'], (state) => {
    box.checked = state.setup.autofill;
    field.disabled = !state.setup.autofill;
    hint.dataset['state'] = state.autofill;
    hint.textContent = state.setup.autofill ? `${STATES[state.autofill]}${since}` : '';
  });
}
