import type { JsonObject } from '../../kernel/json-value.js';
import { takeKey } from '../environment.js';
import { stringAt } from '../json.js';
import { describeFailure, succeeded } from '../run.js';
import { cut } from '../shown-text.js';
import { statusLine } from '../state.js';
import type { App } from './app.js';
import { refresh } from './refresh.js';
import type { RunHandle } from './run-log.js';

/** Removes the key from the page's address, so that it is not copied or bookmarked; undefined when there is none. */
export function keyFromAddress(): string | undefined {
  const taken = takeKey(location.href);
  if (taken !== undefined) {
    history.replaceState(null, '', taken.withoutKey);
  }
  return taken?.key;
}

/** Exchanges the key for a cookie that allows this browser to use development sign-in. */
export async function exchangeKey({ api, store }: App, key: string): Promise<void> {
  const leg = await api.call('POST', '/dev/key', { key });
  // A server that needs no key has no such endpoint.
  if (!succeeded(leg) && leg.status !== 404) {
    store.set(statusLine(describeFailure(leg), true));
  }
}

/** Development sign-in, without proof: by e-mail (a new address becomes a user) or by owner `TYPE:ID`. */
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

/** Gets a bearer token from development sign-in. Ends the run if that fails. */
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
 * The register endpoints take only a bearer token. A tab that has only a session (after a login with a passkey) gets a token from
 * development sign-in, as the first request of the run.
 */
export async function ensureToken(app: App, run: RunHandle): Promise<boolean> {
  const { token, user, server } = app.store.get();
  if (token !== undefined) {
    return true;
  }
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

/** Tries a pasted bearer token with a request. */
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

/** Drops this tab's token and ends the session on the server. */
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
