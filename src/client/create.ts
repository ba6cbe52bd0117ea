import { createHash, createPublicKey } from 'node:crypto';
import type { AuthenticatorFailure, AuthenticatorInfo, MakeCredentialRequest, MakeCredentialResponse } from '../authenticator/ports.js';
import { PasskeyError } from '../errors.js';
import { findCurve, KEY_TYPES } from '../webauthn/algorithms.js';
import { type AttestationObject, decodeAttestationObject, encodeAttestationObject } from '../webauthn/attestation-object.js';
import { decodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import { encodeClientData } from '../webauthn/client-data.js';
import { decodeCoseKey, readCoseAlgorithm, toJwk } from '../webauthn/cose-key.js';
import type { AuthenticatorTransport, CredentialMediation } from '../webauthn/enumerations.js';
import { determineRpId } from './caller.js';
import type { CreatedCredential, CreationOptionsInput } from './dictionaries.js';
import { asksForCredProps, creationInputs, creationOutputs, enforcesProtection } from './extensions.js';
import { lifetime, withinLimits } from './lifetime.js';
import { domException } from './members.js';
import { type CreationOptions, readCreationOptions } from './options.js';
import { type Platform, readCredentialOptions } from './platform.js';

/** CredentialCreationOptions with a public key. */
export interface CreateOptions {
  readonly publicKey: CreationOptionsInput;
  readonly signal?: AbortSignal;
  /** `conditional` creates a passkey without a gesture, after a login by other means. */
  readonly mediation?: CredentialMediation;
}

/** `[[Create]](origin, options, sameOriginWithAncestors)` (W3C WebAuthn L3 §5.1.3). */
export async function create(platform: Platform, createOptions: CreateOptions): Promise<CreatedCredential> {
  const { authenticator, caller } = platform;
  const { publicKey, signal, conditional } = readCredentialOptions(createOptions);
  const options = readCreationOptions(publicKey);
  signal?.throwIfAborted();
  // Step 2.
  if (conditional && caller.crossOrigin) {
    throw domException('NotAllowedError', 'Expected a page that is same-origin with its ancestors for mediation "conditional"; it is not.');
  }
  const rpId = determineRpId(caller, options.rp.id, 'publicKey.rp.id');
  const extensions = creationInputs(options.extensions);
  const credProps = asksForCredProps(options.extensions);
  const clientDataJSON = encodeClientData({ type: 'webauthn.create', challenge: encodeBase64url(options.challenge), ...caller });

  const { info } = authenticator;
  checkSelection(info, options);
  const residentKeyPossible = info?.residentKey ?? true;
  const requireResidentKey = options.residentKey === 'required' || (options.residentKey === 'preferred' && residentKeyPossible);
  const request: MakeCredentialRequest = {
    clientDataHash: new Uint8Array(createHash('sha256').update(clientDataJSON).digest()),
    rp: { id: rpId, name: options.rp.name },
    user: options.user,
    pubKeyCredParams: options.pubKeyCredParams,
    excludeCredentials: options.excludeCredentials,
    requireResidentKey,
    requireUserPresence: !conditional,
    // A conditional create shows no prompt, so it does without preferred verification.
    requireUserVerification:
      options.userVerification === 'required' ||
      (options.userVerification === 'preferred' && !conditional && (info?.userVerification ?? true)),
    enterpriseAttestationPossible: false,
    attestationFormats: options.attestation === 'none' ? ['none'] : options.attestationFormats,
    extensions,
  };
  const limits = { signal, timer: platform.timer, lifetime: lifetime(options.timeout, options.userVerification) };
  const answer = await withinLimits(limits, (cancel) => authenticator.makeCredential({ ...request, signal: cancel }));
  if (!answer.ok) throw refusal(answer);
  const members = readingAnswer(() => attestationMembers(answer, options));
  return {
    id: members.id,
    rawId: members.id,
    type: 'public-key',
    response: {
      clientDataJSON: encodeBase64url(clientDataJSON),
      ...members.response,
      transports: sortedTransports(info),
    },
    ...(info && { authenticatorAttachment: info.attachment }),
    clientExtensionResults: creationOutputs(answer, { credProps, requireResidentKey }),
  };
}

/** §5.2.1: unique, in lexicographical order. Typed as the standard's values, which they SHOULD be; others pass all the same. */
function sortedTransports(info: AuthenticatorInfo | undefined): AuthenticatorTransport[] {
  return [...new Set(info?.transports)].sort() as AuthenticatorTransport[];
}

/** §5.1.3, "If an authenticator becomes available": this client has one authenticator, so the ceremony fails if it does not fit. */
function checkSelection(info: AuthenticatorInfo | undefined, options: CreationOptions): void {
  const protectionEnforced = enforcesProtection(options.extensions);
  if (info === undefined) return;
  const selection = 'publicKey.authenticatorSelection';
  const { authenticatorAttachment, residentKey, userVerification } = options;
  if (authenticatorAttachment !== undefined && authenticatorAttachment !== info.attachment) {
    const detail = `the options ask for ${authenticatorAttachment}, the authenticator is ${info.attachment}`;
    throw domException('NotAllowedError', `Expected an authenticator that fits ${selection}.authenticatorAttachment; ${detail}.`);
  }
  if (residentKey === 'required' && !info.residentKey) {
    throw domException(
      'ConstraintError',
      `${selection}.residentKey is "required"; the authenticator cannot store discoverable credentials.`,
    );
  }
  if (userVerification === 'required' && !info.userVerification) {
    throw domException('ConstraintError', `${selection}.userVerification is "required"; the authenticator cannot verify its user.`);
  }
  if (protectionEnforced && info.extensions?.includes('credProtect') === false) {
    const detail = 'is to be enforced; the authenticator does not have credProtect';
    throw domException('NotAllowedError', `publicKey.extensions.credentialProtectionPolicy ${detail}.`);
  }
}

/** §5.1.3.1. One name hides every refusal to which the user did not consent; the message is for developers. */
function refusal({ status, message }: AuthenticatorFailure): Error {
  switch (status) {
    case 'CTAP2_ERR_CREDENTIAL_EXCLUDED':
      return domException('InvalidStateError', `publicKey.excludeCredentials: ${message}`);
    case 'CTAP2_ERR_UNSUPPORTED_ALGORITHM':
      return domException('NotSupportedError', `publicKey.pubKeyCredParams: ${message}`);
    case 'CTAP2_ERR_UNSUPPORTED_OPTION':
      return domException('ConstraintError', message);
    default:
      return domException('NotAllowedError', message);
  }
}

/** @throws DOMException `UnknownError` when the authenticator's answer cannot be read. */
function readingAnswer<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    throw domException('UnknownError', `Expected an attestation object from the authenticator. ${error.message}`);
  }
}

/** The members of AuthenticatorAttestationResponse that come from the attestation object (§5.2.1). */
function attestationMembers({ attestationObject: conveyed }: MakeCredentialResponse, { attestation }: CreationOptions) {
  const decoded = decodeAttestationObject(conveyed);
  const attestationObject = attestation === 'none' ? withoutAttestation(decoded) : conveyed;
  const { attestedCredentialData } = decodeAuthenticatorData(decoded.authData);
  if (attestedCredentialData === undefined) {
    throw new PasskeyError('authenticator_data_malformed', 'Its authenticator data has no attested credential data.');
  }
  const { credentialId, credentialPublicKey } = attestedCredentialData;
  const publicKey = subjectPublicKeyInfo(credentialPublicKey);
  return {
    id: encodeBase64url(credentialId),
    response: {
      attestationObject: encodeBase64url(attestationObject),
      authenticatorData: encodeBase64url(decoded.authData),
      publicKeyAlgorithm: readCoseAlgorithm(credentialPublicKey),
      ...(publicKey && { publicKey: encodeBase64url(publicKey) }),
    },
  };
}

/**
 * Attestation conveyance `none` (§5.1.3, "If any authenticator indicates success"): an empty statement replaces the authenticator's.
 * The AAGUID stays, as of Level 3. Self attestation with an all-zero AAGUID identifies nobody and passes unchanged.
 */
function withoutAttestation(attestation: AttestationObject): Uint8Array {
  const { fmt, attStmt, authData } = attestation;
  const { attestedCredentialData } = decodeAuthenticatorData(authData);
  const anonymous = attestedCredentialData?.aaguid.every((byte) => byte === 0) ?? false;
  const selfAttested = anonymous && fmt === 'packed' && !attStmt.has('x5c');
  return encodeAttestationObject(selfAttested ? attestation : { fmt: 'none', attStmt: new Map(), authData });
}

/**
 * getPublicKey() (§5.2.1): the DER SubjectPublicKeyInfo of a COSE key; undefined for kinds that browsers do not export either.
 *
 * @throws PasskeyError `public_key_malformed` for bytes that are not a COSE key.
 */
function subjectPublicKeyInfo(coseKey: Uint8Array): Uint8Array | undefined {
  const key = decodeCoseKey(coseKey);
  if (key.kty === KEY_TYPES.AKP || ('crv' in key && findCurve(key.crv)?.name === 'secp256k1')) return undefined;
  return new Uint8Array(createPublicKey({ key: toJwk(key), format: 'jwk' }).export({ format: 'der', type: 'spki' }));
}
