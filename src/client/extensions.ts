import type { AuthenticatorExtensionInputs, CredentialDescriptor, UnsignedExtensionOutputs } from '../authenticator/ports.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { CborMap } from '../webauthn/cbor.js';
import { type CeremonyKind, knownValue, listNames, type RequirementLevel } from '../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION, misusedExtensions } from '../webauthn/extensions.js';
import type { ExtensionOutputs } from './dictionaries.js';
import { domException, type Members } from './members.js';
import { readSalts, readSaltsByCredential } from './prf.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Processes the client extension inputs of a registration: prf (§10.1.4), largeBlob (§10.1.5), and the extensions of CTAP 2.3 §12. Ignores
 * other extensions, like browsers.
 *
 * @throws DOMException for the inputs that `misusedExtensions` finds.
 */
export function creationInputs(extensions: Members | undefined): AuthenticatorExtensionInputs {
  const inputs: Writable<AuthenticatorExtensionInputs> = {};
  if (extensions === undefined) return inputs;
  refuseMisuse(extensions, 'registration', []);
  const protection = protectionPolicy(extensions);
  if (protection !== undefined) inputs.credProtect = CREDENTIAL_PROTECTION[protection];
  const prf = extensions.optionalDictionary('prf');
  if (prf !== undefined) {
    const salts = prf.optionalDictionary('eval');
    inputs.prf = { ...(salts && { eval: readSalts(salts) }) };
  }
  const blob = extensions.optionalDictionary('largeBlob');
  if (blob !== undefined) {
    inputs.largeBlob = { support: blob.optionalString('support') === 'required' ? 'required' : 'preferred' };
  }
  const credBlob = extensions.optionalBytes('credBlob');
  if (credBlob !== undefined) inputs.credBlob = credBlob;
  if (extensions.optionalBoolean('minPinLength')) inputs.minPinLength = true;
  if (extensions.optionalBoolean('hmacCreateSecret')) inputs.hmacSecret = true;
  return inputs;
}

/** Tests whether the options request credProps (§10.1.3). The client processes this extension without the authenticator. */
export function asksForCredProps(extensions: Members | undefined): boolean {
  return extensions?.optionalBoolean('credProps') ?? false;
}

/** Tests whether the RP would rather have no credential than one without the requested protection (CTAP 2.3 §12.1). */
export function enforcesProtection(extensions: Members | undefined): boolean {
  const protection = extensions && protectionPolicy(extensions);
  const enforced = extensions?.optionalBoolean('enforceCredentialProtectionPolicy') ?? false;
  return enforced && protection !== undefined && protection !== 'userVerificationOptional';
}

/**
 * Rejects a protection policy that is unknown or contradicts the other options, as Chromium does.
 *
 * @throws DOMException `NotSupportedError`, in the mode `browser`.
 */
export function refuseInconsistentProtection(
  extensions: Members | undefined,
  { residentKey, userVerification }: { readonly residentKey: RequirementLevel; readonly userVerification: RequirementLevel },
): void {
  if (extensions?.mode !== 'browser') return;
  const asked = extensions.optionalString('credentialProtectionPolicy');
  const policy = protectionPolicy(extensions);
  const refuse = (detail: string) => domException('NotSupportedError', `${extensions.path}.credentialProtectionPolicy: ${detail}`);
  if (asked !== undefined && policy === undefined) {
    throw refuse(`expected one of ${listNames(CREDENTIAL_PROTECTION).join(', ')}; got ${JSON.stringify(asked)}.`);
  }
  const protects = policy !== undefined && policy !== 'userVerificationOptional';
  if (extensions.optionalBoolean('enforceCredentialProtectionPolicy') && !protects) {
    throw refuse('expected a policy that protects the credential, because enforceCredentialProtectionPolicy is true; there is none.');
  }
  if (policy === 'userVerificationOptional' && residentKey === 'discouraged') {
    throw refuse('"userVerificationOptional" is for discoverable credentials; residentKey is "discouraged".');
  }
  if (policy === 'userVerificationRequired' && userVerification !== 'required') {
    throw refuse(`"userVerificationRequired" needs userVerification "required"; it is "${userVerification}".`);
  }
}

/**
 * Processes the client extension inputs of an authentication.
 *
 * @throws DOMException for the inputs that `misusedExtensions` finds.
 */
export function requestInputs(extensions: Members | undefined, allowed: readonly CredentialDescriptor[]): AuthenticatorExtensionInputs {
  const inputs: Writable<AuthenticatorExtensionInputs> = {};
  if (extensions === undefined) return inputs;
  refuseMisuse(extensions, 'authentication', allowed);
  const prf = extensions.optionalDictionary('prf');
  if (prf !== undefined) {
    const salts = prf.optionalDictionary('eval');
    const byCredential = prf.optionalRecord('evalByCredential');
    inputs.prf = {
      ...(salts && { eval: readSalts(salts) }),
      ...(byCredential && { evalByCredential: readSaltsByCredential(byCredential) }),
    };
  }
  const blob = extensions.optionalDictionary('largeBlob');
  if (blob !== undefined) {
    const read = blob.optionalBoolean('read') ?? false;
    const write = blob.optionalBytes('write');
    inputs.largeBlob = { ...(read && { read }), ...(write && { write }) };
  }
  if (extensions.optionalBoolean('getCredBlob')) inputs.credBlob = true;
  return inputs;
}

/** Values from which the client makes a registration's extension outputs, including those that the authenticator does not return. */
interface CreationContext {
  readonly inputs: AuthenticatorExtensionInputs;
  readonly extensions: Members | undefined;
  readonly credProps: boolean;
  /** True if the new credential is discoverable. */
  readonly discoverable: boolean;
  readonly unsigned: UnsignedExtensionOutputs;
  /** Extension outputs in the signed authenticator data. */
  readonly signed: CborMap | undefined;
}

/** Makes the client extension outputs of a registration, in JSON. */
export function creationOutputs({ inputs, extensions, credProps, discoverable, unsigned, signed }: CreationContext): ExtensionOutputs {
  if (extensions === undefined) return {};
  return {
    ...(credProps && { credProps: { rk: discoverable } }),
    ...outputs(unsigned),
    ...(inputs.credBlob !== undefined && { credBlob: signed?.get('credBlob') === true }),
    ...(inputs.hmacSecret === true && { hmacCreateSecret: signed?.get('hmac-secret') === true }),
    // §10.1.2. Chromium answers nothing.
    ...(extensions.has('appidExclude') && extensions.mode === 'strict' && { appidExclude: true }),
  };
}

/** Makes the client extension outputs of an authentication, in JSON. */
export function requestOutputs(
  inputs: AuthenticatorExtensionInputs,
  unsigned: UnsignedExtensionOutputs,
  signed: CborMap | undefined,
): ExtensionOutputs {
  const blob = signed?.get('credBlob');
  return {
    ...outputs(unsigned),
    ...(inputs.credBlob && { getCredBlob: encodeBase64url(blob instanceof Uint8Array ? blob : new Uint8Array()) }),
  };
}

function outputs({ prf, largeBlob }: UnsignedExtensionOutputs): ExtensionOutputs {
  const { results } = prf ?? {};
  return {
    ...(prf && {
      prf: {
        ...(prf.enabled !== undefined && { enabled: prf.enabled }),
        ...(results && {
          results: { first: encodeBase64url(results.first), ...(results.second && { second: encodeBase64url(results.second) }) },
        }),
      },
    }),
    ...(largeBlob && { largeBlob: largeBlobJson(largeBlob) }),
  };
}

function largeBlobJson({ blob, ...flags }: NonNullable<UnsignedExtensionOutputs['largeBlob']>) {
  return { ...flags, ...(blob && { blob: encodeBase64url(blob) }) };
}

function refuseMisuse(extensions: Members, ceremony: CeremonyKind, allowed: readonly CredentialDescriptor[]): void {
  const ids = allowed.map(({ id }) => encodeBase64url(id));
  const [misuse] = misusedExtensions(extensions.json, ceremony, ids);
  if (misuse !== undefined) throw domException(misuse.error, `${extensions.path}.${misuse.message}`);
}

function protectionPolicy(extensions: Members) {
  return knownValue(extensions.optionalString('credentialProtectionPolicy'), listNames(CREDENTIAL_PROTECTION));
}
