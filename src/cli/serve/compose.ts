import type { Logger } from 'pino';
import { PasskeyError } from '../../errors.js';
import { buildApp } from '../../server/app.js';
import type { App } from '../../server/app-instance.js';
import { loadAuthAction } from '../../server/auth-action-module.js';
import type { ServeSettings } from '../config/settings.js';
import type { Io } from '../io.js';
import { openParties } from '../parties.js';
import { version } from '../version.js';
import { surviveLateFailures } from './late-failures.js';
import { policyOf } from './policy.js';
import { startRecorder } from './recorder.js';

export interface Composed {
  readonly app: App;
  /** Where the store keeps things, without secrets. */
  readonly location: string;
  /** Ends what is running, then what is kept: the server, the recorder, the store. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  readonly settings: ServeSettings;
  /** The server's own origin. */
  readonly origin: string;
  readonly logger: Logger;
}

/**
 * Puts the server together; everything that can be wrong with the configuration is found here, before it listens.
 *
 * @throws PasskeyError of the configuration or the store.
 */
export async function compose(io: Io, { settings, origin, logger }: ComposeOptions): Promise<Composed> {
  if (settings.fidoApi && settings.production) {
    throw new PasskeyError(
      'configuration_invalid',
      '--fido-api and --production exclude each other: the callers of the FIDO endpoints prove nothing.',
    );
  }
  const policy = await policyOf(settings);
  const authAction = await loadAuthAction(settings.authAction, io.cwd);
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
    });
    const stopSurviving = typeof authAction === 'string' ? undefined : surviveLateFailures(io.uncaught, logger);
    return {
      app,
      location: store.location,
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
