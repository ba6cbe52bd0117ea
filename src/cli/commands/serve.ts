import { type Flags, resolveServeSettings } from '../config/resolve.js';
import { type Io, say, stopped } from '../io.js';
import { version } from '../package.js';
import { ownOrigin } from '../serve/address.js';
import { announce, canShowPage, openPage } from '../serve/announce.js';
import { freeAddress } from '../serve/port.js';
import { prepare } from '../serve/prepare.js';

/** `passkey serve`: runs until SIGINT or SIGTERM, then exits 0. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveServeSettings(io, flags);
  const { host } = settings;
  const prepared = await prepare(io, settings);
  const address = await freeAddress({ host, port: settings.port });
  const { port } = address;
  const url = ownOrigin(host, port);
  // The server takes a while to import, so settings and port are checked first.
  const [{ compose }, { createLogger }, { listen }] = await Promise.all([
    import('../serve/compose.js'),
    import('../serve/logger.js'),
    import('../../server/listen.js'),
  ]);
  const logger = await createLogger(io, settings.logLevel);
  const { app, location, prepare: prepareCeremonies, close } = await compose(io, { settings, prepared, origin: url, logger });
  const stop = stopped(io.signals);
  try {
    await listen(app, address);
  } catch (error) {
    await close();
    throw error;
  }
  const mode = settings.production ? 'production' : 'development';
  const page = mode === 'production' ? null : prepared.key === undefined ? url : `${url}/#key=${prepared.key}`;
  const elsewhere = flags.store ?? (io.env.PASSKEY_STORE || undefined);
  announce(
    io,
    { url, page, host, port, mode, store: location, origins: [...(settings.origin ?? [])], pid: process.pid, version: version() },
    {
      json: flags.json === true,
      record: settings.record,
      signIn: prepared.devSignIn !== 'off' && !settings.trustProxy,
      storeFlag: elsewhere === undefined ? '' : ` --store ${JSON.stringify(elsewhere)}`,
    },
  );
  if (settings.open && page !== null && flags.json !== true && canShowPage(io, process.platform)) await openPage(page);

  // A failure here happens again with the first ceremony, and is reported there.
  prepareCeremonies().catch(() => undefined);
  const signal = await stop;
  if (io.stderr.isTTY === true) say(io, `${signal}: stopping. Press again to quit at once.`);
  await close();
}
