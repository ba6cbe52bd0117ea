import type { HttpLeg } from '../run.js';
import { describeFailure, succeeded } from '../run.js';
import { quoted } from '../shown-text.js';
import { formatOwner, type PasskeyRow } from '../state.js';
import { fetchToken, refresh } from './account.js';
import type { App } from './app.js';
import type { RunHandle } from './run-log.js';

/* All three change only the server's record of the passkey. They do not tell the authenticator. */

export async function rename(app: App, passkey: PasskeyRow, label: string): Promise<boolean> {
  const run = app.runs.begin(`Rename ${quoted(passkey.label)}`, 'other');
  const leg = await run.http('PATCH', `/api/passkeys/${passkey.id}`, { label });
  return finish(app, run, leg, `Renamed passkey ${passkey.id} to ${quoted(label)}.`);
}

export async function revoke(app: App, passkey: PasskeyRow): Promise<boolean> {
  const run = app.runs.begin(`Revoke ${quoted(passkey.label)}`, 'other');
  const leg = await run.http('DELETE', `/api/passkeys/${passkey.id}`);
  if (succeeded(leg)) {
    // Change the list here: the session that could read it may have ended with the passkey.
    const { passkeys, revokedHere } = app.store.get();
    app.store.set({
      revokedHere: [...revokedHere, passkey.id],
      passkeys: passkeys.map((one) => (one.id === passkey.id ? { ...one, revoked_at: new Date().toISOString() } : one)),
    });
  }
  return finish(app, run, leg, `Revoked passkey ${passkey.id} at the server. The authenticator was not told and may still offer it.`);
}

/** Undoes a revocation. If revoking the passkey signed the user out, first signs in again as the owner of the passkey. */
export async function restore(app: App, passkey: PasskeyRow): Promise<boolean> {
  const run = app.runs.begin(`Restore ${quoted(passkey.label)}`, 'other');
  const owner = formatOwner(passkey);
  if (app.store.get().user === undefined && owner !== undefined && !(await fetchToken(app, run, { owner }))) {
    return false;
  }
  const leg = await run.http('POST', `/dev/passkeys/${passkey.id}/restore`);
  if (succeeded(leg)) {
    // At once in the list as well: a passkey that is revoked, but not here, goes out of sight, and the focus with it.
    const { passkeys, revokedHere } = app.store.get();
    app.store.set({
      revokedHere: revokedHere.filter((id) => id !== passkey.id),
      passkeys: passkeys.map((one) => (one.id === passkey.id ? { ...one, revoked_at: null } : one)),
    });
  }
  return finish(app, run, leg, `Restored passkey ${passkey.id}: the server accepts it again.`);
}

async function finish(app: App, run: RunHandle, leg: HttpLeg, summary: string): Promise<boolean> {
  const before = app.store.get().user;
  await refresh(app);
  if (!succeeded(leg)) {
    run.end('rejected', describeFailure(leg));
    return false;
  }
  const ended = before !== undefined && app.store.get().user === undefined;
  run.end('verified', ended ? `${summary} Your session ended: its passkey was revoked.` : summary);
  return true;
}
