import { dirname, isAbsolute, join } from 'node:path';
import type { Logger } from 'pino';
import { PasskeyError } from '../../errors.js';
import { createRecorder, type Recorder, type RecorderOptions } from '../../fixture/record.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';
import { buildApp } from '../../server/app.js';
import type { App } from '../../server/options.js';
import type { FollowedSite } from '../../server/stream/outside-port.js';
import { makeFolder } from '../../store/file-system.js';
import { type Keeper, keptInMemory, keptInServerFile } from '../answer/keeper.js';
import type { ExecSettings } from '../config/settings.js';
import type { Io } from '../io.js';
import { version } from '../package.js';
import { openParties, type Parties } from '../parties.js';
import { surviveLateFailures } from './auth-action.js';
import { maxConnections } from './descriptors.js';
import { followCommands } from './foreign-changes.js';
import type { Prepared } from './prepare.js';
import { catalogue, softwareAnswers } from './software.js';

export interface Composed {
  readonly app: App;
  /** The relying party, the accounts and the store. */
  readonly parties: Parties;
  /** Location of the store, from which secrets are removed. */
  readonly location: string;
  /** Loads the code for the first ceremony in advance, while no request is in progress. */
  prepareWhenQuiet(): void;
  /** Stops the server, then closes the recorder and the store. */
  close(): Promise<void>;
}

interface ComposeOptions {
  readonly settings: ExecSettings;
  readonly prepared: Prepared;
  /** The server's own origin. */
  readonly origin: string;
  readonly logger: Logger;
  /** The site that `passkey browse` follows. */
  readonly site?: FollowedSite | undefined;
}

/** How long a request may wait for the database, in milliseconds. The limit ensures that the request gets a response within 10 s. */
const STORE_PATIENCE = 6_000;
/** Milliseconds without a request after which the server loads code in advance. This way, no client has to wait for the loading. */
const QUIET = 200;

/**
 * Builds the server with all its parts. If there is a problem with the store or the folder of recordings, it throws here, before the server
 * listens.
 *
 * @throws PasskeyError if the configuration or the store cannot be used.
 */
export async function compose(io: Io, { settings, prepared, origin, logger, site }: ComposeOptions): Promise<Composed> {
  const { policy, authAction, devSignIn } = prepared;
  const origins = settings.origin ?? [];
  const parties = await openParties(io, {
    settings,
    create: true,
    storePatience: STORE_PATIENCE,
    policy,
    origins,
    maxPasskeys: settings.maxPasskeys === 'off' ? Number.POSITIVE_INFINITY : settings.maxPasskeys,
    onStoreWarning: (message) => logger.warn(message),
    onListenerError: (error) => logger.error(error, 'a listener failed; the ceremony is not affected'),
  });
  const { store, relyingParty, accounts, now } = parties;
  const connections = maxConnections(settings.app === undefined ? 1 : 2);
  try {
    // With few descriptors, connections could leave too few for loading it with the first ceremony.
    if (connections < 128) await relyingParty.prepare();
    const recorder =
      settings.record === undefined
        ? undefined
        : await startRecorder(relyingParty, { folder: settings.record, name: settings.recordName }, logger);
    const keeper = makeKeeper(settings);
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
        maxConnections: connections,
        sessionTtl: settings.sessionTtl,
        tokenTtl: settings.tokenTtl,
        fidoApi: settings.fidoApi,
        frontEnd: settings.app,
        wellKnown: settings.wellKnown,
      },
      logger,
      now,
      checkStore: () => store.check(),
      version: version(),
      software: softwareAnswers(keeper),
      mutations: catalogue,
      site,
      others: settings.production
        ? undefined
        : { changes: store.audit && followCommands(store.audit), spentChallenges: store.spentChallenges },
      page: () => import('../../../generated/page.js'),
      docs: () => import('../../../generated/docs.js'),
    });
    let quiet: NodeJS.Timeout | undefined;
    const stopSurviving = typeof authAction === 'string' ? undefined : surviveLateFailures(io.uncaught, logger);
    return {
      app,
      parties,
      location: store.location,
      prepareWhenQuiet() {
        // A failure here happens again with the first ceremony, and is reported there. A second time takes nothing.
        quiet = setTimeout(() => void relyingParty.prepare().catch(() => undefined), QUIET).unref();
        app.server.on('request', () => quiet?.refresh());
      },
      async close() {
        clearTimeout(quiet);
        await app.close();
        await recorder?.settled();
        await keeper.close?.();
        await store.close();
        stopSurviving?.();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Chooses where the private keys of software credentials are stored: next to the passkeys, so that keys and passkeys exist equally long.
 */
function makeKeeper({ store, credentials }: ExecSettings): Keeper {
  if (credentials !== undefined) return keptInServerFile(credentials);
  return isAbsolute(store) ? keptInServerFile(join(dirname(store), 'credentials.json')) : keptInMemory();
}

/**
 * Creates the folder that `--record` names.
 *
 * @throws PasskeyError `configuration_invalid` if the folder cannot be created.
 */
export async function makeRecordingFolder(folder: string): Promise<void> {
  await makeFolder(folder).catch((cause: NodeJS.ErrnoException) => {
    const message = `--record expects a folder; ${folder} cannot be created (${cause.code ?? cause.message}).`;
    throw new PasskeyError('configuration_invalid', message, { cause });
  });
}

/**
 * Starts recording every ceremony when it ends.
 *
 * @throws PasskeyError with the same codes as {@link makeRecordingFolder}.
 */
async function startRecorder(
  relyingParty: RelyingParty,
  { folder, name }: Pick<RecorderOptions, 'folder' | 'name'>,
  logger: Logger,
): Promise<Recorder> {
  await makeRecordingFolder(folder);
  const recorder = createRecorder({
    folder,
    name,
    tool: 'passkey serve',
    version: version(),
    onWritten: (path) => logger.info({ path }, `recorded ${path}`),
    onSkipped: (reason) => logger.info(`not recorded: ${reason}`),
    onError: (error) => logger.error(error, `cannot record into ${folder}`),
  });
  relyingParty.on(recorder.listen);
  return recorder;
}
