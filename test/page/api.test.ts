import { expect, test } from 'vitest';
import { createApi } from '../../src/page/api.js';

/** A page whose requests are answered like this, what they sent, and a clock that goes on by 5 each time it is read. */
function start(answer: (init: RequestInit) => Promise<Response> | Response, token?: string) {
  const sent: unknown[] = [];
  let now = 100;
  let requests = 0;
  const api = createApi({
    fetch: async (path, init) => {
      sent.push([path, init]);
      return answer(init);
    },
    token: () => token,
    requestId: () => `tab-${(requests += 1)}`,
    origin: 'http://localhost:7277',
    clock: () => (now += 5),
  });
  return { api, sent };
}

const headers = { accept: 'application/json', 'x-request-id': 'tab-1', 'x-passkey-page': '1' };
const LEG = {
  kind: 'http',
  requestId: 'tab-1',
  method: 'POST',
  path: '/api/x',
  body: undefined,
  bearer: false,
  status: undefined,
  answer: undefined,
  failure: undefined,
  milliseconds: 5,
};

test('a request without a body or a token sends neither', async () => {
  const { api, sent } = start(() => new Response('{"id":1}', { status: 201 }));
  expect(await api.call('GET', '/api/x')).toStrictEqual({ ...LEG, method: 'GET', status: 201, answer: { id: 1 } });
  expect(sent).toStrictEqual([['/api/x', { method: 'GET', headers, signal: null }]]);
});

test('a request with a body sends it with the token of the tab, and tells its id before', async () => {
  const ids: string[] = [];
  const { api, sent } = start(() => {
    expect(ids).toEqual(['tab-1']);
    return new Response('{}');
  }, 'own');
  const { signal } = new AbortController();
  const body = { label: 'Phone' };
  const leg = await api.call('POST', '/api/x', body, { signal, onSend: (id) => void ids.push(id) });
  expect(leg).toStrictEqual({ ...LEG, body, bearer: true, status: 200, answer: {} });
  const given = { ...headers, 'content-type': 'application/json', authorization: 'Bearer own' };
  expect(sent).toStrictEqual([['/api/x', { method: 'POST', headers: given, body: '{"label":"Phone"}', signal }]]);
});

test('a token that is tried is sent instead of the one of the tab', async () => {
  const { api, sent } = start(() => new Response('[]'), 'own');
  expect(await api.call('GET', '/api/x', undefined, { token: 'tried' })).toMatchObject({ bearer: true, answer: [] });
  expect(sent).toMatchObject([['/api/x', { headers: { authorization: 'Bearer tried' } }]]);
});

test.each([
  ['', undefined],
  ['null', 'null'],
  ['<html>', '<html>'],
  ['0', 0],
  ['false', false],
])('the answer %j is read as %j', async (text, answer) => {
  const { api } = start(() => new Response(text, { status: 404 }));
  expect(await api.call('POST', '/api/x')).toStrictEqual({ ...LEG, status: 404, answer });
});

test.each([
  [new TypeError('Failed to fetch'), 'Failed to fetch'],
  ['gone', 'gone'],
])('a server that does not answer (%s) is named, with what the browser says', async (thrown, said) => {
  const { api } = start(() => Promise.reject(thrown));
  expect(await api.call('POST', '/api/x')).toStrictEqual({
    ...LEG,
    failure: `The server at http://localhost:7277 did not answer (${said}). Is \`passkey serve\` still running?`,
  });
});

test('a request that the page cancelled says so; one that was to be cancelled but failed before says why it failed', async () => {
  const cancel = new AbortController();
  const { api } = start(({ signal }) => {
    if (cancel.signal.aborted) return Promise.reject(signal?.reason);
    return Promise.reject(new TypeError('Failed to fetch'));
  });
  const { signal } = cancel;
  const failed = await api.call('POST', '/api/x', undefined, { signal });
  expect(failed.failure).toContain('did not answer (Failed to fetch)');
  cancel.abort();
  const cancelled = await api.call('POST', '/api/x', { id: 1 }, { signal });
  expect(cancelled).toStrictEqual({
    ...LEG,
    requestId: 'tab-2',
    body: { id: 1 },
    failure: 'Cancelled before the server answered.',
  });
});
