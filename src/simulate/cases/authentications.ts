import type { HttpAnswer } from '../http.js';
import type { Mismatch } from '../report.js';
import { objectOf } from '../scenario.js';
import { type AuthenticationMoment, type AuthenticationSpec, authenticationCase } from './authentication-case.js';
import { FLAG, setFlags } from './byte-edits.js';
import { ACCEPTED, type Case } from './case.js';
import { expectTrue } from './registrations.js';
import { inStandardBase64, setInner } from './response-edits.js';

/** The answer of `verify` (API.md 2): whose passkey, and which. */
export function checkVerifyAnswer(answer: HttpAnswer, { passkey }: AuthenticationMoment): Mismatch[] {
  const { passkeeable_id: ownerId, passkeeable_type: ownerType, passkey: received, ...others } = objectOf(answer.json);
  return [
    expectTrue('passkeeable_id', 'a positive integer', ownerId, typeof ownerId === 'number' && ownerId > 0),
    expectTrue('passkeeable_type', 'a type name', ownerType, typeof ownerType === 'string' && ownerType !== ''),
    expectTrue('passkey', JSON.stringify({ id: passkey.id }), received, JSON.stringify(received) === JSON.stringify({ id: passkey.id })),
    expectTrue('members', 'no others', Object.keys(others), Object.keys(others).length === 0),
  ].flat();
}

/** The answer of `login`, as far as every auth action gives it. */
export function checkLoginAnswer(answer: HttpAnswer): Mismatch[] {
  const { id, name, email } = objectOf(objectOf(answer.json).user);
  return [
    expectTrue('user.id', 'a positive integer', id, typeof id === 'number' && id > 0),
    expectTrue('user.name', 'a string', name, typeof name === 'string'),
    expectTrue('user.email', 'a string', email, typeof email === 'string'),
  ].flat();
}

type Accepted = Omit<AuthenticationSpec, 'expected' | 'check'>;

export function acceptedLogin(spec: Accepted): Case {
  return authenticationCase({ ...spec, endpoint: 'login', expected: ACCEPTED, check: checkLoginAnswer });
}

export function acceptedVerification(spec: Accepted): Case {
  return authenticationCase({ ...spec, endpoint: 'verify', expected: ACCEPTED, check: checkVerifyAnswer });
}

const DISCOVERABLE = { authenticator: { alwaysDiscoverable: true } } as const;

export const AUTHENTICATIONS: readonly Case[] = [
  acceptedVerification({ id: 'verify.default', title: 'a verification as a browser does it by default' }),
  acceptedLogin({ id: 'login.default', title: 'a login as a browser does it by default' }),
  acceptedLogin({ id: 'login.discoverable', title: 'a login without naming a credential', from: 'login/options', actor: DISCOVERABLE }),
  acceptedVerification({
    id: 'verify.discoverable',
    title: 'the challenge of login/options at verify',
    from: 'login/options',
    actor: DISCOVERABLE,
  }),
  acceptedLogin({
    id: 'login.without-user-verification',
    title: 'an authenticator that cannot verify its user',
    actor: { user: ['present'] },
  }),
  acceptedLogin({
    id: 'login.user-verification-required',
    title: 'user verification is required, and done',
    room: { policy: { userVerification: 'required' } },
  }),
  acceptedLogin({
    id: 'login.counting',
    title: 'an authenticator that counts',
    actor: { authenticator: { signCount: { kind: 'per-credential', start: 7, step: 3 } } },
  }),
  acceptedLogin({
    id: 'login.backed-up',
    title: 'a synced passkey: backup eligible and backed up',
    actor: { authenticator: { backupEligible: true, backupState: true } },
  }),
  acceptedLogin({
    id: 'login.backed-up-later',
    title: 'a passkey that was backed up after its registration',
    actor: { authenticator: { backupEligible: true } },
    edits: { authenticatorData: setFlags(FLAG.bs) },
  }),
  acceptedLogin({
    id: 'login.user-handle-null',
    title: 'userHandle null counts as none',
    edits: { response: setInner({ userHandle: null }) },
  }),
  acceptedLogin({
    id: 'login.standard-base64',
    title: 'every binary member in padded standard base64',
    edits: { response: inStandardBase64 },
  }),
  acceptedLogin({
    id: 'login.embedded',
    title: 'a page in an iframe, under an allowed top-level origin',
    room: { policy: { topOrigins: ['https://top.example'] } },
    actor: { page: { topOrigin: 'https://top.example' } },
  }),
  acceptedLogin({
    id: 'login.further-origin',
    title: 'another origin of the same RP ID that the server takes too',
    room: { origins: ['http://localhost:9000'] },
    actor: { page: { origin: () => 'http://localhost:9000' } },
  }),
];
