import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { isBuiltInAuthAction } from '../../accounts/auth-actions.js';
import { PasskeyError } from '../../errors.js';
import { readNamedFile } from '../../fixture/named-file.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import type { Policy } from '../../relying-party/policy.js';
import type { AuthActionSetting } from '../../server/auth-action.js';
import { createSignInKey } from '../../server/development-key.js';
import type { ServerSettings } from '../../server/settings.js';
import type { ExecSettings } from '../config/settings.js';
import type { Io } from '../io.js';
import { loadAuthAction } from './auth-action.js';
import { readPolicy } from './policy.js';

/** Everything that is loaded before the server starts, mainly the contents of files that the settings name. */
export interface Prepared {
  readonly policy: Policy;
  readonly authAction: AuthActionSetting;
  readonly devSignIn: ServerSettings['devSignIn'];
  /** The sign-in key, which the URL of the test page contains in its fragment. Undefined without `--dev-sign-in key`. */
  readonly key: string | undefined;
  /** Certificates and private key in PEM, for https. */
  readonly identity: { readonly cert: Buffer; readonly key: Buffer } | undefined;
}

/**
 * Loads the files that the settings name. @throws PasskeyError `configuration_invalid` naming the wrong setting. It is thrown even if the
 * port is also in use.
 */
export async function prepare(io: Io, settings: ExecSettings): Promise<Prepared> {
  if (settings.fidoApi && settings.production) {
    throw new PasskeyError(
      'configuration_invalid',
      '--fido-api and --production exclude each other: callers of the FIDO endpoints are not authenticated. Leave one of them out.',
    );
  }
  if (settings.app !== undefined && settings.production) {
    throw new PasskeyError(
      'configuration_invalid',
      '--app and --production exclude each other: --app is for development. Serve the front end with your web server.',
    );
  }
  await requireFolder('--app', settings.app);
  await requireFolder('--well-known', settings.wellKnown);
  if (settings.devSignIn === 'key' && settings.trustProxy && !settings.production) {
    throw new PasskeyError(
      'configuration_invalid',
      '--dev-sign-in key and --trust-proxy exclude each other: behind a proxy, development sign-in is closed. Leave one of them out.',
    );
  }
  if (settings.recordName !== undefined && settings.record === undefined) {
    throw new PasskeyError(
      'configuration_invalid',
      '--record-name names recordings. Name their folder with --record DIR, or leave --record-name out.',
    );
  }
  if (!isBuiltInAuthAction(settings.authAction)) io.exitWhenDone?.();
  return {
    policy: await readPolicy(io, settings),
    authAction: await loadAuthAction(settings.authAction, io.cwd),
    ...chooseSignIn(settings),
    identity: await readIdentity(settings),
  };
}

async function requireFolder(flag: string, location: string | undefined): Promise<void> {
  if (location === undefined || /^https?:/.test(location)) return;
  const entry = await stat(location).catch(() => undefined);
  if (entry?.isDirectory() === true) return;
  throw new PasskeyError('configuration_invalid', `${flag} expects a folder; ${location} is not one. Create it, or correct the path.`);
}

/**
 * Reads the TLS certificate and its private key. @throws PasskeyError `configuration_invalid` if only one of the two files is given, or if
 * they do not belong together.
 */
async function readIdentity({ cert, key }: ExecSettings): Promise<Prepared['identity']> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined) {
    throw new PasskeyError('configuration_invalid', '--cert and --key need each other. Give both, in PEM.');
  }
  const read = (flag: string, path: string) =>
    readNamedFile(path, MAX_DOCUMENT_BYTES).catch((cause: Error) => {
      throw new PasskeyError('configuration_invalid', `${flag} expects a file in PEM; ${path} ${cause.message}.`, { cause });
    });
  const identity = { cert: await read('--cert', cert), key: await read('--key', key) };
  try {
    createSecureContext(identity);
  } catch (cause) {
    const message = `--cert and --key expect a certificate and its private key, in PEM; ${cert} and ${key} are not such a pair.`;
    throw new PasskeyError('configuration_invalid', message, { cause });
  }
  return identity;
}

/** Chooses the mode of development sign-in, and makes the sign-in key if needed. Refuses a sign-in key in production. */
function chooseSignIn({ devSignIn, production }: ExecSettings): Pick<Prepared, 'devSignIn' | 'key'> {
  if (production) return { devSignIn: 'off', key: undefined };
  if (devSignIn !== 'key') return { devSignIn, key: undefined };
  const { key, signInKey } = createSignInKey(randomBytes(32));
  return { devSignIn: signInKey, key };
}
