import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Annotation, TreeDocument } from '../../src/explain/document-schema.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import type { Field } from '../../src/page/decode.js';
import { arrangeFields, decodeResponse, treeToField, undecoded } from '../../src/page/decode.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { JSON_SAMPLES, vector } from '../explain/annotate/samples.js';
import { decoded } from './annotated.js';

async function decode(fixture: string, change: Partial<{ rpId: string; origin: string; challenge: string }> = {}) {
  const { response, ceremony, rpId, origin }: { response: JsonObject; ceremony: { challenge: string }; rpId: string; origin: string } =
    JSON.parse(await readFile(new URL(`../../fixtures/recorded/${fixture}.json`, import.meta.url), 'utf8'));
  return arrangeFields(decoded(response, { rpId, origin, challenge: ceremony.challenge, ...change }));
}

/** The field at a path of names. */
function at(fields: readonly Field[], ...path: readonly string[]): Field {
  const [name, ...rest] = path;
  const field = fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`no field ${name} among ${fields.map((one) => one.name).join(', ')}`);
  return rest.length === 0 ? field : at(field.children ?? [], ...rest);
}

describe('a response, decoded', () => {
  test('decodes a registration completely', async () => {
    const fields = await decode('registration-user-verified');
    const data = at(fields, 'attestationObject', 'authData');
    expect(at(data.children ?? [], 'rpIdHash')).toMatchObject({ verdict: 'good', note: 'SHA-256 of "localhost"' });
    expect(at(data.children ?? [], 'flags')).toMatchObject({ value: '0x45', note: 'UP UV AT' });
    const parts = data.children?.flatMap((child) => child.at ?? []) ?? [];
    expect(parts[0]?.offset).toBe(data.at?.offset);
    for (const [index, part] of parts.entries()) {
      expect(parts[index + 1]?.offset ?? part.offset + part.length).toBe(part.offset + part.length);
    }
    expect(parts.reduce((sum, part) => sum + part.length, 0)).toBe(data.at?.length);
    expect(at(data.children ?? [], 'credentialPublicKey', 'crv (-1)')).toMatchObject({ value: '1', note: 'P-256' });
  });

  test('puts the important parts first and collapses copies', async () => {
    const fields = await decode('registration-user-verified');
    expect(fields.map(({ name }) => name)).toStrictEqual([
      'id',
      'type',
      'authenticatorAttachment',
      'clientDataJSON',
      'attestationObject',
      'transports',
      'clientExtensionResults',
      'copies',
    ]);
    expect(at(fields, 'copies')).toMatchObject({ collapsed: true, note: 'rawId, authenticatorData, publicKey, publicKeyAlgorithm' });
    expect((await decode('login-discoverable')).map(({ name }) => name)).toContain('authenticatorData');
  });

  test('decodes a login and compares it with its options', async () => {
    const fields = await decode('login-discoverable');
    expect(at(fields, 'userHandle').note).toContain('"1"');
    expect(at(fields, 'clientDataJSON', 'origin')).toMatchObject({ verdict: 'good' });
    expect(at(fields, 'clientDataJSON', 'challenge')).toMatchObject({ verdict: 'good' });
    expect(at(fields, 'signature').value).toMatch(/^30/);
  });

  test('marks what differs from the options', async () => {
    const fields = await decode('login-discoverable', { rpId: 'example.com', origin: 'https://example.com', challenge: 'AAAA' });
    expect(at(fields, 'clientDataJSON', 'origin')).toMatchObject({ verdict: 'bad', note: 'expected "https://example.com"' });
    expect(at(fields, 'clientDataJSON', 'challenge').verdict).toBe('bad');
    expect(at(fields, 'authenticatorData', 'rpIdHash')).toMatchObject({ verdict: 'bad', note: 'not the SHA-256 of "example.com"' });
  });

  test.each([
    ['registration-packed', '"packed"', 'ES256'],
    ['registration-u2f', '"fido-u2f"', undefined],
  ])('opens the certificates of %s', async (fixture, fmt, alg) => {
    const fields = await decode(fixture);
    expect(at(fields, 'attestationObject', 'fmt').value).toBe(fmt);
    const statement = at(fields, 'attestationObject', 'attStmt').children ?? [];
    expect(statement.find(({ name }) => name === 'alg')?.note).toBe(alg);
    const certificate = at(statement, 'x5c', 'x5c[0]');
    expect(at(certificate.children ?? [], 'subject').value).toMatch(/CN=/);
    expect(at(certificate.children ?? [], 'publicKey').value).toBe('EC P-256');
  });

  test('shows an RSA key', async () => {
    const key = at(await decode('registration-rs256'), 'attestationObject', 'authData', 'credentialPublicKey');
    expect(key.value).toBe('RS256');
    expect(key.children?.map(({ name }) => name)).toStrictEqual(['kty (1)', 'alg (3)', 'n (-1)', 'e (-2)']);
  });

  test('says why a field cannot be read, and shows the rest', () => {
    const fields = arrangeFields(
      decoded(
        { id: 'AQ', type: 'public-key', response: { clientDataJSON: 'ey', authenticatorData: 'AAAA', signature: 'MA' } },
        { challenge: undefined, origin: 'http://localhost', rpId: undefined },
      ),
    );
    expect(at(fields, 'clientDataJSON').verdict).toBe('bad');
    expect(at(fields, 'authenticatorData')).toMatchObject({ verdict: 'bad', note: expect.stringContaining('37 bytes') });
    expect(at(fields, 'id').value).toBe('01');
  });

  test('that nobody could decode still has the members that hold bytes', () => {
    expect(arrangeFields(undecoded({ id: 'AQ', response: { signature: 'MA', clientDataJSON: 'ey' } }))).toStrictEqual([
      { name: 'clientDataJSON' },
      { name: 'signature' },
    ]);
    expect(undecoded({ id: 'AQ' })).toStrictEqual([]);
  });

  test('never throws, whatever the bytes', () => {
    for (let length = 0; length < 80; length++) {
      const noise = Buffer.from(Array.from({ length }, (_, index) => (index * 37 + length * 91) & 0xff)).toString('base64url');
      const response = { id: noise, response: { clientDataJSON: noise, attestationObject: noise, authenticatorData: noise } };
      expect(decoded(response, { challenge: 'AQ', origin: 'x', rpId: 'y' })).toHaveLength(2);
    }
  });
});

const asked = { challenge: encodeBase64url(vector.registration.challenge), origin: 'https://example.org', rpId: 'example.org' };

function find(fields: readonly Field[], ...names: readonly string[]): Field | undefined {
  const [name, ...rest] = names;
  const found = fields.find((field) => field.name === name);
  return rest.length === 0 ? found : find(found?.children ?? [], ...rest);
}

describe('a response, compared with its options', () => {
  const authData = ['response', 'attestationObject', 'authData'] as const;

  test.each<[readonly string[], object]>([
    [['response', 'clientDataJSON', 'origin'], { verdict: 'good', note: 'as expected' }],
    [['response', 'clientDataJSON', 'challenge'], { verdict: 'good' }],
    [[...authData, 'rpIdHash'], { verdict: 'good', note: 'SHA-256 of "example.org"', at: { offset: 30, length: 32 } }],
    [[...authData, 'flags', 'UP'], { verdict: 'good' }],
    [[...authData, 'flags', 'UV'], { verdict: 'neutral' }],
  ])('%j, as expected', (path, expected) => {
    expect(find(decoded(JSON_SAMPLES.registration, asked), ...path)).toMatchObject(expected);
  });

  test.each<[readonly string[], object]>([
    [['response', 'clientDataJSON', 'origin'], { verdict: 'bad', note: 'expected "https://else.example"' }],
    [['response', 'clientDataJSON', 'challenge'], { verdict: 'bad' }],
    [[...authData, 'rpIdHash'], { verdict: 'bad', note: 'not the SHA-256 of "else.example"' }],
  ])('%j, not as expected', (path, expected) => {
    const others = { challenge: 'AAAA', origin: 'https://else.example', rpId: 'else.example' };
    expect(find(decoded(JSON_SAMPLES.registration, others), ...path)).toMatchObject(expected);
  });

  test('a field that cannot be read', () => {
    const { response, ...rest } = JSON_SAMPLES.authentication;
    const fields = decoded({ ...rest, response: { ...response, authenticatorData: 'AAAA' } }, asked);
    expect(find(fields, 'response', 'authenticatorData')).toMatchObject({ verdict: 'bad', note: expect.stringContaining('byte 3') });
  });
});

describe('a node of the tree', () => {
  const node = (label: string, value: string | null, change: Partial<TreeDocument> = {}): TreeDocument => ({
    label,
    value,
    offset: null,
    length: null,
    note: null,
    error: null,
    children: [],
    ...change,
  });

  test('is a field with what there is of it', () => {
    expect(treeToField(node('a', null))).toStrictEqual({ name: 'a', value: undefined, note: undefined, children: [] });
    const full = node('a', 'v', {
      offset: 0,
      length: 2,
      note: 'n',
      children: [node('b', 'w', { offset: 1 }), node('c', null, { length: 1 })],
    });
    expect(treeToField(full)).toStrictEqual({
      name: 'a',
      value: 'v',
      note: 'n',
      at: { offset: 0, length: 2 },
      children: [
        { name: 'b', value: 'w', note: undefined, children: [] },
        { name: 'c', value: undefined, note: undefined, children: [] },
      ],
    });
  });

  const marked = (parent: string, child: TreeDocument, change: object = {}, hash: string | null = 'aa') => {
    const tree = node('response', null, { children: [node(parent, null, { children: [child] })] });
    const answer: Annotation = { response: tree, public_key: null, rp_id_hash: hash };
    const [field] = decodeResponse(answer, { challenge: 'AQ', origin: 'http://a', rpId: 'a', ...change });
    const [{ verdict, note } = {}] = field?.children ?? [];
    return [verdict, note];
  };

  test.each<[string, TreeDocument, object, readonly (string | undefined)[]]>([
    ['flags', node('UP', '1'), {}, ['good', undefined]],
    ['flags', node('UV', '0'), {}, ['neutral', undefined]],
    ['clientDataJSON', node('challenge', '"AQ"'), {}, ['good', 'as expected']],
    ['clientDataJSON', node('challenge', '"Ag"'), {}, ['bad', 'expected "AQ"']],
    ['clientDataJSON', node('challenge', '"Ag"'), { passed: new Set(['challenge']) }, ['good', 'as expected']],
    ['clientDataJSON', node('challenge', '"Ag"'), { passed: new Set(['origin']) }, ['bad', 'expected "AQ"']],
    ['clientDataJSON', node('challenge', '"Ag"'), { challenge: undefined }, [undefined, undefined]],
    ['clientDataJSON', node('origin', '"http://a"'), {}, ['good', 'as expected']],
    ['clientDataJSON', node('origin', '"http://b"'), {}, ['bad', 'expected "http://a"']],
    ['clientDataJSON', node('origin', '"http://b"'), { passed: new Set(['origin']) }, ['good', 'as expected']],
    ['clientDataJSON', node('type', '"x"', { note: 'n' }), {}, [undefined, 'n']],
    ['other', node('origin', '"http://b"'), {}, [undefined, undefined]],
    ['other', node('challenge', '"Ag"'), {}, [undefined, undefined]],
    ['authenticatorData', node('rpIdHash', 'aa', { note: 'n' }), {}, ['good', 'n']],
    ['authenticatorData', node('rpIdHash', 'bb'), {}, ['bad', 'not the SHA-256 of "a"']],
    ['authenticatorData', node('rpIdHash', 'bb'), { passed: new Set(['rp-id-hash']) }, [undefined, undefined]],
    ['authenticatorData', node('signCount', 'bb'), {}, [undefined, undefined]],
    ['clientDataJSON', node('origin', '"http://a"', { error: 'It is none.' }), {}, ['bad', 'It is none.']],
  ])('in %s, %j, asked %j: %j', (parent, child, asked, marks) => {
    expect(marked(parent, child, asked)).toEqual(marks);
  });

  test('is not compared with the hash of an unknown RP ID', () => {
    expect(marked('authenticatorData', node('rpIdHash', 'bb'), {}, null)).toEqual([undefined, undefined]);
    expect(decodeResponse({ response: null, public_key: null, rp_id_hash: null }, asked)).toEqual([]);
  });
});

test('fields stand in reading order: known ones, others, then what servers rarely read, and copies last', () => {
  const fields = [
    'clientExtensionResults',
    'rawId',
    'other',
    'transports',
    'publicKey',
    'userHandle',
    'authenticatorData',
    'type',
    'id',
  ].map((name) => ({
    name,
  }));
  expect(arrangeFields(fields).map(({ name }) => name)).toEqual([
    'id',
    'type',
    'authenticatorData',
    'userHandle',
    'other',
    'publicKey',
    'transports',
    'clientExtensionResults',
    'copies',
  ]);
  const registration = [{ name: 'response', children: [...fields, { name: 'attestationObject' }] }];
  expect(arrangeFields(registration).at(-1)).toStrictEqual({
    name: 'copies',
    note: 'rawId, publicKey, authenticatorData',
    children: [{ name: 'rawId' }, { name: 'publicKey' }, { name: 'authenticatorData' }],
    collapsed: true,
  });
  expect(arrangeFields([{ name: 'response' }])).toStrictEqual([{ name: 'response' }]);
});
