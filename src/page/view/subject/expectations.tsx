import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ExpectationField } from '../../../server/schemas/expectations.js';
import { loadExpectations } from '../../flow/catalogue.js';
import { explainAgain, PAUSE } from '../../flow/explain.js';
import { NOTHING_EXPECTED } from '../../setup/expected.js';
import type { Pasted } from '../../state.js';
import { useApp, useAppState, useMembers } from '../../use-app.js';
import { Frame } from '../options/frame.js';

/** Asks what the server of a pasted ceremony expects. The steps run again while the user types. */
export function Expectations({ pasted: { document, from } }: { readonly pasted: Pasted }): JSX.Element | null {
  const app = useApp();
  const { expected, expectations } = useMembers('expected', 'expectations');
  useEffect(() => void loadExpectations(app), [app]);
  const [open] = useState(document.verdict === 'undecided' || Object.keys(expected.texts).length > 0);
  useEffect(() => {
    if (from === undefined || from.expected === expected) return;
    const timer = setTimeout(() => void explainAgain(app, from.given), PAUSE);
    return () => clearTimeout(timer);
  }, [app, from, expected]);
  if (from === undefined || document.ceremony === null || expectations.status !== 'loaded') return null;
  const fields = expectations.rows.filter(({ of }) => of === undefined || of === document.ceremony);
  const suggested = document.known_errors.flatMap((error) => error.expectations);
  return (
    <details id="expectations" class="card padded fold" open={open}>
      <summary>What your server expects</summary>
      <div class="option-grid">
        {fields.map((field) => (
          <Field
            key={field.name}
            field={field}
            suggested={suggested.filter(({ member }) => member === field.name).map(({ value }) => value)}
          />
        ))}
      </div>
      <p class="line hint">
        Kept for the next paste and, except challenges, keys and roots, in the address of this page.
        <button id="expectations-clear" type="button" class="quiet small" onClick={() => app.store.set({ expected: NOTHING_EXPECTED })}>
          Clear all
        </button>
      </p>
    </details>
  );
}

interface FieldProps {
  readonly field: ExpectationField;
  /** Values that the error of the server names. */
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
