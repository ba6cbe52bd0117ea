import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { type AttestationAuthority, createAttestationAuthority } from '../authenticator/attestation/authority.js';
import { metadataAuthority, metadataBlob, metadataStatement } from '../authenticator/attestation/metadata.js';
import { PERSONAS } from '../authenticator/personas/personas.js';
import type { AuthenticatorTraits } from '../authenticator/settings.js';
import { PasskeyError } from '../errors.js';
import { orNull, strict } from '../kernel/schema-kit.js';
import { formatTimestamp } from '../kernel/wording.js';
import { formatAaguid, parseAaguid } from '../webauthn/aaguid.js';
import { decodeCertificate } from '../webauthn/certificate.js';
import { showName } from '../webauthn/distinguished-name.js';
import { AAGUID_BYTES } from '../webauthn/limits.js';
import { writePem } from '../webauthn/pem.js';
import { type Flags, readFlag } from './config/resolve.js';
import { oneOf, parsed, path, text } from './config/values.js';
import { addFlags } from './flags.js';
import { addHelp } from './help.js';
import { type Io, print, printJson, say } from './io.js';
import { printable } from './output/printable.js';

export function define(command: Command): void {
  addFlags(command, {
    format: { about: 'pem, statement, blob or blob-root (default: pem)', completes: { words: FORMATS } },
    aaguid: 'authenticator model that the statement or BLOB describes; repeatable for a BLOB',
    seed: 'seed of your own authority, instead of the public seed',
    out: 'write to this file instead of standard output',
    json: true,
  });
  addHelp(command, {
    examples: [
      'passkey attestation-root --out test-root.pem',
      'passkey attestation-root --format statement --aaguid fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
      'passkey attestation-root --format blob --out test-blob.jwt',
      'passkey attestation-root --format blob-root --out test-blob-root.pem',
      'passkey attestation-root --seed "our own tests" --json',
    ],
    remarks: [
      'The root is for tests only: its private key is derived from a public seed, so anyone can forge attestations. Never trust it in production. With --seed the key is as secret as the seed, except for RSA attestation keys, which are always public.',
      'pem is the root certificate. statement is a FIDO metadata statement of one model, blob a signed metadata BLOB as the FIDO Alliance publishes it, and blob-root the root of its signature. Without --aaguid they describe the AAGUID of all zeros, and the BLOB also describes the personas. The same seed always gives the same bytes.',
      'To attest with this root, call createAuthenticator({ attestation: "packed-x5c" }) of passkey-cli/authenticator; with your own seed, also pass createAttestationAuthority({ seed }).',
    ],
    common: ['--format', '--aaguid', '--seed', '--out', '--json'],
    page: 'fixtures.md',
  });
}

const FORMATS = ['pem', 'statement', 'blob', 'blob-root'] as const;

export const attestationRoot = Type.Object(
  {
    format: Type.Enum(FORMATS),
    content: Type.String({ description: 'PEM with comments, the metadata statement as JSON text, or the BLOB as JWT.' }),
    root: Type.Object(
      {
        subject: Type.String(),
        not_before: Type.String({ format: 'date-time' }),
        not_after: Type.String({ format: 'date-time' }),
      },
      { ...strict, description: 'The root certificate of attestations; with format blob-root, that of the BLOB.' },
    ),
    aaguids: Type.Array(Type.String(), { description: 'The authenticator models that the statement or BLOB describes.' }),
    seed: Type.Enum(['public', 'own'], { description: 'Whether the private key is derived from the public seed or from --seed.' }),
    out: orNull(Type.String({ description: 'Path of the file that --out names.' })),
  },
  { ...strict, title: 'passkey attestation-root --json' },
);

const aaguid = parsed({
  placeholder: 'aaguid',
  expects: 'an AAGUID in 8-4-4-4-12 hexadecimal digits',
  parse: (raw) => {
    try {
      return parseAaguid(String(raw));
    } catch {
      return undefined;
    }
  },
});

/** Runs `passkey attestation-root`, which prints the root certificate for tests in the format that a relying party needs. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const format = flags.format === undefined ? 'pem' : readFlag(io, oneOf(FORMATS), '--format', flags.format);
  const seed = flags.seed === undefined ? undefined : readFlag(io, text({ placeholder: 'text' }), '--seed', flags.seed);
  const out = flags.out === undefined ? undefined : readFlag(io, path('file'), '--out', flags.out);
  const aaguids = readAaguids(io, format, flags.aaguid);

  const authority = createAttestationAuthority(seed === undefined ? {} : { seed });
  const signer = format === 'blob-root' ? metadataAuthority(authority) : authority;
  const content = writeContent(format, { authority, signer, aaguids, isPublic: seed === undefined });
  if (out !== undefined) await write(out, content);

  if (flags.json === true) return printJson(io, toDocument({ format, signer, aaguids, content, isPublic: seed === undefined, out }));
  if (out === undefined) print(io, content);
  else say(io, `Wrote ${printable(out)}. It is for tests only: never trust it in production.`);
}

/**
 * Reads the AAGUIDs of the authenticator models for which a metadata statement or BLOB is printed. A root certificate alone belongs to no
 * model.
 */
function readAaguids(io: Io, format: (typeof FORMATS)[number], given: unknown): readonly Uint8Array[] {
  const named = Array.isArray(given) ? given.map((one) => readFlag(io, aaguid, '--aaguid', one)) : [];
  if (named.length > 0 && format !== 'statement' && format !== 'blob') {
    throw new PasskeyError('usage', `--aaguid has no effect with --format ${format}: a root is the same for all models. Leave it out.`);
  }
  if (named.length > 1 && format === 'statement') {
    throw new PasskeyError('usage', `A metadata statement describes one model; got ${named.length} --aaguid. Choose --format blob.`);
  }
  if (format === 'pem' || format === 'blob-root') return [];
  if (named.length > 0) return named;
  const zeros = new Uint8Array(AAGUID_BYTES);
  return format === 'statement'
    ? [zeros]
    : unique([zeros, ...Object.values<AuthenticatorTraits>(PERSONAS).flatMap((each) => each.aaguid ?? [])]);
}

function unique(aaguids: readonly Uint8Array[]): readonly Uint8Array[] {
  return [...new Map(aaguids.map((each) => [formatAaguid(each), each])).values()];
}

interface Signing {
  readonly authority: AttestationAuthority;
  /** The attestation authority whose root certificate is printed. */
  readonly signer: AttestationAuthority;
  readonly aaguids: readonly Uint8Array[];
  readonly isPublic: boolean;
}

function writeContent(format: (typeof FORMATS)[number], { authority, signer, aaguids, isPublic }: Signing): string {
  switch (format) {
    case 'statement':
      return aaguids.map((each) => JSON.stringify(metadataStatement(authority, each), null, 2)).join('\n');
    case 'blob':
      return metadataBlob(authority, aaguids);
    default: {
      const what = format === 'pem' ? 'attestations' : 'metadata BLOBs';
      const why = isPublic ? 'Its private key is public' : 'Anyone who knows the seed has its private key';
      return `# TEST root of ${what} by passkey. ${why}: anyone who has it can forge them.\n# Never trust it in production.\n${writePem(signer.root)}`;
    }
  }
}

async function write(out: string, content: string): Promise<void> {
  await writeFile(out, `${content}\n`).catch((cause: NodeJS.ErrnoException) => {
    throw new PasskeyError(
      'usage',
      `--out ${out} cannot be written (${cause.code ?? cause.message}). Name a file in a folder that exists.`,
      {
        cause,
      },
    );
  });
}

type Result = Pick<Signing, 'signer' | 'aaguids' | 'isPublic'> & {
  readonly format: (typeof FORMATS)[number];
  readonly content: string;
  readonly out: string | undefined;
};

function toDocument({ format, signer, aaguids, content, isPublic, out }: Result): Static<typeof attestationRoot> {
  const { subject, notBefore, notAfter } = decodeCertificate(signer.root);
  return {
    format,
    content,
    root: { subject: showName(subject), not_before: formatTimestamp(notBefore), not_after: formatTimestamp(notAfter) },
    aaguids: aaguids.map(formatAaguid),
    seed: isPublic ? 'public' : 'own',
    out: out ?? null,
  };
}
