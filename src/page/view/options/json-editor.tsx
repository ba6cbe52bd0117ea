import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { JsonObject } from '../../../kernel/json-value.js';
import { unusableBecause } from '../../flow/ceremonies.js';
import { changedLines, formatJson } from '../../json.js';
import { changesIn, isBound, remarksOn, takenOut, withoutBound } from '../../setup/own-options.js';
import { parseDictionary } from '../../setup/setup.js';
import { unverifiable } from '../../setup/verifiable.js';
import { useApp, useAppState } from '../../use-app.js';
import type { EditedOptions } from './use-options.js';

/** Text that the user is typing in the JSON editor, with the options that it describes. */
interface Draft {
  readonly text: string;
  readonly edited: JsonObject;
}

/**
 * JSON editor for the options that the browser gets. Marks lines that differ from the server's own. Valid input updates the settings at
 * once.
 */
export function JsonEditor({ options, title }: { readonly options: EditedOptions; readonly title: string }): JSX.Element {
  const { store } = useApp();
  const { dictionary, own, changed, effective } = options;
  const invalid = useAppState((state) => state.invalid[dictionary]);
  const problem = useAppState((state) => unusableBecause(state, dictionary));
  const verifiable = useAppState(({ server }) => server?.verifiable);
  const [draft, setDraft] = useState<Draft>();
  const id = `options-${dictionary}-json`;
  const text = invalid?.text ?? draft?.text ?? formatJson(effective);
  const marked = changedLines(text, formatJson(own));
  const remarks = remarksOn(dictionary, draft === undefined ? changed : changesIn(own, draft.edited));
  const missing =
    draft === undefined || draft.text.trim() === '' ? [] : takenOut(own, draft.edited).filter((name) => !isBound(dictionary, name));

  const type = (typed: string) => {
    const parsed = parseDictionary(typed);
    const unusable = (why: string) => store.set({ invalid: { ...store.get().invalid, [dictionary]: { text: typed, problem: why } } });
    if ('problem' in parsed) {
      unusable(parsed.problem);
      return;
    }
    setDraft({ text: typed, edited: parsed.value });
    const changes = withoutBound(dictionary, changesIn(own, parsed.value));
    const problems = unverifiable(dictionary, changes, verifiable);
    if (problems.length === 0) options.write(changes);
    else unusable(problems.join(' '));
  };

  return (
    <div class="json-column">
      <label for={id}>
        <span class="unseen">{title} as </span>JSON that the browser gets
      </label>
      <div class="json-editor">
        <pre aria-hidden="true">
          {text.split('\n').map((line, index) => (
            // Lines have no name but their place.
            <span key={index} class={marked[index] === true ? 'changed' : undefined}>
              {`${line}\n`}
            </span>
          ))}
        </pre>
        <textarea
          id={id}
          spellcheck={false}
          autocomplete="off"
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-problem ${id}-remarks`}
          onInput={(event) => type(event.currentTarget.value)}
          onBlur={() => setDraft(undefined)}
        />
      </div>
      <p id={`${id}-problem`} class="problem" role="alert">
        {problem}
      </p>
      <p id={`${id}-remarks`} class="hint">
        {[...remarks, ...(missing.length === 0 ? [] : [`${missing.join(', ')}: sent by the server even if left out here.`])].join(' ')}
      </p>
    </div>
  );
}
