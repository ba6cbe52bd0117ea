import { succeeded } from '../api.js';
import type { HttpLeg, SignalLeg } from '../run.js';
import type { PasskeyRow } from '../state.js';
import type { App } from './app.js';
import { refreshPasskeys } from './refresh.js';
import type { RunHandle } from './run-log.js';
import { describeFailure } from './run-log.js';
import { signalAccepted, signalDetails } from './signals.js';

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
  return finish(app, run, leg, `Revoked passkey ${passkey.id}: it logs nobody in from now on.`, async () =>
    signalAccepted(passkey, app.store.get().passkeys),
  );
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
  await refreshPasskeys(app);
  if (!succeeded(leg)) {
    run.end('rejected', describeFailure(leg));
    return false;
  }
  const sent = await signal();
  if (sent !== undefined) {
    run.add(sent);
  }
  run.end('verified', summary);
  return true;
}
