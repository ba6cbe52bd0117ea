import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { explainFile, explainTyped, PASTE_BOX, PAUSE } from '../flow/explain.js';
import { type Given, statusLine } from '../state.js';
import { useApp, useMembers } from '../use-app.js';

/** Maximum length in characters of an input that the field shows again. A browser would take seconds to show a longer one. */
const MOST = 100_000;

/** Field that accepts any input of `passkey explain`. The explanation appears below the field while the user types. */
export function PasteBox(): JSX.Element {
  const app = useApp();
  const { pasted, selected, unexplained } = useMembers('pasted', 'selected', 'unexplained');
  const shown = pasted.find(({ id }) => `pasted-${id}` === selected)?.from?.given;
  const given = shown ?? unexplained?.given;
  const [text, setText] = useState(writable(given));
  /** Input that the field shows at present: the last text sent, or one pasted elsewhere on the page. */
  const current = useRef(given);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (given === current.current) return;
    current.current = given;
    setText(writable(given));
  }, [given]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const send = (input: string) => {
    const before = current.current;
    current.current = input.trim() === '' ? undefined : { input };
    // What was not in the field stays in the list.
    void explainTyped(app, current.current, writable(before) === '' ? undefined : before);
  };
  const type = (input: string, pause: number) => {
    setText(input);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => send(input), pause);
  };
  const files = async (list: FileList | null) => {
    for (const file of list ?? []) await explainFile(app, file);
  };
  return (
    <div id="paste" class="stack">
      {shown === undefined && <h2>Why was my passkey refused?</h2>}
      <label for={PASTE_BOX}>Paste what your app sent or got: a HAR, an error message, options, a response …</label>
      <textarea
        id={PASTE_BOX}
        rows={shown === undefined ? 8 : 3}
        spellcheck={false}
        autocomplete="off"
        placeholder={
          given?.name ??
          'JSON, Base64 or hex, a log, a fixture, a certificate. Put related parts below each other: the error, then the response.'
        }
        value={text}
        aria-invalid={unexplained !== undefined}
        aria-describedby="paste-problem"
        onInput={({ currentTarget, inputType }) => type(currentTarget.value, inputType === 'insertFromPaste' ? 0 : PAUSE)}
      />
      <p id="paste-problem" class="problem" role="status">
        {unexplained?.problem}
      </p>
      <div class="line hint">
        <label class="file">
          Open a file
          <input id="paste-file" type="file" multiple onChange={({ currentTarget }) => void files(currentTarget.files)} />
        </label>
        or drop one anywhere. It goes to this server only, which keeps nothing of it.
        {pasted.length > 0 && (
          <button
            id="paste-clear"
            type="button"
            class="quiet"
            onClick={() => {
              app.store.set({
                pasted: [],
                unexplained: undefined,
                ...(shown !== undefined && { selected: undefined }),
                toFocus: PASTE_BOX,
                ...statusLine('What was pasted is gone from the list.'),
              });
            }}
          >
            Remove what was pasted ({pasted.length})
          </button>
        )}
      </div>
    </div>
  );
}

/** Returns the text to show in the field for an input; empty if the input is a file or too long. */
function writable(given: Given | undefined): string {
  return given === undefined || given.name !== undefined || given.input.length > MOST ? '' : given.input;
}
