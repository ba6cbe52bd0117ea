import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { h } from '../dom.js';
import type { App } from '../flow/app.js';
import type { OptionField } from '../setup/fields.js';
import { AS_GIVEN, AS_IN_JSON, readControl, writeControl } from '../setup/values.js';
import { credentialsControl } from './credentials-control.js';

/** The control of one member, kept in step with the set-up. */
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
