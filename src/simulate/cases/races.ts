import type { HttpAnswer } from '../http.js';
import { postJson } from '../http.js';
import { describeAnswer } from '../scenario.js';
import { authenticationCase } from './authentication-case.js';
import { type Case, denied, refused } from './case.js';
import { registrationCase } from './registration-case.js';
import { failedAt, sendRegistration } from './requests.js';

const RACERS = 4;

/** Exactly one of the racing answers may be a success. The case goes on with one more response, which comes too late. */
async function race(send: () => Promise<HttpAnswer>): Promise<void> {
  const answers = await Promise.all(Array.from({ length: RACERS }, send));
  const won = answers.filter(({ status }) => status === 200).length;
  if (won !== 1) throw failedAt(`${RACERS} racing responses`, 'one accepted', `${won}: ${answers.map(describeAnswer).join('; ')}`);
}

export const RACES: readonly Case[] = [
  registrationCase({
    id: 'register.one-winner',
    title: 'of racing responses to one challenge one wins',
    tags: ['race'],
    between: ({ stage, body }) => race(() => sendRegistration(stage, body)),
    expected: refused('challenge_used', 'challenge'),
  }),
  authenticationCase({
    id: 'login.one-winner',
    title: 'of racing responses to one challenge one wins',
    tags: ['race'],
    between: ({ stage, body }) => race(() => postJson(stage.target, '/api/passkeys/login', body)),
    expected: denied('challenge_used', 'challenge'),
  }),
];
