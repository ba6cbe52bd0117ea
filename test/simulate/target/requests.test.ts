import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { encodeBody } from '../../../src/simulate/target/body.js';
import { compileValue } from '../../../src/simulate/target/template.js';
import { decodeCbor, encodeCbor } from '../../../src/webauthn/cbor.js';
import { driverOf, type SmallAnswer, type SmallRequest, smallServer, userOf } from './small-server.js';

/** One list of requests against a small server: that of the account, since it needs nothing before it. */

interface Run {
  readonly account: readonly JsonObject[];
  readonly answer?: (request: SmallRequest) => SmallAnswer | undefined;
  readonly path?: string;
  readonly options?: object;
  readonly changes?: JsonObject;
}

/** Runs the account's requests; a session's `whoami` then shows what was taken. */
async function run({ account, answer, path = '', options, changes }: Run) {
  const server = await smallServer((request) => answer?.(request) ?? {});
  const driver = await driverOf({ account, ...changes }, { url: server.url + path, ...options });
  const opened = await driver.openUser(1);
  driver.close();
  return { opened, requests: server.requests, driver };
}

const redirect = (location: string, status = 302): SmallAnswer => ({ status, headers: { location } });

describe('a request', () => {
  test('goes to a path under the base, with templates in path, headers and JSON', async () => {
    const { requests } = await run({
      path: '/base/',
      account: [
        {
          request: 'PUT /users/{user.number}?name={user.displayName | encode}',
          headers: { Origin: '{origin}', 'X-Base': '{url}', Authorization: 'Bearer {gone?}' },
          json: { mail: '{user.email}', number: { $: 'user.number' }, realm: '{realm}' },
        },
      ],
      changes: { variables: { realm: 'master' }, cleanup: [{ request: 'GET /', take: { gone: 'json gone' } }] },
      options: { origin: 'https://shop.example/x', variables: { realm: 'other' } },
    });
    const [request] = requests;
    expect(request).toMatchObject({ method: 'PUT', path: '/base/users/1?name=Passkey%20Simulate%201' });
    expect(request?.headers).toMatchObject({
      origin: 'https://shop.example',
      'content-type': 'application/json',
    });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.headers['x-base']).toMatch(/^http:\/\/localhost:\d+\/base$/);
    expect(JSON.parse(request?.body ?? '')).toEqual({
      mail: expect.stringMatching(/^passkey-simulate-[a-z0-9]{8}-1@example\.com$/),
      number: 1,
      realm: 'other',
    });
  });

  test('sends a form, a text, or nothing', async () => {
    const { requests } = await run({
      account: [
        { request: 'POST /form', form: { a: 'x&y', list: ['1', { $: 'user.number' }], object: { b: true }, none: '{gone?}' } },
        { request: 'POST /text', text: 'I am {user.number}', headers: { 'Content-Type': 'text/csv' } },
        { request: 'POST /none', json: { $: 'gone?' } },
      ],
      // Nothing ever takes it, but the profile could.
      changes: { cleanup: [{ request: 'GET /', take: { gone: 'json gone' } }] },
    });
    expect(requests.map(({ body }) => body)).toEqual([
      `a=x%26y&list=1&list=1&object=${encodeURIComponent('{"b":true}')}`.replaceAll('%20', '+'),
      'I am 1',
      '',
    ]);
    expect(requests.map(({ headers }) => headers['content-type'])).toEqual(['application/x-www-form-urlencoded', 'text/csv', undefined]);
  });

  test('sends a form in parts', async () => {
    const { requests } = await run({ account: [{ request: 'POST /', multipart: { name: '{user.number}', ids: ['a', 'b'] } }] });
    const [request] = requests;
    expect(request?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect([...(request?.body ?? '').matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)].map(([, name, value]) => [name, value])).toEqual([
      ['name', '1'],
      ['ids', 'a'],
      ['ids', 'b'],
    ]);
  });

  test('speaks CBOR, with byte strings', async () => {
    const value = compileValue({ id: { $: 'id | binary' }, more: ['x', 1, null] }, () => {})({ id: 'AQI' });
    const { content, headers, shown } = (await encodeBody('cbor', value)) ?? {};
    expect(headers).toEqual({ 'content-type': 'application/cbor' });
    expect(shown).toBe('{"id":[1,2],"more":["x",1,null]}');
    const sent = new Map<string, unknown>([
      ['id', Uint8Array.of(1, 2)],
      ['more', ['x', 1, null]],
    ]);
    expect(decodeCbor(content instanceof Uint8Array ? content : new Uint8Array()).value).toEqual(sent);
    const { opened, requests } = await run({
      answer: ({ path }) =>
        path === '/begin'
          ? { headers: { 'content-type': 'application/cbor' }, body: encodeCbor(new Map([['a', Uint8Array.of(255)]])) }
          : {},
      account: [{ request: 'POST /begin', take: { a: 'json a' } }, { request: 'GET /{a}' }],
    });
    expect(opened).toHaveProperty('user');
    expect(requests.at(-1)?.path).toBe('/_w');
  });

  test('echoes a token of a page, and a cookie as it is at that moment', async () => {
    let turn = 0;
    const { requests } = await run({
      answer() {
        turn += 1;
        return { headers: { 'set-cookie': `XSRF-TOKEN=t${turn}%3D` }, body: `<meta name="csrf-token" content="m${turn}">` };
      },
      account: [
        { request: 'GET /page', take: { csrf: 'html meta[name="csrf-token"] @content' } },
        { request: 'POST /one', headers: { 'x-csrf-token': '{csrf}', 'x-xsrf-token': '{cookie.XSRF-TOKEN | decode}' } },
        { request: 'POST /two', headers: { 'x-xsrf-token': '{cookie.XSRF-TOKEN | decode}' } },
      ],
    });
    expect(requests.map(({ headers }) => [headers['x-csrf-token'], headers['x-xsrf-token']])).toEqual([
      [undefined, undefined],
      ['m1', 't1='],
      [undefined, 't2='],
    ]);
  });

  test('takes values for the requests behind it, and is made only if its condition holds', async () => {
    const { requests, opened } = await run({
      answer: ({ path }) => (path === '/start' ? { headers: { 'x-flow': 'f 1' }, body: { steps: ['mail'] } } : undefined),
      account: [
        { request: 'GET /start', take: { flow: 'header x-flow', mail: 'json steps | join , | match /mail/', phone: 'json phone' } },
        { request: 'POST /mail?flow={flow | encode}', if: 'mail' },
        { request: 'POST /phone', if: 'phone' },
        { request: 'POST /neither', unless: 'mail | is mail' },
        { request: 'POST /number', if: 'user.number | is 1' },
      ],
    });
    expect(requests.map(({ path }) => path)).toEqual(['/start', '/mail?flow=f%201', '/number']);
    expect(opened).not.toHaveProperty('outcome');
  });

  test.each(['//127.0.0.1:9/x', '///127.0.0.1:9/x', '/\\127.0.0.1:9/x'])('sends %s, which is a path, to no other host', async (path) => {
    const { opened, requests } = await run({ answer: () => ({ body: {} }), account: [{ request: `GET ${path}` }] });
    expect([opened, requests.map((request) => request.path)]).toMatchObject([{}, [path.replace('\\', '/')]]);
  });

  test('resolves a link that an answer gave as a browser does', async () => {
    const links = ['/root', '?x=1', 'sibling'];
    const { requests } = await run({
      path: '/base',
      answer: () => ({ body: { next: links.shift() } }),
      account: [
        { request: 'GET /dir/page', take: { next: 'json next' } },
        { request: 'GET {next}', take: { next: 'json next' } },
        { request: 'GET {next}', take: { next: 'json next' } },
        { request: 'GET {next}' },
      ],
    });
    expect(requests.map(({ path }) => path)).toEqual(['/base/dir/page', '/root', '/root?x=1', '/sibling']);
  });

  test('names the place in the profile when a variable has no value', async () => {
    const { opened, requests } = await run({
      account: [{ request: 'GET /start', take: { flow: 'json flow' } }, { request: 'POST /go?{flow}' }],
    });
    expect(opened).toMatchObject({
      outcome: 'failed',
      said: expect.stringMatching(/^small\.json:\d+:\d+ \(account, POST \/go\): \{flow\} has no value\.$/),
    });
    expect(requests).toHaveLength(1);
  });

  test('names the place in the profile when the answer fits neither what it accepts nor what it refuses', async () => {
    const { opened } = await run({
      answer: () => redirect('/elsewhere'),
      account: [{ request: 'GET /start', accept: { status: 200 }, refuse: { status: 403 } }],
    });
    expect(opened).toMatchObject({
      outcome: 'failed',
      said: expect.stringMatching(/\(account, GET \/start\): the response matches neither "accept" nor "refuse" \(302 \{\}\)\.$/),
    });
  });

  test('keeps passwords, tokens, cookies and the environment out of what it shows', async () => {
    const { opened } = await run({
      answer: ({ body }) => ({
        status: 400,
        headers: { 'set-cookie': 'sid=cookie-value' },
        body: { message: `no: ${body} cookie-value`, access_token: 'abcdefgh' },
      }),
      account: [
        { request: 'POST /go?token=abc&key={env.KEY}', json: { password: '{user.password}', x: '{user.password}', key: '{env.KEY}' } },
      ],
      options: { env: { KEY: 'k+secret/value' } },
    });
    const text = JSON.stringify({ ...opened, json: undefined });
    expect(opened).toMatchObject({
      outcome: 'refused',
      exchanges: [{ request: 'POST /go?token=…&key=…', sent: '{"password":"…","x":"…","key":"…"}', status: 400 }],
    });
    for (const secret of ['aZ9!', 'k+secret', 'cookie-value', 'abcdefgh']) expect(text).not.toContain(secret);
  });

  test.each<[string, string, string]>([
    ['in a form', 'pa ss!(w)ord', 'pa+ss%21%28w%29ord'],
    ['in the query of a URL', 'pa ss!(w)<rd', 'pa%20ss!(w)%3Crd'],
    ['in JSON of PHP', 'abc/def/ghi', 'abc\\/def\\/ghi'],
    ['in JSON in a text', 'abc"def"ghi', 'abc\\\\\\"def\\\\\\"ghi'],
    ['with half of a surrogate pair', 'secret\ud800', 'secret%EF%BF%BD'],
    ['where the text is cut off', 'k'.repeat(400), 'k'.repeat(250)],
  ])('takes a secret out %s', async (_, secret, spelled) => {
    const { opened } = await run({
      answer: () => ({
        status: 400,
        body: spelled.startsWith('kk') ? `${'k'.repeat(400).concat(' ').repeat(24)}${'k'.repeat(376)}k` : spelled,
      }),
      account: [{ request: 'POST /go', text: '{env.KEY}' }],
      options: { env: { KEY: secret } },
    });
    expect(opened).toMatchObject({ outcome: 'refused', exchanges: [{ status: 400 }] });
    expect(JSON.stringify(opened)).not.toMatch(/pa.?.?.?ss|kkkkkk|abc|secret/);
  });

  test('takes a token out that is longer than what is looked through', async () => {
    const { opened } = await run({
      answer: () => ({ status: 400, body: { access_token: 'x'.repeat(20_000) } }),
      account: [{ request: 'GET /' }],
    });
    expect(opened).toMatchObject({ said: '400 {"access_token":"…"', exchanges: [{ received: '{"access_token":"…"' }] });
  });

  test('takes secrets out of what it says of its own', async () => {
    const env = { KEY: 'secret-value' };
    const loop = await run({
      answer: ({ path }) => redirect(`${path}&again`),
      account: [{ request: 'GET /?key={env.KEY}&token=abcdefgh', follow: true }],
      options: { env },
    });
    expect(loop.opened).toMatchObject({ said: expect.stringContaining('at most 10 redirects') });
    const large = await run({
      answer: () => ({ body: 'x'.repeat(5e6) }),
      account: [{ request: 'GET /?key={env.KEY}&token=abcdefgh' }],
      options: { env },
    });
    expect(large.opened).toMatchObject({ said: expect.stringContaining('longer than this command reads') });
    expect(JSON.stringify([loop.opened, large.opened])).not.toMatch(/secret-value|abcdefgh/);
  });

  test('shortens what it shows', async () => {
    const { opened } = await run({
      answer: () => ({ status: 400, body: 'x'.repeat(900) }),
      account: [{ request: 'POST /', text: 'y'.repeat(900) }],
    });
    expect(opened).toMatchObject({ exchanges: [{ sent: `${'y'.repeat(500)}…`, received: `${'x'.repeat(500)}…` }] });
  });

  test('runs a command, and takes what it prints', async () => {
    const { requests, opened } = await run({
      account: [
        {
          exec: [process.execPath, '-e', 'console.log(JSON.stringify({{ code: process.argv[1] }}))', '{user.name}'],
          take: { code: 'json code' },
        },
        { request: 'POST /verify?{code}' },
        { exec: [process.execPath, '-e', 'console.log("no mail"); process.exit(2)'] },
      ],
      options: { env: process.env },
    });
    expect(requests[0]?.path).toMatch(/^\/verify\?passkey-simulate-[a-z0-9]{8}-1$/);
    expect(opened).toMatchObject({ outcome: 'refused', said: '2 no mail' });
  });
});

describe('redirects', () => {
  const hops = (request: SmallRequest): SmallAnswer =>
    request.path === '/end' ? { body: { done: true } } : request.path === '/start' ? redirect('/hop') : redirect('/end', 303);

  test('are the answer unless they are to be followed', async () => {
    const { requests, opened } = await run({
      answer: hops,
      account: [{ request: 'POST /start', accept: { status: 302, 'header location': '/hop' } }],
    });
    expect(opened).not.toHaveProperty('outcome');
    expect(requests).toHaveLength(1);
  });

  test('are followed as a browser does, with the cookies set on the way', async () => {
    const { requests } = await run({
      answer: (request) => ({ ...hops(request), headers: { ...hops(request).headers, 'set-cookie': `c${request.path.slice(1)}=1` } }),
      account: [
        { request: 'POST /start', form: { a: '1' }, follow: true, accept: { 'json done': true }, take: { at: 'url', hop: 'cookie chop' } },
        { request: 'GET /check?{at | match /[a-z]+$/}{hop}' },
      ],
    });
    expect(requests.map(({ method, path, body, headers }) => [method, path, body, headers.cookie ?? ''])).toEqual([
      ['POST', '/start', 'a=1', ''],
      ['GET', '/hop', '', 'cstart=1'],
      ['GET', '/end', '', 'cstart=1; chop=1'],
      ['GET', '/check?end1', '', 'cstart=1; chop=1; cend=1'],
    ]);
    expect(requests[1]?.headers['content-type']).toBeUndefined();
  });

  test('keep method and body where the status says so', async () => {
    const { requests } = await run({
      answer: ({ path }) => (path === '/start' ? redirect('/end', 307) : undefined),
      account: [{ request: 'POST /start', text: 'same', follow: true }],
    });
    expect(requests.map(({ method, body }) => [method, body])).toEqual([
      ['POST', 'same'],
      ['POST', 'same'],
    ]);
  });

  test('end after ten, and at another host', async () => {
    const round = await run({ answer: ({ path }) => redirect(`${path}x`), account: [{ request: 'GET /', follow: true }] });
    expect(round.opened).toMatchObject({ outcome: 'failed', said: expect.stringContaining('at most 10 redirects') });
    expect(round.requests).toHaveLength(11);
    const away = await run({ answer: () => redirect('https://example.com/'), account: [{ request: 'GET /', follow: true }] });
    expect(away.opened).toMatchObject({ outcome: 'failed', said: expect.stringContaining('--allow-host example.com') });
  });

  test.each([
    ['/app/callback?code=c%201', '/{app}/callback'],
    ['https://app.example/callback?code=c%201', 'https://{app}.example/callback'],
  ])('are followed up to a URL that is named, such as %s', async (last, follow) => {
    const steps = new Map([
      ['/authorize', '/consent'],
      ['/consent', last],
    ]);
    const { requests } = await run({
      answer: ({ path }) => (steps.has(path) ? redirect(steps.get(path) ?? '') : undefined),
      account: [
        {
          request: 'GET /authorize',
          follow,
          accept: { status: 302 },
          take: { code: 'header location | match /code=([^&]+)/ | decode' },
        },
        { request: 'POST /token', form: { code: '{code}' } },
      ],
      changes: { variables: { app: 'app' } },
    });
    expect(requests.map(({ path, body }) => [path, body])).toEqual([
      ['/authorize', ''],
      ['/consent', ''],
      ['/token', 'code=c+1'],
    ]);
  });

  test('to another port of this machine are followed', async () => {
    const other = await smallServer(() => ({ body: { other: true } }));
    const { opened } = await run({
      answer: () => redirect(`${other.url.replace('localhost', '127.0.0.1')}/x`),
      account: [{ request: 'GET /', headers: { authorization: 'Bearer abc' }, follow: true, accept: { 'json other': true } }],
    });
    expect(opened).not.toHaveProperty('outcome');
    expect(other.requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('the hosts that are asked', () => {
  test.each(['https://example.com', 'http://localhost.example', 'http://10.0.0.1:3000', 'http://127.0.0.1.nip.io'])(
    '%s only if allowed',
    async (url) => {
      const { hostname } = new URL(url);
      await expect(driverOf({}, { url })).rejects.toMatchObject({
        code: 'usage',
        message: expect.stringContaining(`--allow-host ${hostname}.`),
      });
      await expect(driverOf({}, { url, allowHosts: ['other.example'] })).rejects.toMatchObject({ code: 'usage' });
      expect((await driverOf({}, { url, allowHosts: [hostname.toUpperCase()] })).name).toBe('small');
    },
  );

  test.each(['http://localhost:1', 'http://a.localhost/x', 'http://127.9.9.9', 'http://[::1]:8'])('%s without being told', async (url) => {
    expect((await driverOf({}, { url })).name).toBe('small');
  });

  test('a URL that the target gives obeys the same rule', async () => {
    const { opened } = await run({
      answer: () => ({ body: { next: 'http://example.com/x' } }),
      account: [{ request: 'GET /', take: { next: 'json next' } }, { request: 'POST {next}' }],
    });
    expect(opened).toMatchObject({ outcome: 'failed', said: expect.stringContaining('http://example.com, which is on another host') });
  });

  test.each([['localhost:3000'], ['ftp://localhost'], ['http://u:p@localhost', 'http://…@localhost'], ['http://localhost/?q'], ['x']])(
    '%s is no URL of a target',
    async (url, shown = url) => {
      await expect(driverOf({}, { url })).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(`got "${shown}"`) });
    },
  );
});

describe('a broken connection', () => {
  test('is an outcome, with the reason', async () => {
    const gone = await smallServer(() => ({}));
    await gone.close();
    const driver = await driverOf({ account: [{ request: 'GET /' }] }, { url: gone.url });
    expect(await driver.openUser(1)).toMatchObject({
      outcome: 'broken',
      said: expect.stringContaining('ECONNREFUSED'),
      exchanges: [{ request: 'GET /', status: undefined, received: expect.stringContaining('ECONNREFUSED') }],
    });
  });

  test('may break in the middle, or give no answer in time', async () => {
    const breaking = await smallServer(({ path }, response) => {
      if (path === '/reset') response.socket?.destroy();
      return 'handled';
    });
    const open = async (path: string) =>
      (await driverOf({ account: [{ request: `GET ${path}` }] }, { url: breaking.url, answerWithin: 300 })).openUser(1);
    expect(await open('/reset')).toMatchObject({ outcome: 'broken' });
    expect(await open('/silent')).toMatchObject({ outcome: 'broken', said: expect.stringContaining('none within 0.3 s') });
  });

  test('is no outcome when the run was interrupted', async () => {
    const silent = await smallServer(() => 'handled');
    const interruption = new AbortController();
    const driver = await driverOf({ account: [{ request: 'GET /' }] }, { url: silent.url, signal: interruption.signal });
    const opening = userOf(driver);
    interruption.abort();
    await expect(opening).rejects.toMatchObject({ code: 'interrupted' });
  });

  test('is none either when the run was interrupted while it waited for the pause that the server asks for', async () => {
    const busy = await smallServer(() => ({ status: 429, headers: { 'retry-after': '120' } }));
    const interruption = new AbortController();
    const pauses: number[] = [];
    const onPause = (milliseconds: number) => {
      pauses.push(milliseconds);
      setImmediate(() => interruption.abort());
    };
    const driver = await driverOf({ account: [{ request: 'GET /' }] }, { url: busy.url, signal: interruption.signal, onPause });
    await expect(userOf(driver)).rejects.toMatchObject({ code: 'interrupted' });
    expect([pauses, busy.requests.length]).toEqual([[120_000], 1]);
  }, 60_000);
});
