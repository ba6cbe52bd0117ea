import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { succeeded } from '../api.js';
import { getPath, isJsonObject, numberAt, stringAt } from '../json.js';
import type { HttpLeg } from '../run.js';
import type { PasskeyRow, ServerState, User } from '../state.js';
import type { App } from './app.js';

/** Every passkey of the user, revoked ones too. */
export const ALL_PASSKEYS = '/dev/passkeys?all=1';

/** Asks the server who we are, what it allows and which passkeys there are. */
export async function refresh(app: App): Promise<void> {
  const leg = await app.api.call('GET', '/dev/state');
  if (leg.status === undefined) {
    app.store.set({ mode: 'unreachable', status: leg.failure ?? '', statusFailed: true });
    return;
  }
  if (!succeeded(leg)) {
    await refreshProduction(app);
    return;
  }
  const user = getPath(leg.answer, ['user']);
  const before = app.store.get();
  app.store.set({
    mode: 'development',
    server: kept(before.server, toServerState(leg.answer)),
    user: kept(before.user, isJsonObject(user) ? toUser(user) : undefined),
  });
  if (!isJsonObject(user) && app.store.get().token !== undefined) {
    app.store.set({
      token: undefined,
      status: 'The bearer token of this tab is not accepted any more. Sign in again.',
      statusFailed: true,
    });
  }
  if (!isJsonObject(user) && before.user !== undefined && before.token === undefined) {
    app.store.set({ status: 'Your session ended.', statusFailed: true });
  }
  await refreshPasskeys(app);
}

export async function refreshPasskeys(app: App): Promise<void> {
  const { server, user, passkeys } = app.store.get();
  if (user === undefined) {
    // The last list stays: to log in with one of its passkeys, they must be there to choose.
    return;
  }
  const leg = await app.api.call('GET', server?.local === true ? ALL_PASSKEYS : '/api/passkeys');
  if (leg.status === 401) {
    app.store.set({ user: undefined, token: undefined, status: 'Your session ended. Sign in again.', statusFailed: true });
    return;
  }
  app.store.set({ passkeys: kept(passkeys, passkeyRows(leg) ?? []) });
}

/** The list of passkeys that the server answered with; undefined when it gave none. */
export function passkeyRows(leg: HttpLeg): readonly PasskeyRow[] | undefined {
  return succeeded(leg) && Array.isArray(leg.answer) ? leg.answer.map(toPasskeyRow) : undefined;
}

/** The old value where the new one says the same: nothing is drawn anew then, and what somebody is typing stays. */
function kept<T>(old: T, next: T): T {
  return JSON.stringify(old) === JSON.stringify(next) ? old : next;
}

/** Without /dev/* there is only the list of one's own passkeys, and whether it may be read tells whether we are signed in. */
async function refreshProduction(app: App): Promise<void> {
  app.store.set({ mode: 'production', server: undefined });
  const leg = await app.api.call('GET', '/api/passkeys');
  const { token, user } = app.store.get();
  const passkeys = passkeyRows(leg);
  if (passkeys !== undefined) {
    app.store.set({
      passkeys,
      user: user ?? { owner: '', name: token === undefined ? 'a session' : 'a bearer token', email: '' },
    });
    return;
  }
  const status = token === undefined ? {} : { status: 'The server does not accept this bearer token.', statusFailed: true };
  app.store.set({ user: undefined, token: undefined, ...status });
}

export function toUser(user: unknown): User {
  return {
    owner: ownerOf(stringAt(user, 'type'), numberAt(user, 'id')) ?? '',
    name: stringAt(user, 'name') ?? '',
    email: stringAt(user, 'email') ?? '',
  };
}

/** `TYPE:ID`; an answer of a login names no type, and `/dev/sign-in` takes the bare id for the default one. */
function ownerOf(type: string | undefined, id: number | undefined): string | undefined {
  return id === undefined ? undefined : type === undefined ? String(id) : `${type}:${id}`;
}

function toServerState(answer: unknown): ServerState {
  const users = getPath(answer, ['users']);
  return {
    origin: stringAt(answer, 'origin') ?? location.origin,
    rpId: stringAt(answer, 'rpId') ?? location.hostname,
    authAction: stringAt(answer, 'authAction') ?? 'session',
    local: getPath(answer, ['signIn']) === true,
    refusal: stringAt(answer, 'signInReason'),
    userVerification: stringAt(answer, 'policy', 'userVerification'),
    residentKey: stringAt(answer, 'policy', 'residentKey'),
    challengeTtl: numberAt(answer, 'policy', 'challengeTtl') ?? 120_000,
    users: Array.isArray(users) ? users.map(toUser) : [],
  };
}

function toPasskeyRow(entry: unknown): PasskeyRow {
  const flag = (member: string) => {
    const value = getPath(entry, [member]);
    return typeof value === 'boolean' ? value : undefined;
  };
  const transports = getPath(entry, ['transports']);
  return {
    id: numberAt(entry, 'id') ?? 0,
    label: stringAt(entry, 'label') ?? '',
    credentialId: encodeBase64url(decodeBase64(stringAt(entry, 'credential_id') ?? '')?.bytes ?? new Uint8Array()),
    createdAt: stringAt(entry, 'created_at') ?? '',
    owner: ownerOf(stringAt(entry, 'passkeeable_type'), numberAt(entry, 'passkeeable_id')),
    rpId: stringAt(entry, 'rp_id'),
    aaguid: stringAt(entry, 'aaguid'),
    provider: stringAt(entry, 'provider'),
    signCount: numberAt(entry, 'sign_count'),
    backupEligible: flag('backup_eligible'),
    backupState: flag('backup_state'),
    uvInitialized: flag('uv_initialized'),
    transports: Array.isArray(transports) ? transports.map(String) : [],
    attestationFormat: stringAt(entry, 'attestation_format'),
    userHandle: stringAt(entry, 'user_handle'),
    publicKey: stringAt(entry, 'public_key'),
    lastUsedAt: stringAt(entry, 'last_used_at'),
    revokedAt: stringAt(entry, 'revoked_at'),
    revokedReason: stringAt(entry, 'revoked_reason'),
  };
}
