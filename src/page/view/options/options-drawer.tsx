import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { changedMembers } from '../../../kernel/changed-members.js';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';
import type { FieldGroup, Preset } from '../../../server/schemas/option-form.js';
import { CEREMONIES, type CeremonyKind } from '../../../webauthn/enumerations.js';
import { loadOptionForm } from '../../flow/catalogue.js';
import { unusableBecause } from '../../flow/ceremonies.js';
import { getPath } from '../../json.js';
import { APP_NAME } from '../../setup/own-options.js';
import { isPreset, PLAIN_SETUP, setupToFragment, withPreset } from '../../setup/setup.js';
import { isChanged } from '../../setup/values.js';
import { statusLine } from '../../state.js';
import { useApp, useAppState, useMembers } from '../../use-app.js';
import { Drawer } from '../drawer.js';
import { Fold, Frame } from './control-frame.js';
import { OptionControl, PrfByCredential } from './controls.js';
import { JsonEditor } from './json-editor.js';
import { ChangeCount, type EditedOptions, useOptions } from './use-options.js';

const TABS: Readonly<Record<CeremonyKind, { readonly text: string; readonly title: string }>> = {
  registration: { text: 'Register', title: 'Registration options' },
  authentication: { text: 'Log in', title: 'Authentication options' },
};

/** The options of both ceremonies: controls beside the JSON that the browser gets. */
export function OptionsDrawer(): JSX.Element {
  const app = useApp();
  // By value: a list would be a new one each time.
  const unusable = {
    registration: useAppState((state) => unusableBecause(state, 'registration') !== undefined),
    authentication: useAppState((state) => unusableBecause(state, 'authentication') !== undefined),
  };
  const { server, optionForm: form } = useMembers('server', 'optionForm');
  useEffect(() => void loadOptionForm(app), [app]);
  const { registration = [], authentication = [], presets = [] } = form.status === 'loaded' ? form.value : {};
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
      {form.status === 'failed' && <p class="notice warn">Only the JSON can be edited. {form.why}</p>}
      <PresetList presets={presets} />
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
      <Dictionary
        key={tab}
        options={options[tab]}
        title={TABS[tab].title}
        groups={tab === 'registration' ? registration : authentication}
      />
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
  readonly groups: readonly FieldGroup[];
}

function Dictionary({ options, title, groups }: DictionaryProps): JSX.Element {
  const { dictionary, names } = options;
  const unusable = useAppState((state) => unusableBecause(state, dictionary) !== undefined);
  return (
    <div id={`options-${dictionary}`} class="dictionary" role="tabpanel" aria-labelledby={`options-${dictionary}-tab`}>
      <p id={`options-${dictionary}-summary`} class="hint">
        {summarize(names, unusable)}
      </p>
      <div>
        {groups.map((group) => (
          <fieldset key={group.title}>
            <legend>{group.title}</legend>
            <div class="option-grid">
              {group.fields.map((field) => (
                <OptionControl key={field.path.join('.')} field={field} options={options} />
              ))}
              {dictionary === 'authentication' && group.fields.some(({ path }) => path[1] === 'prf') && (
                <PrfByCredential options={options} />
              )}
            </div>
            {group.rare !== undefined && (
              <Fold count={group.rare.length} changed={group.rare.some((field) => isChanged(field, options))}>
                <div class="option-grid">
                  {group.rare.map((field) => (
                    <OptionControl key={field.path.join('.')} field={field} options={options} />
                  ))}
                </div>
              </Fold>
            )}
          </fieldset>
        ))}
      </div>
      <JsonEditor options={options} title={title} />
    </div>
  );
}

/** Name and address from which the server makes `rp`. */
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
      <small class="hint">rp follows from them. The setup is kept in the address of this page, so it can be shared as a link.</small>
    </fieldset>
  );
}

/** Copies the address of this page, which holds the setup. */
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

/** Setups for common intents, each with what it sets. */
function PresetList({ presets }: { readonly presets: readonly Preset[] }): JSX.Element {
  const { store } = useApp();
  const setup = useAppState((state) => state.setup);
  const chosen = presets.find((preset) => isPreset(setup, preset));
  return (
    <details class="presets fold">
      <summary>Presets{chosen !== undefined && <span class="badge accent">{chosen.name}</span>}</summary>
      <ul>
        {presets.map((preset) => (
          <li key={preset.name}>
            <button
              type="button"
              class="stack wrap preset"
              aria-pressed={preset === chosen}
              onClick={() =>
                store.set({
                  setup: withPreset(store.get().setup, preset),
                  invalid: {},
                  ...statusLine(`The options are set for: ${preset.name}.`),
                })
              }
            >
              <strong>{preset.name}</strong>
              <span class="hint">{preset.about}</span>
              {listSets(preset).map((line) => (
                <code key={line} class="hint">
                  {line}
                </code>
              ))}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The members that a preset sets, with their values where they are short; those of a login by themselves. */
function listSets({ registration, authentication }: Preset): string[] {
  const sets = (changed: JsonObject) =>
    changedMembers(changed, {}).map((name) => {
      const path = name.split('.');
      const value = getPath(changed, path);
      return isObject(value) ? path.at(-1) : `${path.at(-1)}: ${String(value)}`;
    });
  return [['create()', sets(registration)] as const, ['get()', sets(authentication)] as const].flatMap(([call, members]) =>
    members.length === 0 ? [] : `${call} ${members.join(', ')}`,
  );
}
