import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { pageScript } from '../../generated/watch-page.js';
import type { Call } from '../../src/browse/ceremony.js';
import { createBrowserDriver } from '../../src/browse/page-driver.js';
import { PasskeyError } from '../../src/errors.js';
import { asObject, type JsonObject } from '../../src/kernel/json-value.js';
import type { PageObservation, TriggerState, World } from '../../src/testing/page/driver.js';
import { tempFolder } from '../cli/temp-folder.js';
import { CONTROLS, type Command, inTurn, type Replies, type Reply, refuse, startBrowser, time } from './scripted-browser.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

const WATCH = 'globalThis["passkeyObserved-watch"]';
const TRIGGER: TriggerState = { exists: true, isDisabled: false, isBusy: false, hasLostInput: false };

/** What the pages say when they are asked; the extension says nothing. */
function evaluateWith(values: Readonly<Record<string, () => Reply>> = {}) {
  const replies: Readonly<Record<string, () => Reply>> = {
    [`${WATCH}?.readTrigger()`]: () => ({ result: { result: { value: TRIGGER } } }),
    [`${WATCH}?.findTrigger()`]: () => ({ result: { result: { objectId: 'trigger' } } }),
    [`${WATCH}?.pending()`]: () => ({ result: { result: { value: 0 } } }),
    ...values,
  };
  return ({ params }: Command): Reply => replies[String(params['expression'])]?.() ?? { result: { result: {} } };
}

/** A driver, in whose browser each context is numbered like its page, and its first document is blank. */
async function drive(replies: Replies = {}) {
  let contexts = 0;
  const browser = startBrowser({
    ...CONTROLS,
    'Runtime.evaluate': evaluateWith(),
    'Target.createBrowserContext'() {
      contexts += 1;
      return { result: { browserContextId: `context ${contexts}` } };
    },
    'Target.createTarget'({ params }) {
      attach(String(params['browserContextId']).replace('context', 'page'), params['browserContextId']);
      return { result: { targetId: 'target' } };
    },
    'Page.navigate'({ sessionId }) {
      browser.tell('Page.loadEventFired', {}, sessionId);
      return { result: {} };
    },
    ...replies,
  });
  const attach = (sessionId: string, browserContextId: unknown, type = 'page') => {
    browser.tell('Target.attachedToTarget', { sessionId, targetInfo: { type, browserContextId } });
    observe({ kind: 'document', url: 'about:blank' }, sessionId);
  };
  const observe = (observation: PageObservation, session = 'page 1', name = 'passkeyObserved') =>
    browser.tell('Runtime.bindingCalled', { name, payload: JSON.stringify(observation) }, session);
  const calls: (Call & { readonly passkeys: string | undefined })[] = [];
  const driver = await createBrowserDriver({
    devtools: browser.devtools,
    folder: await tempFolder(),
    base: 'https://shop.example/app/',
    openAuthenticator: async (passkeys) => ({
      async answer(call) {
        calls.push({ ...call, passkeys });
        if (call.origin === 'https://evil.example') throw new DOMException('Not here.', 'SecurityError');
        if (call.origin === 'https://old.example') throw new PasskeyError('validation_failed', 'No passkey.');
        return { id: `answer to ${call.origin}` };
      },
      export: async () => `exported ${passkeys}`,
    }),
  });
  const answers = () =>
    browser
      .commands('Runtime.evaluate')
      .flatMap(({ params }) => /complete(\w+)Request\((.*)\)$/s.exec(String(params['expression'])) ?? [])
      .filter((_, at) => at % 3 > 0);
  return {
    ...browser,
    driver,
    calls,
    attach,
    observe,
    /** The extension passes on a call of a page. */
    call(call: string, requestId: number, options: JsonObject) {
      const payload = JSON.stringify({ call, requestId, requestDetailsJson: JSON.stringify(options) });
      browser.tell('Runtime.bindingCalled', { name: 'passkeyBrowse', payload }, 'worker');
    },
    /** The answers to calls so far. */
    answers: () => answers().map((part, at) => (at % 2 === 0 ? part : JSON.parse(part))),
    listNew(from: number) {
      return browser.list().slice(from);
    },
  };
}

type Driven = Awaited<ReturnType<typeof drive>>;

async function openPage(world: World = {}, replies: Replies = {}) {
  const driven = await drive(replies);
  return { ...driven, page: await driven.driver.open(world, 'stored') };
}

describe('opening a page', () => {
  test('makes a browser context of its own, and prepares its page before its scripts run', async () => {
    const driven = await drive();
    const before = driven.sent.length;
    const { observations } = await driven.driver.open({ endings: ['AbortError'], open: 30, answer: () => undefined }, 'stored');
    const session = 'page 1';
    await nextTurn();
    const source = `{${pageScript}passkeyWatch.watchPage("passkeyObserved",{"endings":["AbortError"],"open":30});}`;
    const script = (params: JsonObject) => ['Page.addScriptToEvaluateOnNewDocument', { runImmediately: true, ...params }, session];
    const enabled = [
      ['Page.enable', {}, session],
      ['Runtime.enable', {}, session],
    ];
    expect(driven.listNew(before)).toEqual([
      ['Target.createBrowserContext', {}, undefined],
      ['Target.createTarget', { url: 'about:blank', browserContextId: 'context 1' }, undefined],
      ['Fetch.enable', { patterns: [{ requestStage: 'Request' }] }, session],
      ['Network.enable', {}, session],
      ['Emulation.setFocusEmulationEnabled', { enabled: true }, session],
      ['Target.setAutoAttach', expect.objectContaining({ autoAttach: true }), session],
      ['Network.setBypassServiceWorker', { bypass: true }, session],
      ...enabled,
      script({ source: expect.stringContaining('passkey-undo-') }),
      ['Runtime.addBinding', { name: 'pickPasskey', executionContextName: 'passkey browse: autofill' }, session],
      script({ source: expect.stringContaining('pickPasskey'), worldName: 'passkey browse: autofill' }),
      ...enabled,
      ['Runtime.addBinding', { name: 'passkeyObserved' }, session],
      script({ source }),
      ['Runtime.runIfWaitingForDebugger', {}, session],
    ]);
    // What was observed in the blank document is not of the page.
    expect(observations).toEqual([]);
  });

  test('stops no requests where the world answers none, and does not prepare pages of other contexts', async () => {
    const { commands, attach, listNew, sent } = await openPage();
    expect(commands('Fetch.enable')).toEqual([]);
    const before = sent.length;
    attach('other', 'context of the user');
    await nextTurn();
    expect(listNew(before).map(([method]) => method)).toEqual(['Target.setAutoAttach', 'Runtime.runIfWaitingForDebugger']);
  });

  test('opens its authenticator with the passkeys, which it exports', async () => {
    const { driver, page } = await openPage();
    const other = await driver.open({});
    expect([await page.exportPasskeys(), await other.exportPasskeys()]).toEqual(['exported stored', 'exported undefined']);
  });
});

describe('what a page observes', () => {
  test('is what its own documents and frames tell', async () => {
    const { page, observe, attach, tell, driver } = await openPage();
    const other = await driver.open({});
    observe({ kind: 'press' });
    observe({ kind: 'field' }, 'page 2');
    attach('frame', 'context 1', 'iframe');
    observe({ kind: 'aborted', call: 1 }, 'frame');
    observe({ kind: 'aborted', call: 2 }, 'unknown');
    observe({ kind: 'aborted', call: 3 }, 'page 1', 'pickPasskey');
    tell('Runtime.consoleAPICalled', { name: 'passkeyObserved', payload: '{"kind":"press"}' }, 'page 1');
    tell('Runtime.bindingCalled', { name: 'passkeyObserved', payload: '{"kind":"press"}' });
    expect(page.observations).toEqual([{ kind: 'press' }, { kind: 'document', url: 'about:blank' }, { kind: 'aborted', call: 1 }]);
    expect(other.observations).toEqual([{ kind: 'field' }]);
  });

  test('includes its requests, with the answers of the world', async () => {
    const { page, tell, commands } = await openPage({ answer: ({ url }) => (url.endsWith('/x') ? { kind: 'offline' } : undefined) });
    const request = { method: 'GET', url: 'https://shop.example/x', headers: {} };
    tell('Network.requestWillBeSent', { requestId: '7', request, type: 'Fetch' }, 'page 1');
    tell('Fetch.requestPaused', { requestId: '8', networkId: '7', request, resourceType: 'Fetch' }, 'page 1');
    expect(page.observations).toMatchObject([{ kind: 'request', id: 1, method: 'GET', url: 'https://shop.example/x' }]);
    expect(commands('Fetch.failRequest')).toMatchObject([{ params: { requestId: '8' }, sessionId: 'page 1' }]);
  });

  test('includes its dialogs: each is accepted once after a click, and the page may always be left', async () => {
    const { page, tell, observe, commands } = await openPage();
    const open = (type: string, message: string, session = 'page 1') => tell('Page.javascriptDialogOpening', { type, message }, session);
    open('confirm', 'Sure?');
    open('confirm', 'Sure?');
    open('alert', 'Done.');
    open('beforeunload', 'Sure?');
    observe({ kind: 'press' });
    open('confirm', 'Sure?');
    open('confirm', 'Sure?', 'unknown');
    tell('Page.javascriptDialogClosed', { type: 'confirm', message: 'Other?' }, 'page 1');
    expect(commands('Page.handleJavaScriptDialog').map(({ params, sessionId }) => [params, sessionId])).toEqual(
      [true, false, true, true, true].map((accept) => [{ accept }, 'page 1']),
    );
    const dialog = (text: string) => ({ kind: 'dialog', text });
    expect(page.observations).toEqual([...['Sure?', 'Sure?', 'Done.', 'Sure?'].map(dialog), { kind: 'press' }, dialog('Sure?')]);
  });

  test('goes on after a dialog that has gone before it is answered', async () => {
    const { devtools, tell } = await openPage({}, { 'Page.handleJavaScriptDialog': refuse('No dialog is showing') });
    tell('Page.javascriptDialogOpening', { type: 'alert', message: '' }, 'page 1');
    await nextTurn();
    expect(devtools.failure).toBeUndefined();
  });
});

describe('a call of a page', () => {
  const override = (origin: string, sameOriginWithAncestors = true) => ({
    remoteDesktopClientOverride: { origin, sameOriginWithAncestors },
  });
  const options = (challenge: string, origin = 'https://shop.example') => ({ challenge, rpId: 'example', extensions: override(origin) });
  const made = (challenge: string, call = 1): PageObservation => ({
    kind: 'call',
    call,
    method: 'get',
    options: { challenge },
    hasField: false,
  });

  test('is answered by the authenticator of the page that made it', async () => {
    const { driver, call, calls, observe, answers } = await openPage();
    await driver.open({}, 'others');
    observe(made('AQ'));
    observe(made('Ag'), 'page 2');
    observe({ kind: 'signal', name: 'signalUnknownCredential', argument: {} });
    call('get', 4, options('Ag'));
    call('create', 5, {
      challenge: 'AQ',
      rp: { id: 'example' },
      extensions: { ...override('https://frame.example', false), credProps: true },
    });
    await nextTurn();
    const shared = { topOrigin: undefined, isConditional: false };
    expect(calls).toStrictEqual([
      {
        ...shared,
        kind: 'authentication',
        options: { challenge: 'Ag', rpId: 'example' },
        origin: 'https://shop.example',
        crossOrigin: false,
        passkeys: 'others',
      },
      {
        ...shared,
        kind: 'registration',
        options: { challenge: 'AQ', rp: { id: 'example' }, extensions: { credProps: true } },
        origin: 'https://frame.example',
        crossOrigin: true,
        passkeys: 'stored',
      },
    ]);
    expect(answers()).toEqual([
      'Get',
      { requestId: 4, responseJson: '{"id":"answer to https://shop.example"}' },
      'Create',
      { requestId: 5, responseJson: '{"id":"answer to https://frame.example"}' },
    ]);
  });

  test('gets the exception of the authenticator', async () => {
    const { call, observe, answers } = await openPage();
    observe(made('AQ'));
    call('get', 4, options('AQ', 'https://evil.example'));
    call('get', 5, options('AQ', 'https://old.example'));
    await nextTurn();
    expect(answers()).toEqual([
      'Get',
      { requestId: 4, error: { name: 'SecurityError', message: 'Not here.' } },
      'Get',
      { requestId: 5, error: { name: 'NotAllowedError', message: 'No passkey.' } },
    ]);
  });

  const GONE = { requestId: 4, error: { name: 'NotAllowedError', message: 'The page has gone.' } };

  test('may arrive before its page tells of it', async () => {
    const { call, observe, answers } = await openPage();
    call('get', 4, options('AQ'));
    await vi.advanceTimersByTimeAsync(4_990);
    observe(made('AQ'));
    expect(answers()).toEqual([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(answers()).toMatchObject(['Get', { responseJson: expect.any(String) }]);
  });

  test('is refused after five seconds if no page tells of it', async () => {
    const { call, observe, answers, calls } = await openPage();
    observe({ kind: 'ended', call: 1, response: { challenge: 'AQ' } });
    observe(made('Ag'));
    call('get', 4, options('AQ'));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(answers()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect([answers(), calls]).toEqual([['Get', GONE], []]);
  });

  describe('that is conditional', () => {
    const conditional = ({ readMark }: Driven, session: string, challenge: string) => ({
      ...options(challenge),
      allowCredentials: [readMark(session)],
    });

    test('is answered when the user picks, one at a time', async () => {
      const driven = await openPage();
      const { page, call, calls, attach, answers, driver } = driven;
      attach('frame', 'context 1', 'iframe');
      const other = await driver.open({});
      await nextTurn();
      call('get', 4, conditional(driven, 'page 1', 'AQ'));
      call('get', 5, conditional(driven, 'frame', 'Ag'));
      await nextTurn();
      expect(answers()).toEqual([]);
      await other.pickAutofill();
      await nextTurn();
      expect(answers()).toEqual([]);
      await page.pickAutofill();
      await nextTurn();
      expect(answers()).toMatchObject(['Get', { requestId: 4, responseJson: '{"id":"answer to https://shop.example"}' }]);
      await page.pickAutofill();
      await nextTurn();
      expect(answers().slice(2)).toMatchObject(['Get', { requestId: 5 }]);
      await page.pickAutofill();
      expect(calls).toMatchObject([
        { isConditional: true, passkeys: 'stored', options: { challenge: 'AQ', rpId: 'example', allowCredentials: [] } },
        { isConditional: true, passkeys: 'stored', options: { challenge: 'Ag', rpId: 'example', allowCredentials: [] } },
      ]);
    });

    test('ends when its page aborts it', async () => {
      const driven = await openPage();
      driven.call('get', 4, conditional(driven, 'page 1', 'AQ'));
      driven.call('canceled', 4, {});
      await nextTurn();
      expect(driven.answers()).toMatchObject(['Get', { requestId: 4, error: { name: 'AbortError' } }]);
    });

    test('is refused if its page has gone', async () => {
      const driven = await openPage();
      const gone = conditional(driven, 'page 1', 'AQ');
      await driven.page[Symbol.asyncDispose]();
      driven.call('get', 4, gone);
      await nextTurn();
      expect(driven.answers()).toEqual(['Get', GONE]);
    });
  });
});

describe('playing a flow', () => {
  const control = (name: string) => ({ role: 'button', name });
  const FLOW = [
    { goto: 'login' },
    { fill: control('a'), value: 'user {n}' },
    { click: control('b') },
    { waitFor: control('c') },
    { click: control('d') },
    { waitFor: control('e') },
    { waitFor: control('f') },
  ];

  test.each([
    [true, ['a', 'b', 'c', 'd', 'e', 'f']],
    [false, ['a', 'b', 'c', 'd']],
  ])('honest: %s, it uses %j, and then waits until the page has told of all', async (isHonest, names) => {
    const { page, commands, sent } = await openPage();
    await page.play(FLOW, { user: 3, isHonest });
    expect(commands('Page.navigate')).toMatchObject([{ params: { url: 'https://shop.example/app/login' }, sessionId: 'page 1' }]);
    expect(commands('Accessibility.queryAXTree').map(({ params }) => params['accessibleName'])).toEqual(names);
    expect(commands('Input.insertText')).toMatchObject([{ params: { text: 'user 3' } }]);
    expect(sent.at(-1)).toMatchObject({
      method: 'Runtime.evaluate',
      params: { expression: '0', returnByValue: true },
      sessionId: 'page 1',
    });
  });

  test('fails with the step that cannot be played', async () => {
    const { page } = await openPage({}, { 'Page.navigate': { errorText: 'net::ERR_FAILED' } });
    await expect(page.play(FLOW, { user: 3, isHonest: true })).rejects.toMatchObject({
      code: 'target_unreachable',
      message: expect.stringContaining('Step 1'),
    });
  });
});

describe('the trigger', () => {
  const NONE = { exists: false, isDisabled: false, isBusy: false, hasLostInput: false };
  const reading = (value: unknown): Replies => ({
    'Runtime.evaluate': evaluateWith({ [`${WATCH}?.readTrigger()`]: () => ({ result: { result: { value } } }) }),
  });

  test.each<[string, Replies, TriggerState]>([
    ['is visible', reading({ exists: true }), { ...NONE, exists: true }],
    ['is disabled', reading({ isDisabled: true }), { ...NONE, isDisabled: true }],
    ['is busy', reading({ isBusy: true, exists: 'yes' }), { ...NONE, isBusy: true }],
    ['has lost input', reading({ hasLostInput: true, isDisabled: 1 }), { ...NONE, hasLostInput: true }],
    ['is not there', reading(undefined), NONE],
    [
      'cannot be asked for',
      { 'Runtime.evaluate': ({ sessionId }) => (sessionId === 'worker' ? { result: {} } : refuse('No page')()) },
      NONE,
    ],
  ])('%s', async (_, replies, expected) => {
    const { page, sent } = await openPage({}, replies);
    expect(await page.readTrigger()).toEqual(expected);
    expect(sent.at(-1)).toMatchObject({
      params: { expression: `${WATCH}?.readTrigger()`, returnByValue: true },
      sessionId: 'page 1',
    });
  });

  test('is pressed as often as it is told, without a pause', async () => {
    const { page, sent, listNew } = await openPage();
    const before = sent.length;
    expect(await time(page.press(2))).toEqual({ result: true, spent: 0 });
    const found = listNew(before);
    expect(found.slice(0, 3)).toEqual([
      ['Runtime.evaluate', { expression: `${WATCH}?.readTrigger()`, returnByValue: true }, 'page 1'],
      ['Runtime.evaluate', { expression: `${WATCH}?.findTrigger()` }, 'page 1'],
      ['DOM.scrollIntoViewIfNeeded', { objectId: 'trigger' }, 'page 1'],
    ]);
    const pressed = found.filter(([method]) => method === 'Input.dispatchMouseEvent').map(([, { type, clickCount }]) => [type, clickCount]);
    expect(pressed).toEqual([
      ['mouseMoved', 0],
      ['mousePressed', 1],
      ['mouseReleased', 1],
      ['mousePressed', 2],
      ['mouseReleased', 2],
    ]);
  });

  test.each<[string, Replies, number]>([
    ['is gone', reading({ ...TRIGGER, exists: false }), 0],
    ['is disabled', reading({ ...TRIGGER, isDisabled: true }), 0],
    [
      'goes',
      { 'Runtime.evaluate': evaluateWith({ [`${WATCH}?.findTrigger()`]: () => ({ result: { result: { type: 'undefined' } } }) }) },
      0,
    ],
    ['is covered', { 'Runtime.callFunctionOn': { result: { value: 'a div covers it' } } }, 5_000],
  ])('is not pressed if it %s', async (_, replies, spent) => {
    const { page, commands } = await openPage({}, replies);
    expect(await time(page.press(1))).toEqual({ result: false, spent });
    expect(commands('Input.dispatchMouseEvent')).toEqual([]);
  });
});

describe('a page settles', () => {
  const pending = (...values: readonly unknown[]): Replies => ({
    'Runtime.evaluate': evaluateWith({ [`${WATCH}?.pending()`]: inTurn(...values.map((value) => ({ result: { value } }))) }),
  });

  test.each<[string, Replies, number]>([
    ['after three quiet looks', pending(0), 150],
    ['after its last call', pending(0, 0, 2, 1, 0), 350],
    ['if it has gone', pending(undefined), 150],
    ['at the latest after five seconds', pending(1), 5_000],
  ])('%s', async (_, replies, spent) => {
    const { page, commands } = await openPage({}, replies);
    expect(await time(page.settle())).toEqual({ result: undefined, spent });
    const looks = commands('Runtime.evaluate').filter(({ params }) => String(params['expression']).endsWith('pending()'));
    expect(looks).toHaveLength(spent / 50);
  });

  test('after its last request, and after what it observed last', async () => {
    const { page, tell, observe } = await openPage();
    const request = { requestId: '7', request: { method: 'GET', url: 'https://shop.example/x', headers: {} }, type: 'Fetch' };
    tell('Network.requestWillBeSent', request, 'page 1');
    setTimeout(() => tell('Network.loadingFailed', { requestId: '7' }, 'page 1'), 120);
    setTimeout(() => observe({ kind: 'press' }), 270);
    // Looks end at 50, 100 (pending), 150 (answered), 200, 250, 300 (pressed), 350, 400, 450.
    expect(await time(page.settle())).toEqual({ result: undefined, spent: 450 });
  });

  test('not while a request is pending', async () => {
    const { page, tell } = await openPage();
    tell('Network.requestWillBeSent', { requestId: '7', request: { method: 'GET' }, type: 'XHR' }, 'page 1');
    expect((await time(page.settle())).spent).toBe(5_000);
  });
});

describe('a page that is closed', () => {
  test.each<[string, Replies]>([
    ['its context', {}],
    ['nothing if the browser has done so', { 'Target.disposeBrowserContext': refuse('Failed to find context') }],
  ])('closes %s, and observes nothing more', async (_, replies) => {
    const { page, driver, observe, tell, sent } = await openPage({}, replies);
    const other = await driver.open({});
    await page[Symbol.asyncDispose]();
    expect(sent.at(-1)).toMatchObject({ method: 'Target.disposeBrowserContext', params: { browserContextId: 'context 1' } });
    observe({ kind: 'press' });
    tell('Network.requestWillBeSent', { requestId: '7', request: { method: 'GET' }, type: 'XHR' }, 'page 1');
    observe({ kind: 'field' }, 'page 2');
    expect([page.observations, other.observations]).toEqual([[], [{ kind: 'field' }]]);
    const { isDisabled } = asObject(await other.readTrigger());
    expect(isDisabled).toBe(false);
  });
});
