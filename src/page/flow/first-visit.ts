import { PLAIN, THIS_BROWSER } from '../catalogue.js';
import { hasAuthenticator } from '../environment.js';
import { defaultUser } from '../people.js';
import { signIn } from './account.js';
import type { App } from './app.js';
import { answererOf } from './ask.js';
import { register } from './register.js';

/**
 * One click to the first ceremony: signs in where nobody is, and registers. By the answerer that was chosen; where this browser has no
 * authenticator, or on request, by the server's software authenticator, which then stays chosen.
 */
export async function createTestPasskey(app: App, bySoftware = false): Promise<void> {
  if (app.store.get().waiting !== undefined) return;
  if (!(await ensureUser(app))) return;
  const { notices, capabilities } = app.store.get();
  const byBrowser = answererOf(app.store.get()) === THIS_BROWSER;
  if (byBrowser && (bySoftware || !hasAuthenticator(notices, capabilities))) app.store.set({ answerWith: PLAIN });
  await register(app, { label: '' });
}

/** Signs in as the newest user, or the first, unless somebody is signed in. */
export async function ensureUser(app: App): Promise<boolean> {
  const { user, server } = app.store.get();
  if (user !== undefined) return true;
  return server?.local === true && (await signIn(app, defaultUser(server.users)));
}
