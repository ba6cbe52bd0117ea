import { isObject } from '../../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { getPath, listAt, numberAt, stringAt } from '../json.js';
import type { HttpLeg } from '../run.js';
import { describeFailure, succeeded } from '../run.js';
import { toVerifiable } from '../setup/verifiable.js';
import type { PasskeyRow, ServerState, User } from '../state.js';
import { statusLine } from '../state.js';
import type { App } from './app.js';

/** Every passkey of the user, including revoked ones. */
export const ALL_PASSKEYS = '/dev/passkeys?all=1';

/** Asks the server who we are, what it allows and which passkeys there are. */
export async function refresh(app: App): Promise<void> {
  const leg = await app.api.call('GET', '/dev/state');
  if (!succeeded(leg)) {
    app.store.set({ mode: 'unreachable', ...statusLine(describeFailure(leg), true) });
    return;
  }
  const user = getPath(leg.answer, ['user']);
  const before = app.store.get();
  app.store.set({
    mode: 'development',
    server: kept(before.server, toServerState(leg.answer)),
    user: kept(before.user, isObject(user) ? toUser(user) : undefined),
  });
  if (!isObject(user) && app.store.get().token !== undefined) {
    app.store.set({
      token: undefined,
      ...statusLine('The server no longer accepts this tab’s bearer token. Sign in again.', true),
    });
  }
  if (!isObject(user) && before.user !== undefined && before.token === undefined) {
    app.store.set(statusLine('Your session ended.', true));
  }
  await refreshPasskeys(app);
}

export async function refreshPasskeys(app: App): Promise<void> {
  const { server, user, passkeys } = app.store.get();
  if (user === undefined) {
    // Keep the last list, so that the user can log in with one of its passkeys.
    return;
  }
  const leg = await app.api.call('GET', server?.local === true ? ALL_PASSKEYS : '/api/passkeys');
  if (leg.status === 401) {
    app.store.set({ user: undefined, token: undefined, ...statusLine('Your session ended. Sign in again.', true) });
    return;
  }
  app.store.set({ passkeys: kept(passkeys, passkeyRows(leg) ?? []) });
}

/** The list of passkeys in an answer of the server; undefined when there is none. */
export function passkeyRows(leg: HttpLeg): readonly PasskeyRow[] | undefined {
  return succeeded(leg) && Array.isArray(leg.answer)
    ? leg.answer.map((row: PasskeyRow) => ({
        ...row,
        credential_id: encodeBase64url(decodeBase64(row.credential_id)?.bytes ?? new Uint8Array()),
      }))
    : undefined;
}

/** The old value if the new one is equal: then nothing is redrawn and unsaved input stays. */
function kept<T>(old: T, next: T): T {
  return JSON.stringify(old) === JSON.stringify(next) ? old : next;
}

export function toUser(user: unknown): User {
  const type = stringAt(user, 'type');
  const id = numberAt(user, 'id');
  return {
    // The answer to a login names no type, and `/dev/sign-in` takes a bare id for the default one.
    owner: id === undefined ? '' : type === undefined ? String(id) : `${type}:${id}`,
    name: stringAt(user, 'name') ?? '',
    email: stringAt(user, 'email') ?? '',
  };
}

function toServerState(answer: unknown): ServerState {
  return {
    authAction: stringAt(answer, 'authAction') ?? 'session',
    local: getPath(answer, ['signIn']) === true,
    refusal: stringAt(answer, 'signInReason'),
    userVerification: stringAt(answer, 'policy', 'userVerification'),
    residentKey: stringAt(answer, 'policy', 'residentKey'),
    algorithms: listAt(answer, 'policy', 'algorithms').filter((one) => typeof one === 'number'),
    attestation: stringAt(answer, 'policy', 'attestation') ?? 'none',
    timeout: numberAt(answer, 'policy', 'timeout') ?? 60_000,
    verifiable: toVerifiable(getPath(answer, ['verifiable'])),
    challengeTtl: numberAt(answer, 'policy', 'challengeTtl') ?? 120_000,
    users: listAt(answer, 'users').map(toUser),
  };
}
