import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asObject } from '../../../../src/kernel/json-value.js';
import { compileProfile } from '../../../../src/simulate/target/compile-profile.js';
import { parseProfile, writeProfile } from '../../../../src/simulate/target/read-profile.js';
import { profileFromHar } from '../../../../src/simulate/target/recording/profile-from-har.js';
import { fc } from '../../../properties.js';
import type { Target } from '../../../targets/http.js';
import { startPlainServer } from '../plain-server.js';
import { recordPlain } from './record-pages.js';

let target: Target;
let recorded: unknown;
beforeAll(async () => {
  const origin = 'http://localhost:5173';
  target = await startPlainServer(origin);
  recorded = (await recordPlain(target.url, origin)).har();
});
afterAll(() => target.close());

interface Change {
  readonly mimeType: string;
  /** The body, with the name of the user in it. */
  body(username: string): string;
  readonly query?: string;
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
  /** Of the user, in the whole recording. */
  readonly name?: string;
}

function renameUser(name: string): string {
  const [, recordedName = ''] = /\\"username\\":\\"([^"\\]+)/.exec(JSON.stringify(recorded)) ?? [];
  expect(recordedName).not.toBe('');
  return JSON.stringify(recorded).replaceAll(recordedName, name);
}

/** What the first request of a profile sends that was written of the recording with this request, and read from a file. */
async function send({ mimeType, body, query = '', headers = [], name }: Change, file = 'shop.yaml') {
  const har = JSON.parse(name === undefined ? JSON.stringify(recorded) : renameUser(name));
  for (const { request } of har.log.entries) {
    if (!request.url.endsWith('/register/options')) continue;
    const { username } = JSON.parse(request.postData.text);
    request.headers = [{ name: 'content-type', value: mimeType }, ...headers];
    request.postData = { mimeType, text: body(username) };
    request.url += query;
  }
  const { profile } = profileFromHar(har, 'shop');
  const read = await parseProfile(await writeProfile(profile, file), file);
  const compiled = compileProfile(read.profile);
  const [request] = compiled.lists.registrationOptions;
  if (request?.action.kind !== 'http') throw new Error('The profile has no request for options.');
  const scope = { user: { name: 'ada' }, origin: 'http://localhost:5173', env: { HOME_X: 'of the machine' } };
  const { target: path, headers: own, body: template } = request.action;
  return {
    environment: compiled.environment.map(({ expression }) => expression.text),
    path: path.render(scope),
    headers: Object.fromEntries(own.map(([name, value]) => [name, value.render(scope)])),
    body: template?.template(scope),
  };
}

const JSON_BODY = 'application/json';
const sendJson = (extra: unknown, file?: string) =>
  send({ mimeType: JSON_BODY, body: (username) => JSON.stringify({ username, extra }) }, file);

const NAMES = ['$', '$$', '$$$', '$a', 'each', 'item', '{env.HOME_X}', '{', '}}', '__proto__', 'a b', ''];
const TEXTS = ['env.HOME_X', '{env.HOME_X}', '{{', '}', '{user.name}', '{"$":"env.HOME_X"}', '[{"$":"x","each":"{item}"}]', '{x?}', ''];
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 2.5, ...TEXTS),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('json'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

describe('what a recording has sent', () => {
  test.each(['shop.yaml', 'shop.json'])('is sent as it is, whatever JSON it is, by %s', async (file) => {
    await fc.assert(
      fc.asyncProperty(json, async (extra) => {
        const { body, environment } = await sendJson(extra, file);
        expect(JSON.stringify(body)).toBe(JSON.stringify({ username: 'ada', extra }));
        expect(environment).toEqual([]);
      }),
    );
  });

  test.each<[string, unknown]>([
    ['a value', { $: 'env.HOME_X' }],
    ['a value with more', { $: 'env.HOME_X', other: 1 }],
    ['no text', { $: 5 }],
    ['a list', { $: 'env.HOME_X', each: { $: 'item' } }],
    ['what escapes it', { $: 1, $$: 2, $$$: { $: 'x' } }],
    ['inside lists', [[{ $: 'env.HOME_X' }]]],
  ])('is no expression: %s', async (_, extra) => {
    const { body, environment } = await sendJson(extra);
    expect(body).toEqual({ username: 'ada', extra });
    expect(environment).toEqual([]);
  });

  test('is no expression in JSON as text beside what is one', async () => {
    const body = (username: string) =>
      JSON.stringify({ inner: JSON.stringify({ user: username, $: 'env.HOME_X', in: { $: 'x', each: '{item}', $$: '{' } }) });
    const sent = await send({ mimeType: JSON_BODY, body });
    expect(sent.environment).toEqual([]);
    const { inner } = asObject(sent.body);
    expect(JSON.parse(String(inner))).toEqual({ user: 'ada', $: 'env.HOME_X', in: { $: 'x', each: '{item}', $$: '{' } });
  });

  test('is no expression in a form, in parts, a query or a header', async () => {
    const fields = { $: 'env.HOME_X', $$: '{env.HOME_X}', '{env.HOME_X}': 'each' };
    const form = (username: string) => new URLSearchParams({ username, ...fields }).toString();
    const part = ([name, value]: readonly string[]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const parts = (username: string) =>
      `${Object.entries({ username, ...fields })
        .map(part)
        .join('')}--b--\r\n`;
    const more = {
      query: '?{env.HOME_X}={env.HOME_X}&$=env.HOME_X',
      headers: [{ name: 'x-shop', value: '{env.HOME_X}' }],
    };
    for (const [mimeType, body] of [
      ['application/x-www-form-urlencoded', form],
      ['multipart/form-data; boundary=b', parts],
    ] as const) {
      expect(await send({ mimeType, body, ...more })).toMatchObject({
        environment: [],
        path: expect.stringContaining('?{env.HOME_X}={env.HOME_X}&$=env.HOME_X'),
        headers: { 'x-shop': '{env.HOME_X}' },
        body: { username: 'ada', ...fields },
      });
    }
  });
});

test.each([
  ['evel', 'an evel inside'],
  ['eveli', 'an ada inside'],
])('the name %s of the user in a longer text: %s', async (name, extra) => {
  const body = (username: string) => JSON.stringify({ username, extra: `an ${name} inside` });
  expect((await send({ mimeType: JSON_BODY, body, name })).body).toEqual({ username: 'ada', extra });
});
