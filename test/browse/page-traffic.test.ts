import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTraffic } from '../../src/browse/page-traffic.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import type { Observation, Override, SentRequest, World } from '../../src/testing/page/driver.js';
import { connectScripted, type Replies, refuse, replyWith } from './scripted-browser.js';

const SITE = 'https://shop.example';
const FRAME = 'https://pay.example';
const FINISH = `${SITE}/api/finish?step=2`;

interface Traffic {
  readonly answer?: World['answer'];
  readonly replies?: Replies;
}

/** The traffic of a page, which has a document, and of a frame of another origin. */
async function follow({ answer, replies = {} }: Traffic = {}) {
  const browser = connectScripted(replyWith(replies));
  const observations: Observation[] = [];
  const traffic = createTraffic(browser.devtools, { observe: (observation) => void observations.push(observation), answer });
  await traffic.watch('page');
  await traffic.watch('frame');
  const { tell } = browser;
  tell('Page.frameNavigated', { frame: { id: 'main', url: `${SITE}/login?next=1` } }, 'page');
  tell('Page.frameNavigated', { frame: { id: 'inner', url: `${FRAME}/widget` } }, 'frame');
  const prepared = browser.sent.length;
  return {
    ...browser,
    traffic,
    observations,
    /** The commands since the page was prepared. */
    listNew: () => browser.list().slice(prepared),
    event: (method: string, params: JsonObject = {}, session = 'page') =>
      tell(`Network.${method}`, { requestId: 'r1', ...params }, session),
    async pause(params: JsonObject, session = 'page') {
      tell('Fetch.requestPaused', params, session);
      await nextTurn();
    },
  };
}

const POST = {
  method: 'POST',
  url: FINISH,
  headers: { 'Content-Type': 'application/json', 'X-Count': 2 },
  postData: '{"sent":1}',
};
const SENT: SentRequest = {
  id: 1,
  method: 'POST',
  url: FINISH,
  headers: { 'content-type': 'application/json', 'x-count': '2' },
  body: '{"sent":1}',
  isNavigation: false,
  origin: SITE,
};
const begun = { request: POST, type: 'Fetch', frameId: 'main', loaderId: 'document', documentURL: `${SITE}/login` };
const responded = { response: { status: 201, headers: { 'Content-Type': 'application/json', Age: 3 } } };
const ANSWER = {
  kind: 'answer',
  request: 1,
  status: 201,
  headers: { 'content-type': 'application/json', age: '3' },
  body: '{"received":1}',
  sentCookie: undefined,
};
const BODY = { 'Network.getResponseBody': { body: '{"received":1}', base64Encoded: false } };

describe('preparing a page', () => {
  const past = (session: string, ...methods: readonly (readonly [string, JsonObject])[]) =>
    methods.map(([method, params]) => [method, params, session]);
  const enabled = ['Network.enable', {}] as const;
  const bypassed = ['Network.setBypassServiceWorker', { bypass: true }] as const;

  test('turns on the events of its network, without its service worker', async () => {
    const { list } = await follow();
    expect(list()).toEqual([...past('page', enabled, bypassed), ...past('frame', enabled, bypassed)]);
  });

  test('stops every request only where the world may answer', async () => {
    const { list } = await follow({ answer: () => undefined });
    const paused = ['Fetch.enable', { patterns: [{ requestStage: 'Request' }] }] as const;
    expect(list()).toEqual([...past('page', paused, enabled, bypassed), ...past('frame', paused, enabled, bypassed)]);
  });
});

describe('a request', () => {
  test('is observed with its answer, and pending until then', async () => {
    const { event, observations, traffic, listNew } = await follow({ replies: BODY });
    event('requestWillBeSent', begun);
    expect(observations).toStrictEqual([{ kind: 'request', ...SENT }]);
    event('responseReceived', responded);
    expect(traffic.pending()).toBe(1);
    event('loadingFinished');
    await nextTurn();
    expect(observations).toStrictEqual([{ kind: 'request', ...SENT }, ANSWER]);
    expect(traffic.pending()).toBe(0);
    expect(listNew()).toEqual([['Network.getResponseBody', { requestId: 'r1' }, 'page']]);
    event('loadingFinished');
    event('loadingFailed');
    event('responseReceived', responded);
    await nextTurn();
    expect(observations).toHaveLength(2);
  });

  const document = (loaderId: unknown) => ({ type: 'Document', loaderId });

  test.each<[string, JsonObject, Partial<SentRequest>]>([
    ['of a frame of another origin', { frameId: 'inner' }, { origin: FRAME }],
    ['of a frame that is not known', { frameId: 'other' }, { origin: '' }],
    ['without a body', { request: { ...POST, postData: undefined } }, { body: '' }],
    ['whose body is no text', { request: { ...POST, postData: 7 } }, { body: '' }],
    ['without headers', { request: { ...POST, headers: undefined } }, { headers: {} }],
    ['for its document', document('r1'), { isNavigation: true }],
    ['for a document that has no loader', document(undefined), { isNavigation: true }],
    ['of a document for another', document('document'), {}],
    ['by a script, with a loader of its own', { type: 'XHR', loaderId: 'r1' }, {}],
    ['by a script, without a loader', { type: 'XHR', loaderId: undefined }, {}],
  ])('%s is observed as it is', async (_, change, expected) => {
    const { event, observations } = await follow();
    event('requestWillBeSent', { ...begun, ...change });
    expect(observations).toStrictEqual([{ kind: 'request', ...SENT, ...expected }]);
  });

  test('of a frame has the origin of the document that the frame has now', async () => {
    const { event, observations, tell } = await follow();
    for (const url of ['https://other.example/a', 'data:text/html,a', undefined]) {
      tell('Page.frameNavigated', { frame: { id: 'main', url } }, 'page');
      event('requestWillBeSent', { ...begun, requestId: String(url) });
    }
    expect(observations).toMatchObject([{ origin: 'https://other.example' }, { origin: 'null' }, { origin: '' }]);
  });

  test.each([
    ['Document', true],
    ['XHR', true],
    ['Fetch', true],
    ['Image', false],
    ['Ping', false],
  ])('for a %s is awaited with its body: %s', async (type, isAwaited) => {
    const { event, observations, traffic } = await follow({ replies: BODY });
    event('requestWillBeSent', { ...begun, type });
    expect(traffic.pending()).toBe(isAwaited ? 1 : 0);
    event('responseReceived', responded);
    event('loadingFinished');
    await nextTurn();
    expect(observations.slice(1)).toStrictEqual([{ ...ANSWER, body: isAwaited ? ANSWER.body : undefined }]);
  });

  test.each<[string, Replies, string | undefined]>([
    ['in base64', { 'Network.getResponseBody': { body: Buffer.from('é!').toString('base64'), base64Encoded: true } }, 'é!'],
    ['that looks like base64', { 'Network.getResponseBody': { body: 'w6kh', base64Encoded: false } }, 'w6kh'],
    [
      'that the browser does not keep',
      { 'Network.getResponseBody': refuse('No data found for resource with given identifier') },
      undefined,
    ],
  ])('has a body %s', async (_, replies, body) => {
    const { event, observations } = await follow({ replies });
    event('requestWillBeSent', begun);
    event('responseReceived', responded);
    event('loadingFinished');
    await nextTurn();
    expect(observations.slice(1)).toStrictEqual([{ ...ANSWER, body }]);
  });

  test('that fails has no status', async () => {
    const { event, observations, traffic, listNew } = await follow({ replies: BODY });
    event('requestWillBeSent', begun);
    event('loadingFailed');
    await nextTurn();
    expect(observations.slice(1)).toStrictEqual([{ ...ANSWER, status: 0, headers: {}, body: undefined }]);
    expect([traffic.pending(), listNew()]).toEqual([0, []]);
  });

  test('with its cookie is told apart from one without, and the next of its name from both', async () => {
    const { event, observations } = await follow();
    const exchange = async (requestId: string, headers?: JsonObject) => {
      if (headers !== undefined) event('requestWillBeSentExtraInfo', { requestId, headers });
      event('requestWillBeSent', { ...begun, requestId });
      event('loadingFailed', { requestId });
      await nextTurn();
    };
    await exchange('a', { Accept: '*/*', Cookie: 'session=1' });
    await exchange('b', { Accept: '*/*' });
    await exchange('a');
    expect(observations.flatMap((one) => (one.kind === 'answer' ? [[one.request, one.sentCookie]] : []))).toEqual([
      [1, true],
      [2, false],
      [3, undefined],
    ]);
  });

  test('that is redirected ends at once, and goes on as another one', async () => {
    const { event, observations, traffic } = await follow({ replies: BODY });
    event('requestWillBeSentExtraInfo', { headers: { cookie: 'session=1' } });
    event('requestWillBeSent', begun);
    const next = { ...begun, request: { method: 'GET', url: `${SITE}/next`, headers: {} } };
    event('requestWillBeSent', { ...next, redirectResponse: { status: 303, headers: { Location: '/next' } } });
    expect(traffic.pending()).toBe(1);
    event('responseReceived', responded);
    event('loadingFinished');
    await nextTurn();
    expect(observations).toStrictEqual([
      { kind: 'request', ...SENT },
      { ...ANSWER, status: 303, headers: { location: '/next' }, body: undefined, sentCookie: true },
      { kind: 'request', ...SENT, id: 2, method: 'GET', url: `${SITE}/next`, headers: {}, body: '' },
      { ...ANSWER, request: 2, sentCookie: true },
    ]);
  });

  test('that is reported twice is one, and a preflight is none', async () => {
    const { event, observations } = await follow();
    event('requestWillBeSent', { ...begun, requestId: 'preflight', type: 'Preflight' });
    // A redirect of which the beginning was not seen.
    event('requestWillBeSent', { ...begun, redirectResponse: { status: 303, headers: {} } });
    event('requestWillBeSent', { ...begun, request: { ...POST, url: `${SITE}/again` } });
    expect(observations).toStrictEqual([{ kind: 'request', ...SENT }]);
  });

  test('of another page, of the browser itself, or of a closed page is not observed', async () => {
    const { event, observations, traffic, tell } = await follow();
    event('requestWillBeSent', begun, 'other');
    tell('Network.requestWillBeSent', { requestId: 'r1', ...begun });
    traffic.close();
    event('requestWillBeSent', begun);
    expect([observations, traffic.pending()]).toEqual([[], 0]);
  });
});

describe('a request that the browser stops', () => {
  const paused = { requestId: 'fetch-1', networkId: 'r1', request: POST, resourceType: 'XHR', frameId: 'main' };

  /** The world answers every request so. */
  async function change(override: Override | undefined, replies: Replies = {}) {
    const asked: SentRequest[] = [];
    const answer = (request: SentRequest) => {
      asked.push(request);
      return override;
    };
    const followed = await follow({ answer, replies });
    return {
      ...followed,
      asked,
      /** Pauses a request that the page has reported. */
      async pause(params: JsonObject, session = 'page') {
        const { networkId, resourceType } = params;
        followed.event('requestWillBeSent', { ...begun, ...params, requestId: networkId, type: resourceType }, session);
        await followed.pause(params, session);
      },
      /** Pauses a request before the page reports it. */
      pauseFirst: followed.pause,
    };
  }

  describe('before the page reports it', () => {
    test('waits for that, as the page reports the click before', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const { tell, event, asked, observations, listNew } = await change(undefined);
      tell('Fetch.requestPaused', paused, 'page');
      await vi.advanceTimersByTimeAsync(449);
      expect([asked, observations, listNew()]).toEqual([[], [], []]);
      event('requestWillBeSent', begun);
      await vi.advanceTimersByTimeAsync(50);
      expect([asked, observations]).toStrictEqual([[SENT], [{ kind: 'request', ...SENT }]]);
      expect(listNew()).toEqual([['Fetch.continueRequest', { requestId: 'fetch-1' }, 'page']]);
    });

    test('waits half a second for a report that does not come, as of a worker', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const { tell, asked, observations } = await change(undefined);
      tell('Fetch.requestPaused', { ...paused, resourceType: 'Fetch' }, 'page');
      await vi.advanceTimersByTimeAsync(499);
      expect(asked).toEqual([]);
      await vi.advanceTimersByTimeAsync(1);
      expect([asked, observations]).toStrictEqual([[SENT], [{ kind: 'request', ...SENT }]]);
    });

    test.each(['Document', 'Script', 'Ping'])('does not wait if it is a %s, which the page does not report', async (resourceType) => {
      const { pauseFirst, asked } = await change(undefined);
      await pauseFirst({ ...paused, resourceType });
      expect(asked.length).toBe(1);
    });
  });

  test('goes on if the world does not answer, and is the one that its events are of', async () => {
    const { pause, event, observations, asked, listNew, traffic } = await change(undefined, BODY);
    await pause(paused);
    expect(listNew()).toEqual([['Fetch.continueRequest', { requestId: 'fetch-1' }, 'page']]);
    expect(asked).toStrictEqual([SENT]);
    event('requestWillBeSent', begun);
    event('responseReceived', responded);
    expect(traffic.pending()).toBe(1);
    event('loadingFinished');
    await nextTurn();
    expect(observations).toStrictEqual([{ kind: 'request', ...SENT }, ANSWER]);
  });

  test('has an id of the network, or only its own', async () => {
    const { pauseFirst, observations, asked } = await change(undefined);
    await pauseFirst({ ...paused, networkId: undefined });
    await pauseFirst({ ...paused, requestId: 'fetch-2', networkId: 'r1', resourceType: 'Document', frameId: 'inner' }, 'frame');
    await pauseFirst({ ...paused, requestId: 'fetch-3', networkId: 'r1' });
    expect(asked).toStrictEqual([
      SENT,
      { ...SENT, id: 2, isNavigation: true, origin: FRAME },
      { ...SENT, id: 2, isNavigation: true, origin: FRAME },
    ]);
    expect(observations.length).toBe(2);
  });

  test('fails if the world is offline', async () => {
    const { pause, listNew } = await change({ kind: 'offline' });
    await pause(paused, 'frame');
    expect(listNew()).toEqual([['Fetch.failRequest', { requestId: 'fetch-1', errorReason: 'InternetDisconnected' }, 'frame']]);
  });

  const shared = (origin: string) => [
    { name: 'access-control-allow-origin', value: origin },
    { name: 'access-control-allow-credentials', value: 'true' },
    { name: 'vary', value: 'Origin' },
  ];

  test.each<[string, JsonObject, JsonObject[]]>([
    ['by its own origin', { Origin: SITE }, []],
    ['by another origin, which may read it', { Origin: FRAME }, shared(FRAME)],
    ['without an origin', {}, []],
  ])('gets the answer of the world if it is sent %s', async (_, headers, cors) => {
    const { pause, listNew } = await change({ kind: 'answer', status: 418, headers: { 'x-tea': 'pot', age: '7' }, body: '{"é":1}' });
    await pause({ ...paused, request: { ...POST, headers } });
    const body = Buffer.from('{"é":1}').toString('base64');
    const responseHeaders = [...cors, { name: 'x-tea', value: 'pot' }, { name: 'age', value: '7' }];
    expect(listNew()).toEqual([['Fetch.fulfillRequest', { requestId: 'fetch-1', responseCode: 418, responseHeaders, body }, 'page']]);
  });

  describe('and whose answer the world edits', () => {
    const edit: Override = { kind: 'edit', edit: (body) => body.replace('1', '2') };
    const headers = ['Content-Type', 'content-length', 'Content-Encoding', 'x-content-length'].map((name) => ({ name, value: name }));
    const answered = { ...paused, responseStatusCode: 409, responseHeaders: headers };

    test('waits for the answer, and gets it with another body', async () => {
      const { pause, listNew, observations, asked } = await change(edit, { 'Fetch.getResponseBody': { body: '{"a":1}' } });
      await pause(paused);
      await pause(answered);
      const body = Buffer.from('{"a":2}').toString('base64');
      expect(listNew()).toEqual([
        ['Fetch.continueRequest', { requestId: 'fetch-1', interceptResponse: true }, 'page'],
        ['Fetch.getResponseBody', { requestId: 'fetch-1' }, 'page'],
        ['Fetch.fulfillRequest', { requestId: 'fetch-1', responseCode: 409, responseHeaders: [headers[0], headers[3]], body }, 'page'],
      ]);
      expect([observations, asked]).toStrictEqual([[{ kind: 'request', ...SENT }], [SENT]]);
      // Once only.
      await pause(paused);
      expect(listNew().slice(3)).toEqual([['Fetch.continueRequest', { requestId: 'fetch-1', interceptResponse: true }, 'page']]);
    });

    test('is read from base64, and needs no headers', async () => {
      const replies = { 'Fetch.getResponseBody': { body: Buffer.from('é1').toString('base64'), base64Encoded: true } };
      const { pause, listNew } = await change(edit, replies);
      await pause(paused);
      await pause({ ...answered, responseHeaders: undefined });
      const body = Buffer.from('é2').toString('base64');
      expect(listNew().at(-1)).toEqual([
        'Fetch.fulfillRequest',
        { requestId: 'fetch-1', responseCode: 409, responseHeaders: [], body },
        'page',
      ]);
    });

    test('goes on if it fails before there is an answer', async () => {
      const { pause, listNew } = await change(edit);
      await pause(paused);
      await pause({ ...paused, responseErrorReason: 'ConnectionRefused' });
      expect(listNew().slice(1)).toEqual([['Fetch.continueRequest', { requestId: 'fetch-1' }, 'page']]);
    });

    test('may have gone meanwhile', async () => {
      const { pause, devtools, commands } = await change(edit, { 'Fetch.getResponseBody': refuse('Invalid InterceptionId.') });
      await pause(paused);
      await pause(answered);
      expect([devtools.failure, commands('Fetch.fulfillRequest')]).toEqual([undefined, []]);
    });
  });
});
