import { byId, h, replace } from '../dom.js';
import type { App } from '../flow/app.js';
import { type AppState, isRevoked, type PasskeyRow } from '../state.js';
import { passkeyItem } from './passkey-item.js';

/** More than these are shown only when asked for; where there are more, they can be searched. */
const SHOWN_AT_ONCE = 12;

/** The stored passkeys, newest first, with what can be done to each. */
export function mountPasskeys(app: App): void {
  const list = h('div', {});
  const find = h('input', {
    id: 'passkey-find',
    type: 'search',
    autocomplete: 'off',
    dir: 'auto',
    'aria-label': 'Find a passkey',
    placeholder: 'Find by name, provider, id …',
  });
  const showRevoked = h('input', { id: 'show-revoked', type: 'checkbox' });
  const revokedBox = h('label', { class: 'switch' }, showRevoked, ' Show revoked ones');
  let all = false;

  const draw = () => {
    const state = app.store.get();
    // Somebody is typing a new name or is asked whether to revoke: what is new is drawn when that has ended.
    if (list.querySelector('form') !== null) {
      return;
    }
    const kept = state.passkeys.filter((passkey) => state.showRevoked || !isRevoked(passkey) || state.revokedHere.includes(passkey.id));
    find.hidden = state.passkeys.length <= SHOWN_AT_ONCE;
    revokedBox.hidden = !state.passkeys.some(isRevoked);
    showRevoked.checked = state.showRevoked;
    const found = kept.filter((passkey) => matches(passkey, find.value)).toReversed();
    const shown = all ? found : found.slice(0, SHOWN_AT_ONCE);
    const open = new Set([...list.querySelectorAll('details[open]')].map(({ id }) => id));
    replace(
      list,
      state.user === undefined && kept.length > 0 ? h('p', { class: 'hint' }, 'Of the user who was signed in before.') : undefined,
      found.length === 0
        ? h('p', { class: 'hint' }, emptyText(state, kept.length))
        : h('ul', { class: 'passkeys' }, ...shown.map((passkey) => passkeyItem(app, state, { passkey, open, redraw: draw }))),
      shown.length < found.length
        ? h('button', { id: 'show-all', type: 'button', class: 'quiet', onClick: showAll }, `Show all ${found.length}`)
        : undefined,
    );
  };
  /** The button goes; the focus moves to the first passkey that it has brought. */
  const showAll = () => {
    all = true;
    draw();
    list.querySelector<HTMLElement>(`li:nth-child(${SHOWN_AT_ONCE + 1}) button`)?.focus();
  };

  byId('passkeys', HTMLDivElement).append(h('div', { class: 'filters' }, find, revokedBox), list);
  find.addEventListener('input', draw);
  showRevoked.addEventListener('change', () => app.store.set({ showRevoked: showRevoked.checked }));
  app.store.watch(['passkeys', 'user', 'showRevoked', 'revokedHere', 'server', 'signalled'], draw);
  app.store.watch(['busy'], ({ busy }) => {
    for (const button of list.querySelectorAll('.ceremony')) {
      button.setAttribute('aria-disabled', String(busy !== undefined));
    }
  });
}

/** Every word somewhere in what the item shows; a credential id by its beginning, for short words are in every other one. */
function matches({ id, label, provider, aaguid, credential_id, rp_id }: PasskeyRow, wanted: string): boolean {
  const text = [`#${id}`, label, provider, aaguid, rp_id].join('\n').toLowerCase();
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  return words.every((word) => text.includes(word.toLowerCase()) || credential_id.startsWith(word));
}

function emptyText(state: AppState, kept: number): string {
  if (kept > 0) {
    return 'None of these is found by that.';
  }
  return state.user === undefined ? 'None yet. Sign in as a test user and register one.' : 'None yet. Register one above.';
}
