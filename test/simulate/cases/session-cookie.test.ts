import { expect, test } from 'vitest';
import { reportFaults } from '../../independent/catalogue.js';

/** Answers of a party whose cookies have these attributes instead of its own. */
const withAttributes = (attributes: string) =>
  reportFaults([], {
    cases: ['session.cookie-attributes'],
    reach: (connections) => ({
      ...connections,
      async send(request) {
        const answer = await connections.send(request);
        const cookies = answer.headers['set-cookie']?.map((cookie) => `${cookie.split(';')[0]}; Path=/${attributes}`);
        return { ...answer, headers: { ...answer.headers, ...(cookies && { 'set-cookie': [...cookies, 'theme=dark; Path=/'] }) } };
      },
    }),
  });

test.each([
  ['; HttpOnly; SameSite=Lax', undefined],
  ['; HttpOnly; SameSite=None', undefined],
  ['; SameSite=Strict', 'HttpOnly'],
  ['; HttpOnly; Secure', 'SameSite'],
  ['', 'HttpOnly, SameSite'],
])('the cookie of a session with the attributes "%s" lacks %s', async (attributes, expected) => {
  const { results, findings } = await withAttributes(attributes);
  expect(results.flatMap(({ mismatches }) => mismatches.map(({ at, expected: lacks }) => [at, lacks]))).toEqual(
    expected === undefined ? [] : [['the answer: the cookie independent_session', expected]],
  );
  expect(findings.map(({ cause, severity, tolerated }) => [cause, severity, tolerated])).toEqual(
    expected === undefined ? [] : [['session-cookie', 'note', true]],
  );
});
