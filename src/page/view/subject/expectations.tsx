import type { JSX } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { ExpectationField } from '../../../server/schemas/expectations.js';
import { loadExpectations } from '../../flow/catalogue.js';
import { explainAgain, PAUSE } from '../../flow/explain.js';
import { NOTHING_EXPECTED } from '../../setup/expected.js';
import type { Pasted } from '../../state.js';
import { useApp, useAppState, useMembers } from '../../use-app.js';
import { Frame } from '../options/frame.js';

/** Form in which the user enters what the server of a pasted ceremony expects. The steps run again while the user types. */
export function Expectations({ pasted: { document, from } }: { readonly pasted: Pasted }): JSX.Element | null {
  const app = useApp();
  const { expected, expectations } = useMembers('expected', 'expectations');
  useEffect(() => void loadExpectations(app), [app]);
  const suggested = (field: ExpectationField) =>
    document.known_errors.flatMap((error) => error.expectations).flatMap(({ member, value }) => (member === field.name ? [value] : []));
  const given = from?.given;
  // Those that nothing in the paste says, as it came: a field must not move while the user types into it.
  const open = useMemo(() => {
    const slugs = document.steps.flatMap((step) => (step.open ? [step.slug] : []));
    const rows = expectations.status === 'loaded' ? expectations.rows : [];
    return rows.filter((field) => slugs.includes(field.step ?? '') || suggested(field).length > 0 || expected.texts[field.name]);
  }, [given, expectations.status]);
  useEffect(() => {
    if (from === undefined || from.expected === expected) return;
    const timer = setTimeout(() => void explainAgain(app, from.given), PAUSE);
    return () => clearTimeout(timer);
  }, [app, from, expected]);
  if (from === undefined || document.ceremony === null || expectations.status !== 'loaded') return null;
  const fields = expectations.rows.filter(({ of }) => of === undefined || of === document.ceremony);
  const grid = (wanted: boolean) => (
    <div class="option-grid">
      {fields.map((field) => open.includes(field) === wanted && <Field key={field.name} field={field} suggested={suggested(field)} />)}
    </div>
  );
  const shown = fields.some((field) => open.includes(field));
  return (
    <section id="expectations" class="card padded stack" aria-labelledby="expectations-heading">
      <h3 id="expectations-heading">What your server expects</h3>
      {shown && grid(true)}
      <details class="fold">
        <summary>{shown ? 'More' : 'Read from the pasted data'}</summary>
        {grid(false)}
      </details>
      <p class="line hint">
        Kept for the next paste and, except challenges, keys and roots, in the address of this page.
        <button
          id="expectations-clear"
          type="button"
          class="quiet small"
          disabled={!Object.values(expected.texts).some(Boolean)}
          onClick={() => app.store.set({ expected: NOTHING_EXPECTED })}
        >
          Clear all
        </button>
      </p>
    </section>
  );
}

interface FieldProps {
  readonly field: ExpectationField;
  /** Values that the error of the pasted ceremony's server names. */
  readonly suggested: readonly string[];
}

function Field({ field: { name, help, reads, choices }, suggested }: FieldProps): JSX.Element {
  const { store } = useApp();
  const { texts, wrong } = useAppState((state) => state.expected);
  const text = texts[name] ?? '';
  const problem = wrong[name];
  const set = (value: string) => {
    const { [name]: _, ...others } = store.get().expected.wrong;
    store.set({ expected: { texts: { ...store.get().expected.texts, [name]: value }, wrong: others } });
  };
  const id = `expect-${name}`;
  const shared = { id, value: text, 'aria-invalid': problem !== undefined, 'aria-describedby': `${id}-help ${id}-problem` };
  return (
    <Frame id={id} label={name} changed={text !== ''} help={help}>
      {name === 'publicKey' || name === 'roots' ? (
        <textarea {...shared} class="mono" rows={1} spellcheck={false} onInput={({ currentTarget }) => set(currentTarget.value)} />
      ) : choices === undefined ? (
        <input
          {...shared}
          class="mono"
          spellcheck={false}
          autocomplete="off"
          inputMode={reads === 'number' ? 'numeric' : 'text'}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      ) : (
        <select {...shared} onChange={({ currentTarget }) => set(currentTarget.value)}>
          <option value="">unknown</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
      <small id={`${id}-problem`} class="problem" role="alert">
        {problem}
      </small>
      {suggested
        .filter((value) => value !== text)
        .map((value) => (
          <button key={value} type="button" class="quiet small wrap" onClick={() => set(value)}>
            Use {value}, as its error says
          </button>
        ))}
    </Frame>
  );
}
