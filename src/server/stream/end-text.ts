import { createHash } from 'node:crypto';
import { ERRORS, type ErrorCode, type FailedStep, PasskeyError } from '../../errors.js';
import { withoutContents, withoutSecrets } from '../../fixture/response.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import type { CeremonyFinished } from '../../relying-party/events.js';
import type { Policy } from '../../relying-party/policy.js';
import type { Ceremony } from '../../relying-party/ports.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';

// The end of a ceremony as JSON, and back.

/** A finished ceremony, with the one that its answer was made for, where the relying party did not take it. */
export interface Finished {
  readonly event: CeremonyFinished;
  readonly ceremony: Ceremony | undefined;
}

/** An end as it was kept: of an answer whose challenge is still good, the challenge and the response may be missing. */
export interface ReadEnd extends Finished {
  readonly hasResponse: boolean;
}

/** Changes with the form of {@link End}: an end in another form is not read. */
export const END_FORM = 1;

/** How a ceremony ended. */
export interface End extends Pick<CeremonyFinished, 'at' | 'outcome' | 'kind' | 'credentialKnown' | 'owner' | 'difference'> {
  readonly context: Pick<CeremonyFinished['context'], 'userAgent'>;
  readonly form: typeof END_FORM;
  readonly challenge: { readonly status: NonNullable<CeremonyFinished['challenge']>['status']; readonly why?: string } | undefined;
  /** The ceremony that the response names, or that a software authenticator of this server answered. */
  readonly ceremony: CeremonyText | undefined;
  /** Whether the relying party took it: of an answer that was refused before that, it did not. */
  readonly taken: boolean;
  /** Null in the file as long as its challenge is good. */
  readonly response: Readonly<Record<string, unknown>> | null;
  readonly passkey: PasskeyText | undefined;
  readonly error: { readonly code: string; readonly message: string; readonly step: unknown } | undefined;
  /** Without what is long and always the same. */
  readonly policy: Omit<Policy, 'attestationRoots' | 'metadata'>;
  /** Digest of the attestation roots and the metadata that were in force. */
  readonly trust: string;
}

/** A record with its bytes in base64url. */
type AsText<T> = {
  readonly [K in keyof T]: T[K] extends Uint8Array ? string : T[K] extends Uint8Array | undefined ? string | undefined : T[K];
};

/** Without the challenge in the options. In the file the challenge is null as long as it is good. */
type CeremonyText = Omit<AsText<Ceremony>, 'challenge'> & { readonly challenge: string | null };

/** As far as steps and fixtures ask for it. */
type PasskeyText = Omit<AsText<Passkey>, 'credential'> & { readonly credential: AsText<Passkey['credential']> };

const bytesText = (bytes: Uint8Array | undefined): string | undefined => bytes && encodeBase64url(bytes);
const readBytes = (text: string | undefined): Uint8Array | undefined => (text === undefined ? undefined : decodeBase64url(text));

export function endText({ event, ceremony }: Finished, trust: string): End {
  const { at, outcome, kind, challenge, credentialKnown, response, passkey, owner, error, difference, context } = event;
  const { attestationRoots: _, metadata: __, ...policy } = event.policy;
  return {
    form: END_FORM,
    at,
    outcome,
    kind,
    challenge: challenge && { status: challenge.status, ...(challenge.status === 'elsewhere' && { why: challenge.why }) },
    credentialKnown,
    ceremony: ceremony && ceremonyText(ceremony),
    taken: event.ceremony !== undefined,
    response: withoutSecrets(response),
    passkey: passkey && passkeyText(passkey),
    owner,
    error: error && { code: error.code, message: error.message, step: error.step },
    difference,
    policy,
    trust,
    context: context.userAgent === undefined ? {} : { userAgent: context.userAgent },
  };
}

/** @throws PasskeyError `validation_failed` when a text is no base64url. */
export function readEnd(end: End, { attestationRoots, metadata }: Policy): ReadEnd {
  const { at, outcome, kind, credentialKnown, owner, difference, context, error, policy } = end;
  const ceremony = end.ceremony && readCeremony(end.ceremony);
  return {
    ceremony,
    hasResponse: end.response !== null,
    event: {
      type: 'ceremony-finished',
      at,
      context,
      kind,
      outcome,
      ceremony: end.taken ? ceremony : undefined,
      challenge: readChallenge(end.challenge, ceremony),
      credentialKnown,
      response: end.response ?? {},
      passkey: end.passkey && readPasskey(end.passkey),
      owner,
      error: error && readError(error),
      decidedBy: undefined,
      difference,
      policy: { ...policy, attestationRoots, metadata },
    },
  };
}

function readChallenge(state: End['challenge'], ceremony: Ceremony | undefined): CeremonyFinished['challenge'] {
  if (state === undefined) return undefined;
  if (state.status === 'elsewhere') return { status: 'elsewhere', why: state.why ?? '' };
  return state.status === 'unknown' || ceremony === undefined
    ? { status: 'unknown' }
    : { status: state.status, challenge: ceremony.challenge };
}

function ceremonyText(ceremony: Ceremony): CeremonyText {
  const { challenge: _, ...options } = ceremony.options;
  return {
    ...ceremony,
    challenge: encodeBase64url(ceremony.challenge),
    userHandle: bytesText(ceremony.userHandle),
    credentialId: bytesText(ceremony.credentialId),
    options: withoutContents(options),
    client: '',
  };
}

function readCeremony(text: CeremonyText): Ceremony {
  return {
    ...text,
    challenge: readBytes(text.challenge ?? '') ?? new Uint8Array(),
    userHandle: readBytes(text.userHandle),
    credentialId: readBytes(text.credentialId),
    options: readOptions(text),
  };
}

/** The options as they were sent, with the challenge where it is known. */
export function readOptions({ challenge, options }: Pick<CeremonyText, 'challenge' | 'options'>): Record<string, unknown> {
  return { ...(challenge !== null && { challenge }), ...options };
}

function passkeyText(passkey: Passkey): PasskeyText {
  const { userHandle, credential } = passkey;
  return {
    ...passkey,
    userHandle: encodeBase64url(userHandle),
    challenge: '',
    clientExtensionResults: {},
    credential: {
      ...credential,
      id: encodeBase64url(credential.id),
      publicKey: encodeBase64url(credential.publicKey),
      attestationObject: '',
      attestationClientDataJSON: '',
    },
  };
}

function readPasskey(text: PasskeyText): Passkey {
  const none = new Uint8Array();
  const { userHandle, credential } = text;
  const { id, publicKey } = credential;
  return {
    ...text,
    userHandle: decodeBase64url(userHandle),
    challenge: none,
    credential: {
      ...credential,
      id: decodeBase64url(id),
      publicKey: decodeBase64url(publicKey),
      attestationObject: none,
      attestationClientDataJSON: none,
    },
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
