import { describe, expect, test } from 'vitest';
import { findLibraryErrors } from '../../src/explain/error-text.js';
import { readServerAnswer } from '../../src/explain/server-answer.js';

describe('the server', () => {
  test.each<[string, number, string | undefined]>([
    ['refused', 400, '{"error":"no"}'],
    ['refused', 403, undefined],
    ['refused', 200, '{"verified":false}'],
    ['refused', 200, '{"status":"failed","errorMessage":"no"}'],
    ['refused', 200, '{"errors":[{"message":"no"}]}'],
    ['accepted', 200, '{"verified":true}'],
    ['accepted', 200, '{"status":"ok","errorMessage":"","error":null,"errors":[]}'],
    ['accepted', 204, undefined],
    ['unknown', 302, undefined],
    ['unknown', 200, '<!doctype html><p>Sign in</p><p>Failed to authenticate by the Passkey.</p>'],
  ])('%s with %i %s', (verdict, status, body) => expect(readServerAnswer(status, body)).toMatchObject({ verdict, status }));

  test('did not answer where the archive has status 0', () => expect(readServerAnswer(0, undefined)).toBeUndefined());
});

describe('of the body', () => {
  const shown = (body: string) => readServerAnswer(400, body)?.body;

  test.each([
    ['challenges', '{"error":"challenge \\"J4fCEAQ3GbEzE4QLNSWjKQ\\""}', '{"error":"challenge \\"…\\""}'],
    [
      'members that hold secrets',
      '{"access_token":"abc","sessionId":"short","user":"ada"}',
      '{"access_token":"…","sessionId":"…","user":"ada"}',
    ],
    ['signed tokens', 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P', 'Bearer ….….…'],
  ])('%s are left out', (_, body, expected) => expect(shown(body)).toBe(expected));

  test('words stay, however long they are', () => {
    const body = '{"code":"challenge_verification_failed","name":"SimpleWebAuthnVerificationError"}';
    expect(shown(body)).toBe(body);
  });

  test('an error page is its text, in one line', () => {
    const page = '<!DOCTYPE html>\n<html><body><pre>Error: Unexpected &quot;origin&quot;<br> &nbsp; &nbsp;at verify</pre></body></html>';
    expect(shown(page)).toBe('Error: Unexpected "origin" at verify');
  });

  test('the beginning is enough', () => expect(shown('no '.repeat(10_000))).toHaveLength(501));
});

/** What each library writes, with the names of its own tests and documentation. */
test.each<[string, string, string, readonly string[]]>([
  [
    'SimpleWebAuthn',
    'Unexpected registration response origin "a", expected one of: https://a.example, https://b.example',
    'origin',
    ['--origin https://a.example', '--origin https://b.example'],
  ],
  ['SimpleWebAuthn', 'Response counter value 3 was lower than expected 4', 'sign-count', ['--sign-count 4']],
  ['SimpleWebAuthn', 'Unexpected public key alg "-8", expected one of "-7, -257"', 'algorithm', ['--algorithms -7,-257']],
  ['SimpleWebAuthn or py_webauthn', 'Unexpected RP ID hash', 'rp-id-hash', []],
  [
    'py_webauthn',
    "Unexpected client data origin \"a\", expected one of ['https://a.example', 'https://b.example']",
    'origin',
    ['--origin https://a.example', '--origin https://b.example'],
  ],
  [
    'go-webauthn',
    '{"error":"Error validating origin","debug":"Expected Values: [https://a.example], Received: https://b.example"}',
    'origin',
    ['--origin https://a.example'],
  ],
  ['webauthn-rs', 'The user verified bit is not set, and required by policy', 'user-verified', ['--require-uv']],
  ['java-webauthn-server', 'java.lang.IllegalArgumentException: Incorrect challenge.', 'challenge', []],
  ['webauthn4j', "The collectedClientData 'https://a.example' origin doesn't match any of the preconfigured server origin.", 'origin', []],
  [
    'fido2-net-lib',
    'Fully qualified origin https://a.example of https://a.example not equal to fully qualified original origin https://b.example (1)',
    'origin',
    ['--origin https://b.example'],
  ],
  ['web-auth/webauthn-framework', 'Invalid counter.', 'sign-count', []],
  ['python-fido2 or web-auth/webauthn-framework', 'Invalid signature.', 'signature', []],
  ['python-fido2', 'ValueError: Wrong challenge in response.', 'challenge', []],
  ['webauthn-ruby', 'WebAuthn::ChallengeVerificationError (WebAuthn::ChallengeVerificationError)', 'challenge', []],
])('%s: %s', (from, text, step, flags) => {
  expect(findLibraryErrors(text)).toMatchObject([{ from, step, expectations: flags.map((flag) => ({ flag })) }]);
});
