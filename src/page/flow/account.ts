import { isObject, type JsonObject } from '../../kernel/json-value.js';
import type { DevState } from '../../server/schemas/development.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { takeKey } from '../environment.js';
import { numberAt, stringAt } from '../json.js';
import { describeFailure, type HttpLeg, succeeded } from '../run.js';
import { cut } from '../shown-text.js';
import { type PasskeyRow, type ServerState, statusLine, type User } from '../state.js';
import type { App } from './app.js';
import type { RunHandle } from './run-log.js';

/** Reads the key in the page's address, and removes it from there so that it is not copied or bookmarked; undefined if there is no key. */
export function keyFromAddress(): string | undefined {
  const taken = takeKey(location.href);
  if (taken !== undefined) history.replaceState(null, '', taken.withoutKey);
  return taken?.key;
}

/** Exchanges the key for a cookie that allows this browser to use development sign-in. */
export async function exchangeKey({ api, store }: App, key: string): Promise<void> {
  const leg = await api.call('POST', '/dev/key', { key });
  // A server that needs no key has no such endpoint.
  if (!succeeded(leg) && leg.status !== 404) store.set(statusLine(describeFailure(leg), true));
}

/** Signs in without proof (development sign-in), either by e-mail address, which creates the user if it is new, or by owner `TYPE:ID`. */
export async function signIn(
  app: App,
  who: { readonly email?: string; readonly name?: string; readonly owner?: string },
): Promise<boolean> {
  const known = app.store.get().server?.users.find(({ owner }) => owner === who.owner);
  const run = app.runs.begin(`Sign in as ${who.email ?? known?.email ?? who.owner ?? 'the test user'}`, 'other');
  const signedIn = await fetchToken(app, run, who);
  if (signedIn) {
    await refresh(app);
    run.end('verified', `Signed in as ${cut(app.store.get().user?.name ?? who.email ?? who.owner ?? 'the test user')}.`);
  }
  return signedIn;
}

/** Gets a bearer token from development sign-in. Ends the run if that fails, and then returns false. */
export async function fetchToken(app: App, run: RunHandle, who: JsonObject): Promise<boolean> {
  const leg = await run.http('POST', '/dev/sign-in', who);
  const token = stringAt(leg.answer, 'token');
  if (!succeeded(leg) || token === undefined) {
    run.end('rejected', describeFailure(leg));
    return false;
  }
  app.store.set({ token });
  return true;
}

/**
 * Makes sure that this tab has a bearer token, which the register endpoints require. After a login with a passkey, a tab has only a
 * session. It then gets a token from development sign-in, in the first request of the run.
 */
export async function ensureToken(app: App, run: RunHandle): Promise<boolean> {
  const { token, user, server } = app.store.get();
  if (token !== undefined) return true;
  if (user === undefined || user.owner === '') {
    run.end('failed', 'Registering needs a user. Sign in as a test user first, or paste a bearer token.');
    return false;
  }
  if (server?.local !== true) {
    run.end('failed', 'Registering needs a bearer token; the session of a login is not enough. Paste a token.');
    return false;
  }
  return fetchToken(app, run, { owner: user.owner });
}

/** Tests a pasted bearer token with a request, and keeps the token if the server accepts it. */
export async function adoptToken(app: App, pasted: string): Promise<boolean> {
  const token = pasted.trim().replace(/^bearer\s+/i, '');
  const run = app.runs.begin('Use a bearer token', 'other');
  // Used only once the server has accepted it. Until then the form keeps the input.
  const leg = await app.api.call('GET', '/api/passkeys', undefined, { token });
  run.add(leg);
  if (!succeeded(leg)) {
    run.end('rejected', leg.status === 401 ? `The server does not accept the bearer token: ${describeFailure(leg)}` : describeFailure(leg));
    return false;
  }
  app.store.set({ token, user: undefined });
  await refresh(app);
  run.end('verified', 'The server accepts the bearer token.');
  return true;
}

/** Removes this tab's token and ends the session on the server. */
export async function signOut(app: App): Promise<void> {
  const run = app.runs.begin('Sign out', 'other');
  app.store.set({ token: undefined });
  const leg = await run.http('DELETE', '/api/session');
  app.store.set({ user: undefined });
  await refresh(app);
  // With only a token there is no session to end, and the server answers 401.
  if (succeeded(leg) || leg.status === 401) {
    run.end('verified', 'Signed out.');
  } else {
    run.end('rejected', describeFailure(leg));
  }
}

/** Path of the endpoint that lists all passkeys of the user, including revoked ones. */
export const ALL_PASSKEYS = '/dev/passkeys?all=1';

/** Asks the server for the signed-in user, its settings and the passkeys. */
export async function refresh(app: App): Promise<void> {
  const leg = await app.api.call('GET', '/dev/state');
  if (!succeeded(leg) || !isDevState(leg.answer)) {
    app.store.set({ mode: 'unreachable', ...statusLine(describeFailure(leg), true) });
    return;
  }
  const { user } = leg.answer;
  const before = app.store.get();
  app.store.set({
    mode: 'development',
    server: kept(before.server, toServerState(leg.answer)),
    user: kept(before.user, user === null ? undefined : toUser(user)),
  });
  if (user === null && app.store.get().token !== undefined) {
    app.store.set({
      token: undefined,
      ...statusLine('The server no longer accepts this tab’s bearer token. Sign in again.', true),
    });
  }
  if (user === null && before.user !== undefined && before.token === undefined) {
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

/** Reads the list of passkeys in a response of the server; undefined if there is none. */
export function passkeyRows(leg: HttpLeg): readonly PasskeyRow[] | undefined {
  return succeeded(leg) && Array.isArray(leg.answer)
    ? leg.answer.map((row: PasskeyRow) => ({
        ...row,
        credential_id: encodeBase64url(decodeBase64(row.credential_id)?.bytes ?? new Uint8Array()),
      }))
    : undefined;
}

/** Returns the old value if it equals the new one, so that nothing is redrawn and unsaved input stays. */
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

function toServerState({ signIn: local, signInReason, policy, verifiable, users, passkeys, site }: DevState): ServerState {
  return {
    local,
    refusal: signInReason ?? undefined,
    policy,
    verifiable,
    users: users.map(toUser),
    stored: passkeys,
    site: site ?? undefined,
  };
}

/** Tests whether a response has the members of our own server, because another server may run at the same address. */
function isDevState(value: unknown): value is DevState {
  return isObject(value) && isObject(value['policy']) && isObject(value['verifiable']) && Array.isArray(value['users']);
}
