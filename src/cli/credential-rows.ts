import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { CredentialSource } from '../authenticator/credential-source.js';
import { PERSONA_NAMES } from '../authenticator/personas/personas.js';
import { PasskeyError } from '../errors.js';
import { equalBytes } from '../kernel/bytes.js';
import { strict } from '../kernel/schema-kit.js';
import { count } from '../kernel/wording.js';
import { algorithmName } from '../webauthn/algorithms.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { Io } from './io.js';
import { printable } from './output/printable.js';
import { tableLines } from './output/table.js';

/** Help text for commands that accept `--credentials` or `--persona`. */
export const CREDENTIALS_REMARK = 'The file of --credentials holds private keys, for tests only. Only its owner can read it (mode 0600).';
export const PERSONAS_REMARK = `Personas, described in docs/personas.md: ${PERSONA_NAMES.join(', ')}.`;

export const PATTERN = '^[A-Za-z0-9_-]*$';
export const base64url = Type.String({ pattern: PATTERN, description: 'base64url without padding.' });

/** A credential in the output of `--json`, without its secrets. */
export const credentialRow = Type.Object(
  {
    id: base64url,
    rp_id: Type.String(),
    rp_name: Type.String(),
    user_handle: base64url,
    user_name: Type.String(),
    user_display_name: Type.String(),
    algorithm: Type.String({ description: 'Name of the algorithm, e.g. ES256.' }),
    discoverable: Type.Boolean(),
    sign_count: Type.Integer({ minimum: 0 }),
    backup_eligible: Type.Boolean(),
    backup_state: Type.Boolean(),
    hidden: Type.Boolean({ description: 'Whether the relying party has signalled that it no longer knows the credential.' }),
  },
  strict,
);

export function toCredentialRow({ id, rpId, rpName, user, algorithm, ...source }: CredentialSource): Static<typeof credentialRow> {
  return {
    id: encodeBase64url(id),
    rp_id: rpId,
    rp_name: rpName,
    user_handle: encodeBase64url(user.id),
    user_name: user.name,
    user_display_name: user.displayName,
    algorithm: algorithmName(algorithm),
    discoverable: source.discoverable,
    sign_count: source.signCount,
    backup_eligible: source.backupEligible,
    backup_state: source.backupState,
    hidden: source.hidden ?? false,
  };
}

/**
 * Finds credentials by the beginning of their IDs. @throws PasskeyError `usage` if a value is the beginning of no credential ID, or of
 * several.
 */
export function chooseByIds(sources: readonly CredentialSource[], ids: readonly string[]): CredentialSource[] {
  const chosen = ids.map((given) => {
    const id = toBase64url(given);
    const exact = sources.filter((source) => encodeBase64url(source.id) === id);
    const found = exact.length > 0 ? exact : sources.filter((source) => id !== '' && encodeBase64url(source.id).startsWith(id));
    const [only, ...others] = found;
    if (only !== undefined && others.every((other) => equalBytes(other.id, only.id) && other.rpId === only.rpId)) return only;
    const why = found.length === 0 ? 'No credential ID begins' : `${count(found.length, 'credential ID')} begin`;
    throw new PasskeyError(
      'usage',
      printable(`${why} with "${id.slice(0, 60)}"; nothing was changed. Run \`passkey credential list\` to see them.`),
    );
  });
  return [...new Set(chosen)];
}

const COLUMNS = [
  { title: 'CREDENTIAL ID', yields: 1, max: 44 },
  { title: 'USER', yields: 2, max: 40 },
  { title: 'RP ID', yields: 3, max: 40 },
  { title: 'ALGORITHM' },
  { title: 'COUNT', align: 'right' as const },
];

/**
 * Converts base64 to base64url. It also works for the beginning of an encoded ID, since the two encodings differ only in three characters.
 */
const toBase64url = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

/** Renders credentials as the lines of a table. */
export function credentialTable(io: Io, sources: readonly CredentialSource[]): Generator<string> {
  return tableLines(io, COLUMNS, sources, ({ id, user, rpId, algorithm, signCount }) => [
    encodeBase64url(id),
    user.name,
    rpId,
    algorithmName(algorithm),
    String(signCount),
  ]);
}
