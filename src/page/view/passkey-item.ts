import { focus, h, hint } from '../dom.js';
import type { App } from '../flow/app.js';
import { authenticate } from '../flow/authenticate.js';
import { restore } from '../flow/passkeys.js';
import { type AppState, isRevoked, ownerOf, type PasskeyRow } from '../state.js';
import { askToRevoke, startRename } from './passkey-forms.js';
import { passkeySignals } from './signals.js';
import { formatTime } from './time.js';

const NO_AAGUID = '00000000-0000-0000-0000-000000000000';

const REVOKED_HERE =
  'Revoked only at the server. If the authenticator still offers it, “Log in with a passkey” shows how the server refuses it.';

interface ItemOptions {
  readonly passkey: PasskeyRow;
  /** Ids of the `details` that are open. */
  readonly open: ReadonlySet<string>;
  readonly redraw: () => void;
}

/** One stored passkey. */
export function passkeyItem(app: App, state: AppState, { passkey, open, redraw }: ItemOptions): HTMLLIElement {
  const revoked = isRevoked(passkey);
  const own = isOwn(state, passkey);
  const revokedHere = revoked && state.revokedHere.includes(passkey.id);
  // Revoking may have ended the session that did it; offer Undo all the same.
  const restorable = revoked && state.server?.local === true && (own || (revokedHere && state.user === undefined));
  const id = `passkey-${passkey.id}`;
  const button = (name: string, text: string, onClick: () => void) =>
    h('button', { id: `${id}-${name}`, type: 'button', 'aria-describedby': `${id}-label`, onClick }, text);
  /** Not during another ceremony. */
  const ceremony = (endpoint: 'login' | 'verify', text: string) => {
    const begin = button(endpoint, text, () => void authenticate(app, { passkey, endpoint }));
    begin.classList.add('ceremony');
    begin.setAttribute('aria-disabled', String(state.busy !== undefined));
    return begin;
  };
  return h(
    'li',
    { id, class: revoked ? 'passkey revoked' : 'passkey', 'data-credential-id': passkey.credential_id },
    h(
      'p',
      { class: 'passkey-title' },
      h('strong', { id: `${id}-label`, dir: 'auto' }, passkey.label),
      h('span', { class: 'badge' }, `#${passkey.id}`),
      badge(providerText(passkey), passkey.aaguid),
      badge(backupText(passkey), 'Backup flags of the last ceremony'),
      revoked ? h('span', { class: 'badge bad' }, 'revoked') : undefined,
      state.signalled.includes(passkey.credential_id)
        ? h('span', { class: 'badge warn', title: 'The browser was asked to hide or delete it' }, 'maybe hidden')
        : undefined,
    ),
    hint(facts(state, passkey)),
    h(
      'div',
      { class: 'actions' },
      ceremony('login', 'Log in'),
      ceremony('verify', 'Verify'),
      own && !revoked ? button('rename', 'Rename', () => startRename(app, passkey, redraw)) : undefined,
      own && !revoked ? button('revoke', 'Revoke…', () => askToRevoke(app, passkey, redraw)) : undefined,
      restorable ? button('restore', revokedHere ? 'Undo' : 'Restore', () => void restoreAndFocus(app, passkey)) : undefined,
    ),
    revokedHere ? hint(REVOKED_HERE) : undefined,
    details(passkey, `${id}-details`, open),
    own ? passkeySignals(app, state, passkey, open) : undefined,
  );
}

function isOwn({ user }: Pick<AppState, 'user'>, passkey: PasskeyRow): boolean {
  return user !== undefined && (ownerOf(passkey) ?? user.owner) === user.owner;
}

function badge(text: string | undefined, title: string | undefined): Node | undefined {
  return text === undefined ? undefined : h('span', { class: 'badge', title }, text);
}

function providerText({ provider, aaguid }: PasskeyRow): string | undefined {
  if (aaguid === undefined) {
    return undefined;
  }
  return provider ?? (aaguid === NO_AAGUID ? 'no AAGUID' : `AAGUID ${aaguid.slice(0, 8)}…`);
}

function backupText({ backup_eligible, backup_state }: PasskeyRow): string | undefined {
  if (backup_eligible === undefined) {
    return undefined;
  }
  return backup_state === true ? 'synced' : backup_eligible ? 'not synced yet' : 'this device only';
}

function facts(state: AppState, passkey: PasskeyRow): string {
  return [
    isOwn(state, passkey) ? undefined : ownerOf(passkey),
    passkey.rp_id,
    `created ${formatTime(passkey.created_at)}`,
    typeof passkey.last_used_at === 'string' ? `used ${formatTime(passkey.last_used_at)}` : 'never used',
    passkey.sign_count === undefined ? undefined : `counter ${passkey.sign_count}`,
    passkey.transports?.join(', '),
    typeof passkey.revoked_at === 'string' ? `revoked ${formatTime(passkey.revoked_at)}${reason(passkey)}` : undefined,
  ]
    .filter((fact) => fact !== undefined && fact !== '')
    .join(' · ');
}

function reason({ revoked_reason }: PasskeyRow): string {
  return typeof revoked_reason === 'string' ? ` (${revoked_reason})` : '';
}

/** The stored credential in full. */
function details(passkey: PasskeyRow, id: string, open: ReadonlySet<string>): Node {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Credential ID', passkey.credential_id],
    ['AAGUID', passkey.aaguid],
    ['User handle', passkey.user_handle],
    ['Public key', passkey.public_key],
    ['Attestation', passkey.attestation_format],
    ['User verified', passkey.uv_initialized === undefined ? undefined : passkey.uv_initialized ? 'at least once' : 'never'],
  ];
  return h(
    'details',
    { id, class: 'part', open: open.has(id) },
    h('summary', { id: `${id}-summary` }, 'Details', h('span', { class: 'unseen' }, ` of ${passkey.label}`)),
    h('dl', {}, ...rows.flatMap(([name, value]) => (value === undefined ? [] : [h('dt', {}, name), h('dd', {}, h('code', {}, value))]))),
  );
}

/** The button goes away; the focus moves to the one that replaces it. */
async function restoreAndFocus(app: App, passkey: PasskeyRow): Promise<void> {
  if (await restore(app, passkey)) {
    focus(`passkey-${passkey.id}-revoke`);
  }
}
