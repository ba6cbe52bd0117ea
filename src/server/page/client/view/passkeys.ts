import { byId, h, replace } from '../dom.js';
import type { App } from '../flow/app.js';
import { authenticate } from '../flow/authenticate.js';
import { rename, restore, revoke } from '../flow/passkeys.js';
import type { AppState, PasskeyRow } from '../state.js';
import { formatTime } from './time.js';

/** The stored passkeys with what can be done to each. */
export function mountPasskeys(app: App): void {
  const root = byId('passkeys', HTMLDivElement);
  app.store.watch(['passkeys', 'user', 'showRevoked', 'busy', 'server'], (state) => {
    const shown = shownPasskeys(state);
    replace(
      root,
      state.passkeys.some((passkey) => passkey.revokedAt !== undefined) ? filters(app, state) : undefined,
      state.user === undefined && shown.length > 0 ? h('p', { class: 'hint' }, 'Of the user who was signed in before.') : undefined,
      shown.length === 0
        ? h('p', { class: 'hint' }, emptyText(state))
        : h('ul', { class: 'passkeys' }, ...shown.map((passkey) => passkeyItem(app, state, passkey))),
    );
  });
}

function shownPasskeys({ passkeys, showRevoked }: Pick<AppState, 'passkeys' | 'showRevoked'>): readonly PasskeyRow[] {
  return passkeys.filter((passkey) => showRevoked || passkey.revokedAt === undefined);
}

function isOwn({ user }: Pick<AppState, 'user'>, passkey: PasskeyRow): boolean {
  return user !== undefined && (passkey.owner === undefined || passkey.owner === user.owner);
}

function emptyText(state: AppState): string {
  return state.user === undefined ? 'None yet. Sign in as a test user and register one.' : 'None yet. Register one above.';
}

function filters(app: App, state: AppState): Node {
  const box = (id: string, label: string, checked: boolean, onChange: (checked: boolean) => void) =>
    h(
      'label',
      { class: 'switch' },
      h('input', {
        id,
        type: 'checkbox',
        checked,
        onChange: (event) => onChange(event.currentTarget instanceof HTMLInputElement && event.currentTarget.checked),
      }),
      ` ${label}`,
    );
  return h(
    'div',
    { class: 'filters' },
    box('show-revoked', 'Show revoked ones', state.showRevoked, (showRevoked) => app.store.set({ showRevoked })),
  );
}

function passkeyItem(app: App, state: AppState, passkey: PasskeyRow): Node {
  const revoked = passkey.revokedAt !== undefined;
  const own = isOwn(state, passkey);
  const id = `passkey-${passkey.id}`;
  const button = (name: string, text: string, onClick: () => void, disabled = false) =>
    h(
      'button',
      { id: `${id}-${name}`, type: 'button', 'aria-describedby': `${id}-label`, 'aria-disabled': disabled && 'true', onClick },
      text,
    );
  return h(
    'li',
    { id, class: revoked ? 'passkey revoked' : 'passkey', 'data-credential-id': passkey.credentialId },
    h(
      'p',
      { class: 'passkey-title' },
      h('strong', { id: `${id}-label` }, passkey.label),
      h('span', { class: 'badge' }, `#${passkey.id}`),
      badge(passkey.provider, passkey.aaguid),
      badge(backupText(passkey), 'Backup flags of the last ceremony'),
      revoked ? h('span', { class: 'badge bad' }, 'revoked') : undefined,
    ),
    h('p', { class: 'hint' }, facts(state, passkey)),
    h(
      'div',
      { class: 'actions' },
      button('login', 'Log in', () => void authenticate(app, { passkey, endpoint: 'login' }), state.busy !== undefined),
      button('verify', 'Verify', () => void authenticate(app, { passkey, endpoint: 'verify' }), state.busy !== undefined),
      own && !revoked ? button('rename', 'Rename', () => startRename(app, passkey)) : undefined,
      own && !revoked ? button('revoke', 'Revoke', () => void revokeAndFocus(app, passkey)) : undefined,
      own && revoked && state.server?.local === true ? button('restore', 'Restore', () => void restore(app, passkey)) : undefined,
    ),
  );
}

function badge(text: string | undefined, title: string | undefined): Node | undefined {
  return text === undefined ? undefined : h('span', { class: 'badge', title }, text);
}

function backupText({ backupEligible, backupState }: PasskeyRow): string | undefined {
  if (backupEligible === undefined) {
    return undefined;
  }
  return backupState === true ? 'synced' : backupEligible ? 'not synced yet' : 'this device only';
}

function facts(state: AppState, passkey: PasskeyRow): string {
  return [
    isOwn(state, passkey) || passkey.owner === undefined ? undefined : passkey.owner,
    passkey.rpId,
    `made ${formatTime(passkey.createdAt)}`,
    passkey.lastUsedAt === undefined ? 'never used' : `used ${formatTime(passkey.lastUsedAt)}`,
    passkey.signCount === undefined ? undefined : `counter ${passkey.signCount}`,
    passkey.transports.length === 0 ? undefined : passkey.transports.join(', '),
    passkey.revokedAt === undefined ? undefined : `revoked ${formatTime(passkey.revokedAt)}${reason(passkey)}`,
  ]
    .filter((fact) => fact !== undefined)
    .join(' · ');
}

function reason({ revokedReason }: PasskeyRow): string {
  return revokedReason === undefined ? '' : ` (${revokedReason})`;
}

/** The list item goes, and the focus with it: it moves to the heading above. */
async function revokeAndFocus(app: App, passkey: PasskeyRow): Promise<void> {
  if (await revoke(app, passkey)) {
    document.getElementById('passkeys-heading')?.focus();
  }
}

function startRename(app: App, passkey: PasskeyRow): void {
  const label = byId(`passkey-${passkey.id}-label`, HTMLElement);
  const button = byId(`passkey-${passkey.id}-rename`, HTMLButtonElement);
  const input = h('input', {
    type: 'text',
    maxlength: 255,
    required: true,
    value: passkey.label,
    'aria-label': 'New name',
    class: 'rename',
  });
  const cancel = h('button', { type: 'button', class: 'quiet', onClick: () => stop() }, 'Cancel');
  const form = h('form', { class: 'rename-form' }, input, h('button', { type: 'submit' }, 'Save'), cancel);
  const stop = () => {
    form.replaceWith(label);
    button.disabled = false;
    button.focus();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    stop();
    if (text !== passkey.label) {
      void rename(app, passkey, text);
    }
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      stop();
    }
  });
  label.replaceWith(form);
  button.disabled = true;
  input.select();
  input.focus();
}
