import type { Logger } from 'pino';
import { buildApp } from '../../server/app.js';
import type { App } from '../../server/options.js';
import type { ServeSettings } from '../config/settings.js';
import type { Io } from '../io.js';
import { openParties } from '../parties.js';
import { version } from '../version.js';
import { surviveLateFailures } from './auth-action.js';
import type { Prepared } from './prepare.js';
import { startRecorder } from './recorder.js';

export interface Composed {
  readonly app: App;
  /** Where the store keeps things, without secrets. */
  readonly location: string;
  /** Loads what the first ceremony needs, so that nobody waits for it. */
  prepare(): Promise<void>;
  /** Ends what is running, then what is kept: the server, the recorder, the store. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly settings: ServeSettings;
  readonly prepared: Prepared;
  /** The server's own origin. */
  readonly origin: string;
  readonly logger: Logger;
}

/**
 * Puts the server together; what is wrong with the store or the folder of recordings is found here, before it listens.
 *
 * @throws PasskeyError of the configuration or the store.
 */
export async function compose(io: Io, { settings, prepared, origin, logger }: ComposeOptions): Promise<Composed> {
  const { policy, authAction, devSignIn } = prepared;
  const origins = settings.origin ?? [];
  const { store, relyingParty, accounts } = await openParties(io, {
    settings,
    create: true,
    policy,
    origins,
    onListenerError: (error) => logger.error(error, 'a listener failed; the ceremony is not touched by it'),
  });
  try {
    const recorder = settings.record === undefined ? undefined : await startRecorder(relyingParty, settings.record, logger);
    const app = await buildApp({
      relyingParty,
      accounts,
      settings: {
        mode: settings.production ? 'production' : 'development',
        origin,
        origins,
        allowedHosts: settings.allowedHost ?? [],
        ownerType: settings.ownerType,
        authAction,
        trustProxy: settings.trustProxy,
        devSignIn,
        rateLimit: settings.rateLimit === 'off' ? undefined : settings.rateLimit,
        bodyLimit: settings.bodyLimit,
        sessionTtl: settings.sessionTtl,
        tokenTtl: settings.tokenTtl,
        fidoApi: settings.fidoApi,
      },
      logger,
      now: io.now,
      checkStore: () => store.check(),
      version: version(),
      page: () => import('../../page/assets.generated.js'),
    });
    const stopSurviving = typeof authAction === 'string' ? undefined : surviveLateFailures(io.uncaught, logger);
    return {
      app,
      location: store.location,
      prepare: () => relyingParty.prepare(),
      async close() {
        await app.close();
        await recorder?.settled();
        await store.close();
        stopSurviving?.();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}
