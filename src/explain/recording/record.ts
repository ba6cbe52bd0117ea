import type { Fixture, FixtureCredential } from '../../fixture/format.js';
import { asObject } from '../../kernel/json-value.js';
import { keptTransports } from '../../relying-party/register.js';
import { initialState } from '../../relying-party/steps/registered-credential.js';
import { formatAaguid } from '../../webauthn/aaguid.js';
import { type AuthenticatorData, decodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { AAGUID_BYTES } from '../../webauthn/limits.js';
import type { ReadCredential } from '../annotate/read-credential.js';
import { decodeText } from '../requested-options.js';

/** Credential record as the relying party has it after an accepted registration or a later login. */
export interface KnownRecord {
  readonly credential: FixtureCredential;
  /** User handle; undefined if no recorded ceremony contains it. */
  readonly userHandle: Uint8Array | undefined;
  readonly rpId: string;
}

/** Credential records by credential ID. The ID may be given in any encoding. */
export interface KnownRecords {
  get(id: unknown): KnownRecord | undefined;
  /** Stores the credential record that results from an accepted ceremony. */
  add(fixture: Fixture, userHandle: Uint8Array | undefined): void;
}

export function createKnownRecords(): KnownRecords {
  const records = new Map<string, KnownRecord>();
  const keyOf = (id: unknown): string => {
    const bytes = decodeText(id);
    return bytes === undefined ? '' : encodeBase64url(bytes);
  };
  return {
    get: (id) => records.get(keyOf(id)),
    add(fixture, userHandle) {
      const { credential, rpId, response, kind } = fixture;
      if (credential === undefined || keyOf(response['id']) === '') return;
      const after = kind === 'authentication' ? { ...credential, ...stateAfter(credential, response) } : credential;
      records.set(keyOf(response['id']), { credential: after, userHandle, rpId });
    },
  };
}

/** Updates a credential record after an assertion (§7.2 step 24). */
function stateAfter(
  { uvInitialized }: FixtureCredential,
  response: Fixture['response'],
): Pick<FixtureCredential, 'signCount' | 'backupState' | 'uvInitialized'> {
  const { authenticatorData } = asObject(response['response']);
  const { signCount, flags } = decodeAuthenticatorData(decodeText(authenticatorData) ?? new Uint8Array());
  return { signCount, backupState: flags.bs, uvInitialized: uvInitialized || flags.uv };
}

interface Registered {
  readonly rpName: string;
  readonly origin: string;
}

/** Makes the credential record of a registration (§7.1 step 27); undefined if its attestation object cannot be read. */
export function recordOfRegistration(
  { attestationObject, attestedData, response }: ReadCredential,
  { rpName, origin }: Registered,
): FixtureCredential | undefined {
  const { decoded } = attestationObject;
  const attested = attestedData?.ok === true ? attestedData.value.attestedCredentialData : undefined;
  if (decoded?.ok !== true || attestedData?.ok !== true || attested === undefined) return undefined;
  const { transports } = response;
  return {
    id: encodeBase64url(attested.credentialId),
    publicKey: encodeBase64url(attested.credentialPublicKey),
    ...initialState(attestedData.value),
    transports: keptTransports(Array.isArray(transports) ? transports : []),
    aaguid: formatAaguid(attested.aaguid),
    attestationFormat: decoded.value.fmt,
    rpName,
    origin,
  };
}

/**
 * Makes a credential record from a public key alone. Copies all other members from the login that is checked, so that their comparison
 * cannot fail.
 */
export function recordOfKey(
  publicKey: Uint8Array,
  { id, signCount, data }: { readonly id: unknown; readonly signCount: number | undefined; readonly data: AuthenticatorData | undefined },
  { rpName, origin }: Registered,
): FixtureCredential {
  const { uv = false, be = false, bs = false } = data?.flags ?? {};
  return {
    id: encodeBase64url(decodeText(id) ?? new Uint8Array()),
    publicKey: encodeBase64url(publicKey),
    signCount: signCount ?? 0,
    uvInitialized: uv,
    backupEligible: be,
    backupState: bs,
    transports: [],
    aaguid: formatAaguid(new Uint8Array(AAGUID_BYTES)),
    attestationFormat: 'none',
    rpName,
    origin,
  };
}
