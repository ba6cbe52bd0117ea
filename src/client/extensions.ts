import { createHash } from 'node:crypto';
import type {
  AuthenticatorExtensionInputs,
  CredentialDescriptor,
  MakeCredentialResponse,
  PrfSalts,
  UnsignedExtensionOutputs,
} from '../authenticator/ports.js';
import { decodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import { type CeremonyKind, knownValue, namesOf } from '../webauthn/enumerations.js';
import { CREDENTIAL_PROTECTION, misusedExtensions } from '../webauthn/extensions.js';
import type { ExtensionOutputs } from './dictionaries.js';
import { domException, type Members, membersOf } from './members.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Client extension processing at registration: prf (§10.1.4), largeBlob (§10.1.5), credProtect (CTAP 2.1 §12.1). Others are ignored.
 *
 * @throws DOMException as `misusedExtensions` says.
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
  return inputs;
}

/** Whether no credential is better than one without the requested protection (CTAP 2.1 §12.1). */
export function enforcesProtection(extensions: Members | undefined): boolean {
  const protection = extensions && protectionPolicy(extensions);
  const enforced = extensions?.optionalBoolean('enforceCredentialProtectionPolicy') ?? false;
  return enforced && protection !== undefined && protection !== 'userVerificationOptional';
}

/**
 * Client extension processing at authentication.
 *
 * @throws DOMException as `misusedExtensions` says.
 */
export function requestInputs(extensions: Members | undefined, allowed: readonly CredentialDescriptor[]): AuthenticatorExtensionInputs {
  const inputs: Writable<AuthenticatorExtensionInputs> = {};
  if (extensions === undefined) return inputs;
  refuseMisuse(extensions, 'authentication', allowed);
  const prf = extensions.optionalDictionary('prf');
  if (prf !== undefined) {
    const salts = prf.optionalDictionary('eval');
    const byCredential = prf.optionalDictionary('evalByCredential');
    inputs.prf = {
      ...(salts && { eval: readSalts(salts) }),
      ...(byCredential && { evalByCredential: readSaltsByCredential(byCredential) }),
    };
  }
  const blob = extensions.optionalDictionary('largeBlob');
  if (blob !== undefined) {
    const read = blob.optionalBoolean('read') ?? false;
    const write = blob.has('write') ? blob.bytes('write') : undefined;
    inputs.largeBlob = { ...(read && { read }), ...(write && { write }) };
  }
  return inputs;
}

/** Whether credProps (§10.1.3) was requested. The client answers it alone. */
export function asksForCredProps(extensions: Members | undefined): boolean {
  return extensions?.optionalBoolean('credProps') ?? false;
}

/** Client extension outputs of a registration as JSON. */
export function creationOutputs(
  { discoverable, unsignedExtensionOutputs }: MakeCredentialResponse,
  { credProps, requireResidentKey }: { readonly credProps: boolean; readonly requireResidentKey: boolean },
): ExtensionOutputs {
  return {
    ...(credProps && { credProps: { rk: discoverable ?? requireResidentKey } }),
    ...outputs(unsignedExtensionOutputs),
  };
}

export function outputs({ prf, largeBlob }: UnsignedExtensionOutputs = {}): ExtensionOutputs {
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
  return knownValue(extensions.optionalString('credentialProtectionPolicy'), namesOf(CREDENTIAL_PROTECTION));
}

function readSalts(members: Members): PrfSalts {
  const hash = (input: Uint8Array) => new Uint8Array(createHash('sha256').update('WebAuthn PRF\0').update(input).digest());
  return { first: hash(members.bytes('first')), ...(members.has('second') && { second: hash(members.bytes('second')) }) };
}

/** By the base64url of each ID, which is one of those allowed. */
function readSaltsByCredential(members: Members): Readonly<Record<string, PrfSalts>> {
  return Object.fromEntries(
    members
      .entries()
      .map(([key, value]) => [
        encodeBase64url(decodeBase64(key)?.bytes ?? new Uint8Array()),
        readSalts(membersOf(value, `${members.path}.${key}`)),
      ]),
  );
}
