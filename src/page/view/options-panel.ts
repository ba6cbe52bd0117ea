import type { CeremonyKind } from '../../webauthn/enumerations.js';
import { byId, h } from '../dom.js';
import type { App } from '../flow/app.js';
import type { FieldGroup } from '../setup/fields.js';
import { AUTHENTICATION_FIELDS, EXTENSIONS, REGISTRATION_FIELDS, remarksOn } from '../setup/fields.js';
import type { Setup } from '../setup/setup.js';
import { PLAIN_SETUP, parseDictionary, setupToFragment } from '../setup/setup.js';
import { statusLine } from '../state.js';
import { optionControl, prfByCredential } from './option-control.js';

/** Every member of both options dictionaries, as a form and as JSON. Changed options are requested from `/dev/*`. */
export function mountOptions(app: App): void {
  const root = byId('options', HTMLDivElement);
  const panel = byId('options-panel', HTMLDetailsElement);
  root.append(
    h(
      'p',
      { class: 'hint' },
      'Members you leave alone stay as the server sends them. The setup is kept in the address of this page, so you can share it. rp follows from app_name and app_url; user and challenge come from the server.',
    ),
    relyingPartyForm(app),
    dictionaryPanel(app, 'registration', 'Registration options', REGISTRATION_FIELDS),
    dictionaryPanel(app, 'authentication', 'Authentication options', AUTHENTICATION_FIELDS),
    h(
      'div',
      { class: 'actions' },
      h('button', { id: 'options-reset', type: 'button', onClick: () => reset(app) }, 'Reset the options'),
      h('button', { id: 'options-link', type: 'button', class: 'quiet', onClick: () => void copyLink(app) }, 'Copy link'),
    ),
  );
  app.store.watch(['setup', 'server'], ({ setup, server }) => {
    const changed = changes(setup);
    byId('options-summary', HTMLSpanElement).textContent =
      changed === 0
        ? 'as given'
        : server?.local === false
          ? 'not used: only works in a browser on the server’s machine'
          : `${changed} changed`;
  });
  // Show a shared setup.
  panel.open = changes(app.store.get().setup) > 0;
}

function changes({ registration, authentication, appName, appUrl }: Setup): number {
  return Object.keys(registration).length + Object.keys(authentication).length + (appName === '' ? 0 : 1) + (appUrl === '' ? 0 : 1);
}

function reset(app: App): void {
  app.store.set({
    setup: { ...PLAIN_SETUP, autofill: app.store.get().setup.autofill },
    ...statusLine('The options are reset.'),
  });
}

async function copyLink(app: App): Promise<void> {
  const fragment = setupToFragment(app.store.get().setup);
  const link = `${location.origin}${location.pathname}${fragment === '' ? '' : `#${fragment}`}`;
  try {
    await navigator.clipboard.writeText(link);
    app.store.set(statusLine('Copied the link.'));
  } catch {
    app.store.set(statusLine('The browser does not let this page copy. Copy the address of this page instead.', true));
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

/** The members of one dictionary as JSON. Valid input appears in the form at once. */
export function jsonEditor(app: App, dictionary: CeremonyKind, title: string): Node {
  const id = `options-${dictionary}-json`;
  const problem = h('p', { id: `${id}-problem`, class: 'hint problem', role: 'alert' });
  const editor = h('textarea', {
    id,
    rows: 6,
    spellcheck: 'false',
    autocomplete: 'off',
    'aria-describedby': `${id}-problem ${id}-remarks`,
  });
  const remarks = h('p', { id: `${id}-remarks`, class: 'hint remarks' });
  editor.addEventListener('input', () => {
    const parsed = parseDictionary(editor.value);
    const wrong = 'problem' in parsed;
    problem.textContent = wrong ? parsed.problem : '';
    editor.setAttribute('aria-invalid', String(wrong));
    if (!wrong) {
      app.store.set({ setup: { ...app.store.get().setup, [dictionary]: parsed.value } });
    }
  });
  editor.addEventListener('blur', () => {
    if (editor.getAttribute('aria-invalid') !== 'true') {
      editor.value = format(app.store.get().setup[dictionary]);
    }
  });
  app.store.watch(['setup'], ({ setup }) => {
    remarks.textContent = remarksOn(dictionary, setup[dictionary]).join(' ');
    if (document.activeElement !== editor) {
      editor.value = format(setup[dictionary]);
      problem.textContent = '';
      editor.setAttribute('aria-invalid', 'false');
    }
  });
  return h('div', { class: 'option wide' }, h('label', { for: id }, `${title} as JSON`), editor, problem, remarks);
}

function format(value: object): string {
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value, null, 2);
}
