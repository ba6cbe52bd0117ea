import { decodeAuthenticatorData, encodeAuthenticatorData, FLAG } from '../../webauthn/authenticator-data.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../../webauthn/json.js';
import { MAX_CREDENTIAL_ID_BYTES } from '../../webauthn/limits.js';
import type { Case } from '../engine/case.js';
import { beginRegistration } from '../engine/ceremony.js';
import { registrationCase } from '../engine/ceremony-cases.js';
import { refused } from '../engine/compare-answer.js';
import {
  type ByteEdit,
  clearFlags,
  cutTo,
  editOrigin,
  flipBit,
  otherId,
  setClientData,
  setMembers,
  withChallenge,
} from '../engine/edits.js';
import { notApplicable } from '../engine/scenario.js';
import { TOP_ORIGIN } from '../engine/wants.js';

/** For edits of the bytes of an ES256 key. */
const ES256 = { authenticator: { algorithms: [-7] } } as const;

const TOO_LONG = new Uint8Array(MAX_CREDENTIAL_ID_BYTES + 1).fill(7);
const TOO_LONG_TEXT = encodeBase64url(TOO_LONG);

const longCredentialId: ByteEdit = (bytes) => {
  const data = decodeAuthenticatorData(bytes);
  const { attestedCredentialData: attested } = data;
  return encodeAuthenticatorData({ ...data, attestedCredentialData: attested && { ...attested, credentialId: TOO_LONG } });
};

/** An algorithm that the software authenticator knows and the options do not offer. */
function notOffered({ pubKeyCredParams }: PublicKeyCredentialCreationOptionsJSON): number {
  const offered = pubKeyCredParams.map(({ alg }) => Number(alg));
  const other = [-8, -35, -7, -36, -257, -47].find((alg) => !offered.includes(alg));
  if (other === undefined) throw notApplicable('the target offers every algorithm that could be one that it did not offer');
  return other;
}

const CLIENT_DATA: readonly Case[] = [
  registrationCase({
    id: 'register.client-data-without-origin',
    title: 'client data without an origin',
    edits: { clientData: setClientData({ origin: undefined }) },
    expected: refused('client_data_malformed', 'client-data'),
  }),
  registrationCase({
    id: 'register.type-swapped',
    title: 'client data of an authentication',
    edits: { clientData: setClientData({ type: 'webauthn.get' }) },
    expected: refused('type_mismatch', 'type'),
  }),
  registrationCase({
    id: 'register.origin-trailing-slash',
    title: 'an origin with a trailing slash',
    edits: { clientData: editOrigin((origin) => `${origin}/`) },
    expected: refused('origin_mismatch', 'origin'),
  }),
  registrationCase({
    id: 'register.top-origin-without-cross-origin',
    title: 'a top-level origin in client data that is not cross-origin',
    edits: { clientData: setClientData({ topOrigin: TOP_ORIGIN }) },
    expected: refused('top_origin_mismatch', 'top-origin'),
  }),
];

const AUTHENTICATOR_DATA: readonly Case[] = [
  registrationCase({
    id: 'register.no-attested-credential',
    title: 'authenticator data without attested credential data',
    edits: { authenticatorData: (bytes) => clearFlags(FLAG.at)(cutTo(37)(bytes)) },
    expected: refused('authenticator_data_malformed'),
  }),
  registrationCase({
    id: 'register.algorithm-not-offered',
    title: 'a key for an algorithm that was not offered',
    browser: { authenticator: { algorithms: [-7, -8, -35, -36, -257, -47] } },
    options: ({ options }) => ({ ...options, pubKeyCredParams: [{ type: 'public-key', alg: notOffered(options) }] }),
    expected: refused('algorithm_not_allowed', 'algorithm'),
  }),
  registrationCase({
    id: 'register.public-key-off-curve',
    title: 'a public key that is not on its curve',
    browser: ES256,
    edits: { authenticatorData: flipBit(-1) },
    expected: refused('public_key_malformed', 'algorithm'),
  }),
  registrationCase({
    id: 'register.credential-id-too-long',
    title: 'a credential ID of 1024 bytes',
    edits: { authenticatorData: longCredentialId, response: setMembers({ id: TOO_LONG_TEXT, rawId: TOO_LONG_TEXT }) },
    expected: refused('credential_id_too_long', 'credential-id'),
  }),
];

const CREDENTIAL: readonly Case[] = [
  registrationCase({
    id: 'register.credential-id-other',
    title: 'id and rawId that differ from the attested credential ID',
    edits: { response: otherId },
    expected: refused('credential_id_mismatch', 'credential-id'),
  }),
  registrationCase({
    id: 'register.credential-known',
    title: 'a credential that is already registered',
    async rewrite({ context, session, body }) {
      await session.finishRegistration(body);
      const { challenge } = await beginRegistration(context, session);
      return withChallenge(body, challenge);
    },
    expected: refused('credential_already_registered', undefined, 409),
  }),
  registrationCase({
    id: 'register.credential-known-to-another-user',
    title: 'a credential that another user has already registered',
    async rewrite({ context, body }) {
      const other = await context.session(2);
      const { challenge } = await beginRegistration(context, other);
      await other.finishRegistration(withChallenge(body, challenge));
      return body;
    },
    expected: refused('credential_already_registered', undefined, 409),
  }),
];

/** Invalid in ways that only a registration can be; the rest is in invalid-ceremonies.ts. */
export const INVALID_REGISTRATIONS: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA, ...CREDENTIAL];
