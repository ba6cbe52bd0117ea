import { expect, test } from 'vitest';
import { driverOf, smallServer, userOf } from './small-server.js';

/** `value` puts together what no answer has in one piece; `each` makes a list of objects of a list. */

/** Begins a registration whose creation options are a `value` of the parts that a server answers with. */
async function begin(value: unknown, beside: object = {}) {
  const server = await smallServer(() => ({ body: { algorithms: '-7,-257', id: 'localhost' } }));
  const parts = { algorithms: 'json algorithms | split "," | each number', id: 'json id', none: 'json none' };
  const registrationOptions = [
    { request: 'GET /parts', take: parts },
    { value, ...beside },
  ];
  const driver = await driverOf({ registrationOptions }, { url: server.url });
  return { ...(await (await userOf(driver)).beginRegistration()), requests: server.requests };
}

const FIXED = {
  challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
  rp: { id: '{id}', name: 'Parts' },
  user: { id: 'MQ', name: '{user.name}', displayName: 'Ada' },
};

test('a value has what was taken, with its types, and sends nothing', async () => {
  const { options, answer, requests } = await begin({
    ...FIXED,
    pubKeyCredParams: { $: 'algorithms', each: { type: 'public-key', alg: { $: 'item' } } },
    excludeCredentials: { $: 'none?', each: { type: 'public-key', id: '{item}' } },
  });
  expect(answer).toMatchObject({ outcome: 'accepted', remarks: [], exchanges: [{ request: 'GET /parts' }] });
  expect(options).toMatchObject({ rp: { id: 'localhost' }, pubKeyCredParams: [{ alg: -7 }, { alg: -257 }] });
  expect(options).not.toHaveProperty('excludeCredentials');
  expect(requests).toHaveLength(1);
});

test('takes are read from the value, and it is judged like an answer', async () => {
  const value = { inner: { ...FIXED, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] } };
  const taken = await begin(value, { take: { options: 'json inner' } });
  expect(taken.options).toMatchObject({ rp: { id: 'localhost' } });
  expect(await begin(value, { accept: { 'json inner.rp.id': 'example.com' } })).toMatchObject({ answer: { outcome: 'refused' } });
});

test.each([
  [{}, { follow: true }, '(registrationOptions, value, value): Expected no other member of a request next to "value"; got follow.'],
  [{}, { exec: ['date'] }, '(registrationOptions, date, value): Expected no other member of a request next to "value"; got exec.'],
  [{ $: 'algorithms', every: {} }, {}, 'Expected { "$": "expression" } with no other member than "each"'],
  [{ $: 'other', each: '{item}' }, {}, 'Expected a variable that the profile has or takes; got {other}.'],
])('the mistake in %j with %j is found before anything is sent', async (value, beside, message) => {
  await expect(begin(value, beside)).rejects.toMatchObject({
    code: 'configuration_invalid',
    message: expect.stringContaining(message),
  });
});

test.each([
  [{ $: 'id', each: '{item}' }, 'Expected a list in {id}; got "localhost".'],
  [{ $: 'none' }, '{none} has no value'],
])('%j, which cannot be put together, fails with its place', async (value, said) => {
  const { answer } = await begin(value);
  expect(answer).toMatchObject({ outcome: 'failed', said: expect.stringContaining(said) });
  expect(answer.said).toContain('(registrationOptions, value)');
});
