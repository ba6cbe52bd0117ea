import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { readNamedFile } from '../../fixture/named-file.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import { spellFlag } from '../../kernel/wording.js';
import type { RemoteOptions } from '../../simulate/engine/remote.js';
import { compileProfile } from '../../simulate/target/compile-profile.js';
import { findInstalledVersion } from '../../simulate/target/installed-library.js';
import { type ReadProfile, readProfile } from '../../simulate/target/read-profile.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { duration, list, parsed, text } from '../config/values.js';
import { type Io, say, warn } from '../io.js';
import { printable } from '../output/printable.js';
import { quoteWord } from '../own-command.js';
import { tokensIn } from '../serve/users.js';

const timeout = duration({ min: 100, max: 3_600_000 });

/** Names of the flags that tell how to reach a running relying party. */
export const TARGET_FLAGS = [
  'target',
  'har',
  'origin',
  'appUrl',
  'token',
  'tokenFile',
  'set',
  'ca',
  'resolve',
  'allowHost',
  'restart',
  'timeout',
];

/** Prints why the command does nothing for some seconds. */
export function sayPause(io: Io, milliseconds: number): void {
  say(io, `The server limits the rate of requests (429). Continuing in ${milliseconds / 1000} s.`);
}

/**
 * Reads how to reach the running relying party that is tested. Undefined if the tests use a server in this process. With `--list`, no
 * request is sent, so neither URL nor token is required.
 *
 * @param read the target profile. Default: the profile that `--target` names.
 * @throws PasskeyError `usage` for a flag that needs `--url`, and for a missing flag that the profile needs; `configuration_invalid` for a
 * profile with mistakes.
 */
export async function readTarget(io: Io, flags: Flags, read?: ReadProfile): Promise<RemoteOptions | undefined> {
  const { restart } = flags;
  const isListed = flags.list === true;
  const url = flags.url ?? (isListed && flags.target !== undefined ? 'http://localhost' : undefined);
  if (typeof url !== 'string') {
    const key = TARGET_FLAGS.find((name) => flags[name] !== undefined);
    if (key === undefined) return undefined;
    throw new PasskeyError('usage', `${spellFlag(key)} needs a running server. Name it with --url.`);
  }
  if (flags.origin !== undefined && flags.appUrl !== undefined) {
    throw new PasskeyError('usage', '--app-url is the old name of --origin. Give one of them.');
  }
  const origin = flags.origin ?? flags.appUrl;
  const profile = await addInstalledVersion(io, read ?? (await readProfile(String(flags.target ?? 'passkey'), io.cwd)));
  // Other users of a machine see the arguments of a process, but not its environment.
  const tokens = await readTokens(io, flags);
  if (tokens.length === 0 && !isListed && compileProfile(profile.profile).uses('user.token')) throw withoutToken(profile.profile.name);
  return {
    url,
    profile,
    tokens,
    variables: readVariables(toTexts(flags.set)),
    allowHosts: toTexts(flags.allowHost),
    env: io.env,
    ...(typeof origin === 'string' && { origin }),
    ...(await readReach(io, flags)),
    ...(typeof restart === 'string' && { restart }),
  };
}

/** Adds to a target profile the version of its verification library that is installed in the user's project. */
async function addInstalledVersion(io: Io, read: ReadProfile): Promise<ReadProfile> {
  const { library } = read.profile;
  if (library === undefined) return read;
  const version = await findInstalledVersion(library.name, io.cwd);
  return version === undefined ? read : { ...read, profile: { ...read.profile, library: { ...library, version } } };
}

/**
 * Reads `--ca`, `--resolve` and `--timeout`.
 *
 * @throws PasskeyError `usage`
 */
export async function readReach(io: Io, { ca, resolve: addresses, timeout: within }: Flags): Promise<Reach> {
  return {
    ...(typeof ca === 'string' && { ca: await readCertificates(io, ca) }),
    ...(addresses !== undefined && { addresses: Object.fromEntries(readFlag(io, list(address), '--resolve', addresses)) }),
    ...(within !== undefined && { answerWithin: readFlag(io, timeout, '--timeout', within) }),
  };
}

type Reach = Pick<RemoteOptions, 'ca' | 'addresses' | 'answerWithin'>;

const address = parsed({
  placeholder: 'host=address',
  expects: 'HOST=ADDRESS, such as shop.example=127.0.0.1:8443',
  parse(raw) {
    const [, host, to = ''] = /^([^=]+)=([^/]+)$/.exec(String(raw)) ?? [];
    return host === undefined || parseUrl(`http://${to}`) === undefined ? undefined : ([host.toLowerCase(), to] as const);
  },
});

/** Reads the bearer tokens from `--token`, `--token-file` or the environment. */
export async function readTokens(io: Io, { token, tokenFile }: Flags): Promise<readonly string[]> {
  if (tokenFile === undefined) return token === undefined ? tokensIn(io.env) : toTexts(token);
  if (token !== undefined) throw new PasskeyError('usage', '--token and --token-file exclude each other. Give one of them.');
  const name = readFlag(io, text({ placeholder: 'file' }), '--token-file', tokenFile);
  const unusable = (what: string, cause?: unknown) =>
    new PasskeyError('usage', `--token-file expects a file with a bearer token in each line; ${name} ${what}.`, { cause });
  const path = resolve(io.cwd, name);
  const bytes = await readNamedFile(path, MAX_DOCUMENT_BYTES).catch((cause: Error) => {
    throw unusable(cause.message, cause);
  });
  const lines = bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) throw unusable('holds none');
  if (lines.some((line) => /[^!-~]/.test(line))) {
    throw unusable('has a line that is not a token: a token contains only ASCII characters, and no spaces');
  }
  const { mode } = await stat(path);
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    warn(io, printable(`warning: other users of this machine can read ${name}. Run: chmod 600 ${quoteWord(name)}`));
  }
  return lines;
}

export const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

function withoutToken(profile: string): PasskeyError {
  const how =
    profile === 'passkey'
      ? '; `passkey token create --user EMAIL` prints one. To test another relying party, name its profile with --target'
      : '';
  return new PasskeyError(
    'usage',
    `The profile ${profile} needs --token: no registration, login or verification can run without one. Give it twice, with the bearer tokens of two users of that server, or name a file of them with --token-file, or set PASSKEY_TOKEN and PASSKEY_TOKEN_2${how}.`,
  );
}

function readVariables(settings: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    settings.map((setting) => {
      const at = setting.indexOf('=');
      if (at < 1) throw new PasskeyError('usage', `--set expects NAME=VALUE, got "${setting}".`);
      return [setting.slice(0, at), setting.slice(at + 1)];
    }),
  );
}

async function readCertificates(io: Io, name: string): Promise<string> {
  const unusable = (what: string, cause?: unknown) =>
    new PasskeyError('usage', `--ca expects a file of certificates in PEM; ${name} ${what}.`, { cause });
  const bytes = await readNamedFile(resolve(io.cwd, name), MAX_DOCUMENT_BYTES).catch((cause: Error) => {
    throw unusable(cause.message, cause);
  });
  const pem = bytes.toString('utf8');
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw unusable('holds none');
  return pem;
}
