import { resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { aaguidNameOf, type Expectations, readAaguidNames, readChallenge } from '../../explain/expectations.js';
import { readPublicKey } from '../../explain/public-key.js';
import { readNamedFile, UnusableFile } from '../../fixture/named-file.js';
import { encodeUtf8 } from '../../kernel/bytes.js';
import { MAX_DOCUMENT_BYTES } from '../../kernel/limits.js';
import { SELF_ATTESTATION_RULES } from '../../webauthn/enumerations.js';
import { MAX_SIGN_COUNT } from '../../webauthn/limits.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { integer, list, oneOf, parsed, path, text } from '../config/values.js';
import type { Io } from '../io.js';
import { readMetadataFiles, readRootFiles } from '../trust-files.js';

const originKind = text({
  placeholder: 'origin',
  expects: 'an origin without a path, such as https://example.org or android:apk-key-hash:…',
});

const time = parsed({
  placeholder: 'time',
  expects: 'a time such as 2026-01-15T10:30:00Z, or seconds since 1970',
  parse(raw) {
    const value = /^\d{1,11}$/.test(String(raw)) ? Number(raw) * 1000 : Date.parse(String(raw));
    return Number.isNaN(value) ? undefined : value;
  },
});

const mediation = parsed({
  placeholder: 'how',
  expects: '"conditional", or to be left out for any other',
  parse: (raw): 'conditional' | undefined => (raw === 'conditional' ? raw : undefined),
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
  const names = await optional(flags.aaguids, (raw) => readNames(file('--aaguids')(raw)));
  return {
    rpId: optional(flags.rpId, (raw) =>
      readFlag(io, text({ placeholder: 'id', expects: 'an RP ID, such as example.org' }), '--rp-id', raw),
    ),
    origins: optional(flags.origin, (raw) => readFlag(io, list(originKind), '--origin', raw)),
    topOrigins: optional(flags.topOrigin, (raw) => readFlag(io, list(originKind), '--top-origin', raw)),
    challenges: optional(flags.challenge, (raw) =>
      readChallenge(String(raw), (detail) => new PasskeyError('usage', `--challenge expects ${detail}.`)),
    ),
    publicKey: await optional(flags.publicKey, (raw) => readKey(String(raw), io.cwd)),
    signCount: optional(flags.signCount, (raw) => readFlag(io, integer({ min: 0, max: MAX_SIGN_COUNT }), '--sign-count', raw)),
    requireUv: flags.requireUv === true,
    mediation: optional(flags.mediation, (raw) => readFlag(io, mediation, '--mediation', raw)),
    roots: await optional(flags.roots, (raw) => readRootFiles('--roots', readFlag(io, list(path('file')), '--roots', raw))),
    selfAttestation: optional(flags.selfAttestation, (raw) => readFlag(io, oneOf(SELF_ATTESTATION_RULES), '--self-attestation', raw)),
    metadata,
    at,
    aaguidName: aaguidNameOf(names, metadata),
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
    throw wrong('a JSON object of names by AAGUID; got no JSON', cause);
  }
  return readAaguidNames(table, wrong);
}

const PUBLIC_KEY = '--public-key expects a COSE key, a JWK, or a registration or fixture that holds one, as text or file';

/** The COSE_Key of `--public-key`: as text, or a file with it. */
async function readKey(raw: string, base: string): Promise<Uint8Array> {
  const file = await readNamedFile(resolve(base, raw), MAX_DOCUMENT_BYTES).catch((cause: unknown) => {
    if (!(cause instanceof UnusableFile)) throw cause;
    // A key as text names no file, and may be longer than a path.
    if (cause.code === 'ENOENT' || cause.code === 'ENAMETOOLONG' || cause.code === 'ENOTDIR') return undefined;
    throw new PasskeyError('usage', `${PUBLIC_KEY}; ${raw} ${cause.message}.`, { cause });
  });
  try {
    return readPublicKey(file ?? encodeUtf8(raw));
  } catch (cause) {
    const nor = file === undefined && /[./\\]/.test(raw) && !raw.includes('\n') ? ` Nor is there a file ${raw}.` : '';
    throw new PasskeyError('usage', `${PUBLIC_KEY}. ${cause instanceof Error ? cause.message : String(cause)}${nor}`, { cause });
  }
}
