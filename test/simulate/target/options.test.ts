import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { readCreation, readRequest } from '../../../src/simulate/target/options.js';

const creation = {
  challenge: '-_8AAAAAAAAAAAAAAAAAAA',
  rp: { id: 'localhost', name: 'Shop' },
  user: { id: '-_8', name: 'u', displayName: 'U' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
  timeout: 60000,
  excludeCredentials: [{ type: 'public-key', id: '-_8' }],
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true },
};
const request = { challenge: creation.challenge, timeout: 60000, rpId: 'localhost', allowCredentials: [{ type: 'public-key', id: '-_8' }] };

describe('the dialects of creation options', () => {
  test.each<[string, unknown, number]>([
    ['as the standard writes them', creation, 0],
    ['under publicKey', { publicKey: creation }, 0],
    ['as JSON in a text', JSON.stringify({ publicKey: creation }), 1],
    ['with null members', { ...creation, hints: null, extensions: null, rp: { ...creation.rp, icon: null } }, 3],
    [
      'with padded base64',
      {
        ...creation,
        challenge: '+/8AAAAAAAAAAAAAAAAAAA==',
        user: { ...creation.user, id: '+/8=' },
        excludeCredentials: [{ type: 'public-key', id: '+/8=' }],
      },
      3,
    ],
    [
      'with numbers and booleans as text',
      {
        ...creation,
        timeout: '60000',
        pubKeyCredParams: [{ type: 'public-key', alg: '-7' }],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: 'true' },
      },
      3,
    ],
  ])('%s', (_, found, remarks) => {
    const read = readCreation(found);
    expect(read).toEqual({ options: creation, remarks: expect.any(Array) });
    expect(read.remarks).toHaveLength(remarks);
    expect(new Set(read.remarks).size).toBe(remarks);
  });

  test('are such that the client takes what is left of them', async () => {
    const read = readCreation({ ...creation, excludeCredentials: null, challenge: '+/8AAAAAAAAAAAAAAAAAAA==', timeout: '60000' });
    if (!('options' in read)) throw new Error(read.problem);
    const remarks: unknown[] = [];
    const client = createClient({
      authenticator: createAuthenticator(),
      origin: 'http://localhost:3000',
      onRemark: (remark) => remarks.push(remark),
    });
    expect((await client.create({ publicKey: read.options })).type).toBe('public-key');
    expect(remarks).toEqual([]);
  });

  test('are named in the remarks, with what came', () => {
    expect(readCreation({ ...creation, timeout: '60000', attestation: null }).remarks).toEqual([
      'publicKey.attestation: Expected a value or no such member; got null. Pages remove the member.',
      'publicKey.timeout: Expected a number; got string "60000". Chromium reads it as 60000.',
    ]);
  });

  test.each<[unknown, RegExp]>([
    [undefined, /Expected the options of a ceremony, a JSON object; got nothing/],
    ['no JSON', /got nothing/],
    [[], /got a list/],
    [{ ...creation, user: null }, /publicKey\.user/],
    [{ ...creation, challenge: '!' }, /publicKey\.challenge/],
    [{ ...creation, pubKeyCredParams: 'all' }, /publicKey\.pubKeyCredParams/],
  ])('%j is none', (found, problem) => {
    expect(readCreation(found)).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});

test('the dialects of request options', () => {
  expect(readRequest(request)).toEqual({ options: request, remarks: [] });
  const read = readRequest(
    JSON.stringify({
      ...request,
      challenge: '+/8AAAAAAAAAAAAAAAAAAA==',
      timeout: '6e4',
      allowCredentials: [{ type: 'public-key', id: '+/8=', transports: null }],
    }),
  );
  expect(read).toMatchObject({ options: request });
  expect(read.remarks).toHaveLength(5);
  expect(readRequest({ rpId: 'localhost' })).toMatchObject({ problem: expect.stringMatching(/publicKey\.challenge/) });
});

test('lists that are longer than browsers take are cut to their last entries', () => {
  const list = Array.from({ length: 65 }, (_, index) => ({ type: 'public-key', id: `AA${String(index).padStart(2, '0')}` }));
  for (const [read, name] of [
    [readCreation({ ...creation, excludeCredentials: list }), 'excludeCredentials'],
    [readRequest({ ...request, allowCredentials: list }), 'allowCredentials'],
  ] as const) {
    expect(read).toMatchObject({ options: { [name]: list.slice(1) } });
    expect(read.remarks).toEqual([
      `publicKey.${name}: Expected at most 64 entries, because browsers accept no more; got 65. The last 64 are used.`,
    ]);
  }
  expect(readCreation({ ...creation, excludeCredentials: list.slice(1) }).remarks).toEqual([]);
});

test('a target cannot fill the report with what its options give reason to say', () => {
  const nulls = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`member${index}`, null]));
  const { remarks } = readCreation({ ...creation, ...nulls, ['x'.repeat(1e6)]: null });
  expect(remarks).toHaveLength(21);
  expect(remarks.at(-1)).toBe('More remarks on the options are left out.');
  const long = readCreation({ ...creation, ['x'.repeat(1e6)]: null });
  expect(long.remarks[0]).toHaveLength(501);
  expect(readCreation(JSON.stringify('x'.repeat(1e6)))).toMatchObject({ problem: expect.stringMatching(/^.{0,600}$/) });
});
