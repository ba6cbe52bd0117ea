import type { Static } from 'typebox';
import * as Type from 'typebox';
import { FixturePolicySchema } from '../../fixture/format.js';
import { orNull } from '../../kernel/schema-kit.js';
import { CEREMONIES, REQUIREMENT_LEVELS } from '../../webauthn/enumerations.js';
import { STREAM_CHANGES } from '../schemas/stream.js';

/** Characters of a line of the file: reading a longer one would keep the server from its other work. */
export const LONGEST_LINE = 512 * 1024;

export const NOTHING_KEPT: Kept = { method: null, path: null, title: null, options: null, change: null, end: null };

/** The parts of an answer that hold a challenge that is still good: the relying party never came to take it. */
export interface Withheld {
  /** That of the options. */
  readonly options: boolean;
  /** The client data, which may name that or another. */
  readonly response: boolean;
}

/** Without challenges that are still good: neither where they were sent nor where they came back. */
export function withoutOpen(kept: Kept, { options, response }: Withheld): Kept {
  const { end } = kept;
  if (end === null) return kept;
  const ceremony = options ? end.ceremony && { ...end.ceremony, challenge: null } : end.ceremony;
  return { ...kept, end: { ...end, ceremony, ...(response && { response: null }) } };
}

// What is kept of an entry beside its line: as JSON, in memory and in the file.

const text = orNull(Type.String());
const bytes = Type.String({ pattern: '^[A-Za-z0-9_-]*$', description: 'base64url' });
const dictionary = Type.Record(Type.String(), Type.Unknown());
const owner = orNull(Type.Object({ type: Type.String(), id: Type.Integer() }));

const CeremonyText = Type.Object({
  kind: Type.Enum([...CEREMONIES]),
  /** Null as long as it is good, in the file. */
  challenge: orNull(bytes),
  rp_id: Type.String(),
  rp_name: text,
  origins: Type.Array(Type.String()),
  top_origins: Type.Array(Type.String()),
  owner,
  user_handle: orNull(bytes),
  mediation: orNull(Type.Literal('conditional')),
  credential_id: orNull(bytes),
  user_verification: Type.Enum([...REQUIREMENT_LEVELS]),
  algorithms: Type.Array(Type.Integer()),
  /** Without the challenge. */
  options: dictionary,
  issued_at: Type.Number(),
  expires_at: Type.Number(),
});
export type CeremonyText = Static<typeof CeremonyText>;

const PasskeyText = Type.Object({
  owner: Type.Object({ type: Type.String(), id: Type.Integer() }),
  user_handle: bytes,
  rp_id: Type.String(),
  rp_name: Type.String(),
  origin: Type.String(),
  aaguid: Type.String(),
  format: Type.String(),
  revoked_at: orNull(Type.Number()),
  id: bytes,
  public_key: bytes,
  sign_count: Type.Integer(),
  uv_initialized: Type.Boolean(),
  transports: Type.Array(Type.String()),
  backup_eligible: Type.Boolean(),
  backup_state: Type.Boolean(),
});
export type PasskeyText = Static<typeof PasskeyText>;

const { attestationRoots: _, ...policy } = FixturePolicySchema.properties;

/** How a ceremony ended. */
const End = Type.Object({
  at: Type.Number(),
  outcome: Type.Enum(['verified', 'rejected']),
  kind: Type.Enum([...CEREMONIES]),
  challenge: orNull(Type.Object({ status: Type.Enum(['open', 'used', 'expired', 'unknown', 'elsewhere']), why: text })),
  credential_known: orNull(Type.Boolean()),
  /** The ceremony that the response names, or that a software authenticator of this server answered. */
  ceremony: orNull(CeremonyText),
  /** Whether the relying party took it: of an answer that was refused before that, it did not. */
  taken: Type.Boolean(),
  /** Null in the file as long as its challenge is good. */
  response: orNull(dictionary),
  passkey: orNull(PasskeyText),
  owner,
  error: orNull(Type.Object({ code: Type.String(), message: Type.String(), step: Type.Unknown() })),
  difference: text,
  /** Without what is long and always the same. */
  policy: Type.Object(policy),
  /** Digest of the attestation roots and the metadata that were in force. */
  trust: Type.String(),
  user_agent: text,
});
export type End = Static<typeof End>;

export const Kept = Type.Object({
  method: text,
  path: text,
  title: text,
  /** Options of a ceremony that has not been answered; without the challenge. */
  options: orNull(dictionary),
  change: orNull(Type.Object({ type: Type.Enum([...STREAM_CHANGES]), reason: text })),
  end: orNull(End),
});
export type Kept = Static<typeof Kept>;
