/**
 * The entry point `passkey-cli/webauthn`: the standard's vocabulary and byte formats. Nothing inside the package imports it. Checks of RP
 * IDs against the public suffix list are in `passkey-cli/webauthn/registrable-suffix`, because the list takes as long to load as everything
 * else.
 */

export { concatBytes, equalBytes, fromHex, toHex } from '../kernel/bytes.js';
export type { OperationContext } from '../kernel/events.js';
export type { OwnerRef } from '../kernel/owner.js';
export { formatAaguid, parseAaguid, providerName } from './aaguid.js';
export {
  ALGORITHMS,
  type Algorithm,
  algorithmName,
  CURVES,
  type Curve,
  findAlgorithm,
  findCurve,
  type HashName,
  KEY_TYPES,
} from './algorithms.js';
export {
  type AttestationObject,
  type AttestationStatement,
  decodeAttestationObject,
  encodeAttestationObject,
} from './attestation-object.js';
export {
  type AttestedCredentialData,
  type AuthenticatorData,
  type AuthenticatorDataInput,
  type AuthenticatorFlags,
  decodeAuthenticatorData,
  encodeAuthenticatorData,
  FLAG,
  FLAGS,
  type FlagKey,
} from './authenticator-data.js';
export { type DecodedBase64, decodeBase64, decodeBase64url, encodeBase64, encodeBase64url } from './base64url.js';
export { CborFloat, type CborMap, type CborValue, decodeCbor, decodeCborMap, encodeCbor } from './cbor.js';
export { type Certificate, decodeCertificate } from './certificate.js';
export { type ClientData, type ClientDataInput, decodeClientData, encodeClientData } from './client-data.js';
export {
  type AkpKey,
  type CoseKey,
  decodeCoseKey,
  type Ec2Key,
  encodeCoseKey,
  type OkpKey,
  type RsaKey,
  readCoseAlgorithm,
  toJwk,
} from './cose-key.js';
export {
  ATTACHMENTS,
  ATTESTATION_CONVEYANCES,
  ATTESTATION_FORMATS,
  type AttestationConveyancePreference,
  type AttestationFormatId,
  type AuthenticatorAttachment,
  type AuthenticatorTransport,
  CEREMONIES,
  type CeremonyKind,
  CREDENTIAL_TYPES,
  type CredentialMediation,
  HINTS,
  MEDIATIONS,
  type PublicKeyCredentialHint,
  type PublicKeyCredentialType,
  REQUIREMENT_LEVELS,
  type RequirementLevel,
  TRANSPORTS,
  UI_MODES,
  type UiMode,
} from './enumerations.js';
export {
  CREDENTIAL_PROTECTION,
  EXTENSION_INPUTS,
  type ExtensionInputName,
  type ExtensionMisuse,
  misusedExtensions,
} from './extensions.js';
export type {
  AuthenticationResponseJSON,
  AuthenticatorAssertionResponseJSON,
  AuthenticatorAttestationResponseJSON,
  AuthenticatorSelectionCriteria,
  ExtensionsJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialDescriptorJSON,
  PublicKeyCredentialParameters,
  PublicKeyCredentialRequestOptionsJSON,
  PublicKeyCredentialRpEntity,
  PublicKeyCredentialUserEntityJSON,
  RegistrationResponseJSON,
} from './json.js';
export {
  AAGUID_BYTES,
  CHALLENGE_BYTES,
  MAX_CREDENTIAL_DESCRIPTORS,
  MAX_CREDENTIAL_ID_BYTES,
  MAX_SIGN_COUNT,
  MAX_USER_HANDLE_BYTES,
  MIN_CHALLENGE_BYTES,
} from './limits.js';
export { isLocalhostName, isLoopbackAddress, isLoopbackHost } from './loopback.js';
export { canonicalHost, isIpAddress, rpIdFromUrl } from './rp-id.js';
export { encodeUserHandle } from './user-handle.js';
