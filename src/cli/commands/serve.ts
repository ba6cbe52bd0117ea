import { onFreeAddress } from '../../server/free-address.js';
import { type Flags, resolveServeSettings } from '../config/resolve.js';
import { type Io, say, stopped } from '../io.js';
import { version } from '../package.js';
import { ownOrigin } from '../serve/address.js';
import { announce, canShowPage, openPage } from '../serve/announce.js';
import { prepare } from '../serve/prepare.js';
import { storeFlag } from '../store-flag.js';

/** `passkey serve`: runs until SIGINT or SIGTERM, then exits 0. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveServeSettings(io, flags);
  const { host } = settings;
  const prepared = await prepare(io, settings);
  const stop = stopped(io.signals);
  const { port, url, location, prepareCeremonies, close } = await onFreeAddress({ host, port: settings.port }, async (address) => {
    const origin = ownOrigin(host, address.port);
    // The server takes a while to import, so settings and port are checked first.
    const [{ compose }, { createLogger }, { listen }] = await Promise.all([
      import('../serve/compose.js'),
      import('../serve/logger.js'),
      import('../../server/listen.js'),
    ]);
    const logger = await createLogger(io, settings.logLevel);
    const { app, prepare: prepareCeremonies, ...composed } = await compose(io, { settings, prepared, origin, logger });
    try {
      await listen(app, address);
    } catch (error) {
      await composed.close();
      throw error;
    }
    return { ...composed, port: address.port, url: origin, prepareCeremonies };
  });
  const mode = settings.production ? 'production' : 'development';
  const page = mode === 'production' ? null : prepared.key === undefined ? url : `${url}/#key=${prepared.key}`;
  announce(
    io,
    { url, page, host, port, mode, store: location, origins: [...(settings.origin ?? [])], pid: process.pid, version: version() },
    {
      json: flags.json === true,
      record: settings.record,
      signIn: prepared.devSignIn !== 'off' && !settings.trustProxy,
      storeFlag: storeFlag(flags.store ?? io.env.PASSKEY_STORE),
    },
  );
  if (settings.open && page !== null && flags.json !== true && canShowPage(io, process.platform)) await openPage(page);

  // A failure here happens again with the first ceremony, and is reported there.
  prepareCeremonies().catch(() => undefined);
  const signal = await stop;
  if (io.stderr.isTTY === true) say(io, `${signal}: stopping. Press again to quit at once.`);
  await close();
}
