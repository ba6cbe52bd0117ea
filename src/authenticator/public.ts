/**
 * The entry point `passkey-cli/authenticator`: a software authenticator with an interface like CTAP. Nothing inside the package imports it.
 */
export { SIGNING_ALGORITHMS, type SigningAlgorithm } from './algorithms.js';
export {
  type AuthorizationListToWrite,
  androidKeyAttestation,
  type KeyDescriptionToWrite,
} from './attestation/android-key.js';
export { type SafetyNetOptions, safetyNetAttestation } from './attestation/android-safetynet.js';
export { appleAttestation } from './attestation/apple.js';
export type { AttestationKey } from './attestation/attestation-key.js';
export {
  type AttestationAuthority,
  type AuthorityProfile,
  createAttestationAuthority,
  type Leaf,
  makeAuthority,
  PUBLIC_TEST_SEED,
} from './attestation/authority.js';
export { compoundAttestation } from './attestation/compound.js';
export { fidoU2fAttestation } from './attestation/fido-u2f.js';
export { type AttestationFormat, type AttestationInput, noneAttestation, type Statement } from './attestation/format.js';
export {
  type MetadataStatement,
  metadataAuthority,
  metadataBlob,
  metadataStatement,
  u2fMetadataStatement,
} from './attestation/metadata.js';
export { ATTESTATION_NAMES, type AttestationChoice, type AttestationName } from './attestation/named-formats.js';
export {
  type EnterpriseAttestation,
  type PackedAttestationOptions,
  packedAttestation,
  packedSelfAttestation,
} from './attestation/packed.js';
export { type TpmAttestationOptions, tpmAttestation } from './attestation/tpm.js';
export { createAuthenticator, type SoftwareAuthenticator } from './authenticator.js';
export {
  type CredentialSource,
  type CredentialSourceJSON,
  checkCredentialSource,
  credentialSourceFromJson,
  credentialSourceToJson,
} from './credential-source.js';
export { type CredentialSourceStore, createCredentialSourceStore } from './credential-store.js';
export type { ExtensionId } from './extensions.js';
export {
  type Exported,
  type ExportOptions,
  type Imported,
  INTERCHANGE_SHAPES,
  type InterchangeShape,
  type SuppliedMembers,
} from './interchange/contract.js';
export { exportCredentials, importCredentials } from './interchange/interchange.js';
export type { CredentialsDocument } from './interchange/plain-json.js';
export type { InterchangeRemark } from './interchange/shape.js';
export { type KeyPairSource, keyPairsFrom, type RandomSource, reusingRsaKey } from './key-pair.js';
export type { SourceOptions } from './operation-sources.js';
export type { Evidence, Persona, PersonaOptions } from './personas/persona.js';
export { KNOWN_PERSONAS, PERSONA_NAMES, PERSONAS, type PersonaName } from './personas/personas.js';
export type {
  Authenticator,
  AuthenticatorAnswer,
  AuthenticatorExtensionInputs,
  AuthenticatorFailure,
  AuthenticatorInfo,
  AuthenticatorStatus,
  CredentialDescriptor,
  CredentialParameters,
  CredentialSignal,
  DiscoverableCredential,
  GetAssertionRequest,
  GetAssertionResponse,
  HmacSecretInput,
  KeyAgreementKey,
  MakeCredentialRequest,
  MakeCredentialResponse,
  PinUvAuthProtocolId,
  PrfSalts,
  UnsignedExtensionOutputs,
} from './ports.js';
export type {
  AccountChooser,
  AuthenticatorOptions,
  AuthenticatorTraits,
  CeremonyFlags,
  FlagChange,
  ServerSideUserHandle,
} from './settings.js';
export type { SignCounting } from './sign-counter.js';
export type { SignalledFate } from './signals.js';
export type { KeyOpener, SigningKey } from './signing-key.js';
export { cooperativeUser, scriptedUser, type UserOutcome, type UserPrompt, type UserVerifier } from './user-verifier.js';
