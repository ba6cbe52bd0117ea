import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadExtension, type ProxiedAnswer, type ProxiedCall } from '../../src/browse/extension.js';
import type { JsonObject } from '../../src/kernel/json-value.js';
import { tempFolder } from '../cli/temp-folder.js';
import { until } from '../until.js';
import { type Command, type Replies, type Reply, refuse, startBrowser, time } from './scripted-browser.js';

const REFUSED = {
  code: 'configuration_invalid',
  message: 'The browser does not run the extension. Start it with --enable-unsafe-extension-debugging and without --disable-extensions.',
};
const CRASHED = { code: 'target_unreachable', message: 'The extension fails in this browser: its worker has crashed.' };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] }));
afterEach(() => void vi.useRealTimers());

type Browser = ReturnType<typeof startBrowser>;

const expressions = ({ commands }: Browser): unknown[] => commands('Runtime.evaluate').map(({ params }) => params['expression']);

async function load(
  browser: Browser,
  answering: (call: ProxiedCall, signal: AbortSignal) => Promise<ProxiedAnswer> = () => Promise.reject(),
) {
  const folder = join(await tempFolder(), 'extension');
  const loading = loadExtension(browser.devtools, folder, answering);
  // A test that expects a refusal awaits it later.
  loading.catch(() => {});
  return { folder, loading };
}

/** The worker is attached, and has not started. */
const whenAttached = ({ commands }: Browser) => until(() => commands('Runtime.addBinding').length > 0);

describe('loading', () => {
  test('attaches to its own worker, and asks it for nothing before its script has run', async () => {
    let begin: () => void = () => {};
    const browser = startBrowser({}, (start) => {
      begin = start;
    });
    const { folder, loading } = await load(browser);
    await whenAttached(browser);
    await nextTurn();
    expect(browser.sent.map(({ method, params, sessionId }) => ({ method, params, sessionId }))).toEqual([
      { method: 'Extensions.loadUnpacked', params: { path: folder, enableInIncognito: true } },
      { method: 'Extensions.getExtensions', params: {} },
      { method: 'Target.setDiscoverTargets', params: { discover: true } },
      { method: 'Target.attachToTarget', params: { targetId: 'target', flatten: true } },
      { method: 'Runtime.addBinding', params: { name: 'passkeyBrowse' }, sessionId: 'worker' },
    ]);
    begin();
    await loading;
    expect(browser.commands('Runtime.evaluate')).toMatchObject([
      { params: { expression: 'beat(), chrome.webAuthenticationProxy.attach()', awaitPromise: true }, sessionId: 'worker' },
    ]);
  });

  test.each<[string, Replies, JsonObject]>([
    ['loads no extension', { 'Extensions.loadUnpacked': refuse('Method not available.') }, REFUSED],
    ['has loaded another one only', { 'Extensions.getExtensions': () => ({ result: { extensions: [{ id: 'other' }] } }) }, REFUSED],
    ['lists none', { 'Extensions.getExtensions': () => ({ result: {} }) }, REFUSED],
    [
      'fails in its worker',
      {
        'Runtime.evaluate': () => ({
          result: { result: { type: 'object', description: 'ReferenceError: chrome is not defined' }, exceptionDetails: {} },
        }),
      },
      { code: 'target_unreachable', message: 'The extension fails in this browser: ReferenceError: chrome is not defined' },
    ],
    [
      'has given the task to another extension',
      { 'Runtime.evaluate': () => ({ result: { result: { type: 'string', value: 'Another extension is attached.' } } }) },
      {
        code: 'configuration_invalid',
        message: 'The browser keeps its authenticators: Another extension is attached. Remove the other extension.',
      },
    ],
  ])('is refused by a browser that %s', async (_, replies, refusal) => {
    const { loading } = await load(startBrowser(replies));
    await expect(loading).rejects.toMatchObject(refusal);
  });

  test('a refusal of the browser keeps its cause', async () => {
    const { loading } = await load(startBrowser({ 'Extensions.loadUnpacked': refuse('Not now') }));
    await expect(loading).rejects.toMatchObject({ cause: { message: 'The browser refused a command: Not now.' } });
  });

  test('an empty refusal is none', async () => {
    const { loading } = await load(startBrowser({ 'Runtime.evaluate': () => ({ result: { result: { type: 'string', value: '' } } }) }));
    expect(await loading).toBeTypeOf('function');
  });

  test('a worker that crashes before it has started fails', async () => {
    const browser: Browser = startBrowser({}, () => browser.tell('Inspector.targetCrashed', {}, 'worker'));
    const { loading } = await load(browser);
    await expect(loading).rejects.toMatchObject(CRASHED);
  });

  test('a worker that does not start within 30 seconds is refused', async () => {
    const browser = startBrowser({}, () => {});
    const { loading } = await load(browser);
    await whenAttached(browser);
    vi.advanceTimersByTime(29_999);
    await nextTurn();
    expect(expressions(browser)).toEqual([]);
    vi.advanceTimersByTime(1);
    await expect(loading).rejects.toMatchObject(REFUSED);
  });
});

/** Loaded, so that pages can call. */
async function answerPages(answering: (call: ProxiedCall) => Promise<ProxiedAnswer>, replies = {}) {
  const browser = startBrowser(replies);
  const { folder, loading } = await load(browser, answering);
  const unload = await loading;
  const call = async (event: JsonObject | string, { name = 'passkeyBrowse', session = 'worker' } = {}) => {
    const before = browser.sent.length;
    browser.tell('Runtime.bindingCalled', { name, payload: typeof event === 'string' ? event : JSON.stringify(event) }, session);
    await nextTurn();
    return browser.sent.slice(before).map(({ params }) => params['expression']);
  };
  return { ...browser, folder, unload, call };
}

describe('calls of pages', () => {
  const OPTIONS = { challenge: 'AQ' };
  const asked = (call: string, requestId: unknown): JsonObject => ({ call, requestId, requestDetailsJson: JSON.stringify(OPTIONS) });

  test('each is answered under its own id, with a response or with the exception', async () => {
    const calls: ProxiedCall[] = [];
    const { call } = await answerPages(async (proxied) => {
      calls.push(proxied);
      return proxied.call === 'create' ? { response: { id: 'new' } } : { error: { name: 'AbortError', message: 'Not now.' } };
    });
    expect(await call(asked('create', 4))).toEqual([
      'chrome.webAuthenticationProxy.completeCreateRequest({"requestId":4,"responseJson":"{\\"id\\":\\"new\\"}"})',
    ]);
    expect(await call(asked('get', 5))).toEqual([
      'chrome.webAuthenticationProxy.completeGetRequest({"requestId":5,"error":{"name":"AbortError","message":"Not now."}})',
    ]);
    expect(calls).toStrictEqual([
      { call: 'create', id: 4, options: OPTIONS },
      { call: 'get', id: 5, options: OPTIONS },
    ]);
  });

  test('options that are not JSON are refused for the page', async () => {
    const { call } = await answerPages(() => Promise.reject(new Error('Expected no call.')));
    expect(await call({ call: 'get', requestId: 6, requestDetailsJson: 'no JSON' })).toEqual([
      'chrome.webAuthenticationProxy.completeGetRequest({"requestId":6,"error":{"name":"NotAllowedError","message":"The browser passed options to the extension that are not JSON."}})',
    ]);
  });

  test.each<[string, JsonObject | string, { readonly name?: string; readonly session?: string }]>([
    ['of another session', asked('get', 7), { session: 'page' }],
    ['of another function', asked('get', 7), { name: 'other' }],
    ['without an id', asked('get', undefined), {}],
    ['with an id that is no integer', asked('create', 7.5), {}],
    ['of another kind', asked('cancel', 7), {}],
    ['that is no JSON', 'get', {}],
  ])('one %s is not answered', async (_, event, from) => {
    const { call } = await answerPages(() => Promise.reject(new Error('Expected no call.')));
    expect(await call(event, from)).toEqual([]);
  });

  test('one that the page has given up meanwhile ends nothing', async () => {
    const refuse = ({ params }: Command): Reply =>
      String(params['expression']).includes('complete') ? { error: { message: 'Invalid requestId' } } : { result: {} };
    const { call, devtools } = await answerPages(async () => ({ response: {} }), { 'Runtime.evaluate': refuse });
    expect(await call(asked('get', 8))).toHaveLength(1);
    expect(devtools.failure).toBeUndefined();
  });
});

describe('the life of the extension', () => {
  const nobody = () => Promise.reject(new Error('Expected no call.'));

  test('it is in the browser until the session ends, and is told four times within its patience that the session goes on', async () => {
    const browser = await answerPages(nobody);
    const beats = () => browser.commands('Runtime.evaluate').filter(({ params }) => params['expression'] === 'beat()').length;
    expect(beats()).toBe(0);
    vi.advanceTimersByTime(2_499);
    expect(beats()).toBe(0);
    vi.advanceTimersByTime(1);
    expect(beats()).toBe(1);
    vi.advanceTimersByTime(7_500);
    expect(beats()).toBe(4);
    expect(browser.commands('Extensions.uninstall')).toEqual([]);
    await browser.unload();
    expect(browser.commands('Extensions.uninstall')).toMatchObject([{ params: { id: 'abc' } }]);
    vi.advanceTimersByTime(10_000);
    expect(beats()).toBe(4);
  });

  test('no beat follows one that failed', async () => {
    const dies = ({ params }: Command): Reply => (params['expression'] === 'beat()' ? { error: { message: 'gone' } } : { result: {} });
    const { commands, devtools } = await answerPages(nobody, { 'Runtime.evaluate': dies });
    for (let beat = 0; beat < 3; beat += 1) {
      vi.advanceTimersByTime(2_500);
      await nextTurn();
    }
    expect(commands('Runtime.evaluate').filter(({ params }) => params['expression'] === 'beat()')).toHaveLength(1);
    expect(devtools.failure).toBeUndefined();
  });

  test('a browser that refuses to take it out, or has gone, does not keep the session', async () => {
    const { unload } = await answerPages(nobody, { 'Extensions.uninstall': refuse('gone') });
    await expect(unload()).resolves.toBeUndefined();
  });

  test('a browser that hangs has two seconds to take it out', async () => {
    const { unload } = await answerPages(nobody, { 'Extensions.uninstall': () => undefined });
    expect(await time(unload())).toEqual({ spent: 2_000 });
  });

  test('a worker that crashes later ends the session, unless it is being taken out', async () => {
    const crashing = await answerPages(nobody);
    crashing.tell('Inspector.targetCrashed', {}, 'page');
    crashing.tell('Inspector.detached', {}, 'worker');
    expect(crashing.devtools.failure).toBeUndefined();
    crashing.tell('Inspector.targetCrashed', {}, 'worker');
    expect(crashing.devtools.failure).toMatchObject(CRASHED);

    const ending = await answerPages(nobody);
    const unloaded = ending.unload();
    ending.tell('Inspector.targetCrashed', {}, 'worker');
    await unloaded;
    expect(ending.devtools.failure).toBeUndefined();
  });
});

describe('the worker', () => {
  /** Runs the written worker in a context of its own. */
  async function runWorker() {
    const { folder } = await answerPages(() => Promise.reject(new Error('Expected no call.')));
    const done: unknown[] = [];
    const told: unknown[] = [];
    const listeners = new Map<string, (request: JsonObject) => void>();
    const on = (name: string) => ({ addListener: (listener: (request: JsonObject) => void) => void listeners.set(name, listener) });
    const canceled: ((requestId: number) => void)[] = [];
    const proxy = {
      onCreateRequest: on('create'),
      onGetRequest: on('get'),
      onIsUvpaaRequest: on('uvpaa'),
      onRequestCanceled: { addListener: (listener: (requestId: number) => void) => void canceled.push(listener) },
      completeIsUvpaaRequest: (details: unknown) => void done.push(details),
      detach: () => void done.push('detached'),
    };
    const { setInterval, clearInterval, setTimeout, clearTimeout } = globalThis;
    const scope = {
      chrome: { webAuthenticationProxy: proxy },
      setInterval,
      clearInterval,
      setTimeout,
      clearTimeout,
      passkeyBrowse: (text: string) => void told.push(JSON.parse(text)),
      beat: () => {},
    };
    runInNewContext(await readFile(join(folder, 'worker.js'), 'utf8'), scope);
    return { folder, done, told, listeners, canceled, scope };
  }

  test('hands over every call, and has a user-verifying authenticator', async () => {
    const { folder, done, told, listeners, canceled } = await runWorker();
    expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toStrictEqual({
      manifest_version: 3,
      name: 'passkey browse',
      version: '1',
      permissions: ['webAuthenticationProxy'],
      background: { service_worker: 'worker.js' },
    });
    listeners.get('create')?.({ requestId: 1, requestDetailsJson: '{}' });
    listeners.get('get')?.({ requestId: 2, requestDetailsJson: '[]' });
    listeners.get('uvpaa')?.({ requestId: 3 });
    for (const listener of canceled) listener(2);
    expect(told).toEqual([
      { call: 'create', requestId: 1, requestDetailsJson: '{}' },
      { call: 'get', requestId: 2, requestDetailsJson: '[]' },
      { call: 'canceled', requestId: 2 },
    ]);
    expect(done).toEqual([{ requestId: 3, isUvpaa: true }]);
  });

  test('says that it has started until it is heard, and gives the authenticators back after ten seconds of silence', async () => {
    const { done, told, scope } = await runWorker();
    vi.advanceTimersByTime(40);
    expect(told).toEqual([{ call: 'started' }, { call: 'started' }]);
    scope.beat();
    vi.advanceTimersByTime(9_999);
    scope.beat();
    vi.advanceTimersByTime(9_999);
    expect([told.length, done]).toEqual([2, []]);
    vi.advanceTimersByTime(1);
    expect(done).toEqual(['detached']);
  });
});

test('a call that its page aborts is told apart from the others', async () => {
  const browser = startBrowser();
  const signals = new Map<number, AbortSignal>();
  const { loading } = await load(browser, ({ id }, signal) => {
    signals.set(id, signal);
    return new Promise(() => {});
  });
  await loading;
  const tell = (event: JsonObject) =>
    browser.tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload: JSON.stringify(event) }, 'worker');
  for (const requestId of [5, 6]) tell({ call: 'get', requestId, requestDetailsJson: '{}' });
  tell({ call: 'canceled', requestId: 6 });
  tell({ call: 'canceled', requestId: 7 });
  expect([signals.get(5)?.aborted, signals.get(6)?.aborted]).toEqual([false, true]);
});
