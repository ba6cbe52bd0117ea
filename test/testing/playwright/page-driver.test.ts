import type { Route } from '@playwright/test';
import { describe, expect, test } from 'vitest';
import type { SentRequest, World } from '../../../src/testing/page/driver.js';
import type { Flow } from '../../../src/testing/page/flow.js';
import { createPageDriver } from '../../../src/testing/playwright/page-driver.js';
import { until } from '../../until.js';
import { openDialog, receivedResponse, type Script, scriptBrowser, sentRequest } from './scripted-browser.js';

const REQUEST: SentRequest = {
  id: 1,
  method: 'POST',
  url: 'https://shop.example/verify?x=1',
  headers: { accept: 'a/b' },
  body: '',
  isNavigation: false,
  origin: '',
};

interface Opened extends Script {
  readonly world?: World;
  readonly passkeys?: string;
  readonly base?: string;
}

/** Opens a page in a scripted browser. */
async function open({ world = {}, passkeys, base, ...script }: Opened = {}) {
  const browser = scriptBrowser(script);
  const waits: number[] = [];
  const driver = createPageDriver({
    browser: browser.browser,
    context: { locale: 'en-GB' },
    authenticator: { persona: 'google-password-manager' },
    base,
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  const opened = await driver.open(world, passkeys);
  return { ...browser, waits, opened, observations: opened.observations };
}

describe('a page that is opened', () => {
  const SCRIPTS = [
    ['newContext', { locale: 'en-GB' }],
    ['exposeBinding'],
    ['addInitScript', 'passkeyInPage.installInPage(NAME);}'],
    ['exposeBinding'],
  ];
  const PAGE = [['newPage'], ['newCDPSession', true]];
  const DEVTOOLS = [
    ['send', 'Network.enable'],
    ['send', 'Network.setBypassServiceWorker', { bypass: true }],
  ];

  test('has the authenticator, the script that watches it, and no service worker', async () => {
    const { calls, names, opened } = await open({ world: { lacks: 'signals', open: 5 } });
    expect(calls).toEqual([
      ...SCRIPTS,
      ['addInitScript', 'passkeyWatch.watchPage(NAME,{"lacks":"signals","open":5});}'],
      ...PAGE,
      ...DEVTOOLS,
      ['setDefaultTimeout', 5_000],
    ]);
    const [authenticator, watch] = names();
    expect([authenticator, watch]).toEqual([
      expect.stringMatching(/^passkey-[0-9a-f-]{36}$/),
      expect.stringMatching(/^passkey-[0-9a-f-]{36}$/),
    ]);
    expect(watch).not.toBe(authenticator);
    calls.splice(0);
    await opened[Symbol.asyncDispose]();
    expect(calls).toEqual([['unrouteAll', { behavior: 'ignoreErrors' }], ['close']]);
  });

  test('has its requests intercepted if the case answers them; the function that answers is no behaviour of the browser', async () => {
    const { calls } = await open({ world: { answer: () => undefined } });
    expect(calls.slice(4, 6)).toEqual([
      ['addInitScript', 'passkeyWatch.watchPage(NAME,{});}'],
      ['route', '**/*'],
    ]);
  });

  test('is open in a browser without DevTools too', async () => {
    const { calls } = await open({ newCDPSession: async () => await Promise.reject(new Error('Chromium only')) });
    expect(calls.slice(-3)).toEqual([...PAGE, ['setDefaultTimeout', 5_000]]);
  });

  test('leaves no context behind if it cannot be opened', async () => {
    const failure = new Error('The browser is gone.');
    const { browser, calls } = scriptBrowser({ exposeBinding: async () => await Promise.reject(failure) });
    const driver = createPageDriver({ browser, context: {}, authenticator: {}, base: undefined });
    await expect(driver.open({})).rejects.toBe(failure);
    expect(calls).toEqual([['newContext', {}], ['exposeBinding'], ['close']]);
  });
});

const create = {
  operation: 'create',
  ceremony: 1,
  isSecond: false,
  options: {
    publicKey: {
      challenge: 'AQIDBAUGBwgJCgsMDQ4PEA',
      rp: { id: 'shop.example', name: 'Shop' },
      user: { id: 'AQ', name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
    },
  },
};
const conditional = {
  operation: 'get',
  ceremony: 2,
  isSecond: false,
  options: { publicKey: { challenge: 'AQIDBAUGBwgJCgsMDQ4PEQ', rpId: 'shop.example' }, mediation: 'conditional' },
};

describe('the authenticator of a page', () => {
  test('has the passkeys of an earlier page', async () => {
    const first = await open();
    expect(await first.ask(create)).toMatchObject({ ok: true });
    const passkeys = await first.opened.exportPasskeys();
    expect(passkeys).toContain('shop.example');
    const second = await open({ passkeys });
    expect(await second.opened.exportPasskeys()).toBe(passkeys);
    expect(await (await open()).opened.exportPasskeys()).not.toBe(passkeys);
  });

  test('fills in a passkey where a call waits for one, and else does nothing', async () => {
    const { opened, ask } = await open();
    await opened.pickAutofill();
    await ask(create);
    let isOver = false;
    const waiting = ask(conditional).finally(() => (isOver = true));
    await until(async () => {
      await opened.pickAutofill();
      return isOver;
    });
    expect(await waiting).toMatchObject({ ok: true });
  });

  test('has nothing to fill in', async () => {
    const { opened, ask } = await open();
    const waiting = ask(conditional);
    await new Promise((resolve) => setImmediate(resolve));
    await expect(opened.pickAutofill()).resolves.toBeUndefined();
    await ask({ operation: 'abort', ceremony: 2 });
    expect(await waiting).toMatchObject({ ok: false });
  });
});

describe('what is observed', () => {
  test('is what the script reports, in its order', async () => {
    const { report, observations } = await open();
    await report({ kind: 'press' });
    await report({ kind: 'field' });
    expect(observations).toEqual([{ kind: 'press' }, { kind: 'field' }]);
  });

  test('is each request, once', async () => {
    const { emit, observations } = await open();
    const first = sentRequest({ from: 'https://shop.example/login' });
    emit('request', first);
    emit('request', first);
    emit('request', sentRequest({ method: 'GET', body: 'text', isNavigation: true, type: 'document' }));
    emit('request', sentRequest({ from: 'about:blank' }));
    expect(observations).toEqual([
      { kind: 'request', ...REQUEST, origin: 'https://shop.example' },
      { kind: 'request', ...REQUEST, id: 2, method: 'GET', body: 'text', isNavigation: true },
      { kind: 'request', ...REQUEST, id: 3, origin: 'null' },
    ]);
  });

  const ANSWER = { kind: 'answer', request: 1, status: 201, headers: { 'content-type': 'c/d' }, body: 'text', sentCookie: false };
  test.each<[string, Parameters<typeof sentRequest>[0], object]>([
    ['of a fetch', { response: receivedResponse(201, 'text') }, ANSWER],
    ['of an XMLHttpRequest', { type: 'xhr', response: receivedResponse(201, 'text') }, ANSWER],
    ['of a document', { type: 'document', response: receivedResponse(201, 'text') }, ANSWER],
    ['with a cookie', { cookie: 'a=1', response: receivedResponse(201, 'text') }, { ...ANSWER, sentCookie: true }],
    ['of an image, whose body is not read', { type: 'image', response: receivedResponse(201, 'x') }, { ...ANSWER, body: undefined }],
    ['that is not there', {}, { ...ANSWER, status: 0, headers: {}, body: undefined }],
    [
      'that the browser did not keep',
      {
        response: {
          status: () => 201,
          text: async () => await Promise.reject(new Error('gone')),
          allHeaders: async () => await Promise.reject(new Error('gone')),
        },
      },
      { ...ANSWER, headers: {}, body: undefined },
    ],
  ])('is the response %s', async (_, given, expected) => {
    const { emit, report, observations } = await open();
    const request = sentRequest(given);
    emit('request', request);
    emit('requestfinished', request);
    await report({ kind: 'call' });
    expect(observations.slice(1)).toEqual([{ kind: 'call' }, expected]);
  });

  test('is a response of a page that goes away, as far as it can be read', async () => {
    const { emit, report, observations } = await open();
    const request = sentRequest({});
    const gone = async () => await Promise.reject(new Error('gone'));
    emit('requestfinished', Object.assign(request, { response: gone, headerValue: gone }));
    await report({ kind: 'call' });
    expect(observations.at(-1)).toEqual({ ...ANSWER, status: 0, headers: {}, body: undefined });
  });

  test('is a request that failed', async () => {
    const { emit, observations } = await open();
    emit('requestfailed', sentRequest({}));
    expect(observations).toEqual([
      { kind: 'request', ...REQUEST },
      { kind: 'answer', request: 1, status: 0, headers: {}, body: undefined, sentCookie: undefined },
    ]);
  });

  test('is the response before the call that follows it goes on', async () => {
    const { emit, report, observations } = await open();
    let read = (): void => undefined;
    const text = new Promise<string>((resolve) => {
      read = () => resolve('late');
    });
    emit('requestfinished', sentRequest({ response: { ...receivedResponse(200, ''), text: async () => await text } }));
    let isOver = false;
    const calling = report({ kind: 'call' }).then(() => {
      isOver = true;
    });
    await report({ kind: 'press' });
    await new Promise((resolve) => setImmediate(resolve));
    expect([isOver, observations.map(({ kind }) => kind)]).toEqual([false, ['request', 'call', 'press']]);
    read();
    await calling;
    expect(observations.at(-1)).toMatchObject({ kind: 'answer', body: 'late' });
  });
});

describe('a request that the case may answer', () => {
  interface Taken {
    readonly world: World;
    readonly fails?: boolean;
  }
  /** The route takes a request: what it does, and the requests that the case was asked about. */
  async function take({ world, fails = false }: Taken) {
    const { take: takeRoute, emit, observations } = await open({ world });
    const request = sentRequest({ from: 'https://shop.example/login' });
    const done: unknown[] = [];
    const does =
      (name: string) =>
      async (...given: readonly unknown[]) => {
        done.push([name, ...given]);
        if (fails) throw new Error('The page is gone.');
        return await Promise.resolve(FETCHED);
      };
    const route: Route = Object({
      request: () => request,
      ...Object.fromEntries(['continue', 'abort', 'fulfill', 'fetch'].map((name) => [name, does(name)])),
    });
    await takeRoute(route);
    emit('request', request);
    expect(observations).toEqual([{ kind: 'request', ...REQUEST, origin: 'https://shop.example' }]);
    return done;
  }
  const FETCHED = { text: async () => await Promise.resolve('body') };
  const answer = { kind: 'answer', status: 418, headers: { a: 'b' }, body: 'c' } as const;

  test.each<[string, ReturnType<NonNullable<World['answer']>>, readonly unknown[]]>([
    ['goes on', undefined, [['continue']]],
    ['does not reach the server', { kind: 'offline' }, [['abort', 'internetdisconnected']]],
    ['is answered', answer, [['fulfill', { status: 418, headers: { a: 'b' }, body: 'c' }]]],
    ['gets another body', { kind: 'edit', edit: (body) => `${body}!` }, [['fetch'], ['fulfill', { response: FETCHED, body: 'body!' }]]],
  ])('%s', async (_, change, expected) => {
    const asked: SentRequest[] = [];
    const world: World = {
      answer: (request) => {
        asked.push(request);
        return change;
      },
    };
    expect(await take({ world })).toEqual(expected);
    expect(asked).toEqual([{ ...REQUEST, origin: 'https://shop.example' }]);
  });

  test('is given up when the page goes away', async () => {
    expect(await take({ world: { answer: () => answer }, fails: true })).toEqual([expect.arrayContaining(['fulfill']), ['abort']]);
  });
});

describe('a dialog of the page', () => {
  test('is accepted once after a click, and dismissed when the page asks again', async () => {
    const { emit, report, observations } = await open();
    const done: unknown[] = [];
    const ask = (text: string) => emit('dialog', openDialog('confirm', text, done));
    ask('Again?');
    ask('Again?');
    ask('Sure?');
    await report({ kind: 'press' });
    ask('Again?');
    expect(done).toEqual(['accept Again?', 'dismiss Again?', 'accept Sure?', 'accept Again?']);
    expect(observations).toEqual([
      { kind: 'dialog', text: 'Again?' },
      { kind: 'dialog', text: 'Again?' },
      { kind: 'dialog', text: 'Sure?' },
      { kind: 'press' },
      { kind: 'dialog', text: 'Again?' },
    ]);
  });

  test('never keeps the user on the page', async () => {
    const { emit } = await open();
    const done: unknown[] = [];
    const gone = async () => await Promise.reject(new Error('gone'));
    emit('dialog', openDialog('beforeunload', '', done, gone));
    emit('dialog', openDialog('beforeunload', '', done, gone));
    emit('dialog', openDialog('alert', '', done, gone));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(['accept ', 'accept ', 'dismiss ']);
  });
});

const button = (name: string) => ({ role: 'button', name });
const found = (name: string, ...more: readonly unknown[]) => ['getByRole', 'button', { name, exact: true }, 'first', ...more];
const FLOW: Flow = [
  { goto: '/login?x' },
  { fill: button('Name'), value: '{n} Ada {n}' },
  { click: button('Sign in') },
  { waitFor: button('Sign out') },
  { waitFor: { url: '/account' } },
];

describe('a flow', () => {
  const PLAYED = [
    ['goto', 'https://shop.example/login?x'],
    found('Name', 'fill', '7 Ada 7'),
    found('Sign in', 'click'),
    found('Sign out', 'waitFor'),
    ['waitForURL', [true, false]],
  ];

  test('is played step by step, without a success up to its last click', async () => {
    const { opened, news } = await open({ base: 'https://shop.example/deep/page' });
    news();
    await opened.play(FLOW, { user: 7, isHonest: true });
    expect(news()).toEqual(PLAYED);
    await opened.play(FLOW, { user: 7, isHonest: false });
    expect(news()).toEqual(PLAYED.slice(0, 3));
    await opened.play([...FLOW, { click: button('Sign out') }, { goto: '/' }], { user: 7, isHonest: false });
    expect(news()).toEqual([...PLAYED, found('Sign out', 'click')]);
  });

  test('has the addresses of the browser where there is no base', async () => {
    const { opened, news } = await open();
    news();
    await opened.play([{ goto: '/login' }], { user: 7, isHonest: true });
    expect(news()).toEqual([['goto', '/login']]);
  });

  test('may be a function', async () => {
    const { opened, page } = await open();
    const played: unknown[] = [];
    await opened.play(async (given, user) => void played.push([Object(given) === page, user]), { user: 7, isHonest: false });
    expect(played).toEqual([[true, 7]]);
  });

  test.each<[string, unknown, number, string]>([
    ['an error', new Error('Timeout.\nCall log'), 1, 'Timeout.'],
    ['something else', 'nothing', 1, 'nothing'],
    ['in frames', new Error('Timeout.'), 2, 'Timeout. The page has frames, whose controls a list of steps cannot use.'],
  ])('says which step could not be played: %s', async (_, cause, frames, why) => {
    const step = async (name: string): Promise<void> => {
      if (name === 'getByRole') throw cause;
      await Promise.resolve();
    };
    const { opened } = await open({ step, frames });
    await expect(opened.play(FLOW.slice(0, 3), { user: 7, isHonest: true })).rejects.toThrow(
      expect.objectContaining({
        name: 'TypeError',
        message: `Step 2 (${JSON.stringify(FLOW[1])}): ${why}`,
        cause,
      }),
    );
  });
});

const NONE = { exists: false, isDisabled: false, isBusy: false, hasLostInput: false };
const USABLE = { exists: true, isDisabled: false, isBusy: true, hasLostInput: true };
const ends = (script: string, ending: string) =>
  /^globalThis\["passkey-[0-9a-f-]{36}-watch"\]\?\./.test(script) && script.endsWith(`?.${ending}`);

describe('the trigger', () => {
  test.each<[string, () => unknown, object]>([
    ['as the script says', () => USABLE, USABLE],
    ['of a page without the script', () => undefined, NONE],
    ['of a page that goes away', async () => await Promise.reject(new Error('gone')), NONE],
  ])('is read: %s', async (_, evaluate, expected) => {
    const { opened } = await open({ evaluate: (script) => (ends(script, 'readTrigger()') ? evaluate() : 'another script') });
    expect(await opened.readTrigger()).toEqual(expected);
  });

  const clicks: unknown[] = [];
  const element = (fails = false) => {
    const does = (name: string) => async (options: object) => {
      clicks.push([name, options]);
      if (fails) throw new Error('It is covered.');
      await Promise.resolve();
    };
    return { click: does('click'), dblclick: does('dblclick') };
  };
  test.each<[string, object, object | null, number, boolean, readonly unknown[]]>([
    ['once', USABLE, element(), 1, true, [['click', { timeout: 5_000 }]]],
    ['twice', USABLE, element(), 2, true, [['dblclick', { timeout: 5_000 }]]],
    ['but it is covered', USABLE, element(true), 1, false, [['click', { timeout: 5_000 }]]],
    ['but it is gone', USABLE, null, 1, false, []],
    ['but it does not exist', { ...USABLE, exists: false }, element(), 1, false, []],
    ['but it is disabled', { ...USABLE, isDisabled: true }, element(), 1, false, []],
  ])('is clicked %s', async (_, state, given, count, expected, done) => {
    clicks.splice(0);
    const { opened, news } = await open({ evaluate: () => state, element: given });
    news();
    expect([await opened.press(count), clicks]).toEqual([expected, done]);
    const isFound = done.length > 0 || given === null;
    expect(news()).toEqual(isFound ? [['evaluateHandle', 'globalThis[NAME]?.findTrigger()']] : []);
  });
});

describe('a page is waited for', () => {
  const times = (number: number) => Array.from({ length: number }, () => 50);
  /** The numbers of pending calls and timers that the page tells, of which the last stays. */
  const tells = (...pending: readonly unknown[]) => {
    const left = [...pending];
    return (script: string): unknown => {
      if (!ends(script, 'pending()')) return 'another script';
      const next = left.length > 1 ? left.shift() : left[0];
      if (next instanceof Error) throw next;
      return next;
    };
  };

  test.each<[string, ReturnType<typeof tells>, number]>([
    ['three looks where it is at rest', tells(0), 3],
    ['also without the script', tells(undefined), 3],
    ['until it is at rest for three looks', tells(2, 1, 0, 0, 1, 0), 8],
    ['also while it goes away', tells(new Error('gone'), new Error('gone'), 0), 5],
    ['at most five seconds', tells(1), 100],
    ['at most five seconds in all', tells(...Array.from({ length: 98 }, () => 1), 0), 100],
  ])('%s', async (_, evaluate, looks) => {
    const { opened, waits } = await open({ evaluate });
    await opened.settle();
    expect(waits).toEqual(times(looks));
  });

  test('while it observes something', async () => {
    const browser = scriptBrowser();
    const waits: number[] = [];
    const opened = await createPageDriver({
      browser: browser.browser,
      context: {},
      authenticator: {},
      base: undefined,
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        if (waits.length === 2) await browser.report({ kind: 'press' });
      },
    }).open({});
    await opened.settle();
    expect(waits).toEqual(times(5));
  });

  test.each<[string, number]>([
    ['fetch', 100],
    ['xhr', 100],
    ['document', 100],
    ['eventsource', 3],
    ['websocket', 3],
  ])('while a request of the type %s is pending', async (type, looks) => {
    const { opened, waits, emit, report } = await open();
    const request = sentRequest({ type });
    emit('request', request);
    await opened.settle();
    expect(waits.splice(0)).toEqual(times(looks));
    emit('requestfinished', request);
    await report({ kind: 'call' });
    await opened.settle();
    expect(waits.splice(0)).toEqual(times(3));
    const other = sentRequest({ type });
    emit('request', other);
    emit('requestfailed', other);
    await opened.settle();
    expect(waits).toEqual(times(3));
  });
});
