import { expect, test } from 'vitest';
import type { CredentialSource } from '../../../src/authenticator/credential-source.js';
import { toLoginRefusal, toRefusal } from '../../../src/cli/answer/refusal.js';
import { PasskeyError } from '../../../src/errors.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';

const source = (n: number, more: Partial<CredentialSource> = {}): CredentialSource => ({
  id: Uint8Array.of(1, 2, n),
  rpId: 'example.org',
  rpName: 'Example',
  user: { id: Uint8Array.of(9, n), name: `user${n}`, displayName: `User ${n}` },
  algorithm: -7,
  privateKey: Uint8Array.of(n),
  discoverable: true,
  signCount: n,
  backupEligible: false,
  backupState: false,
  ...more,
});

const WOULD = 'A browser would refuse these options with ';
const notAllowed = new DOMException('none', 'NotAllowedError');
const idOf = (n: number) => encodeBase64url(source(n).id);
const naming = (...ids: string[]) => ({ challenge: 'AAAA', allowCredentials: ids.map((id) => ({ type: 'public-key' as const, id })) });

const six = [1, 2, 3, 4, 5, 6].map((n) => source(n, { discoverable: false }));
const elsewhere = [1, 2, 3, 4, 5, 6].map((n) => source(n, { rpId: `${n}.test` }));
const ANSWER_FIRST = 'Answer creation options first, or use the credentials file that has it.';

test.each<[name: string, o: Pick<Parameters<typeof toLoginRefusal>[1], 'options' | 'held'>, said: string]>([
  ['nothing is held', { options: naming(), held: [] }, `a discoverable credential for example.org; here has none. ${ANSWER_FIRST}`],
  [
    'some are held for others',
    { options: naming(idOf(7)), held: elsewhere },
    `the credential in allowCredentials for example.org; here has none for it, only for 1.test, 2.test, 3.test, 4.test, 5.test and 1 more. ${ANSWER_FIRST}`,
  ],
  [
    'others are named',
    {
      options: naming(idOf(7), idOf(8)),
      held: [source(1), source(2, { discoverable: false, user: { ...source(2).user, name: 'x'.repeat(65) } })],
    },
    `one of the 2 credentials in allowCredentials for example.org; here has ${idOf(1)} (user1), ${idOf(2)} (${'x'.repeat(64)}…, not discoverable). ${ANSWER_FIRST}`,
  ],
  [
    'none is discoverable',
    { options: naming(), held: six },
    `a discoverable credential for example.org; here has ${[1, 2, 3, 4, 5].map((n) => `${idOf(n)} (user${n}, not discoverable)`).join(', ')} and 1 more. Name it in allowCredentials, or register with residentKey "required".`,
  ],
  [
    'the one is hidden',
    { options: naming(), held: [source(1, { hidden: true })] },
    `a discoverable credential for example.org; here has none for it, only for example.org. ${ANSWER_FIRST}`,
  ],
])('a login without an answer says what is there: %s', (_, o, said) => {
  const refusal = toLoginRefusal(notAllowed, { ...o, rpId: 'example.org', place: 'here' });
  expect(refusal).toMatchObject({ code: 'options_refused', message: `${WOULD}NotAllowedError: Expected ${said}`, cause: notAllowed });
});

test.each([
  ['a discoverable one', naming()],
  ['the named one', naming(idOf(1))],
])('where %s fits, the reason is another', (_, options) => {
  const refusal = toLoginRefusal(notAllowed, { options, held: [source(1)], rpId: 'example.org', place: 'here' });
  expect(refusal).toMatchObject({ code: 'options_refused', message: `${WOULD}NotAllowedError: none` });
});

test('an exception of a page is a refusal, a wrong member is no option; all else stays', () => {
  expect(toRefusal(new DOMException('wrong', 'SecurityError'))).toMatchObject({
    code: 'options_refused',
    message: `${WOULD}SecurityError: wrong Correct the RP ID in the options, or the origin.`,
  });
  for (const cause of [new TypeError('id is no text.'), new RangeError('id is no text.')]) {
    expect(toRefusal(cause)).toMatchObject({
      code: 'validation_failed',
      message: 'A browser would not read these options: id is no text. Correct them in your server.',
      cause,
    });
  }
  for (const other of [new PasskeyError('usage', 'x'), new Error('y'), 'z']) expect(toRefusal(other)).toBe(other);
  expect(toLoginRefusal(new DOMException('wrong', 'SecurityError'), { options: naming(), held: [], rpId: 'a', place: 'b' })).toMatchObject({
    message: expect.stringContaining('SecurityError: wrong'),
  });
});
