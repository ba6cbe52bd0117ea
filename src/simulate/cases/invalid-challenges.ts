import { postJson } from '../http.js';
import { createActor } from './actor.js';
import { authenticationCase, registerHonestly } from './authentication-case.js';
import { type Case, denied, refused } from './case.js';
import { editChallenge, FOREIGN_CHALLENGE, setClientData } from './client-data-edits.js';
import { wait } from './clock.js';
import { registrationCase } from './registration-case.js';
import { askCreationOptions, askRequestOptions, sendRegistration } from './requests.js';
import { withClientData } from './tamper.js';

const REGISTRATIONS: readonly Case[] = [
  registrationCase({
    id: 'register.challenge-unknown',
    title: 'a challenge that nobody issued',
    edits: { clientData: setClientData({ challenge: FOREIGN_CHALLENGE }) },
    expected: refused('challenge_unknown', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-padded',
    title: 'the right challenge, written as padded base64',
    edits: { clientData: editChallenge((challenge) => `${challenge}=`) },
    expected: refused('challenge_unknown', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-used',
    title: 'the same response a second time',
    between: ({ stage, body }) => sendRegistration(stage, body),
    expected: refused('challenge_used', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-spent-by-failure',
    title: 'a second response after the first was refused',
    between: ({ stage, body }) => sendRegistration(stage, withClientData(body, setClientData({ type: 'webauthn.get' }))),
    expected: refused('challenge_used', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-expired',
    title: 'a response after the challenge expired',
    needs: ['clock'],
    between: wait(120_001),
    expected: refused('challenge_expired', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-of-another-user',
    title: "the response to another user's options",
    sentBy: 2,
    expected: refused('challenge_unknown', 'challenge'),
  }),
  registrationCase({
    id: 'register.challenge-of-login',
    title: 'the challenge of an authentication',
    async rewrite({ stage, body }) {
      const { challenge } = await askRequestOptions(stage, 'login/options', '');
      return withClientData(body, setClientData({ challenge }));
    },
    expected: refused('challenge_unknown', 'challenge'),
  }),
];

const AUTHENTICATIONS: readonly Case[] = [
  authenticationCase({
    id: 'login.challenge-unknown',
    title: 'a challenge that nobody issued',
    edits: { clientData: setClientData({ challenge: FOREIGN_CHALLENGE }) },
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-used',
    title: 'the same response a second time',
    between: ({ stage, body }) => postJson(stage.target, '/api/passkeys/login', body),
    expected: denied('challenge_used', 'challenge'),
  }),
  authenticationCase({
    id: 'verify.challenge-used-at-login',
    title: 'a response that login has taken, at verify',
    endpoint: 'verify',
    between: ({ stage, body }) => postJson(stage.target, '/api/passkeys/login', body),
    expected: denied('challenge_used', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-expired',
    title: 'a response after the challenge expired',
    needs: ['clock'],
    between: wait(120_001),
    expected: denied('challenge_expired', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-forgotten',
    title: 'a response after twice the lifetime of the challenge',
    needs: ['clock'],
    between: wait(240_001),
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-of-registration',
    title: 'the challenge of a registration',
    async rewrite({ stage, body }) {
      const { challenge } = await askCreationOptions(stage);
      return withClientData(body, setClientData({ challenge }));
    },
    expected: denied('challenge_unknown', 'challenge'),
  }),
  authenticationCase({
    id: 'login.challenge-of-another-passkey',
    title: 'the challenge for another passkey of the user',
    async rewrite({ stage, body }) {
      const other = await registerHonestly(stage, createActor(stage));
      const { challenge } = await askRequestOptions(stage, 'verify/options', other.credentialId);
      return withClientData(body, setClientData({ challenge }));
    },
    expected: denied('challenge_unknown', 'challenge'),
  }),
];

/** A challenge is good once, for one ceremony, for whom it was issued, for its time (API.md 4). */
export const INVALID_CHALLENGES: readonly Case[] = [...REGISTRATIONS, ...AUTHENTICATIONS];
