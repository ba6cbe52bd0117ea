import { describe, expect, test } from 'vitest';
import type { PasskeyError } from '../../../src/errors.js';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import type { KnownAuthentication } from '../../../src/explain/report/known-ceremony.js';
import { type CeremonyReport, reportAuthentication, reportRegistration } from '../../../src/explain/report/report.js';
import { encodeUtf8, toHex } from '../../../src/kernel/bytes.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { authenticationResponse, registrationResponse } from '../../relying-party/ceremony.js';
import { FIELDS } from '../../relying-party/diagnosis/explained.js';
import { knownAuthentication, knownCredential, knownRegistration } from './reported.js';

/** Every member that holds bytes, written in every way that people write it: the mistake is named, with its member. */

/** A longer one than that of the other tests, to tell one encoding from another by. */
const userHandle = new Uint8Array(20).map((_, index) => 255 - index * 3);
const knownAuthenticated: KnownAuthentication = { ...knownAuthentication, credential: { ...knownCredential, userHandle } };

type Outcome = CeremonyReport | PasskeyError;
type Rewrite = (bytes: Uint8Array) => unknown;

function registration(name: string, write: Rewrite): Promise<Outcome> {
  const { response, ...rest } = registrationResponse(FIELDS);
  const bytes = decodeBase64url(String(Object(response)[name]));
  return reportRegistration(readCredential({ ...rest, response: { ...response, [name]: write(bytes) } }), knownRegistration).catch(
    (error: PasskeyError) => error,
  );
}

function authentication(name: string, write: Rewrite): Promise<Outcome> {
  const { response, ...rest } = authenticationResponse({ ...FIELDS, userHandle });
  const bytes = decodeBase64url(String(Object(response)[name]));
  return reportAuthentication(readCredential({ ...rest, response: { ...response, [name]: write(bytes) } }), knownAuthenticated).catch(
    (error: PasskeyError) => error,
  );
}

/** All that is said of the mistake. */
function said(outcome: Outcome): string[] {
  return 'steps' in outcome
    ? [...outcome.encoding.map(({ message }) => message), ...(outcome.failed === undefined ? [] : [outcome.failed.hint])]
    : [outcome.message];
}

const MISTAKES: readonly (readonly [what: string, write: Rewrite, hint: RegExp])[] = [
  ['hexadecimal', toHex, /hexadecimal/],
  ['encoded twice', (bytes) => encodeBase64url(encodeUtf8(encodeBase64url(bytes))), /encoded twice/],
  ['base64 of base64', (bytes) => encodeBase64(encodeUtf8(encodeBase64(bytes))), /encoded twice/],
  ['characters of bytes', (bytes) => `\u0080${String.fromCharCode(...bytes)}`, /as characters/],
  ['a list of numbers', (bytes) => [...bytes], /ArrayBuffer/],
  ['what JSON.stringify makes of an ArrayBuffer', () => ({}), /ArrayBuffer/],
];

describe.each<[string, (write: Rewrite) => Promise<Outcome>]>([
  ['registration, clientDataJSON', (write) => registration('clientDataJSON', write)],
  ['registration, attestationObject', (write) => registration('attestationObject', write)],
  ['authentication, clientDataJSON', (write) => authentication('clientDataJSON', write)],
  ['authentication, authenticatorData', (write) => authentication('authenticatorData', write)],
  ['authentication, signature', (write) => authentication('signature', write)],
  ['authentication, userHandle', (write) => authentication('userHandle', write)],
])('%s', (_, report) => {
  test('is accepted as it should be written', async () => {
    expect(await report(encodeBase64url)).toMatchObject({ verdict: 'accepted', encoding: [] });
  });

  test.each(MISTAKES)('as %s', async (__, write, hint) => {
    const outcome = await report(write);
    expect(said(outcome)).toContainEqual(expect.stringMatching(hint));
    if ('verdict' in outcome) expect(outcome.verdict).toBe('rejected');
  });

  test('as padded base64 it is read, and said where it shows', async () => {
    const outcome = await report(encodeBase64);
    if (!('steps' in outcome)) throw outcome;
    expect(outcome.verdict).toBe('accepted');
    for (const { mistake } of outcome.encoding) expect(mistake).toMatch(/^(base64|padding)$/);
  });
});
