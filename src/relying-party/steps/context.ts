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

/** Result of decoding some bytes: kept either way, so that every step can report it. */
type Decoded<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: PasskeyError };

/** State of the challenge that the client data names. */
export type ChallengeState =
  | { readonly status: 'open' | 'used' | 'expired'; readonly challenge: Uint8Array }
  | { readonly status: 'unknown' }
  /** Issued, but for another purpose; `why` completes "the challenge was issued for …". */
  | { readonly status: 'elsewhere'; readonly why: string };

export interface LibraryRefusal {
  readonly verdict: 'rejected';
  readonly reason: string;
  readonly cause: unknown;
  /** When the library was asked (ms), by the machine's clock, with which it judges certificates. */
  readonly at: number;
  /** Its verdict on each statement of a compound attestation. */
  readonly parts?: readonly LibraryVerdict[];
}

/** The verdict of the verification library. */
export type LibraryVerdict = { readonly verdict: 'verified' } | LibraryRefusal;

/** Expectations of both ceremonies. */
export interface Expectation {
  readonly challenge: ChallengeState;
  readonly rpId: string;
  readonly origins: readonly string[];
  /** Empty: a cross-origin iframe is not expected. */
  readonly topOrigins: readonly string[];
  readonly userVerification: RequirementLevel;
}

export interface ClientDataContext extends Expectation {
  readonly clientDataJSON: Uint8Array;
  readonly clientData: Decoded<ClientData>;
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
}

export interface CeremonyContext extends ClientDataContext {
  /** Given if a key or certificate uses ML-DSA and Node cannot verify it: see `loadMlDsaFor`. */
  readonly mlDsa?: MlDsaVerifier | undefined;
  /** Undefined if the object around it could not be decoded. */
  readonly authenticatorData: Decoded<AuthenticatorData> | undefined;
  /** The key that registers, or that of the credential record; undefined if the data around it could not be decoded. */
  readonly credentialKey: Decoded<CoseKey> | undefined;
}

export interface RegistrationContext extends CeremonyContext {
  /** `id` of the response. */
  readonly id: Uint8Array;
  readonly attestationObject: Decoded<AttestationObject>;
  readonly attestationObjectBytes: Uint8Array;
  /** The verified statement (§8), computed on the first call. Undefined if the attestation object cannot be read. */
  readonly attestation: () => AttestationReport | undefined;
  /** `mediation` of the CredentialCreationOptions, as far as a step asks for it; undefined: not conditional. */
  readonly mediation?: 'conditional' | undefined;
  /** COSEAlgorithmIdentifiers offered. */
  readonly algorithms: readonly number[];
  /** PEM or DER certificates; empty, and without `metadata`: trust is not assessed. */
  readonly attestationRoots: readonly (string | Uint8Array)[];
  /** Whether self attestation is acceptable; undefined: it is. */
  readonly selfAttestation?: SelfAttestationRule | undefined;
  /** FIDO metadata: adds its roots for the AAGUID to `attestationRoots`; a status such as `REVOKED` refuses the model. */
  readonly metadata?: MetadataBlob | undefined;
  /** Milliseconds since the epoch: certificates are judged as of then. */
  readonly now: number;
  /** Whether the credential ID is registered already; undefined if no store was asked. */
  readonly credentialKnown: boolean | undefined;
}

/** Members of the credential record and its user account that §7.2 needs. */
export interface RegisteredCredential
  extends Pick<CredentialRecord, 'id' | 'publicKey' | 'signCount' | 'backupEligible' | 'backupState' | 'uvInitialized'> {
  readonly userHandle: Uint8Array;
}

export interface AuthenticationContext extends CeremonyContext {
  readonly id: Uint8Array;
  readonly credential: RegisteredCredential;
  /** Credential IDs of `allowCredentials`; empty: the user was not identified before. */
  readonly allowCredentials: readonly Uint8Array[];
  /** The AppID that the options asked for with the extension `appid` (§10.1.1). */
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
  /** The attestation object and its authData, if already decoded. */
  readonly decodedObject?: Decoded<AttestationObject> | undefined;
  readonly attestedData?: Decoded<AuthenticatorData> | undefined;
  readonly clientExtensionResults: Readonly<Record<string, unknown>>;
}

export interface AuthenticationBytes {
  readonly id: Uint8Array;
  readonly clientDataJSON: Uint8Array;
  readonly clientData: Decoded<ClientData>;
  readonly authenticatorData: Uint8Array;
  /** The authenticator data, if already decoded. */
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

/** Decodes a registration response once, for all steps. */
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
 * The text that an assertion is scoped to: the AppID if the client reports that it used the requested one, otherwise the RP ID (§10.1.1).
 */
export function readScope({
  rpId,
  appId,
  clientExtensionResults,
}: Pick<AuthenticationContext, 'rpId' | 'appId' | 'clientExtensionResults'>): string {
  return appId !== undefined && clientExtensionResults['appid'] === true ? appId : rpId;
}

/** Like {@link registrationContext}, with the verifier of ML-DSA if the key needs it. */
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

/** Like {@link authenticationContext}, with the verifier of ML-DSA if the key needs it. */
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

/** Decodes an authentication response once, for all steps. */
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
