import { describe, expect, test } from 'vitest';
import type { HarEntry } from '../../../../src/explain/annotate/har-entries.js';
import { credentialParts, findCeremonies } from '../../../../src/simulate/target/recording/ceremonies.js';
import { bodyValue, recordedExchanges } from '../../../../src/simulate/target/recording/exchanges.js';
import { writePath } from '../../../../src/simulate/target/recording/leaves.js';

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url');
const ID = Uint8Array.from({ length: 16 }, (_, index) => 0xf8 + index);
const CLIENT_DATA = new TextEncoder().encode(JSON.stringify({ type: 'webauthn.get', challenge: 'AQID', origin: 'http://localhost' }));
/** In base64 it has neither padding nor a character of its own. */
const SIGNATURE = Uint8Array.from([1, 2, 3]);
const padded = (bytes: Uint8Array) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_');

const JSON_TYPE: readonly [string, string] = ['content-type', 'application/json'];
const LOGIN: HarEntry = {
  index: 0,
  method: 'POST',
  url: 'http://localhost/login',
  at: 0,
  status: 200,
  request: { headers: [JSON_TYPE], body: '{}', params: [], isBodyMissing: false },
  response: { headers: [], body: '{}', params: [], isBodyMissing: false },
};

/** The expressions for the parts of a recorded login, by their place in the body. */
function partsOf(body: object): Readonly<Record<string, string>> {
  const [exchange] = recordedExchanges([{ ...LOGIN, request: { ...LOGIN.request, body: JSON.stringify(body) } }]);
  const [ceremony] = exchange === undefined ? [] : findCeremonies([exchange]);
  if (exchange === undefined || ceremony === undefined) throw new Error('no ceremony');
  const parts = credentialParts(bodyValue(exchange), ceremony, [base64url(ID)]);
  return Object.fromEntries(parts.map(({ path, expression }) => [writePath(body, path), expression]));
}

const response = (write: (bytes: Uint8Array) => string) => ({
  clientDataJSON: write(CLIENT_DATA),
  signature: write(SIGNATURE),
  authenticatorData: write(ID.subarray(2)),
});

describe('the parts of a recorded credential', () => {
  test('are the credential, where it is as toJSON() writes it', () => {
    expect(partsOf({ credential: { id: base64url(ID), type: 'public-key', response: response(base64url) } })).toEqual({
      credential: 'credential',
    });
  });

  test('are spelled one by one, and may be absent', () => {
    expect(partsOf({ id: base64url(ID), rawId: base64(ID), response: response(base64) })).toEqual({
      id: 'credential.id?',
      rawId: 'credential.rawId? | base64',
      'response.clientDataJSON': 'credential.response.clientDataJSON? | base64',
      'response.signature': 'credential.response.signature? | base64',
      'response.authenticatorData': 'credential.response.authenticatorData? | base64',
    });
    expect(partsOf({ credentialId: base64url(ID), ...response(padded) })).toMatchObject({
      credentialId: 'credential.id?',
      authenticatorData: 'credential.response.authenticatorData? | padded',
    });
  });

  test('have no ID of a user', () => {
    expect(partsOf({ id: base64url(ID), user: { id: 'YWxpY2U' }, ...response(base64) })).not.toHaveProperty('user.id');
    expect(partsOf({ id: 'b3RoZXI', user: { id: 'YWxpY2U' }, ...response(base64) })).toMatchObject({ id: 'credential.id?' });
    expect(partsOf({ id: 'b3RoZXI', user: { id: 'YWxpY2U' }, ...response(base64) })).not.toHaveProperty('user.id');
  });
});

const answeredWith = (type: string): HarEntry['response'] => ({ ...LOGIN.response, headers: [['content-type', type]] });
const sentAs = (type: string | undefined, body: string): HarEntry['request'] => ({
  ...LOGIN.request,
  headers: type === undefined ? [] : [['content-type', type]],
  body,
});

describe('the exchanges of a recording', () => {
  test.each<[what: string, change: Partial<HarEntry>, kept: boolean]>([
    ['a request of the page', {}, true],
    ['a page', { method: 'GET', response: answeredWith('text/html') }, true],
    ['a script by its name', { method: 'GET', url: 'http://localhost/app.js', response: answeredWith('text/plain') }, false],
    ['a picture by its type', { method: 'GET', url: 'http://localhost/logo', response: answeredWith('image/png') }, false],
    ['a request to a path like that of a file', { url: 'http://localhost/login.js' }, true],
    ['a request answered with a picture', { response: answeredWith('image/png') }, true],
    ['one without an answer', { status: 0 }, false],
    ['a preflight request', { method: 'OPTIONS' }, false],
    ['a request for headers', { method: 'HEAD' }, false],
    ['one of another scheme', { url: 'ws://localhost/login' }, false],
    ['one that is no URL', { url: 'login' }, false],
  ])('have %s: %j, or not', (_what, change, kept) => {
    expect(recordedExchanges([{ ...LOGIN, ...change }])).toHaveLength(kept ? 1 : 0);
  });

  test.each<[request: HarEntry['request'], body: object]>([
    [sentAs('application/json', '{"a":1}'), { kind: 'json', value: { a: 1 } }],
    [sentAs(undefined, '{"a":1}'), { kind: 'json', value: { a: 1 } }],
    [sentAs('application/x-www-form-urlencoded', 'a=1&b=%20'), { kind: 'form', value: { a: '1', b: ' ' } }],
    [sentAs(undefined, 'a=1'), { kind: 'form', value: { a: '1' } }],
    [sentAs('text/plain', 'a=1'), { kind: 'text', value: 'a=1' }],
    [sentAs('text/plain', ''), { kind: 'none' }],
    [
      { ...sentAs('text/plain', ''), params: [['a', '1']] },
      { kind: 'form', value: { a: '1' } },
    ],
  ])('have the body of %j', (request, body) => {
    expect(recordedExchanges([{ ...LOGIN, request }])[0]?.body).toEqual(body);
  });
});
