import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import { explain } from '../../src/explain/library.js';
import { explain as command } from '../cli/explain/run-explain.js';

const PROBLEM = {
  type: 'https://example.org/problems/origin_mismatch',
  title: 'The origin is not expected',
  status: 422,
  code: 'origin_mismatch',
  detail: '§7.2 step 12 (origin): …',
  step: { slug: 'origin', hint: 'Start it with --origin http://localhost:5173.' },
};

describe('an error by itself', () => {
  test.each<[string, string, object]>([
    ['of a browser', 'NotAllowedError: The operation either timed out or was not allowed.', { from: 'Chromium', step: null }],
    [
      'of a browser, in a trace',
      'Uncaught (in promise) InvalidStateError: A credential is excluded\n    at register (app.js:3:9)',
      { from: 'browser', title: 'This authenticator already has a passkey for this user' },
    ],
    [
      'of a browser that does not say where',
      'SecurityError: The operation is insecure.',
      { title: 'rp.id does not match the origin of the page' },
    ],
    ...[
      "NotAllowedError: The 'publickey-credentials-get' feature is not enabled in this document.",
      'NotAllowedError: CredentialsContainer request is not allowed.',
    ].map((text): [string, string, object] => ['of a frame that may not use passkeys', text, { title: 'This frame may not use passkeys' }]),
    [
      'of a library, in a trace',
      'Error: Unexpected authentication response origin "http://localhost:1", expected "http://localhost:2"\n    at verify (a.js:1:1)',
      {
        from: 'SimpleWebAuthn',
        step: 'origin',
        causes: ['Expected http://localhost:2; received http://localhost:1.'],
        next: expect.stringMatching(/^Only the port differs: .* with `expectedOrigin`\.$/),
        expectations: [{ flag: '--origin http://localhost:2' }],
      },
    ],
    ['of a log', 'verification { verified: false }', { from: 'SimpleWebAuthn', step: 'signature' }],
    [
      'of a library, without a name',
      'Unexpected RP ID hash',
      { step: 'rp-id-hash', next: expect.stringContaining('Give the setting of your library and') },
    ],
    [
      'in the JSON of an application',
      '{"error":"Invalid challenge."}',
      { from: 'web-auth/webauthn-framework or lbuchs/WebAuthn', step: 'challenge' },
    ],
    [
      'as a problem document',
      JSON.stringify(PROBLEM),
      { from: 'passkey', title: 'origin_mismatch: The origin is not expected', next: PROBLEM.step.hint, step: 'origin' },
    ],
    [
      'as a problem document with fields',
      `HTTP 422 ${JSON.stringify({ ...PROBLEM, code: 'validation_failed', step: undefined, errors: [{ pointer: '/id', detail: 'is missing' }] })}`,
      { from: 'passkey', causes: ['/id is missing'] },
    ],
  ])('%s', async (_, text, expected) => {
    const document = await explain(text);
    expect(document).toMatchObject({ input: { kind: 'error-text' }, ceremony: null, verdict: null, known_errors: [expected] });
  });

  test('is held against the page where that is given', async () => {
    const { known_errors: known } = await explain('SecurityError: no', { origin: 'http://127.0.0.1:3000' });
    expect(known).toMatchObject([{ title: 'An IP address cannot have passkeys: 127.0.0.1' }]);
  });

  test('shows no challenge', async () => {
    const text = 'Unexpected registration response challenge "J4fCEAQ3GbEzE4QLNSWjKQ", expected "AAAAAAAAAAAAAAAAAAAAAA1"';
    const { stdout, code } = await command(['e.txt'], { 'e.txt': text });
    expect({ code, leads: stdout.startsWith('Means    The response answers another challenge') }).toEqual({ code: 0, leads: true });
    expect(stdout).not.toMatch(/J4fCEAQ3|AAAAAA/);
  });

  test.each(['TypeError: x is not a function', 'Error: connect ECONNREFUSED', 'hello world'])(
    'that has nothing to do with passkeys is none: %s',
    async (text) => {
      await expect(explain(text)).rejects.toThrow(PasskeyError);
    },
  );
});
