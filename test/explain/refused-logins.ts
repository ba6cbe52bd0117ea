import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { createClient } from '../../src/client/client.js';

/** An app over SimpleWebAuthn that refuses a login for one reason, and what a browser records of it. */

type Key = NonNullable<VerifiedRegistrationResponse['registrationInfo']>['credential'];

interface Session {
  challenge?: string;
}

export interface Mistake {
  /** Origin of the page; default: the one that the server expects. */
  readonly page?: string;
  /** Settings of the verification of the login. */
  readonly expectedOrigin?: string;
  readonly expectedRPID?: string;
  readonly requireUserVerification?: boolean;
  /** The key that the server has stored for the credential. */
  readonly storedKey?: (key: Key) => Promise<Key>;
  /** What the browser does with the options and the session between them and the answer. */
  readonly before?: 'other session' | 'no cookie' | 'options again' | 'sent before';
}

const SERVER = 'http://localhost:3000';
const COOKIE = 'sid=8f3bA1xQz0Lm2VnT7kPc';

export interface Recorded {
  readonly har: string;
  /** The response that was refused. */
  readonly response: object;
  /** The library's words. */
  readonly error: string;
}

/** Registers, logs in and makes the mistake on the way. */
export async function recordRefusedLogin(mistake: Mistake = {}): Promise<Recorded> {
  const { page = SERVER, expectedOrigin = page, before } = mistake;
  const { hostname } = new URL(page);
  const rpID = hostname.replace(/^www\./, '');
  const authenticator = createAuthenticator();
  const client = createClient({ authenticator, origin: page });
  const entries: object[] = [];
  let second = 0;
  const record = (path: string, sent: object | undefined, answer: object, status = 200, cookie = true) => {
    entries.push({
      startedDateTime: new Date(Date.UTC(2026, 0, 15, 10, 30, second++)).toISOString(),
      request: {
        method: 'POST',
        url: `${page}${path}`,
        headers: [{ name: 'Origin', value: page }, ...(cookie ? [{ name: 'Cookie', value: COOKIE }] : [])],
        ...(sent && { postData: { mimeType: 'application/json', text: JSON.stringify(sent) } }),
      },
      response: {
        status,
        headers: sent === undefined ? [{ name: 'Set-Cookie', value: `${COOKIE}; HttpOnly` }] : [],
        content: { text: JSON.stringify(answer) },
      },
    });
  };

  const creation = await generateRegistrationOptions({ rpName: 'Shop', rpID, userName: 'ada' });
  record('/register/options', undefined, creation);
  const created = await client.create({ publicKey: creation });
  const { registrationInfo } = await verifyRegistrationResponse({
    response: created,
    expectedChallenge: creation.challenge,
    expectedOrigin: page,
    expectedRPID: rpID,
  });
  if (registrationInfo === undefined) throw new Error('Expected a registration.');
  record('/register', created, { verified: true });

  const stored = (await mistake.storedKey?.(registrationInfo.credential)) ?? registrationInfo.credential;
  const session: Session = {};
  const begin = async () => {
    const options = await generateAuthenticationOptions({ rpID, userVerification: 'preferred' });
    record('/login/options', undefined, options);
    session.challenge = options.challenge;
    return options;
  };
  const options = await begin();
  if (mistake.requireUserVerification === true) Object.assign(options, { userVerification: 'discouraged' });
  const response = await client.get({ publicKey: options });
  const finish = async (): Promise<string> => {
    const { challenge } = session;
    delete session.challenge;
    try {
      const { verified } = await verifyAuthenticationResponse({
        response,
        credential: stored,
        expectedChallenge: String(challenge),
        expectedOrigin,
        expectedRPID: mistake.expectedRPID ?? rpID,
        requireUserVerification: mistake.requireUserVerification ?? true,
      });
      record('/login', response, { verified });
      return verified ? '' : 'verified: false';
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      record('/login', response, { error: message }, 400, before !== 'no cookie');
      return message;
    }
  };
  if (before === 'options again') await begin();
  if (before === 'sent before') await finish();
  if (before === 'no cookie') delete session.challenge;
  if (before === 'other session') session.challenge = (await generateAuthenticationOptions({ rpID })).challenge;
  const error = await finish();
  return { har: JSON.stringify({ log: { entries } }), response, error };
}

/** The key of another credential. */
async function otherKey(key: Key): Promise<Key> {
  const client = createClient({ authenticator: createAuthenticator(), origin: SERVER });
  const options = await generateRegistrationOptions({ rpName: 'Shop', rpID: 'localhost', userName: 'bob' });
  const response = await client.create({ publicKey: options });
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: options.challenge,
    expectedOrigin: SERVER,
    expectedRPID: 'localhost',
  });
  if (registrationInfo === undefined) throw new Error('Expected a registration.');
  return { ...key, publicKey: registrationInfo.credential.publicKey };
}

export const MISTAKES = {
  'wrong expected origin': { page: 'http://localhost:5199', expectedOrigin: SERVER },
  'wrong RP ID': { expectedRPID: 'example.com' },
  "another session's challenge": { before: 'other session' },
  'cookie not sent': { before: 'no cookie' },
  'wrong key': { storedKey: otherKey },
  'UV required': { requireUserVerification: true },
  'www.': { page: 'https://www.example.org', expectedOrigin: 'https://example.org' },
  'http instead of https': { page: SERVER, expectedOrigin: 'https://localhost:3000' },
  'two tabs': { before: 'options again' },
  'a stale response': { before: 'sent before' },
} as const satisfies Readonly<Record<string, Mistake>>;
