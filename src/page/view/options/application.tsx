import type { JSX } from 'preact';
import { APP_NAME } from '../../setup/own-options.js';
import { setupToFragment } from '../../setup/setup.js';
import { statusLine } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';

/** What the server makes `rp` of. */
export function Application(): JSX.Element {
  const { store } = useApp();
  const setup = useAppState((state) => state.setup);
  const text = (member: 'appName' | 'appUrl', name: string, own: string) => (
    <div class="option">
      <div class="option-head">
        <label for={`option-${name}`}>
          {setup[member] !== '' && <span class="changed-dot" aria-hidden="true" />}
          <code>{name}</code>
        </label>
      </div>
      <input
        id={`option-${name}`}
        type="text"
        autocomplete="off"
        placeholder={own}
        value={setup[member]}
        onInput={(event) => store.set({ setup: { ...store.get().setup, [member]: event.currentTarget.value.trim() } })}
      />
    </div>
  );
  return (
    <fieldset class="application">
      <legend>Application</legend>
      <div class="option-grid">
        {text('appName', 'app_name', APP_NAME)}
        {text('appUrl', 'app_url', location.origin)}
      </div>
      <small class="hint">rp follows from them. The setup is kept in the address of this page, so it can be shared as a link.</small>
    </fieldset>
  );
}

/** Copies the address of this page, which holds the setup. */
export function CopyLink(): JSX.Element {
  const { store } = useApp();
  const copy = async () => {
    const fragment = setupToFragment(store.get().setup);
    try {
      await navigator.clipboard.writeText(`${location.origin}${location.pathname}${fragment === '' ? '' : `#${fragment}`}`);
      store.set(statusLine('Copied the link to these options.'));
    } catch {
      store.set(statusLine('The browser does not let this page copy. Copy the address of this page instead.', true));
    }
  };
  return (
    <button id="options-link" type="button" class="quiet" onClick={() => void copy()}>
      Copy link to these options
    </button>
  );
}
