import type { Fixture } from '../../src/fixture/format.js';
import { appendByte, clearFlags, cutTo, flipBit, setFlags } from '../../src/simulate/engine/edits.js';
import { decodeAttestationObject, encodeAttestationObject } from '../../src/webauthn/attestation-object.js';
import { decodeAuthenticatorData, FLAG } from '../../src/webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../../src/webauthn/base64url.js';
import {
  authenticatorDataOf,
  editAuthenticatorData,
  editBytes,
  editCeremony,
  editClientData,
  editCredential,
  editInner,
  editPolicy,
  editResponse,
  type FixtureEdit,
  flagsOf,
} from './fixture-edits.js';

export type Kind = Fixture['kind'];

/** One change to a recorded ceremony, and the expected refusal. */
export interface FixtureChange {
  readonly change: string;
  readonly edit: FixtureEdit;
  /** Which verified recordings it fits; default: all of the kind. */
  readonly of?: (fixture: Fixture) => boolean;
  readonly code: string;
  /** Default: 422 for a registration, 401 for an authentication. */
  readonly status?: number;
  /** Slug of the step that fails; undefined when the request is refused before the procedure begins. */
  readonly step?: string;
}

/** Changes that either ceremony can have. */
export const COMMON_CHANGES: Readonly<Record<string, (kind: Kind) => FixtureChange>> = {
  'type-swapped': (kind) => ({
    change: 'the type in the client data is that of the other ceremony',
    edit: editClientData((text) =>
      kind === 'registration' ? text.replace('webauthn.create', 'webauthn.get') : text.replace('webauthn.get', 'webauthn.create'),
    ),
    code: 'type_mismatch',
    step: 'type',
  }),
  'challenge-unknown': () => ({
    change: 'another challenge was issued: its last bit is flipped',
    edit: (fixture) => {
      const challenge = encodeBase64url(flipBit(-1)(decodeBase64url(fixture.ceremony.challenge)));
      return editCeremony(({ options }) => ({ challenge, options: { ...options, challenge } }))(fixture);
    },
    code: 'challenge_unknown',
    step: 'challenge',
  }),
  'challenge-used': () => ({
    change: 'the challenge has been answered before',
    edit: editCeremony(() => ({ state: 'used' })),
    code: 'challenge_used',
    step: 'challenge',
  }),
  'challenge-expired': () => ({
    change: 'the response comes one millisecond after the challenge expired',
    edit: editCeremony(({ issuedAt, policy }) => ({ answeredAt: new Date(Date.parse(issuedAt) + policy.challengeTtl + 1).toISOString() })),
    code: 'challenge_expired',
    step: 'challenge',
  }),
  'origin-other-port': () => ({
    change: 'the origin in the client data has another port',
    edit: editClientData((text) => text.replace(/"origin":"(https?:\/\/[^":]+)(:\d+)?"/, '"origin":"$1:1"')),
    code: 'origin_mismatch',
    step: 'origin',
  }),
  'origin-longer-host': () => ({
    change: 'the host in the client data continues after the expected one',
    edit: editClientData((text) => text.replace(/"origin":"(https?:\/\/[^":]+)/, '"origin":"$1.example')),
    code: 'origin_mismatch',
    step: 'origin',
  }),
  'cross-origin': () => ({
    change: 'crossOrigin in the client data is true',
    edit: editClientData((text) => text.replace('"crossOrigin":false', '"crossOrigin":true')),
    code: 'cross_origin_not_allowed',
    step: 'cross-origin',
  }),
  'rp-id-hash': () => ({
    change: 'one bit of the RP ID hash is flipped',
    edit: editAuthenticatorData(flipBit(31)),
    code: 'rp_id_mismatch',
    step: 'rp-id-hash',
  }),
  'user-not-present': () => ({
    change: 'the UP flag is cleared',
    edit: editAuthenticatorData(clearFlags(FLAG.up)),
    of: (fixture) => (flagsOf(fixture) & FLAG.up) !== 0,
    code: 'user_not_present',
    step: 'user-present',
  }),
  'user-verification-cleared': () => ({
    change: 'the UV flag is cleared although user verification is required',
    edit: editAuthenticatorData(clearFlags(FLAG.uv)),
    of: (fixture) => (flagsOf(fixture) & FLAG.uv) !== 0 && fixture.ceremony.policy.userVerification === 'required',
    code: 'user_not_verified',
    step: 'user-verified',
  }),
  'user-verification-required': () => ({
    change: 'user verification is required but was not performed',
    edit: editPolicy({ userVerification: 'required' }),
    of: (fixture) => (flagsOf(fixture) & FLAG.uv) === 0,
    code: 'user_not_verified',
    step: 'user-verified',
  }),
  'backup-state-without-eligibility': () => ({
    change: 'the BS flag is set without the BE flag',
    edit: editAuthenticatorData(setFlags(FLAG.bs)),
    of: (fixture) => (flagsOf(fixture) & (FLAG.be | FLAG.bs)) === 0,
    code: 'backup_state_invalid',
    step: 'backup-flags',
  }),
  'authenticator-data-trailing-byte': () => ({
    change: 'one byte follows the authenticator data',
    edit: editAuthenticatorData(appendByte(0)),
    code: 'authenticator_data_malformed',
  }),
  'authenticator-data-cut': () => ({
    change: 'the authenticator data ends within the counter',
    edit: editAuthenticatorData(cutTo(35)),
    code: 'authenticator_data_malformed',
  }),
  'client-data-cut': () => ({
    change: 'the closing brace of the client data is missing',
    edit: editClientData((text) => text.slice(0, -1)),
    code: 'client_data_malformed',
    step: 'client-data',
  }),
  'raw-id-other': () => ({
    change: 'rawId differs from id in one bit',
    edit: (fixture) => editResponse({ rawId: encodeBase64url(flipBit(-1)(decodeBase64url(String(fixture.response.id)))) })(fixture),
    code: 'validation_failed',
    status: 422,
  }),
  'credential-type': () => ({
    change: 'type is not public-key',
    edit: editResponse({ type: 'password' }),
    code: 'validation_failed',
    status: 422,
  }),
};

export const REGISTRATION_CHANGES: Readonly<Record<string, FixtureChange>> = {
  'algorithm-not-offered': {
    change: 'only RS256 was offered; the key is for ES256',
    edit: editPolicy({ algorithms: [-257] }),
    of: ({ ceremony, credential }) => ceremony.policy.algorithms.includes(-7) && isEs256(credential?.publicKey),
    code: 'algorithm_not_allowed',
    step: 'algorithm',
  },
  'attestation-object-trailing-byte': {
    change: 'one byte follows the attestation object',
    edit: editBytes('attestationObject', appendByte(0)),
    code: 'attestation_malformed',
    step: 'attestation-object',
  },
  'attestation-statement-not-empty': {
    change: 'the statement of format none has a member',
    edit: editBytes('attestationObject', (bytes) =>
      encodeAttestationObject({ ...decodeAttestationObject(bytes), attStmt: new Map([['sig', Uint8Array.of(0)]]) }),
    ),
    of: ({ credential }) => credential?.attestationFormat === 'none',
    code: 'attestation_malformed',
    step: 'attestation-statement',
  },
  'attestation-format-unknown': {
    change: 'the attestation format is unregistered',
    edit: editBytes('attestationObject', (bytes) => encodeAttestationObject({ ...decodeAttestationObject(bytes), fmt: 'nome' })),
    of: ({ credential }) => credential?.attestationFormat === 'none',
    code: 'attestation_format_unsupported',
    step: 'attestation-format',
  },
  'credential-id-other': {
    change: 'id and rawId differ from the attested credential ID in one bit',
    edit: (fixture) => {
      const id = encodeBase64url(flipBit(-1)(decodeBase64url(String(fixture.response.id))));
      return editResponse({ id, rawId: id })(fixture);
    },
    code: 'credential_id_mismatch',
    step: 'credential-id',
  },
  'credential-known': {
    change: 'the credential is registered already',
    edit: editCeremony((_, { response }) => ({ knownCredentials: [String(response.id)] })),
    code: 'credential_already_registered',
    status: 409,
  },
};

export const AUTHENTICATION_CHANGES: Readonly<Record<string, FixtureChange>> = {
  'signature-bit': {
    change: 'the last bit of the signature is flipped',
    edit: editBytes('signature', flipBit(-1)),
    code: 'signature_invalid',
    step: 'signature',
  },
  'signature-trailing-byte': {
    change: 'one byte follows the DER signature',
    edit: editBytes('signature', appendByte(0)),
    of: ({ credential }) => isEs256(credential?.publicKey),
    code: 'signature_invalid',
    step: 'signature',
  },
  'signed-data-bit': {
    change: 'one bit of the signed counter is flipped',
    edit: editAuthenticatorData(flipBit(33)),
    code: 'signature_invalid',
    step: 'signature',
  },
  'backup-eligibility-changed': {
    change: 'the credential was backup eligible when it was registered',
    edit: editCredential(({ backupEligible }) => ({ backupEligible: !backupEligible })),
    code: 'backup_eligibility_changed',
    step: 'backup-eligibility',
  },
  'counter-regressed': {
    change: 'the stored sign count is one more than the asserted one',
    edit: (fixture) => editCredential(() => ({ signCount: counterOf(fixture) + 1 }))(fixture),
    of: (fixture) => counterOf(fixture) > 0,
    code: 'counter_regressed',
    step: 'sign-count',
  },
  'counter-repeated': {
    change: 'the stored sign count is the asserted one',
    edit: (fixture) => editCredential(() => ({ signCount: counterOf(fixture) }))(fixture),
    of: (fixture) => counterOf(fixture) > 0,
    code: 'counter_regressed',
    step: 'sign-count',
  },
  'user-handle-foreign': {
    change: 'the user handle is that of another user',
    edit: editInner({ userHandle: encodeBase64url(new TextEncoder().encode('4711')) }),
    code: 'user_handle_mismatch',
    step: 'user-handle',
  },
  'user-handle-missing': {
    change: 'a discoverable credential answers without a user handle',
    edit: editInner({ userHandle: undefined }),
    of: ({ ceremony }) => ceremony.discoverable === true,
    code: 'user_handle_missing',
    step: 'user-handle',
  },
  'credential-unknown': {
    change: 'the credential is not registered',
    edit: (fixture) => {
      const { credential: _, ...unknown } = fixture;
      return unknown;
    },
    of: ({ ceremony }) => ceremony.discoverable === true,
    code: 'passkey_not_found',
    status: 404,
  },
  'credential-revoked': {
    change: 'the credential was revoked after the options were given',
    edit: editCredential(() => ({ revoked: true })),
    code: 'passkey_not_found',
    status: 404,
  },
  'credential-not-asked-for': {
    change: 'another credential of the user was asked for',
    edit: editCeremony(({ options }, { response }) => {
      const asked = encodeBase64url(flipBit(-1)(decodeBase64url(String(response.id))));
      return { knownCredentials: [asked], options: { ...options, allowCredentials: [{ id: asked, type: 'public-key' }] } };
    }),
    of: ({ ceremony }) => ceremony.discoverable !== true,
    code: 'challenge_unknown',
    step: 'challenge',
  },
};

function isEs256(publicKey: string | undefined): boolean {
  // COSE_Key of EC2 begins { 1: 2, 3: -7 … in CTAP2 canonical order.
  return publicKey !== undefined && publicKey.startsWith('pQECAyY');
}

function counterOf(fixture: Fixture): number {
  return decodeAuthenticatorData(authenticatorDataOf(fixture)).signCount;
}
