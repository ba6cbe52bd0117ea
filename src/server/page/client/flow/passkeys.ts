import { succeeded } from '../api.js';
import { describeFailure } from '../failure.js';
import type { HttpLeg, SignalLeg } from '../run.js';
import { remember } from '../signalled.js';
import type { PasskeyRow } from '../state.js';
import type { App } from './app.js';
import { refresh } from './refresh.js';
import type { RunHandle } from './run-log.js';
import { MAY_BE_GONE, signalAccepted, signalDetails } from './signals.js';

export async function rename(app: App, passkey: PasskeyRow, label: string): Promise<boolean> {
  const run = app.runs.begin(`Rename “${passkey.label}”`, 'other');
  const leg = await run.http('PATCH', `/api/passkeys/${passkey.id}`, { label });
  const { user } = app.store.get();
  return finish(app, run, leg, `Renamed passkey ${passkey.id} to “${label}”.`, async () =>
    user === undefined ? undefined : signalDetails(passkey, user),
  );
}

export async function revoke(app: App, passkey: PasskeyRow): Promise<boolean> {
  const run = app.runs.begin(`Revoke “${passkey.label}”`, 'other');
  const leg = await run.http('DELETE', `/api/passkeys/${passkey.id}`);
  if (succeeded(leg)) {
    // At once and by ourselves: the session that could read the list may have ended with the passkey.
    const { passkeys } = app.store.get();
    app.store.set({
      passkeys: passkeys.map((one) => (one.id === passkey.id ? { ...one, revokedAt: new Date().toISOString() } : one)),
    });
  }
  return finish(app, run, leg, `Revoked passkey ${passkey.id}: it logs nobody in from now on.`, async () => {
    const signal = await signalAccepted(passkey, app.store.get().passkeys, MAY_BE_GONE);
    if (signal.outcome === 'sent') {
      app.store.set({ signalled: remember(app.store.get().signalled, passkey.credentialId) });
    }
    return signal;
  });
}

export async function restore(app: App, passkey: PasskeyRow): Promise<boolean> {
  const run = app.runs.begin(`Restore “${passkey.label}”`, 'other');
  const leg = await run.http('POST', `/dev/passkeys/${passkey.id}/restore`);
  return finish(app, run, leg, `Restored passkey ${passkey.id}.`, async () => signalAccepted(passkey, app.store.get().passkeys));
}

async function finish(
  app: App,
  run: RunHandle,
  leg: HttpLeg,
  summary: string,
  signal: () => Promise<SignalLeg | undefined>,
): Promise<boolean> {
  const before = app.store.get().user;
  await refresh(app);
  if (!succeeded(leg)) {
    run.end('rejected', describeFailure(leg));
    return false;
  }
  const sent = await signal();
  if (sent !== undefined) {
    run.add(sent);
  }
  const ended = before !== undefined && app.store.get().user === undefined;
  run.end('verified', ended ? `${summary} Your session ended: its passkey was revoked.` : summary);
  return true;
}
