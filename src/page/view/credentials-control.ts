import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { h, replace } from '../dom.js';
import type { App } from '../flow/app.js';
import { listCredentials, listedCredentials } from '../setup/credentials.js';
import type { OptionField } from '../setup/fields.js';

/** A list of credential descriptors: as given, empty, or some of the stored passkeys. */
export function credentialsControl(app: App, dictionary: CeremonyKind, field: OptionField, id: string): Node {
  const root = h('div', { class: 'boxes scroll' });
  const write = (ids: readonly string[] | undefined) => {
    const { setup, passkeys } = app.store.get();
    app.store.set({ setup: { ...setup, [dictionary]: listCredentials(setup[dictionary], field.path, ids, passkeys) } });
  };
  app.store.watch(['setup', 'passkeys'], ({ setup, passkeys }) => {
    const listed = listedCredentials(setup[dictionary], field.path);
    const foreign = listed?.filter((one) => !passkeys.some((passkey) => passkey.credentialId === one)) ?? [];
    const own = listed !== undefined;
    const select = h(
      'select',
      { id, onChange: () => write(select.value === '' ? undefined : []) },
      h('option', { value: '', selected: !own }, 'as given'),
      h('option', { value: 'own', selected: own }, listed?.length === 0 ? 'empty' : 'these'),
    );
    replace(
      root,
      select,
      ...(own
        ? passkeys.toReversed().map((passkey) => {
            const input = h('input', { id: `${id}-${passkey.id}`, type: 'checkbox', checked: listed.includes(passkey.credentialId) });
            input.addEventListener('change', () =>
              write(input.checked ? [...listed, passkey.credentialId] : listed.filter((one) => one !== passkey.credentialId)),
            );
            return h('label', { class: 'switch' }, input, ` ${passkey.label} #${passkey.id}`);
          })
        : []),
      foreign.length === 0 ? undefined : h('small', { class: 'hint' }, `and ${foreign.length} that only the JSON shows`),
    );
  });
  return h('div', { class: 'option wide' }, h('label', { for: id }, field.label), root);
}
