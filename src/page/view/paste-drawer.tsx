import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { explain, explainFile } from '../flow/explain.js';
import { statusLine } from '../state.js';
import { useApp, useAppState } from '../use-app.js';
import { Form } from './controls.js';
import { Drawer } from './drawer.js';

const TAKES = [
  'options and responses, alone or together, however wrapped, as JSON, Base64 or hex, in a log or from console.log',
  'fixtures, and what this page copies or saves',
  'HTTP archives (HAR) of a browser, with all ceremonies in them',
  'errors: of a browser, a library, or a problem document of this server',
  'attestation objects, authenticator data, client data, COSE keys, certificates',
];

/** One box that takes whatever `passkey explain` takes. */
export function PasteDrawer(): JSX.Element {
  const app = useApp();
  const unexplained = useAppState((state) => state.unexplained);
  const pasted = useAppState((state) => state.pasted.length);
  const [text, setText] = useState(unexplained?.text ?? '');
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (unexplained !== undefined && unexplained.text !== '') setText(unexplained.text);
  }, [unexplained]);
  useEffect(() => {
    box.current?.focus();
    // The reason is out of date when the box is opened anew.
    return () => app.store.set({ unexplained: undefined });
  }, [app]);
  const submit = async (input: string) => {
    if (busy || input.trim() === '') return;
    setBusy(true);
    const done = await explain(app, { input });
    // Where it was explained, this drawer has gone.
    if (!done) setBusy(false);
  };
  const files = async (list: FileList | null) => {
    for (const file of list ?? []) await explainFile(app, file);
  };
  return (
    <Drawer id="paste" title="Paste or drop">
      <Form class="stack" onSend={() => submit(text)}>
        <label for="paste-box">What do you want explained?</label>
        <textarea
          id="paste-box"
          ref={box}
          rows={12}
          spellcheck={false}
          autocomplete="off"
          value={text}
          aria-invalid={unexplained !== undefined}
          aria-describedby="paste-problem paste-takes"
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit(text);
          }}
        />
        <p id="paste-problem" class="problem" role="alert">
          {unexplained?.problem}
        </p>
        <div class="line">
          <button id="paste-explain" type="submit" class="primary" aria-disabled={busy || text.trim() === ''}>
            Explain it
          </button>
          <label class="file">
            Open a file
            <input id="paste-file" type="file" multiple onChange={({ currentTarget }) => void files(currentTarget.files)} />
          </label>
        </div>
      </Form>
      <div id="paste-takes" class="stack hint">
        <p>It takes what passkey explain takes:</p>
        <ul>
          {TAKES.map((one) => (
            <li key={one}>{one}</li>
          ))}
        </ul>
        <p>Paste or drop anywhere on the page, too. It goes to this server only, which keeps nothing of it.</p>
      </div>
      {pasted > 0 && (
        <button
          id="paste-clear"
          type="button"
          class="quiet"
          onClick={() => {
            const { selected } = app.store.get();
            const gone = selected?.startsWith('pasted-') === true ? { selected: undefined } : {};
            app.store.set({ pasted: [], ...gone, ...statusLine('What was pasted is gone from the list.') });
            box.current?.focus();
          }}
        >
          Remove what was pasted from the list ({pasted})
        </button>
      )}
    </Drawer>
  );
}
