import { randomBytes, randomInt } from 'node:crypto';
import { encodeBase64url } from '../../webauthn/base64url.js';

/** A test user, as the variable `user` has it. */
export interface TestUser {
  /** In this run, from 1. */
  readonly number: number;
  readonly name: string;
  readonly email: string;
  readonly displayName: string;
  readonly password: string;
  /** Bearer token of --token; undefined: none was given. */
  readonly token: string | undefined;
}

/** Reserved for examples (RFC 2606 §3): its mail goes nowhere, and servers take it for a real domain, unlike `.test` and `.invalid`. */
const MAIL_DOMAIN = 'example.com';

/** Text that tells the users of one run from those of others: 8 lower-case letters and digits. */
export function newRun(): string {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
  return Array.from({ length: 8 }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
}

/** A user with a password of its own: 27 characters, with lower and upper case, digits and signs. */
export function newUser({ number, name, token }: Pick<TestUser, 'number' | 'name' | 'token'>): TestUser {
  const password = `${encodeBase64url(randomBytes(16)).slice(0, 22)}-aZ9!`;
  return {
    number,
    name,
    email: name.includes('@') ? name : `${name}@${MAIL_DOMAIN}`,
    displayName: `Passkey Simulate ${number}`,
    password,
    token,
  };
}
