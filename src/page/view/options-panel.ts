import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { byId, h } from '../dom.js';
import type { App } from '../flow/app.js';
import type { FieldGroup } from '../setup/fields.js';
import { AUTHENTICATION_FIELDS, EXTENSIONS, REGISTRATION_FIELDS } from '../setup/fields.js';
import type { Setup } from '../setup/setup.js';
import { PLAIN_SETUP, setupToFragment } from '../setup/setup.js';
import { jsonEditor } from './json-editor.js';
import { optionControl } from './option-control.js';
import { prfByCredential } from './prf-by-credential.js';

/** Every member of both options dictionaries, as a form and as JSON. What is set here goes through `/dev/*`. */
export function mountOptions(app: App): void {
  const root = byId('options', HTMLDivElement);
  const panel = byId('options-panel', HTMLDetailsElement);
  root.append(
    h(
      'p',
      { class: 'hint' },
      'What is left alone stays as the server sends it. The set-up is kept in the address of this page, to be shared. rp follows from app_name and app_url; user and challenge are the server’s.',
    ),
    relyingPartyForm(app),
    dictionaryPanel(app, 'registration', 'Registration options', REGISTRATION_FIELDS),
    dictionaryPanel(app, 'authentication', 'Authentication options', AUTHENTICATION_FIELDS),
    h(
      'div',
      { class: 'actions' },
      h('button', { id: 'options-reset', type: 'button', onClick: () => reset(app) }, 'Back to the given options'),
      h('button', { id: 'options-link', type: 'button', class: 'quiet', onClick: () => void copyLink(app) }, 'Copy the link'),
    ),
  );
  app.store.watch(['setup', 'server'], ({ setup, server }) => {
    const changed = changes(setup);
    byId('options-summary', HTMLSpanElement).textContent =
      changed === 0 ? 'as given' : server?.local === false ? 'not used: only for a browser on the server’s machine' : `${changed} changed`;
  });
  // A shared set-up should be seen.
  panel.open = changes(app.store.get().setup) > 0;
}

function changes({ registration, authentication, appName, appUrl }: Setup): number {
  return Object.keys(registration).length + Object.keys(authentication).length + (appName === '' ? 0 : 1) + (appUrl === '' ? 0 : 1);
}

function reset(app: App): void {
  app.store.set({
    setup: { ...PLAIN_SETUP, autofill: app.store.get().setup.autofill },
    status: 'The options are the given ones again.',
    statusFailed: false,
  });
}

async function copyLink(app: App): Promise<void> {
  const fragment = setupToFragment(app.store.get().setup);
  const link = `${location.origin}${location.pathname}${fragment === '' ? '' : `#${fragment}`}`;
  try {
    await navigator.clipboard.writeText(link);
    app.store.set({ status: 'Copied the link.', statusFailed: false });
  } catch {
    app.store.set({ status: 'The browser does not let this page copy. The link is the address of this page.', statusFailed: true });
  }
}

function relyingPartyForm(app: App): Node {
  const text = (member: 'appName' | 'appUrl', name: string, placeholder: string) => {
    const input = h('input', { id: `option-${name}`, type: member === 'appUrl' ? 'url' : 'text', autocomplete: 'off', placeholder });
    input.addEventListener('input', () => app.store.set({ setup: { ...app.store.get().setup, [member]: input.value.trim() } }));
    app.store.watch(['setup'], ({ setup }) => {
      if (document.activeElement !== input) {
        input.value = setup[member];
      }
    });
    return h('div', { class: 'option' }, h('label', { for: `option-${name}` }, name), input);
  };
  return h(
    'fieldset',
    {},
    h('legend', {}, 'Application'),
    h('div', { class: 'option-grid' }, text('appName', 'app_name', 'Passkey test page'), text('appUrl', 'app_url', location.origin)),
  );
}

function dictionaryPanel(app: App, dictionary: CeremonyKind, title: string, groups: readonly FieldGroup[]): Node {
  return h(
    'details',
    { class: 'dictionary', id: `options-${dictionary}`, 'aria-label': title, open: true },
    h('summary', {}, h('h3', {}, title)),
    ...groups.map((group) =>
      h(
        'fieldset',
        {},
        h('legend', {}, group.title),
        h(
          'div',
          { class: 'option-grid' },
          ...group.fields.map((field) => optionControl(app, dictionary, field)),
          dictionary === 'authentication' && group.title === EXTENSIONS ? prfByCredential(app) : undefined,
        ),
      ),
    ),
    jsonEditor(app, dictionary, title),
  );
}
