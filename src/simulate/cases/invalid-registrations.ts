import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../webauthn/authenticator-data.js';
import { appendByte, type ByteEdit, clearFlags, cutTo, FLAG, flipBit, setFlags } from './byte-edits.js';
import { type Case, refused } from './case.js';
import { editOrigin, otherPort, setClientData } from './client-data-edits.js';
import { registrationCase } from './registration-case.js';
import { askCreationOptions, sendRegistration } from './requests.js';
import { otherId } from './response-edits.js';
import { withClientData } from './tamper.js';

/** COSE_Key of ES256 begins { 1: 2, 3: -7, … }: the byte of -7 becomes that of another algorithm. */
const otherAlgorithm: ByteEdit = (bytes) => {
  const at = Buffer.from(bytes).indexOf(Buffer.from('a501020326', 'hex'));
  return bytes.map((byte, index) => (index === at + 4 ? 0x27 : byte));
};

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
    id: 'register.client-data-cut',
    title: 'the client data is no JSON',
    edits: { clientData: (text) => text.slice(0, -1) },
    expected: refused('client_data_malformed', 'client-data'),
  }),
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
    id: 'register.origin-other-port',
    title: 'a page on another port of the same host',
    actor: { page: { origin: otherPort } },
    expected: refused('origin_mismatch', 'origin'),
  }),
  registrationCase({
    id: 'register.origin-longer-host',
    title: 'a host that only begins like the expected one',
    edits: { clientData: editOrigin((origin) => origin.replace(/^(https?:\/\/[^:/]+)/, '$1.example')) },
    expected: refused('origin_mismatch', 'origin'),
  }),
  registrationCase({
    id: 'register.origin-trailing-slash',
    title: 'an origin with a slash at its end',
    edits: { clientData: editOrigin((origin) => `${origin}/`) },
    expected: refused('origin_mismatch', 'origin'),
  }),
  registrationCase({
    id: 'register.cross-origin',
    title: 'a page in an iframe of another origin',
    actor: { page: { crossOrigin: true } },
    expected: refused('cross_origin_not_allowed', 'cross-origin'),
  }),
  registrationCase({
    id: 'register.top-origin-other',
    title: 'an iframe under a top-level origin that is not allowed',
    room: { policy: { topOrigins: ['https://top.example'] } },
    actor: { page: { topOrigin: 'https://other.example' } },
    expected: refused('top_origin_mismatch', 'top-origin'),
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
    id: 'register.rp-id-hash',
    title: 'the hash of another RP ID',
    edits: { authenticatorData: flipBit(0) },
    expected: refused('rp_id_mismatch', 'rp-id-hash'),
  }),
  registrationCase({
    id: 'register.user-not-present',
    title: 'the user did not touch anything',
    edits: { authenticatorData: clearFlags(FLAG.up) },
    expected: refused('user_not_present', 'user-present'),
  }),
  registrationCase({
    id: 'register.user-not-verified',
    title: 'user verification is required, and was not done',
    room: { policy: { userVerification: 'required' } },
    edits: { authenticatorData: clearFlags(FLAG.uv) },
    expected: refused('user_not_verified', 'user-verified'),
  }),
  registrationCase({
    id: 'register.backup-state-without-eligibility',
    title: 'backed up, but not eligible for it',
    edits: { authenticatorData: setFlags(FLAG.bs) },
    expected: refused('backup_state_invalid', 'backup-flags'),
  }),
  registrationCase({
    id: 'register.authenticator-data-cut',
    title: 'authenticator data that ends within the counter',
    edits: { authenticatorData: cutTo(35) },
    expected: refused('authenticator_data_malformed'),
  }),
  registrationCase({
    id: 'register.authenticator-data-trailing-byte',
    title: 'a byte after the authenticator data',
    edits: { authenticatorData: appendByte(0) },
    expected: refused('authenticator_data_malformed'),
  }),
  registrationCase({
    id: 'register.no-attested-credential',
    title: 'authenticator data of an assertion, without credential',
    edits: { authenticatorData: (bytes) => clearFlags(FLAG.at)(cutTo(37)(bytes)) },
    expected: refused('authenticator_data_malformed'),
  }),
  registrationCase({
    id: 'register.algorithm-not-offered',
    title: 'a key for an algorithm that was not offered',
    edits: { authenticatorData: otherAlgorithm },
    expected: refused('algorithm_not_allowed', 'algorithm'),
  }),
  registrationCase({
    id: 'register.public-key-off-curve',
    title: 'a public key that is no point of its curve',
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

export const INVALID_REGISTRATIONS: readonly Case[] = [...CLIENT_DATA, ...AUTHENTICATOR_DATA, ...CREDENTIAL];
