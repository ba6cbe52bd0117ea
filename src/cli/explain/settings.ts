import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { EXPECTATION_MEMBERS, expectationFlag } from '../../explain/expectation-members.js';
import { type Expectations, nameAaguids, readAaguidNames, readExpectations, type WrongExpectation } from '../../explain/expectations.js';
import { parseExpectation } from '../../explain/parse-expectation.js';
import { readNamedFile, UnusableFile } from '../../fixture/named-file.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { list, path } from '../config/values.js';
import type { Io } from '../io.js';
import { readMetadataFiles, readRootFiles } from '../trust-files.js';

/** Reads the expectations from the flags. @throws PasskeyError `usage` naming the wrong flag. */
export async function readSettings(io: Io, flags: Flags): Promise<Expectations> {
  const parse = (name: 'signCount' | 'backupEligible' | 'algorithms') =>
    optional(flags[name], (raw) => parseExpectation(EXPECTATION_MEMBERS[name].reads, String(raw)));
  const optional = <T>(raw: unknown, read: (given: unknown) => T): T | undefined => (raw === undefined ? undefined : read(raw));
  const file = (name: string) => (raw: unknown) => readFlag(io, path('file'), name, raw);
  const publicKey = await optional(flags.publicKey, (raw) => readKeyFile(String(raw), io.cwd));
  const roots = await optional(flags.roots, (raw) => readRootFiles('--roots', readFlag(io, list(path('file')), '--roots', raw)));
  const given = {
    rpId: flags.rpId,
    origin: flags.origin,
    topOrigin: flags.topOrigin,
    challenge: flags.challenge,
    publicKey,
    signCount: parse('signCount'),
    backupEligible: parse('backupEligible'),
    appId: flags.appId,
    algorithms: parse('algorithms'),
    requireUserVerification: flags.requireUv,
    mediation: flags.mediation,
    roots,
    selfAttestation: flags.selfAttestation,
    at: flags.at,
  };
  const expectations = readExpectations(given, io.now, wrongFlag(flags, publicKey));
  const metadata = await readMetadataFiles(io, {
    metadata: optional(flags.metadata, file('--metadata')),
    metadataRoot: optional(flags.metadataRoot, (raw) => readFlag(io, list(path('file')), '--metadata-root', raw)),
    // The certificates of a BLOB are those of today, whatever the time of the ceremony; an old BLOB may be of that time.
    at: expectations.at,
  });
  const names = await optional(flags.aaguids, (raw) => readNames(file('--aaguids')(raw)));
  return { ...expectations, metadata, aaguidName: nameAaguids(names, metadata) };
}

/** Maximum number of characters in a value of `--public-key` that may be a file name. Every public key is longer. */
const MAX_NAME_LENGTH = 40;

/** Checks whether a string that is not a public key looks like a file name. */
function isLikePath(text: string): boolean {
  if (/[\s{[<"']/.test(text) || /^(?:0x|\\x)/i.test(text)) return false;
  return text.length < MAX_NAME_LENGTH || /^(?:\.{1,2}|~|[a-z]:)?[\\/].*\.\w+$|\.[a-z]\w{0,9}$/i.test(text);
}

/**
 * Makes the function that creates an error about a wrong expectation. The error names the flag instead of the member.
 *
 * @param key the public key that was read: the content of the file that `--public-key` names, or the flag's own value if there is no such
 * file.
 */
function wrongFlag({ publicKey }: Flags, key: string | Uint8Array | undefined): WrongExpectation {
  return (member, detail, cause) => {
    const name = expectationFlag(member);
    if (member === 'publicKey' && key === publicKey && typeof key === 'string' && isLikePath(key)) {
      return new PasskeyError('usage', `${name} expects a public key, or a file with one; there is no file ${key}.`, { cause });
    }
    return new PasskeyError('usage', `${name} expects ${detail}${/[.!]$/.test(detail) ? '' : '.'}`, { cause });
  };
}

async function readNames(file: string): Promise<ReadonlyMap<string, string>> {
  const bytes = await readNamedFile(file, MAX_DOCUMENT_BYTES).catch((cause: Error) => {
    throw new PasskeyError('usage', `--aaguids expects a readable file; ${file} ${cause.message}.`, { cause });
  });
  const content = bytes.toString('utf8');
  const wrong = (detail: string, cause?: unknown) => new PasskeyError('usage', `--aaguids expects ${detail} (in ${file}).`, { cause });
  let table: unknown;
  try {
    table = JSON.parse(content);
  } catch (cause) {
    throw wrong('a JSON object of names by AAGUID; got a file that is not JSON', cause);
  }
  return readAaguidNames(table, wrong);
}

/**
 * Reads the file that `--public-key` names. If there is no such file, returns the value itself, which is then the key. A key may be longer
 * than any path.
 */
async function readKeyFile(raw: string, base: string): Promise<string | Uint8Array> {
  return await readNamedFile(resolve(base, raw), MAX_DOCUMENT_BYTES).catch((cause: unknown) => {
    if (!(cause instanceof UnusableFile)) throw cause;
    if (cause.code === 'ENOENT' || cause.code === 'ENAMETOOLONG' || cause.code === 'ENOTDIR') return raw;
    throw new PasskeyError('usage', `--public-key expects a key as text, or a file with one; ${raw} ${cause.message}.`, { cause });
  });
}
