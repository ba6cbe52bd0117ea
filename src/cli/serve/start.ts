import { onFreeAddress, ownOrigin } from '../../server/listen.js';
import type { FollowedSite } from '../../server/stream/outside-port.js';
import type { ExecSettings } from '../config/settings.js';
import type { Io } from '../io.js';
import type { Composed } from './compose.js';
import { type Prepared, prepare } from './prepare.js';

/** A server that is listening. */
export interface Started extends Omit<Composed, 'app'> {
  /** The server's own origin. */
  readonly url: string;
  readonly port: number;
  readonly prepared: Prepared;
}

/**
 * Starts a server with these settings.
 *
 * @throws PasskeyError if the configuration, the store or the address cannot be used; then everything that was opened is closed again.
 */
export async function startServer(io: Io, settings: ExecSettings, site?: FollowedSite): Promise<Started> {
  const { host } = settings;
  const prepared = await prepare(io, settings);
  return onFreeAddress({ host, port: settings.port }, async (address) => {
    const url = ownOrigin(host, address.port, prepared.identity === undefined ? 'http' : 'https');
    // The server takes a while to import, so settings and port are checked first.
    const [{ compose }, { createLogger }, { listen }, { encryptConnections }] = await Promise.all([
      import('./compose.js'),
      import('./logger.js'),
      import('../../server/listen.js'),
      import('../../server/encrypt.js'),
    ]);
    const logger = await createLogger(io, settings.logLevel);
    const { app, ...composed } = await compose(io, { settings, prepared, origin: url, logger, site });
    if (prepared.identity !== undefined) encryptConnections(app.server, prepared.identity);
    try {
      await listen(app, address);
    } catch (error) {
      await composed.close();
      throw error;
    }
    return { ...composed, prepared, port: address.port, url };
  });
}
