import { createHash } from 'node:crypto';
import { ERRORS, type ErrorCode, type FailedStep, PasskeyError } from '../../errors.js';
import { withoutContents, withoutSecrets } from '../../fixture/response.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { CeremonyFinished } from '../../relying-party/events.js';
import type { Policy } from '../../relying-party/policy.js';
import type { Ceremony } from '../../relying-party/ports.js';
import type { ChallengeState } from '../../relying-party/steps/context.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import type { CeremonyText, End, PasskeyText } from './kept-entry.js';

// The end of a ceremony as text, and back.

/** A finished ceremony, with the one that its answer was made for, where the relying party did not take it. */
export interface Finished {
  readonly event: CeremonyFinished;
  readonly ceremony: Ceremony | undefined;
}

/** An end as it was kept: of an answer whose challenge is still good, the challenge and the response may be missing. */
export interface ReadEnd extends Finished {
  readonly hasResponse: boolean;
}

const bytesText = (bytes: Uint8Array | undefined): string | null => (bytes === undefined ? null : encodeBase64url(bytes));
const readBytes = (text: string | null): Uint8Array | undefined => (text === null ? undefined : decodeBase64url(text));

export function endText({ event, ceremony }: Finished, trust: string): End {
  const { at, outcome, kind, challenge, credentialKnown, response, passkey, owner, error, difference, policy, context } = event;
  const { algorithms, attestation, userVerification, residentKey, selfAttestation, topOrigins, timeout, challengeTtl } = policy;
  return {
    at,
    outcome,
    kind,
    challenge: challenge === undefined ? null : { status: challenge.status, why: challenge.status === 'elsewhere' ? challenge.why : null },
    credential_known: credentialKnown ?? null,
    ceremony: ceremony === undefined ? null : ceremonyText(ceremony),
    taken: event.ceremony !== undefined,
    response: withoutSecrets(response),
    passkey: passkey === undefined ? null : passkeyText(passkey),
    owner: owner === undefined ? null : { type: owner.type, id: owner.id },
    error: error === undefined ? null : { code: error.code, message: error.message, step: error.step ?? null },
    difference: difference ?? null,
    policy: {
      algorithms: [...algorithms],
      attestation,
      userVerification,
      residentKey,
      selfAttestation,
      topOrigins: [...topOrigins],
      timeout,
      challengeTtl,
    },
    trust,
    user_agent: context.userAgent ?? null,
  };
}

/** @throws PasskeyError `validation_failed` when a text is no base64url. */
export function readEnd(end: End, { attestationRoots, metadata }: Policy): ReadEnd {
  const ceremony = end.ceremony === null ? undefined : readCeremony(end.ceremony);
  return {
    ceremony,
    hasResponse: end.response !== null,
    event: {
      type: 'ceremony-finished',
      at: end.at,
      context: end.user_agent === null ? {} : { userAgent: end.user_agent },
      kind: end.kind,
      outcome: end.outcome,
      ceremony: end.taken ? ceremony : undefined,
      challenge: readChallenge(end.challenge, ceremony),
      credentialKnown: end.credential_known ?? undefined,
      response: end.response ?? {},
      passkey: end.passkey === null ? undefined : readPasskey(end.passkey),
      owner: end.owner ?? undefined,
      error: end.error === null ? undefined : readError(end.error),
      decidedBy: undefined,
      difference: end.difference ?? undefined,
      policy: { ...end.policy, selfAttestation: end.policy.selfAttestation ?? 'accept', attestationRoots, metadata },
    },
  };
}

function readChallenge(state: End['challenge'], ceremony: Ceremony | undefined): ChallengeState | undefined {
  if (state === null) return undefined;
  if (state.status === 'elsewhere') return { status: 'elsewhere', why: state.why ?? '' };
  return state.status === 'unknown' || ceremony === undefined
    ? { status: 'unknown' }
    : { status: state.status, challenge: ceremony.challenge };
}

function ceremonyText(ceremony: Ceremony): CeremonyText {
  const { challenge: _, ...options } = ceremony.options;
  return {
    kind: ceremony.kind,
    challenge: encodeBase64url(ceremony.challenge),
    rp_id: ceremony.rpId,
    rp_name: ceremony.rpName ?? null,
    origins: [...ceremony.origins],
    top_origins: [...ceremony.topOrigins],
    owner: ceremony.owner === undefined ? null : { type: ceremony.owner.type, id: ceremony.owner.id },
    user_handle: bytesText(ceremony.userHandle),
    mediation: ceremony.mediation ?? null,
    credential_id: bytesText(ceremony.credentialId),
    user_verification: ceremony.userVerification,
    algorithms: [...ceremony.algorithms],
    options: withoutContents(options),
    issued_at: ceremony.issuedAt,
    expires_at: ceremony.expiresAt,
  };
}

function readCeremony(text: CeremonyText): Ceremony {
  return {
    kind: text.kind,
    challenge: readBytes(text.challenge) ?? new Uint8Array(),
    rpId: text.rp_id,
    rpName: text.rp_name ?? undefined,
    origins: text.origins,
    topOrigins: text.top_origins,
    owner: text.owner ?? undefined,
    userHandle: readBytes(text.user_handle),
    ...(text.mediation !== null && { mediation: text.mediation }),
    credentialId: readBytes(text.credential_id),
    userVerification: text.user_verification,
    algorithms: text.algorithms,
    options: readOptions(text),
    issuedAt: text.issued_at,
    expiresAt: text.expires_at,
    client: '',
  };
}

/** The options as they were sent, with the challenge where it is known. */
export function readOptions({ challenge, options }: Pick<CeremonyText, 'challenge' | 'options'>): Record<string, unknown> {
  return challenge === null ? options : { challenge, ...options };
}

function passkeyText({ owner, userHandle, rpId, rpName, origin, aaguid, attestation, revokedAt, credential }: Passkey): PasskeyText {
  return {
    owner: { type: owner.type, id: owner.id },
    user_handle: encodeBase64url(userHandle),
    rp_id: rpId,
    rp_name: rpName,
    origin,
    aaguid,
    format: attestation.format,
    revoked_at: revokedAt ?? null,
    id: encodeBase64url(credential.id),
    public_key: encodeBase64url(credential.publicKey),
    sign_count: credential.signCount,
    uv_initialized: credential.uvInitialized,
    transports: [...credential.transports],
    backup_eligible: credential.backupEligible,
    backup_state: credential.backupState,
  };
}

/** As far as steps and fixtures ask for it. */
function readPasskey(text: PasskeyText): Passkey {
  return {
    id: 0,
    owner: text.owner,
    userHandle: decodeBase64url(text.user_handle),
    rpId: text.rp_id,
    rpName: text.rp_name,
    origin: text.origin,
    label: '',
    credential: {
      id: decodeBase64url(text.id),
      publicKey: decodeBase64url(text.public_key),
      signCount: text.sign_count,
      uvInitialized: text.uv_initialized,
      transports: text.transports,
      backupEligible: text.backup_eligible,
      backupState: text.backup_state,
      attestationObject: new Uint8Array(),
      attestationClientDataJSON: new Uint8Array(),
    },
    aaguid: text.aaguid,
    attestation: { format: text.format, trust: 'none' },
    authenticatorAttachment: undefined,
    clientExtensionResults: {},
    challenge: new Uint8Array(),
    createdAt: 0,
    lastUsedAt: undefined,
    revokedAt: text.revoked_at ?? undefined,
    revokedReason: undefined,
    revokedChange: undefined,
    counterRegressions: 0,
    counterRegressedAt: undefined,
  };
}

function readError({ code, message, step }: NonNullable<End['error']>): PasskeyError {
  const known: ErrorCode = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal_error';
  return new PasskeyError(known, message, isStep(step) ? { step } : {});
}

function isStep(value: unknown): value is FailedStep {
  return typeof value === 'object' && value !== null && 'slug' in value;
}

const digests = new WeakMap<Policy, string>();

/** Tells whether attestations are trusted by the same roots and metadata as before. */
export function trustDigest(policy: Policy): string {
  let digest = digests.get(policy);
  if (digest === undefined) {
    const { attestationRoots, metadata } = policy;
    digest = createHash('sha256')
      .update(JSON.stringify([attestationRoots, metadata?.no, metadata?.nextUpdate]))
      .digest('base64url');
    digests.set(policy, digest);
  }
  return digest;
}
