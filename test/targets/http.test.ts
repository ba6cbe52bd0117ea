import { afterEach, describe, expect, test } from 'vitest';
import { cookie, json, redirect, routes, serve, type Target } from './http.js';
import { createSessions } from './sessions.js';

let target: Target | undefined;

afterEach(async () => {
  await target?.close();
  target = undefined;
});

/** A target with one route of each kind. */
async function start(): Promise<string> {
  const sessions = createSessions('sid', () => ({ visits: 0 }));
  target = await serve(() =>
    routes({
      'POST /echo/:name': ({ params, body, query }) => json(200, { params, body, query: Object.fromEntries(query) }),
      'GET /visits': (received) => {
        const { state, headers } = sessions.open(received);
        state.visits += 1;
        return json(200, { visits: state.visits }, headers);
      },
      'POST /end': (received) => {
        sessions.end(received);
        return json(200, { found: sessions.find(received) !== undefined });
      },
      'GET /away': () => redirect('/visits', { 'set-cookie': [cookie('a', '1'), cookie('b', 'ü; 2')] }),
      'GET /broken': () => {
        throw new Error('It broke.');
      },
    }),
  );
  return target.url;
}

describe('a test target', () => {
  test.each([
    ['application/json', '{"a":[1]}', { a: [1] }],
    ['application/json; charset=utf-8', '7', 7],
    ['application/x-www-form-urlencoded', 'a=1&b=%C3%BC+x', { a: '1', b: 'ü x' }],
    ['text/plain', 'a=1', undefined],
  ])('reads a body of %s', async (type, body, expected) => {
    const response = await fetch(`${await start()}/echo/a%2Fb?q=1`, { method: 'POST', headers: { 'content-type': type }, body });
    expect(await response.json()).toEqual({
      params: { name: 'a/b' },
      query: { q: '1' },
      ...(expected !== undefined && { body: expected }),
    });
  });

  test('answers 400 to what it cannot read, 404 to what it has not, 500 to what it did not foresee', async () => {
    const url = await start();
    const headers = { 'content-type': 'application/json' };
    const status = async (path: string, init?: RequestInit) => (await fetch(url + path, init)).status;
    expect(await status('/echo/a', { method: 'POST', headers, body: '{' })).toBe(400);
    expect(await status('/visits', { headers: { cookie: 'sid=%E0' } })).toBe(400);
    expect(await status('/echo/%E0', { method: 'POST' })).toBe(400);
    expect([await status('/echo/a'), await status('/echo'), await status('/none')]).toEqual([404, 404, 404]);
    expect(await status('/broken')).toBe(500);
  });

  test('keeps a session by its cookie until it ends', async () => {
    const url = await start();
    const first = await fetch(`${url}/visits`);
    const [sid = ''] = first.headers.getSetCookie().map((each) => each.split(';')[0]);
    const visit = async (headers: Record<string, string>) => (await fetch(`${url}/visits`, { headers })).json();
    expect([await first.json(), await visit({}), await visit({ cookie: `other=1; ${sid}` })]).toEqual([
      { visits: 1 },
      { visits: 1 },
      { visits: 2 },
    ]);
    const ended = await fetch(`${url}/end`, { method: 'POST', headers: { cookie: sid } });
    expect(await ended.json()).toEqual({ found: false });
    expect(await visit({ cookie: sid })).toEqual({ visits: 1 });
  });

  test('sets several cookies with a redirect', async () => {
    const response = await fetch(`${await start()}/away`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, '/visits']);
    expect(response.headers.getSetCookie()).toEqual([
      'a=1; Path=/; HttpOnly; SameSite=Lax',
      'b=%C3%BC%3B%202; Path=/; HttpOnly; SameSite=Lax',
    ]);
  });
});
