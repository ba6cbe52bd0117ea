import { decodeAuthenticatorData, encodeAuthenticatorData, FLAG } from '../../webauthn/authenticator-data.js';
import type { Case } from '../engine/case.js';
import { askCreationOptions, sendRegistration } from '../engine/ceremony.js';
import { registrationCase } from '../engine/ceremony-cases.js';
import { refused } from '../engine/compare-answer.js';
import { type ByteEdit, clearFlags, cutTo, editOrigin, flipBit, otherId, setClientData, withChallenge } from '../engine/edits.js';
import { TOP_ORIGIN } from './values.js';

/** The COSE_Key of ES256 begins { 1: 2, 3: -7, … }. Replaces -7 by -8. */
const otherAlgorithm: ByteEdit = (bytes) => {
  const at = Buffer.from(bytes).indexOf(Buffer.from('a501020326', 'hex'));
  return bytes.map((byte, index) => (index === at + 4 ? 0x27 : byte));
};

/** For edits of the bytes of an ES256 key. */
const ES256 = { authenticator: { algorithms: [-7] } } as const;

const longCredentialId: ByteEdit = (bytes) => {
  const data = decodeAuthenticatorData(bytes);
  const { attestedCredentialData: attested } = data;
  return encodeAuthenticatorData({
    ...data,
    attestedCredentialData: attested && { ...attested, credentialId: new Uint8Array(1024).fill(7) },
  });
};

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
    browser: ES256,
    edits: { authenticatorData: otherAlgorithm },
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
    edits: { authenticatorData: longCredentialId },
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
    async rewrite({ context, body }) {
      await sendRegistration(context, body);
      const { challenge } = await askCreationOptions(context);
      return withChallenge(body, challenge);
    },
    expected: refused('credential_already_registered', undefined, 409),
  }),
  registrationCase({
    id: 'register.credential-known-to-another-user',
    title: 'a credential that another user has already registered',
    async rewrite({ context, body }) {
      const { challenge } = await askCreationOptions(context, 2);
      await sendRegistration(context, withChallenge(body, challenge), 2);
      return body;
    },
    expected: refused('credential_already_registered', undefined, 409),
  }),
];

/** Invalid in ways that only a registration can be; the rest is in invalid-ceremonies.ts. */
export const INVALID_REGISTRATIONS: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA, ...CREDENTIAL];
