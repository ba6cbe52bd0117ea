import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { type ErrorCode, PasskeyError } from '../../errors.js';
import type { Expectations } from '../../explain/expectations.js';
import { formatAaguid, parseAaguid, providerName } from '../../webauthn/aaguid.js';
import { isObject } from '../../webauthn/json-value.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { integer, list, parsed, path, text } from '../config/values.js';
import type { Io } from '../io.js';
import { readMetadataFiles, readRootFiles } from '../trust-files.js';
import { readChallenge } from './challenge-flag.js';
import { readPublicKey } from './public-key-flag.js';

const originKind = text({ placeholder: 'origin', expects: 'an origin, such as https://example.org or android:apk-key-hash:…' });

const time = parsed({
  placeholder: 'time',
  expects: 'a time such as 2026-01-15T10:30:00Z, or seconds since 1970',
  parse(raw) {
    const value = /^\d{1,11}$/.test(String(raw)) ? Number(raw) * 1000 : Date.parse(String(raw));
    return Number.isNaN(value) ? undefined : value;
  },
});

/** @throws PasskeyError `usage` naming the flag. */
export async function readSettings(io: Io, flags: Flags): Promise<Expectations> {
  const optional = <T>(raw: unknown, read: (given: unknown) => T): T | undefined => (raw === undefined ? undefined : read(raw));
  const file = (name: string) => (raw: unknown) => readFlag(io, path('file'), name, raw);
  const at = optional(flags.at, (raw) => readFlag(io, time, '--at', raw));
  const metadata = await readMetadataFiles(io, {
    metadata: optional(flags.metadata, file('--metadata')),
    metadataRoot: optional(flags.metadataRoot, (raw) => readFlag(io, list(path('file')), '--metadata-root', raw)),
    // The certificates of a BLOB are those of today, whatever the time of the ceremony; an old BLOB may be of that time.
    at,
  });
  const names = await optional(flags.aaguids, (raw) => readAaguidNames(file('--aaguids')(raw)));
  return {
    rpId: optional(flags.rpId, (raw) =>
      readFlag(io, text({ placeholder: 'id', expects: 'an RP ID, such as example.org' }), '--rp-id', raw),
    ),
    origins: optional(flags.origin, (raw) => readFlag(io, list(originKind), '--origin', raw)),
    topOrigins: optional(flags.topOrigin, (raw) => readFlag(io, list(originKind), '--top-origin', raw)),
    challenges: optional(flags.challenge, (raw) => readChallenge(String(raw))),
    publicKey: await optional(flags.publicKey, (raw) => readPublicKey(String(raw), io.cwd)),
    signCount: optional(flags.signCount, (raw) => readFlag(io, integer({ min: 0, max: 0xffff_ffff }), '--sign-count', raw)),
    requireUv: flags.requireUv === true,
    roots: await optional(flags.roots, (raw) => readRootFiles('--roots', readFlag(io, list(path('file')), '--roots', raw))),
    metadata,
    at,
    aaguidName:
      metadata === undefined ? names : (aaguid) => names?.(aaguid) ?? metadata.nameOf(aaguid) ?? (names ? undefined : providerName(aaguid)),
  };
}

async function readFileOr(code: ErrorCode, flag: string, file: string, base = ''): Promise<Buffer> {
  return readFile(isAbsolute(file) ? file : resolve(base, file)).catch((cause: NodeJS.ErrnoException) => {
    throw new PasskeyError(code, `${flag} expects a readable file; ${file} cannot be read (${cause.code ?? cause.message}).`, { cause });
  });
}

/** `{ "<aaguid>": "name" }`, or with an object that has a `name`, as the community list is written; members such as `$schema` are skipped. */
async function readAaguidNames(file: string): Promise<(aaguid: string) => string | undefined> {
  const content = (await readFileOr('usage', '--aaguids', file)).toString('utf8');
  const wrong = (what: string, cause?: unknown) =>
    new PasskeyError('usage', `--aaguids expects a JSON object of names by AAGUID; ${file} ${what}.`, { cause });
  let table: unknown;
  try {
    table = JSON.parse(content);
  } catch (cause) {
    throw wrong('is no JSON', cause);
  }
  if (!isObject(table)) throw wrong('holds something else');
  const names = new Map<string, string>();
  for (const [aaguid, entry] of Object.entries(table)) {
    const name = isObject(entry) ? entry['name'] : entry;
    if (aaguid.startsWith('$')) continue;
    const key = formatOf(aaguid, wrong);
    if (typeof name !== 'string') throw wrong(`has no name for ${JSON.stringify(aaguid)}`);
    names.set(key, name);
  }
  return (aaguid) => names.get(aaguid);
}

function formatOf(aaguid: string, wrong: (what: string, cause: unknown) => PasskeyError): string {
  try {
    return formatAaguid(parseAaguid(aaguid));
  } catch (cause) {
    throw wrong(`has ${JSON.stringify(aaguid)}, which is no AAGUID (8-4-4-4-12 hexadecimal digits)`, cause);
  }
}
