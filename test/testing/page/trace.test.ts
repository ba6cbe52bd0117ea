import { describe, expect, test } from 'vitest';
import type { Observation, SentRequest } from '../../../src/testing/page/driver.js';
import {
  acceptsDialog,
  carriesResponse,
  findOptions,
  findRoles,
  isAutofill,
  isModal,
  isSameAddress,
  isSameRequest,
  listCalls,
  listComplaints,
  listExchanges,
  listMembers,
  sendsResponse,
} from '../../../src/testing/page/trace.js';
import {
  aborted,
  answer,
  answered,
  call,
  conditional,
  dialog,
  document,
  failed,
  offer,
  options,
  press,
  request,
  response,
  uncaught,
  verify,
} from './observed.js';

describe('the calls of a page', () => {
  const read = (observations: readonly Observation[]) =>
    listCalls(observations).map(({ call: number, at, until, challenge, ...rest }) => ({
      number,
      at,
      until,
      challenge,
      ...('response' in rest && { response: rest.response }),
      ...('error' in rest && { error: rest.error }),
    }));
  const CALL = { number: 1, at: 1, challenge: 'challenge-1' };

  test.each<[string, readonly Observation[], readonly object[]]>([
    ['pending', [press, call(1)], [{ ...CALL, until: Number.POSITIVE_INFINITY }]],
    ['answered', [press, call(1), press, answered(1)], [{ ...CALL, until: 3, response: response(1) }]],
    ['failed', [press, call(1), failed(1, 'AbortError')], [{ ...CALL, until: 2, error: 'AbortError' }]],
    ['ended with nothing', [press, call(1), { kind: 'ended', call: 1 }], [{ ...CALL, until: 2 }]],
    ['aborted, then failed', [press, call(1), aborted(1), failed(1)], [{ ...CALL, until: 2, error: 'NotAllowedError' }]],
    ['left with its document', [document, call(1), document, answered(1)], [{ ...CALL, until: 2, response: response(1) }]],
    ['beside another', [press, call(1), aborted(2), failed(2), answered(1)], [{ ...CALL, until: 4, response: response(1) }]],
    ['without a challenge', [press, call(1, { options: {} })], [{ ...CALL, challenge: undefined, until: Number.POSITIVE_INFINITY }]],
    [
      'with a challenge that is no text',
      [press, { kind: 'call', call: 1, method: 'get', hasField: true }],
      [{ ...CALL, challenge: undefined, until: Number.POSITIVE_INFINITY }],
    ],
    ['none', [press, answered(1)], []],
  ])('%s', (_, observations, expected) => {
    expect(read(observations)).toEqual(expected);
  });

  test('have all that was observed of them', () => {
    const given = call(1, { method: 'create', mediation: 'required', timer: 5, abortsAfter: 7 });
    expect(listCalls([given])).toEqual([{ ...given, at: 0, until: Number.POSITIVE_INFINITY, challenge: 'challenge-1' }]);
  });

  test.each<[Observation, boolean, boolean]>([
    [call(1), true, false],
    [call(1, { mediation: 'required' }), true, false],
    [conditional(1), false, true],
    [conditional(1, { method: 'create' }), false, false],
  ])('%j', (given, modal, autofill) => {
    expect(listCalls([given]).map((each) => [isModal(each), isAutofill(each)])).toEqual([[modal, autofill]]);
  });
});

test('a request has the answer that is to it', () => {
  const [first, second] = [options(1), verify(2, 1)];
  expect(listExchanges([press, first, second, answer(2, 201), answer(2, 500)])).toEqual([
    { at: 1, request: first, answer: undefined },
    { at: 2, request: second, answer: answer(2, 201) },
  ]);
});

const sent = (body: string, url = 'https://shop.example/verify'): SentRequest => ({
  id: 1,
  method: 'POST',
  url,
  headers: {},
  body,
  isNavigation: false,
  origin: '',
});

describe('a response in a request', () => {
  const made = {
    id: 'aWQtb2YtYS1jcmVkZW50aWFs',
    response: { clientDataJSON: 'Y2xpZW50_-RhdGE', attestationObject: 'b2JqZWN0-_9', signature: 'c2lnbmF0' },
  };
  test.each<[string, boolean, boolean]>([
    ['Y2xpZW50_-RhdGE', true, true],
    ['x=Y2xpZW50/+RhdGE=&y', true, true],
    ['"Y2xpZW50\\/+RhdGE="', true, true],
    ['x=Y2xpZW50%2f%2BRhdGE', true, true],
    ['b2JqZWN0-_9', true, true],
    ['c2lnbmF0', false, false],
    ['Y2xpZW50', false, false],
    ['aWQtb2YtYS1jcmVkZW50aWFs', false, true],
    ['', false, false],
  ])('%s', (text, carries, sends) => {
    expect([carriesResponse(text, made), sendsResponse(sent(text), made)]).toEqual([carries, sends]);
  });

  test('is sent in a URL, which its ID alone is not', () => {
    const inUrl = (text: string) => sendsResponse(sent('', `https://shop.example/verify?r=${text}`), made);
    expect([inUrl('Y2xpZW50_-RhdGE'), inUrl('aWQtb2YtYS1jcmVkZW50aWFs')]).toEqual([true, false]);
  });

  test.each([
    [{ id: 7, response: null }, false],
    [{ response: { clientDataJSON: 7, signature: 'c2lnbmF0d' } }, true],
    [{ response: { clientDataJSON: '12345678', signature: '12345678' } }, false],
  ])('may lack members: %j', (given, expected) => {
    expect(sendsResponse(sent('7 12345678 c2lnbmF0d'), given)).toBe(expected);
  });
});

describe('the requests of a ceremony', () => {
  const part = (found: object) => Object.entries(found).map(([name, value]) => [name, Reflect.get(Object(value), 'id') ?? value]);
  test.each<[string, readonly Observation[], number, readonly unknown[]]>([
    [
      'both',
      [options(1), offer(1, 1, { timeout: 5 }), call(1), answered(1), verify(2, 1)],
      0,
      [
        ['options', 1],
        ['verification', 2],
        ['answered', { challenge: 'challenge-1', timeout: 5 }],
      ],
    ],
    ['no response', [options(1), offer(1, 1), call(1), failed(1), verify(2, 1)], 0, []],
    ['no call', [options(1), offer(1, 1)], 0, []],
    [
      'the latest options',
      [options(1), offer(1, 1), options(2), offer(2, 1), call(1), answered(1)],
      0,
      [
        ['options', 2],
        ['answered', { challenge: 'challenge-1' }],
      ],
    ],
    ['options after the call', [call(1), options(1), offer(1, 1), answered(1)], 0, []],
    ['options without an answer', [options(1), call(1), answered(1)], 0, []],
    ['a call without a challenge', [options(1), offer(1, 1), call(1, { options: {} }), answered(1)], 0, []],
    [
      'a challenge in base64',
      [options(1), answer(1, 200, { body: 'x="AB+/"' }), call(1, { options: { challenge: 'AB-_' } }), answered(1)],
      0,
      [['options', 1]],
    ],
    [
      'the response before the ID alone',
      [call(1), request(1, { body: 'credential-1' }), answered(1), verify(2, 1)],
      0,
      [['verification', 2]],
    ],
    ['the ID alone', [call(1), answered(1), request(1, { body: 'credential-1' })], 0, [['verification', 1]]],
    [
      'the response in a URL',
      [call(1), answered(1), request(1, { url: 'https://shop.example/?r=client-data-1' })],
      0,
      [['verification', 1]],
    ],
    ['the response before the call', [verify(1, 1), call(1), answered(1)], 0, []],
    ['a call that ended before', [call(1), answered(1), press, verify(2, 1)], 2, []],
    ['a call that ended there', [call(1), answered(1), verify(2, 1)], 1, [['verification', 2]]],
    [
      'the first call from there',
      [call(1), answered(1), press, call(2), answered(2), verify(1, 1), verify(2, 2)],
      2,
      [['verification', 2]],
    ],
  ])('%s', (_, observations, from, expected) => {
    expect(part(findRoles(observations, from))).toEqual(expected);
  });
});

test.each<[unknown, object | undefined]>([
  [
    { challenge: 'a', x: 1 },
    { challenge: 'a', x: 1 },
  ],
  [{ challenge: 7, inner: [null, { challenge: 'b' }, { challenge: 'c' }] }, { challenge: 'b' }],
  [[{ publicKey: { challenge: 'd' } }], { challenge: 'd' }],
  ['challenge', undefined],
  [null, undefined],
  [{ a: {} }, undefined],
])('the options in %j', (json, expected) => {
  expect(findOptions(json)).toEqual(expected);
});

describe('two requests', () => {
  const one = sent('{"a":1,"b":"text"}', 'https://shop.example/users/17/passkeys?x=1');
  const long = 'l'.repeat(201);
  test.each<[string, Partial<SentRequest>, boolean, boolean]>([
    ['equal ones', {}, true, true],
    ['another query', { url: 'https://shop.example/users/17/passkeys' }, true, true],
    ['another user', { url: 'https://shop.example/users/a@b.example/passkeys' }, true, true],
    ['another path', { url: 'https://shop.example/users/17/password' }, false, false],
    ['another name in the path', { url: 'https://shop.example/users/ada/passkeys' }, false, false],
    ['another origin', { url: 'https://other.example/users/17/passkeys' }, false, false],
    ['another method', { method: 'PUT' }, false, false],
    ['another action of Next.js', { headers: { 'next-action': 'a' } }, false, false],
    ['other headers', { headers: { accept: 'a' } }, true, true],
    ['another number in the body', { body: '{"a":2,"b":"text"}' }, true, true],
    ['another text in the body', { body: '{"a":1,"b":"other"}' }, true, false],
    ['a text with a number in the body', { body: '{"a":1,"b":"7"}' }, true, false],
    ['another member', { body: '{"a":1,"c":"text"}' }, true, false],
    ['no JSON', { body: 'text' }, true, false],
  ])('%s', (_, change, address, same) => {
    expect([isSameAddress({ ...one, ...change }, one), isSameRequest({ ...one, ...change }, one)]).toEqual([address, same]);
  });

  test.each([
    ['"a@b.example"', '"c@d.example"', true],
    ['"7"', '"8 of 9"', true],
    [`"${long}"`, `"m${long}"`, true],
    [`"${long.slice(1)}"`, `"m${long.slice(2)}"`, false],
    [`" query ${long}"`, `"query ${long}"`, false],
    [`"mutation ${long}"`, `"mutation x${long}"`, false],
    [`"querying ${long}"`, `"${long}"`, true],
    ['true', 'false', false],
    ['null', 'null', true],
  ])('with %s and %s in the body', (first, second, same) => {
    const of = (value: string) => sent(`{"value":${value}}`);
    expect(isSameRequest(of(first), of(second))).toBe(same);
  });

  test('of which none is JSON are compared by their address', () => {
    expect([isSameRequest(sent('a=1'), sent('7')), isSameRequest(sent('{}'), undefined), isSameAddress(sent(''), undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

test('complaints are exceptions and rejections', () => {
  expect(listComplaints([uncaught('a'), press, { kind: 'rejection', text: 'b' }, dialog('c')])).toEqual(['a', 'b']);
});

test.each([
  ['{"a":1,"b":"","c":null,"d":"x","e":false}', ['a', 'd', 'e']],
  ['a=1&b=&c=x', ['a', 'c']],
  ['', []],
  ['7=', []],
  ['["x",""]', ['0']],
])('the members of %s', (body, expected) => {
  expect(listMembers(body)).toEqual(expected);
});

test.each<[string, readonly Observation[], boolean]>([
  ['the first', [press], true],
  ['again', [press, dialog('Sure?')], false],
  ['another', [press, dialog('Again?')], true],
  ['after another click', [press, dialog('Sure?'), press], true],
  ['before any click', [dialog('Sure?')], false],
  ['an exception with its text', [press, uncaught('Sure?')], true],
])('a dialog is accepted: %s', (_, observations, expected) => {
  expect(acceptsDialog(observations, 'Sure?')).toBe(expected);
});
