import { parseAaguid } from '../../webauthn/aaguid.js';
import { decodeBase64, encodeBase64 } from '../../webauthn/base64url.js';
import type { HttpAnswer } from '../http.js';
import type { Mismatch } from '../report.js';
import { objectOf } from '../scenario.js';
import { ACCEPTED, type Case } from './case.js';
import { type RegistrationMoment, type RegistrationSpec, registrationCase } from './registration-case.js';
import { askCreationOptions } from './requests.js';
import { inStandardBase64 } from './response-edits.js';

const CREATED_AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** The answer to a registration (API.md 2): these members and no others. */
export function checkPasskeyAnswer(answer: HttpAnswer, { body }: Pick<RegistrationMoment, 'body'>): Mismatch[] {
  const { passkey, ...others } = objectOf(answer.json);
  const { id, label, credential_id: credentialId, created_at: createdAt, ...more } = objectOf(passkey);
  const wanted = encodeBase64(decodeBase64(String(body.id))?.bytes ?? new Uint8Array());
  return [
    expectTrue('passkey.id', 'a positive integer', id, typeof id === 'number' && Number.isInteger(id) && id > 0),
    expectTrue('passkey.label', 'a string', label, typeof label === 'string'),
    expectTrue('passkey.credential_id', wanted, credentialId, credentialId === wanted),
    expectTrue(
      'passkey.created_at',
      'UTC with six fraction digits',
      createdAt,
      typeof createdAt === 'string' && CREATED_AT.test(createdAt),
    ),
    expectTrue(
      'members',
      'passkey with id, label, credential_id, created_at',
      Object.keys({ ...others, ...more }),
      Object.keys({ ...others, ...more }).length === 0,
    ),
  ].flat();
}

export function expectTrue(what: string, expected: string, received: unknown, holds: boolean): Mismatch[] {
  return holds ? [] : [{ at: `the answer: ${what}`, expected, received: JSON.stringify(received) ?? 'nothing' }];
}

function labelled(id: string, title: string, members: Readonly<Record<string, unknown>>, label: string): Case {
  return registrationCase({
    id,
    title,
    members,
    expected: ACCEPTED,
    check: (answer) => {
      const received = objectOf(objectOf(answer.json).passkey).label;
      return expectTrue('passkey.label', JSON.stringify(label), received, received === label);
    },
  });
}

const accepted = (spec: Omit<RegistrationSpec, 'expected'>): Case =>
  registrationCase({ check: checkPasskeyAnswer, ...spec, expected: ACCEPTED });

const ICLOUD_KEYCHAIN = parseAaguid('fbfc3007-154e-4ecc-8c0b-6e020557d7bd');

export const REGISTRATIONS: readonly Case[] = [
  accepted({ id: 'register.default', title: 'a registration as a browser does it by default' }),
  accepted({
    id: 'register.without-user-verification',
    title: 'an authenticator that cannot verify its user',
    actor: { user: ['present'] },
  }),
  accepted({
    id: 'register.user-verification-required',
    title: 'user verification is required, and done',
    room: { policy: { userVerification: 'required' } },
  }),
  accepted({
    id: 'register.backed-up',
    title: 'a synced passkey: backup eligible and backed up',
    actor: { authenticator: { backupEligible: true, backupState: true } },
  }),
  accepted({
    id: 'register.counting',
    title: 'an authenticator that counts',
    actor: { authenticator: { signCount: { kind: 'global', start: 41 } } },
  }),
  accepted({
    id: 'register.security-key',
    title: 'a security key: cross-platform, over USB and NFC',
    actor: { authenticator: { attachment: 'cross-platform', transports: ['usb', 'nfc'] } },
  }),
  accepted({
    id: 'register.long-credential-id',
    title: 'a credential ID of 1023 bytes',
    actor: { authenticator: { credentialIdLength: 1023 } },
  }),
  accepted({
    id: 'register.standard-base64',
    title: 'every binary member in padded standard base64',
    edits: { response: inStandardBase64 },
  }),
  accepted({
    id: 'register.further-members',
    title: 'members that the API does not know are ignored',
    members: { further: { member: true } },
  }),
  accepted({
    id: 'register.attestation-packed',
    title: 'packed self attestation, asked for with attestation "direct"',
    tags: ['attestation'],
    room: { policy: { attestation: 'direct' } },
    actor: { authenticator: { attestation: 'packed' } },
  }),
  accepted({
    id: 'register.embedded',
    title: 'a page in an iframe, under an allowed top-level origin',
    room: { policy: { topOrigins: ['https://top.example'] } },
    actor: { page: { topOrigin: 'https://top.example' } },
  }),
  labelled('register.label', 'a label of its own', { label: 'My key' }, 'My key'),
  labelled('register.label-null', 'label null counts as none', { label: null }, 'Passkey'),
  registrationCase({
    id: 'register.label-by-aaguid',
    title: "without a label, the provider's name",
    actor: { authenticator: { aaguid: ICLOUD_KEYCHAIN } },
    expected: ACCEPTED,
    check: (answer) => {
      const { label } = objectOf(objectOf(answer.json).passkey);
      return expectTrue('passkey.label', '"iCloud Keychain"', label, label === 'iCloud Keychain');
    },
  }),
  registrationCase({
    id: 'register.exclude-credentials',
    title: 'the options of a second registration exclude the first passkey',
    expected: ACCEPTED,
    async check(_, { stage, body }) {
      const { excludeCredentials = [] } = await askCreationOptions(stage);
      const ids = excludeCredentials.map(({ id }) => id);
      return expectTrue('excludeCredentials', `with ${String(body.id)}`, ids, ids.includes(String(body.id)));
    },
  }),
];
