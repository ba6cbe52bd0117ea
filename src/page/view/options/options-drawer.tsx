import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { CEREMONIES, type CeremonyKind } from '../../../webauthn/enumerations.js';
import { unusableBecause } from '../../flow/ceremonies.js';
import { APP_NAME } from '../../setup/own-options.js';
import { findPreset, PRESETS, withPreset } from '../../setup/presets.js';
import { listSettings } from '../../setup/settings.js';
import { PLAIN_SETUP, setupToFragment } from '../../setup/setup.js';
import { statusLine } from '../../state.js';
import { useApp, useAppState } from '../../use-app.js';
import { Drawer } from '../drawer.js';
import { Frame } from './frame.js';
import { JsonEditor } from './json-editor.js';
import { SettingControl } from './setting-control.js';
import { ChangeCount, type EditedOptions, useOptions } from './use-options.js';

const TABS: Readonly<Record<CeremonyKind, { readonly text: string; readonly title: string }>> = {
  registration: { text: 'Register a passkey', title: 'Registration options' },
  authentication: { text: 'Log in', title: 'Authentication options' },
};

/** Drawer with the options of both ceremonies: controls for common settings, and the JSON that the browser gets. */
export function OptionsDrawer(): JSX.Element {
  const app = useApp();
  // By value: a list would be a new one each time.
  const unusable = {
    registration: useAppState((state) => unusableBecause(state, 'registration') !== undefined),
    authentication: useAppState((state) => unusableBecause(state, 'authentication') !== undefined),
  };
  const server = useAppState((state) => state.server);
  const options = { registration: useOptions('registration'), authentication: useOptions('authentication') };
  const [tab, setTab] = useState<CeremonyKind>(() => {
    const needed = CEREMONIES.find((kind) => unusable[kind]) ?? CEREMONIES.find((kind) => options[kind].names.length > 0);
    return needed ?? 'registration';
  });
  const unused = server?.local === false && CEREMONIES.some((kind) => options[kind].names.length > 0);
  const step = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    const next = tab === 'registration' ? 'authentication' : 'registration';
    setTab(next);
    document.getElementById(`options-${next}-tab`)?.focus();
  };
  return (
    <Drawer id="options" title="Options">
      {unused && (
        <p id="options-unused" class="notice warn">
          Changed options are not used here: they only work in a browser on the server’s machine, in development.
        </p>
      )}
      <PresetList />
      <div class="segments" role="tablist" aria-label="Which options" onKeyDown={step}>
        {CEREMONIES.map((kind) => (
          <button
            key={kind}
            id={`options-${kind}-tab`}
            type="button"
            role="tab"
            aria-selected={tab === kind}
            aria-controls={`options-${kind}`}
            tabIndex={tab === kind ? 0 : -1}
            onClick={() => setTab(kind)}
          >
            {TABS[kind].text}
            <ChangeCount count={options[kind].names.length} invalid={unusable[kind]} />
          </button>
        ))}
      </div>
      {/* A new tab is a new form: nothing that was typed into one shows in the other. */}
      <Dictionary key={tab} options={options[tab]} title={TABS[tab].title} />
      <Application />
      <div class="line">
        <button
          id="options-reset"
          type="button"
          onClick={() =>
            app.store.set({
              setup: { ...PLAIN_SETUP, autofill: app.store.get().setup.autofill },
              invalid: {},
              ...statusLine('The options are reset.'),
            })
          }
        >
          Reset all options
        </button>
        <CopyLink />
      </div>
    </Drawer>
  );
}

function summarize(names: readonly string[], unusable: boolean): string {
  if (unusable) return 'The JSON cannot be used.';
  return names.length === 0 ? 'As the server sends them.' : `${names.length} changed: ${names.join(', ')}`;
}

interface DictionaryProps {
  readonly options: EditedOptions;
  readonly title: string;
}

function Dictionary({ options, title }: DictionaryProps): JSX.Element {
  const { dictionary, names } = options;
  const unusable = useAppState((state) => unusableBecause(state, dictionary) !== undefined);
  const algorithms = useAppState(({ server }) => server?.verifiable.algorithms) ?? [];
  return (
    <div id={`options-${dictionary}`} class="dictionary" role="tabpanel" aria-labelledby={`options-${dictionary}-tab`}>
      <p id={`options-${dictionary}-summary`} class="hint">
        {summarize(names, unusable)}
      </p>
      <div class="option-grid">
        {listSettings(dictionary, algorithms).map((setting) => (
          <SettingControl key={setting.path.join('.')} setting={setting} options={options} />
        ))}
      </div>
      <JsonEditor options={options} title={title} />
    </div>
  );
}

/** Fields for the name and address of the application, from which the server makes `rp`. */
function Application(): JSX.Element {
  const { store } = useApp();
  const setup = useAppState((state) => state.setup);
  const text = (member: 'appName' | 'appUrl', name: string, own: string) => (
    <Frame id={`option-${name}`} label={name} changed={setup[member] !== ''}>
      <input
        id={`option-${name}`}
        type="text"
        autocomplete="off"
        placeholder={own}
        value={setup[member]}
        onInput={(event) => store.set({ setup: { ...store.get().setup, [member]: event.currentTarget.value.trim() } })}
      />
    </Frame>
  );
  return (
    <fieldset class="application">
      <legend>Application</legend>
      <div class="option-grid">
        {text('appName', 'app_name', APP_NAME)}
        {text('appUrl', 'app_url', location.origin)}
      </div>
      <small class="hint">
        The server makes rp from them. The setup is kept in the address of this page, so it can be shared as a link.
      </small>
    </fieldset>
  );
}

/** Button that copies the address of this page, which contains the setup. */
function CopyLink(): JSX.Element {
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

/** Buttons that put the options for a common purpose into the JSON of both ceremonies. */
function PresetList(): JSX.Element {
  const { store } = useApp();
  const chosen = findPreset(useAppState((state) => state.setup));
  const choose = (name: string) => {
    const preset = PRESETS.find((one) => one.name === name);
    if (preset === undefined) return;
    const setup = withPreset(store.get().setup, preset);
    store.set({ setup, invalid: {}, ...statusLine(`The options are set for: ${name}.`) });
  };
  return (
    <Frame id="options-preset" label="Preset" changed={false}>
      <select id="options-preset" value={chosen?.name ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">none</option>
        {PRESETS.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </Frame>
  );
}
