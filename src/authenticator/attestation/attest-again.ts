import { PasskeyError } from '../../errors.js';
import { KEY_TYPES } from '../../webauthn/algorithms.js';
import { type AttestationObject, readCertificates } from '../../webauthn/attestation-object.js';
import { type AttestedCredentialData, type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { decodeCborMap } from '../../webauthn/cbor.js';
import { COSE_LABELS, type CoseKey, decodeCoseKey } from '../../webauthn/cose-key.js';
import { knownValue } from '../../webauthn/enumerations.js';
import { SIGNING_ALGORITHMS, signingAlgorithm } from '../algorithms.js';
import type { CredentialSource } from '../credential-source.js';
import { systemRandom } from '../key-pair.js';
import { type KeyOpener, openSigningKey, type SigningKey } from '../signing-key.js';
import { type AttestationInput, makeStatement } from './format.js';
import { ATTESTATION_NAMES, type AttestationName, attestationFormats } from './named-formats.js';

/** A registration that needs a new attestation statement, because its data were changed. */
interface ToAttest {
  /** Attestation object as the authenticator originally made it. */
  readonly made: Pick<AttestationObject, 'authData'>;
  /** Authenticator data to attest, even if malformed; default: the original data. */
  readonly authenticatorData?: Uint8Array;
  readonly clientDataHash: Uint8Array;
  /** Credential source with the private key. */
  readonly source: CredentialSource;
  /** Private key that belongs to the public key in `authenticatorData`; default: the credential's private key. */
  readonly key?: SigningKey | undefined;
  /** Opens the private key for signing; default: Node's own signatures. */
  readonly openKey?: KeyOpener;
  /** Current time in milliseconds since the epoch; default: the system's clock. */
  readonly now?: (() => number) | undefined;
}

/**
 * Finds the name of the attestation whose format matches an attestation object; undefined if the software authenticator does not have the
 * format.
 */
export function nameAttestation(object: AttestationObject): AttestationName | undefined {
  const isCertified = object.fmt === 'packed' && readCertificates(object).length > 0;
  return knownValue(isCertified ? 'packed-x5c' : object.fmt, ATTESTATION_NAMES);
}

/**
 * Makes a new attestation statement for changed authenticator data, in the format of the original one. The public test authority issues the
 * certificates.
 *
 * @returns the attestation object with the changed data. It keeps the old statement if the software authenticator cannot make the format,
 * or if the format cannot describe the credential.
 */
export async function attestAgain(made: AttestationObject, about: Omit<ToAttest, 'made'>): Promise<AttestationObject> {
  const { authenticatorData: authData = made.authData } = about;
  const changed = { ...made, authData };
  const name = nameAttestation(made);
  if (name === undefined || name === 'none') return changed;
  const [format] = attestationFormats({ attestation: name });
  const inputs = await readInputs({ ...about, made });
  for (const input of inputs) {
    try {
      return { authData, ...(await makeStatement(format, input)) };
    } catch (error) {
      if (!(error instanceof PasskeyError || error instanceof TypeError)) throw error;
    }
  }
  return changed;
}

/**
 * Reads the data that the new statement attests.
 *
 * @throws TypeError for authenticator data without a credential that a statement can name.
 */
export async function readAttestationInput(about: ToAttest): Promise<AttestationInput> {
  const [input] = await readInputs(about);
  if (input === undefined) throw new TypeError('Expected authenticator data with a credential and its public key; got none.');
  return input;
}

/**
 * Reads the attested data from the changed authenticator data. Uses the original authenticator data if the changed data cannot be read,
 * because a certificate cannot contain an unreadable key.
 */
async function readInputs({ made, authenticatorData = made.authData, ...about }: ToAttest): Promise<AttestationInput[]> {
  const before = readCredential(made.authData);
  const after = readCredential(authenticatorData, before?.publicKey);
  const inputs = [];
  for (const credential of [after, before]) {
    if (credential !== undefined) inputs.push(await toInput(credential, { ...about, authenticatorData }));
  }
  return inputs;
}

interface ReadCredential extends Pick<AuthenticatorData, 'flags' | 'rpIdHash'>, Pick<AttestedCredentialData, 'aaguid' | 'credentialId'> {
  readonly publicKey: CoseKey;
}

/**
 * Reads the credential in authenticator data.
 *
 * @param before the original public key. Its members are used for those of the changed key that cannot be read.
 */
function readCredential(authenticatorData: Uint8Array, before?: CoseKey): ReadCredential | undefined {
  const data = decode(() => decodeAuthenticatorData(authenticatorData));
  if (data?.attestedCredentialData === undefined) return undefined;
  const { flags, rpIdHash, attestedCredentialData } = data;
  const { aaguid, credentialId, credentialPublicKey } = attestedCredentialData;
  const publicKey = decode(() => decodeCoseKey(credentialPublicKey)) ?? (before && readMembers(credentialPublicKey, before));
  return publicKey && { flags, rpIdHash, aaguid, credentialId, publicKey };
}

/** Reads the members of a public key without checking their values. */
function readMembers(bytes: Uint8Array, before: CoseKey): CoseKey {
  const map = decode(() => decodeCborMap(bytes))?.value;
  const number = (label: number, otherwise: number) => {
    const value = map?.get(label);
    return typeof value === 'number' ? value : otherwise;
  };
  const part = (label: number, otherwise: Uint8Array) => {
    const value = map?.get(label);
    return value instanceof Uint8Array ? value : otherwise;
  };
  const alg = number(COSE_LABELS.alg, before.alg);
  const { crv, x, y, n, e, pub } = COSE_LABELS;
  switch (before.kty) {
    case KEY_TYPES.EC2:
      return { ...before, alg, crv: number(crv, before.crv), x: part(x, before.x), y: part(y, before.y) };
    case KEY_TYPES.OKP:
      return { ...before, alg, crv: number(crv, before.crv), x: part(x, before.x) };
    case KEY_TYPES.RSA:
      return { ...before, alg, n: part(n, before.n), e: part(e, before.e) };
    case KEY_TYPES.AKP:
      return { ...before, alg, pub: part(pub, before.pub) };
  }
}

type Signed = Omit<ToAttest, 'made'> & { readonly authenticatorData: Uint8Array };

async function toInput(
  credential: ReadCredential,
  { key: given, now = Date.now, openKey = openSigningKey, source, ...signed }: Signed,
): Promise<AttestationInput> {
  const { publicKey: credentialPublicKey, credentialId, aaguid, flags, rpIdHash } = credential;
  const key = given ?? (await openFor(credentialPublicKey, source, openKey));
  return {
    ...signed,
    algorithm: key.algorithm.id,
    sign: (bytes) => key.sign(bytes),
    credentialPublicKey,
    credentialId,
    aaguid,
    flags,
    rpId: source.rpId,
    rpIdHash,
    enterprise: false,
    random: systemRandom,
    now,
  };
}

function decode<T>(decoding: () => T): T | undefined {
  try {
    return decoding();
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return undefined;
  }
}

/** Opens the private key for the algorithm in the public key, if the private key can sign with that algorithm. */
async function openFor({ alg }: CoseKey, { algorithm, privateKey }: CredentialSource, openKey: KeyOpener): Promise<SigningKey> {
  if (alg !== algorithm && SIGNING_ALGORITHMS.some(({ id }) => id === alg)) {
    try {
      return await openKey(signingAlgorithm(alg), privateKey);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return openKey(signingAlgorithm(algorithm), privateKey);
}
