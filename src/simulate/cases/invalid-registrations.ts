import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { type ByteEdit, clearFlags, cutTo, FLAG, flipBit } from './byte-edits.js';
import { type Case, refused } from './case.js';
import { editOrigin, setClientData } from './client-data-edits.js';
import { registrationCase } from './registration-case.js';
import { askCreationOptions, sendRegistration } from './requests.js';
import { otherId } from './response-edits.js';
import { withClientData } from './tamper.js';

/** COSE_Key of ES256 begins { 1: 2, 3: -7, … }: the byte of -7 becomes that of another algorithm. */
const otherAlgorithm: ByteEdit = (bytes) => {
  const at = Buffer.from(bytes).indexOf(Buffer.from('a501020326', 'hex'));
  return bytes.map((byte, index) => (index === at + 4 ? 0x27 : byte));
};

/** Edits of the key's bytes know what they edit. */
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
    title: 'the client data has no origin',
    edits: { clientData: setClientData({ origin: undefined }) },
    expected: refused('client_data_malformed', 'client-data'),
  }),
  registrationCase({
    id: 'register.type-swapped',
    title: 'the client data is of an authentication',
    edits: { clientData: setClientData({ type: 'webauthn.get' }) },
    expected: refused('type_mismatch', 'type'),
  }),
  registrationCase({
    id: 'register.origin-trailing-slash',
    title: 'an origin with a slash at its end',
    edits: { clientData: editOrigin((origin) => `${origin}/`) },
    expected: refused('origin_mismatch', 'origin'),
  }),
  registrationCase({
    id: 'register.top-origin-without-cross-origin',
    title: 'a top-level origin in client data that is not cross-origin',
    edits: { clientData: setClientData({ topOrigin: 'https://top.example' }) },
    expected: refused('top_origin_mismatch', 'top-origin'),
  }),
];

const AUTHENTICATOR_DATA: readonly Case[] = [
  registrationCase({
    id: 'register.no-attested-credential',
    title: 'authenticator data of an assertion, without credential',
    edits: { authenticatorData: (bytes) => clearFlags(FLAG.at)(cutTo(37)(bytes)) },
    expected: refused('authenticator_data_malformed'),
  }),
  registrationCase({
    id: 'register.algorithm-not-offered',
    title: 'a key for an algorithm that was not offered',
    actor: ES256,
    edits: { authenticatorData: otherAlgorithm },
    expected: refused('algorithm_not_allowed', 'algorithm'),
  }),
  registrationCase({
    id: 'register.public-key-off-curve',
    title: 'a public key that is no point of its curve',
    actor: ES256,
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
    title: 'id and rawId of another credential than the attested one',
    edits: { response: otherId },
    expected: refused('credential_id_mismatch', 'credential-id'),
  }),
  registrationCase({
    id: 'register.credential-known',
    title: 'a credential that is registered already',
    async rewrite({ stage, body }) {
      await sendRegistration(stage, body);
      const { challenge } = await askCreationOptions(stage);
      return withClientData(body, setClientData({ challenge }));
    },
    expected: refused('credential_already_registered', undefined, 409),
  }),
  registrationCase({
    id: 'register.credential-known-to-another-user',
    title: 'a credential that another user has registered',
    async rewrite({ stage, body }) {
      const { challenge } = await askCreationOptions(stage, 2);
      await sendRegistration(stage, withClientData(body, setClientData({ challenge })), 2);
      return body;
    },
    expected: refused('credential_already_registered', undefined, 409),
  }),
];

/** Invalid in ways that only a registration can be; the others are in invalid-ceremonies.ts. */
export const INVALID_REGISTRATIONS: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA, ...CREDENTIAL];
