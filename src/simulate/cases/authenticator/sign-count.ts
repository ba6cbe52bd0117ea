import { MAX_SIGN_COUNT } from '../../../webauthn/limits.js';
import { type Case, listRows, type Rows } from '../../engine/case.js';
import { authenticationCase } from '../../engine/ceremony-cases.js';
import { flipBit, setSignCount } from '../../engine/edits.js';
import { type LaterLoginSpec, laterLoginCase, useAnotherPasskey } from '../../engine/flows.js';
import { ACCEPTED, denied, type ExpectedAnswer } from '../../engine/outcome.js';

interface CountRow extends Pick<LaterLoginSpec, 'title' | 'why' | 'meanwhile'> {
  /** The sign counts in order: that of the registration, those of any accepted logins, and that of the login under test. */
  readonly counts: readonly [registered: number, ...logins: number[]];
}

function countCase(
  { what, counts: [registered, ...logins], ...row }: CountRow & { readonly what: string },
  expected: ExpectedAnswer,
): Case {
  const counting = (count: number) => ({ edits: { authenticatorData: setSignCount(count) } });
  return laterLoginCase({
    ...row,
    id: `login.counter-${what}`,
    step: 'sign-count',
    wants: {
      ...(expected !== ACCEPTED && { counter: true }),
      ...([registered, ...(expected === ACCEPTED ? logins : logins.slice(0, -1))].includes(0) && { uncounted: true }),
    },
    registration: counting(registered).edits,
    earlier: logins.slice(0, -1).map((count) => ({ ...counting(count), expected: ACCEPTED })),
    ...counting(logins.at(-1) ?? 0),
    expected,
  });
}

const CLONED =
  'A counter that does not grow is the only sign of a copied authenticator. If you check counters at all, refuse a count that is not greater than the stored one, unless both are zero.';
const KEPT =
  'After the first login, the count of the registration proves nothing: a copy passes with any later count. Store the count of every accepted login.';
const UNSIGNED =
  'The sign count is an unsigned 32-bit number. If you read or store it with fewer bits, as a signed number or as text, comparisons are wrong and a copied authenticator passes.';
const WIDE =
  'The sign count is an unsigned 32-bit number. A server that reads or stores it with fewer bits, as a signed number or as text locks out authenticators with high counts.';
const GROWING =
  'Authenticators may count in any steps, and share one counter among all credentials. Require only that the count is greater than the stored one.';

const REFUSED: Rows<CountRow> = {
  repeated: { title: 'the sign count of the registration again', counts: [7, 7], why: CLONED },
  regressed: { title: 'a sign count below that of the registration', counts: [7, 6], why: CLONED },
  zero: { title: 'sign count 0 after a higher one', counts: [7, 0], why: CLONED },
  'repeated-after-login': { title: 'the sign count of the login before', counts: [0, 5, 5], why: KEPT },
  'regressed-after-login': { title: 'a sign count between registration and last login', counts: [1, 10, 4], why: KEPT },
  'after-signed-range': { title: 'sign count 5 after 2147483648', counts: [2 ** 31, 5], why: UNSIGNED },
  wrapped: { title: `sign count 1 after ${MAX_SIGN_COUNT}`, counts: [MAX_SIGN_COUNT, 1], why: UNSIGNED },
  'as-text': { title: 'sign count 9 after 10', counts: [10, 9], why: UNSIGNED },
  'sixteen-bits': { title: 'sign count 65535 after 65536', counts: [65536, 65535], why: UNSIGNED },
};

const VALID: Rows<CountRow> = {
  never: {
    title: 'an authenticator that does not count, twice',
    counts: [0, 0, 0],
    why: 'Synced passkeys, the most common kind, always send 0. A server that requires the count to grow locks them out after one login.',
  },
  'after-zero': { title: 'a counter that stands at 5 at its first login', counts: [0, 5], why: GROWING },
  'by-one': { title: 'a counter that grows by one', counts: [1, 2, 3], why: GROWING },
  'by-thousands': { title: 'a counter that grows by thousands', counts: [3, 5003, 90_000], why: GROWING },
  greatest: { title: 'the greatest sign count', counts: [2 ** 31 + 5, MAX_SIGN_COUNT], why: WIDE },
  'beyond-signed-range': { title: 'sign count 2147483648 after 2147483647', counts: [2 ** 31 - 1, 2 ** 31], why: WIDE },
  'ten-after-nine': { title: 'sign count 10 after 9', counts: [9, 10], why: WIDE },
  'of-another-passkey': {
    title: 'a sign count below that of another passkey of the same user',
    counts: [3, 4],
    meanwhile: ({ context, session }) =>
      useAnotherPasskey(context, session, { authenticator: { signCount: { kind: 'per-credential', start: 1000 } } }),
    why: 'Each authenticator has its own count. A server that stores one count per user locks out all of the user’s passkeys but one.',
  },
};

const AFTER_REFUSAL = laterLoginCase({
  id: 'login.counter-after-refused',
  step: 'credential-record',
  title: 'a login after a refused one with the greatest sign count',
  registration: { authenticatorData: setSignCount(1) },
  earlier: [
    {
      edits: { authenticatorData: setSignCount(MAX_SIGN_COUNT), signature: flipBit(-1) },
      expected: denied('signature_invalid', 'signature'),
    },
  ],
  edits: { authenticatorData: setSignCount(2) },
  why: 'A server that stores the count before it verifies the signature lets anyone lock a user out. Store nothing from a refused response.',
  expected: ACCEPTED,
});

const ZERO_AT_VERIFY = authenticationCase({
  id: 'verify.counter-zero',
  title: 'sign count 0, although a higher one is stored',
  wants: { counter: true },
  browser: { authenticator: { signCount: { kind: 'per-credential', start: 7 } } },
  edits: { authenticatorData: setSignCount(0) },
  why: CLONED,
  expected: denied('counter_regressed', 'sign-count'),
});

/** Cases about the signature counter (§7.2 steps 22 and 24). */
export const SIGN_COUNTS: readonly Case[] = [
  ...listRows(REFUSED).map((row) => countCase(row, denied('counter_regressed', 'sign-count'))),
  ZERO_AT_VERIFY,
  ...listRows(VALID).map((row) => countCase(row, ACCEPTED)),
  AFTER_REFUSAL,
];
