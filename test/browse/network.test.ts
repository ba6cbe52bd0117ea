import { expect, test } from 'vitest';
import { type Exchange, watchNetwork, writeEntry } from '../../src/browse/network.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { type Command, connectScripted, type Reply } from './scripted-browser.js';

const NOW = Date.UTC(2026, 0, 15);
const SENT_AT = Date.UTC(2026, 0, 14, 9, 30);
const SITE = 'https://shop.example';
const FRAME = 'https://pay.example';

/** What was sent is read in turns of the event loop. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function watch(reply?: (command: Command) => Reply) {
  const browser = connectScripted(reply);
  const exchanges: Exchange[] = [];
  await watchNetwork(browser.devtools, { now: () => NOW, onExchange: (exchange) => void exchanges.push(exchange) });
  return { ...browser, exchanges };
}

type Watched = Awaited<ReturnType<typeof watch>>;

interface Steps {
  readonly id?: string;
  readonly session?: string;
  readonly begun?: JsonObject;
  readonly request?: JsonObject;
  readonly response?: JsonObject;
}

/** A page sends JSON, and its server answers with JSON. */
function begin({ tell }: Watched, { id = '7', session = 'page', begun, request }: Steps = {}) {
  const sent = { method: 'POST', url: `${SITE}/login`, hasPostData: true, postData: '{"sent":1}', headers: { Origin: SITE }, ...request };
  const params = { requestId: id, request: sent, wallTime: SENT_AT / 1000, documentURL: `${FRAME}/checkout`, ...begun };
  tell('Network.requestWillBeSent', params, session);
}

function respond({ tell }: Watched, { id = '7', session = 'page', response }: Steps = {}) {
  tell('Network.responseReceived', { requestId: id, response: { status: 201, mimeType: 'application/json', ...response } }, session);
}

const finish = ({ tell }: Watched, { id = '7', session = 'page' }: Steps = {}) =>
  tell('Network.loadingFinished', { requestId: id }, session);

const bodies: (body: JsonObject) => (command: Command) => Reply =
  (body) =>
  ({ method }) => ({ result: method === 'Network.getResponseBody' ? body : {} });

/** The one exchange of a page, changed like this. */
async function observe(steps: Steps, body: JsonObject = { body: '{"received":1}', base64Encoded: false }): Promise<Exchange | undefined> {
  const watched = await watch(bodies(body));
  begin(watched, steps);
  respond(watched, steps);
  finish(watched, steps);
  await settled();
  expect(watched.exchanges.length).toBeLessThan(2);
  expect(watched.devtools.failure).toBeUndefined();
  return watched.exchanges[0];
}

const OBSERVED = {
  at: SENT_AT,
  method: 'POST',
  url: `${SITE}/login`,
  origin: SITE,
  sent: '{"sent":1}',
  status: 201,
  received: '{"received":1}',
};

test('a request is reported with its answer', async () => {
  expect(await observe({})).toStrictEqual(OBSERVED);
});

test.each<[string, Steps, Partial<Exchange>]>([
  ['no header Origin: the origin of the document', { request: { headers: {} } }, { origin: FRAME }],
  ['neither', { request: { headers: {} }, begun: { documentURL: 'about:blank' } }, { origin: 'null' }],
  ['no URL of the document', { request: { headers: {} }, begun: { documentURL: undefined } }, { origin: undefined }],
  ['no time of the request: the time now', { begun: { wallTime: undefined } }, { at: NOW }],
  ['the last time of all', { begun: { wallTime: 8.64e12 } }, { at: 8.64e15 }],
  ['a time a millisecond after it', { begun: { wallTime: 8.64e12 + 0.001 } }, { at: NOW }],
  ['a time before all', { begun: { wallTime: -8.64e12 - 1 } }, { at: NOW }],
  ['status 0', { response: { status: 0 } }, { status: 0 }],
  ['status 999', { response: { status: 999 } }, { status: 999 }],
  ['status 1000', { response: { status: 1000 } }, { status: 0 }],
  ['a negative status', { response: { status: -1 } }, { status: 0 }],
  ['a status with a fraction', { response: { status: 200.5 } }, { status: 0 }],
  ['a status that is text', { response: { status: '201' } }, { status: 0 }],
  ['no body', { request: { hasPostData: false } }, { sent: undefined }],
  ['a body of a million characters', { request: { postData: 'x'.repeat(1_000_000) } }, { sent: 'x'.repeat(1_000_000) }],
  ['a longer one', { request: { postData: 'x'.repeat(1_000_001) } }, { sent: undefined }],
  ['an answer that is not JSON, to a body', { response: { mimeType: 'text/html' } }, {}],
  ['a data URL', { request: { url: 'data:text/plain,secret' } }, { url: 'data:' }],
  ['a socket', { request: { url: 'wss://shop.example/live?token=7' } }, { url: 'wss://shop.example/live?token=' }],
  ['names of the query that are escaped', { request: { url: `${SITE}/a?b%26c=1` } }, { url: `${SITE}/a?b%26c=` }],
  ['a URL that is none', { request: { url: 'http://[' } }, { url: '' }],
])('%s', async (_, steps, change) => {
  expect(await observe(steps)).toStrictEqual({ ...OBSERVED, ...change });
});

test('what neither sends a body nor gets JSON is left out', async () => {
  expect(await observe({ request: { hasPostData: false }, response: { mimeType: 'text/html' } })).toBeUndefined();
});

test.each<[string, JsonObject, string | undefined]>([
  ['base64 of the browser is decoded', { body: Buffer.from('{"é":2}').toString('base64'), base64Encoded: true }, '{"é":2}'],
  ['text stays as it is', { body: 'eyJ9', base64Encoded: false }, 'eyJ9'],
  ['a million characters are read', { body: 'x'.repeat(1_000_000) }, 'x'.repeat(1_000_000)],
  ['more are not', { body: 'x'.repeat(1_000_001) }, undefined],
])('of the answer, %s', async (_, body, received) => {
  expect((await observe({}, body))?.received).toBe(received);
});

test('a body that the event leaves out is fetched from the page that sent it, like the answer', async () => {
  const watched = await watch(({ method }) => {
    if (method === 'Network.getRequestPostData') return { result: { postData: '{"long":1}' } };
    return method === 'Network.getResponseBody' ? { error: { message: 'No resource with given identifier found' } } : { result: {} };
  });
  begin(watched, { id: '8', session: 'popup', request: { postData: undefined } });
  respond(watched, { id: '8', session: 'popup' });
  finish(watched, { id: '8', session: 'popup' });
  await settled();
  expect(watched.exchanges).toMatchObject([{ sent: '{"long":1}', status: 201, received: undefined }]);
  expect(watched.sent.slice(-2)).toMatchObject([
    { method: 'Network.getRequestPostData', params: { requestId: '8' }, sessionId: 'popup' },
    { method: 'Network.getResponseBody', params: { requestId: '8' }, sessionId: 'popup' },
  ]);
});

test('a body that the browser does not give is none', async () => {
  const watched = await watch(({ method }) => (method === 'Network.getRequestPostData' ? { error: { message: 'gone' } } : { result: {} }));
  begin(watched, { request: { postData: undefined } });
  respond(watched);
  finish(watched);
  await settled();
  expect(watched.exchanges).toMatchObject([{ sent: undefined, status: 201 }]);
  expect(watched.devtools.failure).toBeUndefined();
});

test('two pages have requests of the same id', async () => {
  const watched = await watch();
  begin(watched, { session: 'one', request: { postData: 'first' } });
  begin(watched, { session: 'two', request: { postData: 'second' } });
  respond(watched, { session: 'two', response: { status: 404 } });
  respond(watched, { session: 'one' });
  watched.tell('Network.loadingFailed', { requestId: '7' }, 'two');
  finish(watched, { session: 'one' });
  finish(watched, { session: 'one' });
  await settled();
  const seen = watched.exchanges.map(({ sent, status }) => ({ sent, status }));
  expect(seen).toHaveLength(2);
  expect(seen).toEqual(
    expect.arrayContaining([
      { sent: 'first', status: 201 },
      { sent: 'second', status: 404 },
    ]),
  );
  expect(watched.commands('Network.getResponseBody')).toMatchObject([{ sessionId: 'one' }]);
});

test('each leg of a redirect is a request of its own, the first without a body', async () => {
  const watched = await watch(bodies({ body: '{"last":1}' }));
  begin(watched);
  begin(watched, {
    request: { url: `${SITE}/next`, method: 'GET', hasPostData: false },
    begun: { redirectResponse: { status: 303, mimeType: 'text/html' } },
  });
  respond(watched);
  finish(watched);
  await settled();
  expect(watched.exchanges).toMatchObject([
    { url: `${SITE}/login`, method: 'POST', status: 303, sent: '{"sent":1}', received: undefined },
    { url: `${SITE}/next`, method: 'GET', status: 201, sent: undefined, received: '{"last":1}' },
  ]);
});

test.each<[string, JsonObject, JsonObject, Partial<Exchange>]>([
  ['both have cookies', { Cookie: 'a=1' }, { 'Set-Cookie': 'b=2' }, { sendsCookie: true, setsCookie: true }],
  ['only the request', { accept: '*/*', cookie: 'a=1' }, { server: 'x' }, { sendsCookie: true, setsCookie: false }],
  ['only the answer', { accept: '*/*' }, { server: 'x', 'set-cookie': 'b=2' }, { sendsCookie: false, setsCookie: true }],
  ['neither', {}, {}, { sendsCookie: false, setsCookie: false }],
])('cookies are noticed, and not read: %s', async (_, sentHeaders, receivedHeaders, cookies) => {
  const watched = await watch();
  // The browser may report them before the request.
  watched.tell('Network.requestWillBeSentExtraInfo', { requestId: '7', headers: sentHeaders }, 'page');
  begin(watched);
  watched.tell('Network.responseReceivedExtraInfo', { requestId: '7', headers: receivedHeaders }, 'page');
  respond(watched);
  finish(watched);
  // The next request of that id has cookies of its own.
  begin(watched);
  respond(watched);
  finish(watched);
  await settled();
  expect(watched.exchanges).toMatchObject([cookies, { at: SENT_AT }]);
  expect(watched.exchanges[1]).not.toHaveProperty('sendsCookie');
});

test('pages, popups and frames are followed from their first request; a worker is left alone', async () => {
  const watched = await watch();
  const attach = {
    method: 'Target.setAutoAttach',
    params: { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{ type: 'page' }, { type: 'iframe' }] },
  };
  expect(watched.sent).toStrictEqual([{ id: 1, ...attach }]);
  watched.tell('Target.attachedToTarget', { sessionId: 'frame', targetInfo: { type: 'iframe' } });
  await settled();
  expect(watched.sent.slice(1)).toStrictEqual([
    { id: 2, method: 'Network.enable', params: {}, sessionId: 'frame' },
    { id: 3, ...attach, sessionId: 'frame' },
    { id: 4, method: 'Runtime.runIfWaitingForDebugger', params: {}, sessionId: 'frame' },
  ]);
  watched.tell('Target.attachedToTarget', { sessionId: 'worker', targetInfo: { type: 'service_worker' } });
  await settled();
  expect(watched.sent).toHaveLength(4);
});

test('a page that is gone before it can be followed ends nothing', async () => {
  const watched = await watch(({ sessionId }) => (sessionId === 'popup' ? { error: { message: 'Session not found' } } : { result: {} }));
  watched.tell('Target.attachedToTarget', { sessionId: 'popup', targetInfo: { type: 'page' } });
  await settled();
  expect(watched.devtools.failure).toBeUndefined();
  expect(watched.commands('Runtime.runIfWaitingForDebugger')).toEqual([]);
});

test('a request that cannot be followed ends the session, with the cause', async () => {
  const { devtools, ...browser } = connectScripted();
  const cause = new RangeError('Too much.');
  await watchNetwork(devtools, {
    now: () => NOW,
    onExchange() {
      throw cause;
    },
  });
  const watched = { ...browser, devtools, exchanges: [] };
  begin(watched);
  respond(watched);
  finish(watched);
  await devtools.over;
  expect(devtools.failure).toMatchObject({
    code: 'target_unreachable',
    message: 'The browser reported a request that this command cannot follow.',
    cause,
  });
});

test('an entry of an archive has what was seen, and of cookies only that they are there', () => {
  expect(writeEntry({ ...OBSERVED, sendsCookie: true, setsCookie: true })).toStrictEqual({
    startedDateTime: '2026-01-14T09:30:00.000Z',
    request: {
      method: 'POST',
      url: `${SITE}/login`,
      headers: [
        { name: 'origin', value: SITE },
        { name: 'cookie', value: '…' },
      ],
      postData: { text: '{"sent":1}' },
    },
    response: { status: 201, headers: [{ name: 'set-cookie', value: '…' }], content: { text: '{"received":1}' } },
  });
  const bare = { ...OBSERVED, origin: undefined, sent: undefined, received: undefined, sendsCookie: false, setsCookie: false };
  expect(writeEntry(bare)).toStrictEqual({
    startedDateTime: '2026-01-14T09:30:00.000Z',
    request: { method: 'POST', url: `${SITE}/login`, headers: [] },
    response: { status: 201, headers: [] },
  });
});
