import { createHash } from 'node:crypto';
import { PasskeyError } from '../../errors.js';
import { once } from '../../kernel/remember.js';
import { type AttestationObject, decodeAttestationObject, readCertificates } from '../../webauthn/attestation-object.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import type { ClientData } from '../../webauthn/client-data.js';
import { type CoseKey, decodeCoseKey } from '../../webauthn/cose-key.js';
import type { RequirementLevel, SelfAttestationRule } from '../../webauthn/enumerations.js';
import type { MetadataBlob } from '../attestation/metadata-blob.js';
import { loadMlDsaFor, type MlDsaVerifier } from '../attestation/ml-dsa.js';
import { readAttestationRoots } from '../attestation/roots.js';
import { type AttestationReport, verifyAttestation } from '../attestation/verify-attestation.js';
import type { CredentialRecord } from '../credential-record.js';

/** A decoded value, or the error that decoding threw. One of the steps reports the error. */
type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: PasskeyError };

/** State of the challenge in the client data. */
export type ChallengeState =
  | { readonly status: 'open' | 'used' | 'expired'; readonly challenge: Uint8Array }
  | { readonly status: 'unknown' }
  /** The challenge was issued for another purpose; `why` completes "the challenge was issued for …". */
  | { readonly status: 'elsewhere'; readonly why: string };

export interface LibraryRefusal {
  readonly verdict: 'rejected';
  readonly reason: string;
  readonly cause: unknown;
  /**
   * Time of the verification library's verdict, in milliseconds since the epoch. The library checks certificates by the machine's clock.
   */
  readonly at: number;
  /** Verdicts of the verification library on the single statements of a compound attestation. */
  readonly parts?: readonly LibraryVerdict[];
}

/** The verdict of the verification library. */
export type LibraryVerdict = { readonly verdict: 'verified' } | LibraryRefusal;

/** Expectations that registrations and authentications have in common. */
export interface Expectation {
  readonly challenge: ChallengeState;
  readonly rpId: string;
  readonly origins: readonly string[];
  /** Origins whose pages may embed the page of the ceremony; empty if no cross-origin iframe is expected. */
  readonly topOrigins: readonly string[];
  readonly userVerification: RequirementLevel;
}

export interface ClientDataContext extends Expectation {
  readonly clientDataJSON: Uint8Array;
  readonly clientData: Decoded<ClientData>;
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
}

export interface CeremonyContext extends ClientDataContext {
  /** Verifies ML-DSA signatures. Given if a key or certificate needs it and Node does not support ML-DSA: see `loadMlDsaFor`. */
  readonly mlDsa?: MlDsaVerifier | undefined;
  /** The decoded authenticator data; undefined if the attestation object that contains it could not be decoded. */
  readonly authenticatorData: Decoded<AuthenticatorData> | undefined;
  /**
   * The public key of the new credential, or that of the credential record; undefined if the data that contains it could not be decoded.
   */
  readonly credentialKey: Decoded<CoseKey> | undefined;
}

export interface RegistrationContext extends CeremonyContext {
  /** `id` of the response, decoded. */
  readonly id: Uint8Array;
  readonly attestationObject: Decoded<AttestationObject>;
  readonly attestationObjectBytes: Uint8Array;
  /** Verifies the statement (§8) on the first call. Returns undefined if the attestation object cannot be read. */
  readonly attestation: () => AttestationReport | undefined;
  /** `conditional` if the page called `create()` with this `mediation`; otherwise undefined. */
  readonly mediation?: 'conditional' | undefined;
  /** COSEAlgorithmIdentifiers that the options offer. */
  readonly algorithms: readonly number[];
  /** Trusted root certificates, in PEM or DER. If there are none and no `metadata`, trust is not assessed. */
  readonly attestationRoots: readonly (string | Uint8Array)[];
  /** Whether to accept self attestation. Default: it is accepted. */
  readonly selfAttestation?: SelfAttestationRule | undefined;
  /**
   * FIDO metadata. Adds the root certificates of the authenticator's model to `attestationRoots`, and refuses models with a status such as
   * `REVOKED`.
   */
  readonly metadata?: MetadataBlob | undefined;
  /** Time at which certificates must be valid, in milliseconds since the epoch. */
  readonly now: number;
  /** Whether the credential ID is already registered; undefined if no store was searched. */
  readonly credentialKnown: boolean | undefined;
}

/** Members of the credential record, and of its user account, that §7.2 needs. */
export interface RegisteredCredential
  extends Pick<CredentialRecord, 'id' | 'publicKey' | 'signCount' | 'backupEligible' | 'backupState' | 'uvInitialized'> {
  readonly userHandle: Uint8Array;
}

export interface AuthenticationContext extends CeremonyContext {
  readonly id: Uint8Array;
  readonly credential: RegisteredCredential;
  /** Credential IDs of `allowCredentials`; empty if the user was not identified before the ceremony. */
  readonly allowCredentials: readonly Uint8Array[];
  /** The AppID in the extension `appid` of the options (§10.1.1). */
  readonly appId?: string | undefined;
  readonly authenticatorDataBytes: Uint8Array;
  readonly signature: Uint8Array;
  readonly userHandle: Uint8Array | undefined;
}

export interface RegistrationBytes {
  readonly id: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly clientData: Decoded<ClientData>;
  readonly attestationObject: Uint8Array;
  /** The decoded attestation object. Given if the caller has already decoded it. */
  readonly decodedObject?: Decoded<AttestationObject> | undefined;
  readonly attestedData?: Decoded<AuthenticatorData> | undefined;
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
}

export interface AuthenticationBytes {
  readonly id: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly clientData: Decoded<ClientData>;
  readonly authenticatorData: Uint8Array;
  /** The decoded authenticator data. Given if the caller has already decoded it. */
  readonly decodedData?: Decoded<AuthenticatorData> | undefined;
  readonly signature: Uint8Array;
  readonly userHandle: Uint8Array | undefined;
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
}

type RegistrationExpectation = Expectation &
  Pick<
    RegistrationContext,
    'mediation' | 'algorithms' | 'attestationRoots' | 'selfAttestation' | 'metadata' | 'now' | 'credentialKnown' | 'mlDsa'
  >;

type AuthenticationExpectation = Expectation & Pick<AuthenticationContext, 'credential' | 'allowCredentials' | 'appId' | 'mlDsa'>;

/** Decodes a registration response once, so that all steps can use it. */
export function registrationContext(response: RegistrationBytes, expected: RegistrationExpectation): RegistrationContext {
  const attestationObject = response.decodedObject ?? decoded(() => decodeAttestationObject(response.attestationObject));
  const authenticatorData =
    response.attestedData ?? (attestationObject.ok ? decoded(() => decodeAuthenticatorData(attestationObject.value.authData)) : undefined);
  const attested = readValue(authenticatorData)?.attestedCredentialData;
  const credentialKey = attested && decoded(() => decodeCoseKey(attested.credentialPublicKey));
  return withStatement({
    ...expected,
    id: response.id,
    clientDataJSON: response.clientDataJSON,
    clientData: response.clientData,
    clientExtensionResults: response.clientExtensionResults,
    attestationObject,
    attestationObjectBytes: response.attestationObject,
    authenticatorData,
    credentialKey,
  });
}

/**
 * Chooses the string whose hash an assertion must contain (§10.1.1): the requested AppID if the client reports that it used that AppID,
 * otherwise the RP ID.
 */
export function readScope({
  rpId,
  appId,
  clientExtensionResults,
}: Pick<AuthenticationContext, 'rpId' | 'appId' | 'clientExtensionResults'>): string {
  return appId !== undefined && clientExtensionResults['appid'] === true ? appId : rpId;
}

/** Like {@link registrationContext}, but loads the ML-DSA verifier if the key needs it. */
export async function loadRegistrationContext(
  response: RegistrationBytes,
  expected: RegistrationExpectation,
): Promise<RegistrationContext> {
  const context = registrationContext(response, expected);
  const mlDsa = await loadMlDsaFor(readValue(context.credentialKey), listCertificates(context.attestationObject));
  return mlDsa === undefined ? context : withStatement({ ...context, mlDsa });
}

function listCertificates(object: Decoded<AttestationObject>): Uint8Array[] {
  return object.ok ? (object.value.statements ?? [object.value]).flatMap(readCertificates) : [];
}

/** Like {@link authenticationContext}, but loads the ML-DSA verifier if the key needs it. */
export async function loadAuthenticationContext(
  response: AuthenticationBytes,
  expected: AuthenticationExpectation,
): Promise<AuthenticationContext> {
  const context = authenticationContext(response, expected);
  const mlDsa = await loadMlDsaFor(readValue(context.credentialKey));
  return mlDsa === undefined ? context : { ...context, mlDsa };
}

function withStatement(context: Omit<RegistrationContext, 'attestation'>): RegistrationContext {
  return { ...context, attestation: once(() => verifyStatement(context)) };
}

function verifyStatement(context: Omit<RegistrationContext, 'attestation'>): AttestationReport | undefined {
  const { attestationObject, authenticatorData, credentialKey, clientDataJSON, attestationRoots, metadata, mlDsa, now } = context;
  return attestationObject.ok
    ? verifyAttestation({
        attestationObject: attestationObject.value,
        authenticatorData: readValue(authenticatorData),
        credentialKey: readValue(credentialKey),
        clientDataHash: createHash('sha256').update(clientDataJSON).digest(),
        roots: readAttestationRoots(attestationRoots),
        metadata,
        mlDsa,
        at: now,
      })
    : undefined;
}

/** Decodes an authentication response once, so that all steps can use it. */
export function authenticationContext(response: AuthenticationBytes, expected: AuthenticationExpectation): AuthenticationContext {
  return {
    ...expected,
    id: response.id,
    clientDataJSON: response.clientDataJSON,
    clientData: response.clientData,
    clientExtensionResults: response.clientExtensionResults,
    authenticatorData: response.decodedData ?? decoded(() => decodeAuthenticatorData(response.authenticatorData)),
    credentialKey: decoded(() => decodeCoseKey(expected.credential.publicKey)),
    authenticatorDataBytes: response.authenticatorData,
    signature: response.signature,
    userHandle: response.userHandle,
  };
}

export function decoded<T>(decode: () => T): Decoded<T> {
  try {
    return { ok: true, value: decode() };
  } catch (error) {
    if (error instanceof PasskeyError) {
      return { ok: false, error };
    }
    throw error;
  }
}

function readValue<T>(result: Decoded<T> | undefined): T | undefined {
  return result?.ok === true ? result.value : undefined;
}
