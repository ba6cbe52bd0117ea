import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { h, hint, replace } from '../dom.js';
import type { App } from '../flow/app.js';
import type { OptionField } from '../setup/fields.js';
import { AS_GIVEN, AS_IN_JSON, listCredentials, listedCredentials, readControl, writeControl } from '../setup/values.js';
import { isRevoked } from '../state.js';

/** The control of one member, kept in sync with the setup. */
export function optionControl(app: App, dictionary: CeremonyKind, field: OptionField): Node {
  const id = `option-${dictionary}-${field.path.join('.')}`;
  const write = (input: string | readonly string[]) => {
    const { setup } = app.store.get();
    app.store.set({ setup: { ...setup, [dictionary]: writeControl(field, setup[dictionary], input) } });
  };
  const onChange = (show: (value: string | readonly string[]) => void) =>
    app.store.watch(['setup'], ({ setup }) => show(readControl(field, setup[dictionary])));
  if (field.kind === 'credentials') {
    return credentialsControl(app, dictionary, field, id);
  }
  if (field.kind === 'set') {
    return setControl(field, id, write, onChange);
  }
  const help = field.help === undefined ? undefined : h('small', { id: `${id}-help`, class: 'hint' }, field.help);
  const described = help === undefined ? {} : { 'aria-describedby': `${id}-help` };
  const control =
    field.kind === 'choice'
      ? h(
          'select',
          { id, ...described },
          h('option', { value: AS_GIVEN }, 'as given'),
          ...field.choices.map(({ label }) => h('option', { value: label }, label)),
          h('option', { value: AS_IN_JSON, hidden: true }, 'as in the JSON'),
        )
      : h('input', { id, type: field.kind === 'number' ? 'number' : 'text', autocomplete: 'off', placeholder: 'as given', ...described });
  control.addEventListener(field.kind === 'choice' ? 'change' : 'input', () => write(control.value));
  onChange((value) => {
    if (field.kind === 'choice' || document.activeElement !== control) {
      control.value = String(value);
    }
  });
  return h('div', { class: 'option' }, h('label', { for: id }, field.label), control, help);
}

function setControl(
  field: OptionField & { readonly kind: 'set' },
  id: string,
  write: (input: readonly string[]) => void,
  onChange: (show: (value: string | readonly string[]) => void) => void,
): Node {
  const boxes = field.choices.map(({ label }, index) => ({ label, input: h('input', { id: `${id}-${index}`, type: 'checkbox' }) }));
  for (const { input } of boxes) {
    input.addEventListener('change', () => write(boxes.filter((box) => box.input.checked).map((box) => box.label)));
  }
  onChange((value) => {
    for (const { label, input } of boxes) {
      input.checked = value.includes(label);
    }
  });
  return h(
    'div',
    { class: 'option wide', role: 'group', 'aria-labelledby': `${id}-label` },
    h('span', { id: `${id}-label`, class: 'label' }, field.label),
    h('div', { class: 'boxes' }, ...boxes.map(({ label, input }) => h('label', { class: 'switch' }, input, ` ${label}`))),
    field.help === undefined ? undefined : h('small', { class: 'hint' }, field.help),
  );
}

/** A list of credential descriptors: as given, empty, or some of the stored passkeys. */
export function credentialsControl(app: App, dictionary: CeremonyKind, field: OptionField, id: string): Node {
  const root = h('div', { class: 'boxes scroll' });
  const write = (ids: readonly string[] | undefined) => {
    const { setup, passkeys } = app.store.get();
    app.store.set({ setup: { ...setup, [dictionary]: listCredentials(setup[dictionary], field.path, ids, passkeys) } });
  };
  app.store.watch(['setup', 'passkeys'], ({ setup, passkeys }) => {
    const listed = listedCredentials(setup[dictionary], field.path);
    const foreign = listed?.filter((one) => !passkeys.some((passkey) => passkey.credential_id === one)) ?? [];
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
            const input = h('input', { id: `${id}-${passkey.id}`, type: 'checkbox', checked: listed.includes(passkey.credential_id) });
            input.addEventListener('change', () =>
              write(input.checked ? [...listed, passkey.credential_id] : listed.filter((one) => one !== passkey.credential_id)),
            );
            return h('label', { class: 'switch' }, input, ` ${passkey.label} #${passkey.id}`);
          })
        : []),
      foreign.length === 0 ? undefined : h('small', { class: 'hint' }, `and ${foreign.length} shown only in the JSON`),
    );
  });
  return h('div', { class: 'option wide' }, h('label', { for: id }, field.label), root);
}

/** One PRF input for each stored passkey (WebAuthn L3 §10.1.4, evalByCredential). */
export function prfByCredential(app: App): Node {
  const rows = h('div', { class: 'option-grid scroll', role: 'group', 'aria-label': 'prf.evalByCredential, first input' });
  const controls = new Map<string, Node>();
  app.store.watch(['passkeys'], ({ passkeys }) => {
    const live = passkeys.filter((passkey) => !isRevoked(passkey)).toReversed();
    replace(
      rows,
      ...live.map(({ credential_id, id, label }) => {
        const key = `${credential_id} ${label}`;
        const field: OptionField = {
          kind: 'bytes',
          label: `${label} #${id}`,
          path: ['extensions', 'prf', 'evalByCredential', credential_id, 'first'],
        };
        const control = controls.get(key) ?? optionControl(app, 'authentication', field);
        controls.set(key, control);
        return control;
      }),
      live.length === 0 ? hint('There are no passkeys yet.') : undefined,
    );
  });
  return h(
    'details',
    { class: 'option wide part' },
    h('summary', {}, h('code', {}, 'prf.evalByCredential'), ' one input per passkey'),
    rows,
  );
}
