import { byId, h, hint, replace } from '../dom.js';
import type { App } from '../flow/app.js';
import { type AppState, isRevoked, type PasskeyRow } from '../state.js';
import { passkeyItem } from './passkey-item.js';

/** The number of passkeys shown at first. If there are more, a search field appears. */
const SHOWN_AT_ONCE = 12;

/** The stored passkeys, newest first, with their actions. */
export function mountPasskeys(app: App): void {
  const list = h('div', {});
  const find = h('input', {
    id: 'passkey-find',
    type: 'search',
    autocomplete: 'off',
    dir: 'auto',
    'aria-label': 'Find a passkey',
    placeholder: 'Find by name, provider, ID…',
  });
  const showRevoked = h('input', { id: 'show-revoked', type: 'checkbox' });
  const revokedBox = h('label', { class: 'switch' }, showRevoked, ' Show revoked passkeys');
  let all = false;

  const draw = () => {
    const state = app.store.get();
    // A rename or revoke form is open. It redraws the list when it closes.
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
      state.user === undefined && kept.length > 0 ? hint('Passkeys of the user who was signed in before.') : undefined,
      found.length === 0
        ? hint(emptyText(state, kept.length))
        : h('ul', { class: 'passkeys' }, ...shown.map((passkey) => passkeyItem(app, state, { passkey, open, redraw: draw }))),
      shown.length < found.length
        ? h('button', { id: 'show-all', type: 'button', class: 'quiet', onClick: showAll }, `Show all ${found.length}`)
        : undefined,
    );
  };
  /** The button goes away; the focus moves to the first passkey it added. */
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

/** Whether the item shows every word. Credential IDs match by their beginning: nearly all of them contain any short word. */
function matches({ id, label, provider, aaguid, credential_id, rp_id }: PasskeyRow, wanted: string): boolean {
  const text = [`#${id}`, label, provider, aaguid, rp_id].join('\n').toLowerCase();
  const words = wanted.split(/\s+/).filter((word) => word !== '');
  return words.every((word) => text.includes(word.toLowerCase()) || credential_id.startsWith(word));
}

function emptyText(state: AppState, kept: number): string {
  if (kept > 0) {
    return 'No passkey matches.';
  }
  return state.user === undefined ? 'None yet. Sign in as a test user and register one.' : 'None yet. Register one above.';
}
