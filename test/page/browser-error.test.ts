import { expect, test } from 'vitest';
import { explainThrown } from '../../src/page/flow/browser-calls.js';
import { type Answer, GONE, tab } from './tab.js';

const answering = (answer: Answer) => tab({ answer: () => answer }).app.api;

const THROWN = { name: 'SecurityError', message: 'No such domain.' };

test('an error of the browser is explained by the server', async () => {
  const explanation = { title: 'Known', causes: ['A cause.'], next: 'Go on.' };
  expect(await explainThrown(answering({ status: 200, answer: explanation }), THROWN)).toStrictEqual(explanation);
});

test('without the server there is what the browser said, and why there is no more', async () => {
  const gone = answering(GONE);
  expect(await explainThrown(gone, THROWN)).toStrictEqual({
    title: 'The browser answered SecurityError',
    causes: ['No such domain.'],
    next: 'The server gave no explanation: The server did not answer.',
  });
  const refused = answering({ status: 403, answer: { code: 'development_only', detail: 'Use a bearer token.' } });
  expect((await explainThrown(refused, { name: 'AbortError', message: '' })).causes).toStrictEqual(['It gave no message.']);
  expect((await explainThrown(refused, THROWN)).next).toContain('Use a bearer token.');
});

test.each([
  [{ title: 'Known' }, 200],
  ['Known', 200],
  [{ title: 'Known', causes: ['A cause.'], next: 'Go on.' }, 500],
])('an answer %j (%i) is no explanation', async (answer, status) => {
  expect(await explainThrown(answering({ status, answer }), THROWN)).toStrictEqual({
    title: 'The browser answered SecurityError',
    causes: ['No such domain.'],
    next: `The server gave no explanation: ${status}: ${typeof answer === 'string' ? 'The server gave no reason.' : 'Known'}`,
  });
});
