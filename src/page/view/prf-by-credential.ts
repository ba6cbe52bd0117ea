import { h, replace } from '../dom.js';
import type { App } from '../flow/app.js';
import type { OptionField } from '../setup/fields.js';
import { optionControl } from './option-control.js';

/** One input of the pseudo-random function for each stored passkey (WebAuthn L3 §10.1.4, evalByCredential). */
export function prfByCredential(app: App): Node {
  const rows = h('div', { class: 'option-grid scroll', role: 'group', 'aria-label': 'prf.evalByCredential, first input' });
  const controls = new Map<string, Node>();
  app.store.watch(['passkeys'], ({ passkeys }) => {
    const live = passkeys.filter(({ revokedAt }) => revokedAt === undefined).toReversed();
    replace(
      rows,
      ...live.map(({ credentialId, id, label }) => {
        const key = `${credentialId} ${label}`;
        const field: OptionField = {
          kind: 'bytes',
          label: `${label} #${id}`,
          path: ['extensions', 'prf', 'evalByCredential', credentialId, 'first'],
        };
        const control = controls.get(key) ?? optionControl(app, 'authentication', field);
        controls.set(key, control);
        return control;
      }),
      live.length === 0 ? h('p', { class: 'hint' }, 'There are no passkeys yet.') : undefined,
    );
  });
  return h(
    'details',
    { class: 'option wide part' },
    h('summary', {}, h('code', {}, 'prf.evalByCredential'), ' an input of its own for a passkey'),
    rows,
  );
}
