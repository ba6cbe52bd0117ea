import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { explain } from '../../../src/explain/library.js';
import { JSON_SAMPLES } from './samples.js';

const { registration: response, 'creation-options': options } = JSON_SAMPLES;
const log = (value: unknown) => inspect(value, { depth: 4 });

describe('a response with its options is held against them', () => {
  test.each<[string, unknown]>([
    ['side by side', { options, response }],
    ['the response first', { response, options }],
    ['as a page has them', { publicKey: options, credential: response }],
    ['pasted after each other', `${JSON.stringify(options)}\n${JSON.stringify(response, null, 2)}`],
    [
      'in log lines',
      `[10:30] INFO {options} for ada's login: ${JSON.stringify({ options })}\n[10:31] got ${JSON.stringify(response)} (1 ms)`,
    ],
    ['as console.log prints them', log({ options, response })],
    ['printed after each other, cut where nothing needs them', `options ${inspect(options)}\nPublicKeyCredential ${log(response)}`],
  ])('%s', async (_, input) => {
    const document = await explain(typeof input === 'string' ? input : JSON.stringify(input));
    expect(document).toMatchObject({ input: { kind: 'messages' }, ceremony: 'registration', verdict: 'undecided' });
    expect(document.steps.find(({ slug }) => slug === 'challenge')).toMatchObject({ status: 'pass' });
  });
});

test.each<[string, string]>([
  ['in a log line', `INFO response=${JSON.stringify(response)}`],
  [
    'as console.log prints it, with bytes',
    log({ ...response, rawId: Buffer.from(response.rawId, 'base64url'), authenticatorAttachment: undefined }),
  ],
])('a response %s is one', async (_, input) => {
  const { ceremony, encoding } = await explain(input);
  expect({ ceremony, encoding }).toEqual({ ceremony: 'registration', encoding: [] });
});

test('text with braces is still text', async () => {
  await expect(explain('function f() { return {a: 1} }')).rejects.toMatchObject({ code: 'validation_failed' });
});
