import { createHash } from 'node:crypto';
import type {
  AuthenticatorExtensionInputs,
  CredentialDescriptor,
  MakeCredentialResponse,
  PrfSalts,
  UnsignedExtensionOutputs,
} from '../authenticator/ports.js';
import { decodeBase64, encodeBase64url } from '../webauthn/base64url.js';
import { equalBytes } from '../webauthn/bytes.js';
import type { ExtensionOutputs } from './dictionaries.js';
import { domException } from './dom-exception.js';
import { knownValue, type Members, membersOf } from './members.js';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const PROTECTION = ['userVerificationOptional', 'userVerificationOptionalWithCredentialIDList', 'userVerificationRequired'] as const;
const PROTECTION_LEVELS = {
  userVerificationOptional: 1,
  userVerificationOptionalWithCredentialIDList: 2,
  userVerificationRequired: 3,
} as const;

/**
 * Client extension processing at registration: prf (§10.1.4), largeBlob (§10.1.5), credProtect (CTAP 2.1 §12.1). Others are ignored.
 *
 * @throws DOMException `NotSupportedError` for an input that belongs to an authentication.
 */
export function creationInputs(extensions: Members | undefined): AuthenticatorExtensionInputs {
  const inputs: Writable<AuthenticatorExtensionInputs> = {};
  if (extensions === undefined) return inputs;
  const protection = knownValue(extensions.optionalString('credentialProtectionPolicy'), PROTECTION);
  if (protection !== undefined) inputs.credProtect = PROTECTION_LEVELS[protection];
  const prf = extensions.optionalDictionary('prf');
  if (prf !== undefined) {
    refuse(prf, 'evalByCredential', 'at registration');
    const salts = prf.optionalDictionary('eval');
    inputs.prf = { ...(salts && { eval: readSalts(salts) }) };
  }
  const blob = extensions.optionalDictionary('largeBlob');
  if (blob !== undefined) {
    refuse(blob, 'read', 'at registration');
    refuse(blob, 'write', 'at registration');
    inputs.largeBlob = { support: blob.optionalString('support') === 'required' ? 'required' : 'preferred' };
  }
  return inputs;
}

/** Whether it is better to have no credential than one without the protection asked for (CTAP 2.1 §12.1). */
export function enforcesProtection(extensions: Members | undefined): boolean {
  const protection = knownValue(extensions?.optionalString('credentialProtectionPolicy'), PROTECTION);
  const enforced = extensions?.optionalBoolean('enforceCredentialProtectionPolicy') ?? false;
  return enforced && protection !== undefined && protection !== 'userVerificationOptional';
}

/**
 * Client extension processing at authentication.
 *
 * @throws DOMException `NotSupportedError` for an input that belongs to a registration or does not fit the allow list,
 * `SyntaxError` for a key of `evalByCredential` that names no allowed credential.
 */
export function requestInputs(extensions: Members | undefined, allowed: readonly CredentialDescriptor[]): AuthenticatorExtensionInputs {
  const inputs: Writable<AuthenticatorExtensionInputs> = {};
  const prf = extensions?.optionalDictionary('prf');
  if (prf !== undefined) {
    const salts = prf.optionalDictionary('eval');
    const byCredential = prf.optionalDictionary('evalByCredential');
    inputs.prf = {
      ...(salts && { eval: readSalts(salts) }),
      ...(byCredential && { evalByCredential: readSaltsByCredential(byCredential, allowed) }),
    };
  }
  const blob = extensions?.optionalDictionary('largeBlob');
  if (blob !== undefined) {
    refuse(blob, 'support', 'at authentication');
    const read = blob.optionalBoolean('read') ?? false;
    const write = blob.has('write') ? blob.bytes('write') : undefined;
    if (read && write !== undefined) {
      throw domException('NotSupportedError', `Expected ${blob.path} to read or to write; it asks for both.`);
    }
    if (write !== undefined && allowed.length !== 1) {
      const detail = `publicKey.allowCredentials has ${allowed.length}`;
      throw domException('NotSupportedError', `Expected one allowed credential to write ${blob.path}.write to; ${detail}.`);
    }
    inputs.largeBlob = { ...(read && { read }), ...(write && { write }) };
  }
  return inputs;
}

/** Whether credProps (§10.1.3) was asked for: the one extension that is the client's own. */
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

function refuse(members: Members, name: string, when: string): void {
  if (members.has(name)) throw domException('NotSupportedError', `Expected ${members.path} without ${name} ${when}; it is there.`);
}

function readSalts(members: Members): PrfSalts {
  const hash = (input: Uint8Array) => new Uint8Array(createHash('sha256').update('WebAuthn PRF\0').update(input).digest());
  return { first: hash(members.bytes('first')), ...(members.has('second') && { second: hash(members.bytes('second')) }) };
}

function readSaltsByCredential(members: Members, allowed: readonly CredentialDescriptor[]): Readonly<Record<string, PrfSalts>> {
  const entries = members.entries();
  if (entries.length > 0 && allowed.length === 0) {
    throw domException('NotSupportedError', `Expected publicKey.allowCredentials for ${members.path}; the list is empty.`);
  }
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const id = decodeBase64(key);
      if (key === '' || !id?.canonical || !allowed.some((descriptor) => equalBytes(descriptor.id, id.bytes))) {
        throw domException(
          'SyntaxError',
          `Expected the keys of ${members.path} to be IDs of publicKey.allowCredentials; got ${JSON.stringify(key)}.`,
        );
      }
      return [encodeBase64url(id.bytes), readSalts(membersOf(value, `${members.path}.${key}`))];
    }),
  );
}
