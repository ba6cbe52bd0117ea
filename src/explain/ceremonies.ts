import type { ChallengeState } from '../relying-party/steps/context.js';
import { decodeBase64 } from '../webauthn/base64url.js';
import { equalBytes } from '../webauthn/bytes.js';
import { decodeClientData } from '../webauthn/client-data.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { isObject, type JsonObject } from '../webauthn/json-value.js';
import type { Expectations } from './expectations.js';
import { metadataRoots } from './metadata.js';
import type { KnownAuthentication, KnownRegistration } from './report/known-ceremony.js';

/** A response and what is known of its ceremony: ready to be explained. */
export type CeremonyInput = {
  /** Name among several of one input, e.g. the name of a fixture. */
  readonly name: string | undefined;
  readonly response: JsonObject;
  /** What a recording says must come of it. */
  readonly expected: JsonObject | undefined;
} & (
  | { readonly kind: 'registration'; readonly known: KnownRegistration }
  | { readonly kind: 'authentication'; readonly known: KnownAuthentication }
);

/** A credential by itself: all else comes from flags. */
export function ceremonyOfCredential(kind: CeremonyKind, response: JsonObject, settings: Expectations, now: number): CeremonyInput {
  const common = {
    rpId: settings.rpId,
    origins: settings.origins,
    challenge: settings.challenges && challengeState(response, settings.challenges),
    topOrigins: settings.topOrigins ?? [],
    userVerification: settings.requireUv ? ('required' as const) : ('preferred' as const),
    options: undefined,
    at: settings.at ?? now,
  };
  const base = { name: undefined, response, expected: undefined };
  return kind === 'registration'
    ? {
        ...base,
        kind,
        known: {
          ...common,
          algorithms: undefined,
          attestationRoots: [...(settings.roots ?? []), ...metadataRoots(settings.metadata, response)],
          credentialKnown: undefined,
        },
      }
    : { ...base, kind, known: { ...common, credential: credentialOfFlags(settings), allowCredentials: [] } };
}

export function credentialOfFlags({ publicKey, signCount }: Expectations): KnownAuthentication['credential'] {
  return publicKey === undefined && signCount === undefined
    ? undefined
    : { publicKey, signCount, backupEligible: undefined, backupState: undefined, userHandle: undefined };
}

/** The reading that the client data has; the first, where it has none of them. */
export function challengeState(
  response: JsonObject,
  readings: readonly Uint8Array[],
): Extract<ChallengeState, { readonly challenge: Uint8Array }> | undefined {
  const received = challengeOf(response);
  const challenge = readings.find((reading) => received !== undefined && equalBytes(reading, received)) ?? readings[0];
  return challenge && { status: 'open', challenge };
}

/** The challenge that the client data names. */
export function challengeOf(response: JsonObject): Uint8Array | undefined {
  const { clientDataJSON } = isObject(response['response']) ? response['response'] : {};
  const bytes = typeof clientDataJSON === 'string' ? decodeBase64(clientDataJSON)?.bytes : undefined;
  try {
    return bytes && decodeBase64(decodeClientData(bytes).challenge)?.bytes;
  } catch {
    // Whatever is wrong with it, a step will say.
    return undefined;
  }
}
