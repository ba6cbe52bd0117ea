import { PLAIN, THIS_BROWSER } from '../catalogue.js';
import { hasAuthenticator } from '../environment.js';
import { defaultUser } from '../passkey-facts.js';
import type { AppState } from '../state.js';
import { signIn } from './account.js';
import type { App } from './app.js';
import { findAnswerer } from './ask.js';
import { isBlocked, register } from './ceremonies.js';

/**
 * Tests whether one click can create a passkey here, without a token. This is impossible with `passkey browse`, whose passkeys belong to
 * the site that it follows.
 */
export function offersTestPasskey({ server, user }: Pick<AppState, 'server' | 'user'>): boolean {
  return server?.site === undefined && (server?.local === true || user !== undefined);
}

/** Tests whether the page knows of a passkey that could log in. */
export function knowsPasskey({ server, passkeys, stream }: Pick<AppState, 'server' | 'passkeys' | 'stream'>): boolean {
  return passkeys.length > 0 || (server?.stored ?? 0) > 0 || stream.some(({ passkey }) => passkey !== null);
}

/** Tests whether this is the first visit: no ceremony yet and no known passkey. The page then suggests one thing to do. */
export function isFirstVisit(state: AppState): boolean {
  const { mode, runs, stream, pasted, setup } = state;
  const ceremonies = stream.filter(({ kind }) => kind !== 'change').length;
  const nothing = runs.length + ceremonies + pasted.length === 0 && !knowsPasskey(state) && !setup.autofill;
  return nothing && (mode === 'unknown' || offersTestPasskey(state));
}

/**
 * Runs the first ceremony with one click: signs in if necessary, and registers a passkey. Uses the chosen authenticator. If this browser
 * has none, or if `bySoftware` is true, uses the server's software authenticator, which then stays chosen.
 */
export async function createTestPasskey(app: App, bySoftware = false): Promise<void> {
  if (isBlocked(app, 'registration')) return;
  if (!(await ensureUser(app))) return;
  const { notices, capabilities } = app.store.get();
  const byBrowser = findAnswerer(app.store.get()) === THIS_BROWSER;
  if (byBrowser && (bySoftware || !hasAuthenticator(notices, capabilities))) app.store.set({ answerWith: PLAIN });
  await register(app, { label: '' });
}

/** Makes sure that a user is signed in. If none is, signs in the newest user, or a new one if there are no users. */
export async function ensureUser(app: App): Promise<boolean> {
  const { user, server } = app.store.get();
  if (user !== undefined) return true;
  return server?.local === true && (await signIn(app, defaultUser(server.users)));
}
