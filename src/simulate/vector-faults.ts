import { createAttestationAuthority } from '../authenticator/attestation/authority.js';
import type { AttestationName } from '../authenticator/attestation/named-formats.js';
import type { ErrorCode, FailedCheckCode } from '../errors.js';
import type { Fixture } from '../fixture/format.js';
import { encodeUtf8 } from '../kernel/bytes.js';
import { asObject, type JsonObject } from '../kernel/json-value.js';
import { decodeAttestationObject, encodeAttestationObject } from '../webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../webauthn/authenticator-data.js';
import { decodeBase64url, encodeBase64url } from '../webauthn/base64url.js';
import type { CeremonyKind } from '../webauthn/enumerations.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../webauthn/limits.js';
import { writePem } from '../webauthn/pem.js';

/**
 * Every error code with which a ceremony is refused, except `verifiers_disagree`. No known ceremony makes our own steps and the library
 * disagree without a reason.
 */
type FaultCode =
  | Exclude<FailedCheckCode, 'verifiers_disagree'>
  | Extract<ErrorCode, 'credential_already_registered' | 'passkey_not_found' | 'validation_failed'>;

/** A valid ceremony with one fault, which is made either by the mutation with this ID or by changing the recording. */
export type VectorFault =
  | { readonly mutation: `${'register' | 'login'}.${string}` }
  | {
      readonly kind: CeremonyKind;
      /** One sentence that describes the change to the valid ceremony. */
      readonly change: string;
      readonly edit: (fixture: Fixture) => Fixture;
      /** Kind of attestation in the registration before the change. Default: none. */
      readonly attestation?: AttestationName;
    };

const OTHER_ID = encodeBase64url(encodeUtf8('another credential ID'));
const THIRD_ID = encodeBase64url(encodeUtf8('a third credential ID'));

/** One faulty ceremony for each error code. */
export const VECTOR_FAULTS: Readonly<Record<FaultCode, VectorFault>> = {
  client_data_malformed: { mutation: 'login.client-data-cut' },
  type_mismatch: { mutation: 'login.type-swapped' },
  challenge_unknown: { mutation: 'login.challenge-unknown' },
  challenge_expired: {
    kind: 'authentication',
    change: 'the response arrives after the challenge has expired',
    edit: (fixture) => {
      const { issuedAt, policy } = fixture.ceremony;
      return withCeremony(fixture, { answeredAt: new Date(Date.parse(issuedAt) + policy.challengeTtl + 1000).toISOString() });
    },
  },
  challenge_used: {
    kind: 'authentication',
    change: 'the challenge has been answered before',
    edit: (fixture) => withCeremony(fixture, { state: 'used' }),
  },
  origin_mismatch: { mutation: 'login.origin-other-site' },
  top_origin_mismatch: { mutation: 'login.top-origin-without-cross-origin' },
  cross_origin_not_allowed: {
    kind: 'registration',
    change: 'the page was in a frame of another origin',
    edit: (fixture) => withClientData(fixture, { crossOrigin: true }),
  },
  rp_id_mismatch: { mutation: 'login.rp-id-hash' },
  user_not_present: { mutation: 'login.user-not-present' },
  user_not_verified: { mutation: 'login.user-not-verified' },
  backup_state_invalid: { mutation: 'login.backup-state-without-eligibility' },
  backup_eligibility_changed: { mutation: 'login.backup-eligibility-gained' },
  algorithm_not_allowed: {
    kind: 'registration',
    change: 'the algorithm of the key was not offered',
    edit: (fixture) => {
      const { options, policy } = fixture.ceremony;
      const algorithms = policy.algorithms.filter((id) => id !== -7);
      const pubKeyCredParams = algorithms.map((alg) => ({ type: 'public-key', alg }));
      return withCeremony(fixture, { options: { ...options, pubKeyCredParams }, policy: { ...policy, algorithms } });
    },
  },
  authenticator_data_malformed: { mutation: 'login.authenticator-data-trailing-byte' },
  attestation_malformed: { mutation: 'register.attestation-object-trailing-byte' },
  attestation_untrusted: {
    kind: 'registration',
    change: 'the certificates lead to a root that is not trusted',
    attestation: 'packed-x5c',
    edit: (fixture) => {
      const { policy } = fixture.ceremony;
      const { root } = createAttestationAuthority({ seed: 'another test attestation' });
      return withCeremony(fixture, { policy: { ...policy, attestationRoots: [writePem(root)] } });
    },
  },
  attestation_format_unsupported: { mutation: 'register.attestation-format-unknown' },
  credential_id_mismatch: {
    kind: 'registration',
    change: 'id and rawId are not those of the attested credential data',
    edit: (fixture) => withResponse(fixture, { id: OTHER_ID, rawId: OTHER_ID }),
  },
  credential_id_too_long: {
    kind: 'registration',
    change: 'the credential ID has 1024 bytes',
    edit: (fixture) => withCredentialId(fixture, new Uint8Array(MAX_CREDENTIAL_ID_BYTES + 1).fill(7)),
  },
  credential_not_allowed: {
    kind: 'authentication',
    change: 'the options name two other credentials',
    edit: (fixture) => {
      const allowCredentials = [OTHER_ID, THIRD_ID].map((id) => ({ id, type: 'public-key' }));
      return withCeremony(fixture, { options: { ...fixture.ceremony.options, allowCredentials } });
    },
  },
  public_key_malformed: { mutation: 'register.public-key-off-curve' },
  user_handle_missing: {
    kind: 'authentication',
    change: 'neither the options nor the response name a user',
    edit: (fixture) => {
      const { allowCredentials: _, ...options } = fixture.ceremony.options;
      return withInnerResponse(withCeremony(fixture, { options, discoverable: true }), { userHandle: undefined });
    },
  },
  user_handle_mismatch: {
    kind: 'authentication',
    change: 'the user handle is that of another user',
    edit: (fixture) => withInnerResponse(fixture, { userHandle: encodeBase64url(encodeUtf8('2')) }),
  },
  signature_invalid: { mutation: 'login.signature-bit' },
  counter_regressed: {
    kind: 'authentication',
    change: 'the stored sign count is higher than that of the response',
    edit: (fixture) => withCredential(fixture, { signCount: 5 }),
  },
  credential_already_registered: {
    kind: 'registration',
    change: 'the credential ID is registered already',
    edit: (fixture) => withCeremony(fixture, { knownCredentials: [String(fixture.response['id'])] }),
  },
  passkey_not_found: {
    kind: 'authentication',
    change: 'the passkey was revoked after the options were sent',
    edit: (fixture) => withCredential(fixture, { revoked: true }),
  },
  validation_failed: { mutation: 'login.raw-id-other' },
};

/** Makes a copy of a registration with client data that differs from the data that was signed. */
export function withClientData(fixture: Fixture, members: JsonObject): Fixture {
  const { clientDataJSON } = asObject(fixture.response['response']);
  const clientData = asObject(JSON.parse(new TextDecoder().decode(decodeBase64url(String(clientDataJSON)))));
  return withInnerResponse(fixture, { clientDataJSON: encodeBase64url(encodeUtf8(JSON.stringify({ ...clientData, ...members }))) });
}

/** Makes a copy of a registration with a different credential ID. */
function withCredentialId(fixture: Fixture, id: Uint8Array): Fixture {
  const { attestationObject } = asObject(fixture.response['response']);
  const object = decodeAttestationObject(decodeBase64url(String(attestationObject)));
  const { attestedCredentialData, ...data } = decodeAuthenticatorData(object.authData);
  if (attestedCredentialData === undefined) throw new TypeError('Expected a registration with attested credential data.');
  const authData = encodeAuthenticatorData({ ...data, attestedCredentialData: { ...attestedCredentialData, credentialId: id } });
  const text = encodeBase64url(id);
  const changed = encodeBase64url(encodeAttestationObject({ ...object, authData }));
  return withInnerResponse(withResponse(fixture, { id: text, rawId: text }), {
    attestationObject: changed,
    authenticatorData: encodeBase64url(authData),
  });
}

function withCeremony(fixture: Fixture, members: Partial<Fixture['ceremony']>): Fixture {
  return { ...fixture, ceremony: { ...fixture.ceremony, ...members } };
}

function withCredential(fixture: Fixture, members: Partial<NonNullable<Fixture['credential']>>): Fixture {
  return fixture.credential === undefined ? fixture : { ...fixture, credential: { ...fixture.credential, ...members } };
}

function withResponse(fixture: Fixture, members: JsonObject): Fixture {
  return { ...fixture, response: { ...fixture.response, ...members } };
}

/** Makes a copy of a fixture with other members of `response.response`. A member whose new value is undefined is removed. */
function withInnerResponse(fixture: Fixture, members: JsonObject): Fixture {
  const inner = Object.entries({ ...asObject(fixture.response['response']), ...members }).filter(([, value]) => value !== undefined);
  return withResponse(fixture, { response: Object.fromEntries(inner) });
}
