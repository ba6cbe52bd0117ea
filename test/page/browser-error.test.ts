import { expect, test } from 'vitest';
import type { Api } from '../../src/page/api.js';
import { explainThrown } from '../../src/page/flow/browser-calls.js';
import type { HttpLeg } from '../../src/page/run.js';

/** A server that answers every request like this. */
function answering(answer: Pick<HttpLeg, 'status' | 'answer' | 'failure'>): Api {
  const leg = { kind: 'http', requestId: 'r', bearer: false, milliseconds: 1, ...answer } as const;
  return { call: (method, path, body) => Promise.resolve({ ...leg, method, path, body }) };
}

const THROWN = { name: 'SecurityError', message: 'No such domain.' };

test('an error of the browser is explained by the server', async () => {
  const explanation = { title: 'Known', causes: ['A cause.'], next: 'Go on.' };
  expect(await explainThrown(answering({ status: 200, answer: explanation, failure: undefined }), THROWN)).toStrictEqual(explanation);
});

test('without the server there is what the browser said, and why there is no more', async () => {
  const gone = answering({ status: undefined, answer: undefined, failure: 'The server did not answer.' });
  expect(await explainThrown(gone, THROWN)).toStrictEqual({
    title: 'The browser answered SecurityError',
    causes: ['No such domain.'],
    next: 'Nothing more is known, since the server explained nothing: The server did not answer.',
  });
  const refused = answering({ status: 403, answer: { code: 'development_only', detail: 'Use a bearer token.' }, failure: undefined });
  expect((await explainThrown(refused, { name: 'AbortError', message: '' })).causes).toStrictEqual(['It gave no message.']);
  expect((await explainThrown(refused, THROWN)).next).toContain('Use a bearer token.');
});
