import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { App } from '../../src/page/flow/app.js';
import { createAutofill } from '../../src/page/flow/autofill.js';
import type { CallRequest } from '../../src/page/flow/browser-calls.js';
import type { BrowserLeg } from '../../src/page/run.js';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import type { AppState } from '../../src/page/state.js';
import { browserLeg } from './runs.js';
import { type Answer, SERVER, tab } from './tab.js';

beforeAll(() => {
  vi.stubGlobal('location', { origin: 'http://localhost:7277', hostname: 'localhost' });
  const credential = { isConditionalMediationAvailable: () => Promise.resolve(true) };
  vi.stubGlobal('PublicKeyCredential', credential);
  vi.stubGlobal('window', { PublicKeyCredential: credential });
});
afterAll(() => void vi.unstubAllGlobals());

/** A browser that never answers by itself. `called` resolves at each call. */
function silentBrowser() {
  const calls: CallRequest[] = [];
  let end: (() => void) | undefined;
  let answer: (leg: BrowserLeg) => void = () => undefined;
  let arrived: () => void = () => undefined;
  const browser: App['calls'] = {
    run: (request) =>
      new Promise((resolve) => {
        calls.push(request);
        answer = (leg) => resolve({ leg, aborted: false });
        end = () => {
          const { call, mediation, options } = request;
          const error = { name: 'AbortError', message: '', explanation: { title: '', causes: [], next: '' } };
          const leg = browserLeg({ call, mediation, options, response: undefined, error });
          resolve({ leg, aborted: true });
        };
        arrived();
      }),
    abort: async () => end?.(),
  };
  const called = () =>
    new Promise<void>((resolve) => {
      arrived = resolve;
    });
  return { browser, calls, called, answer: (leg: BrowserLeg) => answer(leg) };
}

test('a waiting request is replaced when the options have changed since, and only then', async () => {
  const { browser, calls, called } = silentBrowser();
  const setup = { ...PLAIN_SETUP, autofill: true };
  let challenges = 0;
  const { app, store } = tab({
    answer: () => ({ status: 200, answer: { challenge: String((challenges += 1)) } }),
    state: { setup, autofill: 'off', answerWith: 'browser' },
    calls: browser,
  });
  const autofill = createAutofill(app);
  const first = called();
  const armed = autofill.arm();
  await first;

  await autofill.renew();
  expect(calls.map(({ options }) => options)).toEqual([{ challenge: '1' }]);

  store.set({ setup: { ...setup, authentication: { userVerification: 'required' } } });
  const second = called();
  await autofill.renew();
  await second;
  expect(calls.map(({ options }) => options)).toEqual([{ challenge: '1' }, { challenge: '2' }]);
  await autofill.disarm();
  await armed;
  expect(store.get().autofill).toBe('off');
});

/** A tab in which autofill is on, with the paths that it asked for. */
function armable(state: Partial<AppState> = {}, options: Answer = { status: 200, answer: { challenge: 'AA' } }) {
  const silent = silentBrowser();
  const opened = tab({
    answer: (path) => (path.endsWith('/options') ? options : { status: 200, answer: {} }),
    state: { setup: { ...PLAIN_SETUP, autofill: true }, answerWith: 'browser', ...state },
    calls: silent.browser,
  });
  return { ...opened, ...silent, autofill: createAutofill(opened.app), paths: () => opened.asked.map(({ path }) => path) };
}

test('the passkey that the user picks logs in, and the run is shown from then on', async () => {
  const { autofill, store, calls, called, answer, asked } = armable();
  const first = called();
  const armed = autofill.arm();
  expect(store.get().autofill).toBe('arming');
  await first;
  expect(store.get()).toMatchObject({ autofill: 'armed', runs: [], selected: undefined });
  expect(calls).toEqual([{ call: 'get', options: { challenge: 'AA' }, mediation: 'conditional' }]);
  await autofill.arm();
  expect(calls).toHaveLength(1);
  answer(browserLeg({ mediation: 'conditional', response: { id: 'AA' } }));
  await armed;
  expect(asked.slice(0, 2)).toMatchObject([{ path: '/api/passkeys/login/options' }, { path: '/api/passkeys/login', body: { id: 'AA' } }]);
  expect(store.get()).toMatchObject({
    autofill: 'off',
    selected: 'run-1',
    runs: [{ outcome: 'verified', legs: [{ kind: 'http' }, { kind: 'browser' }, { kind: 'http' }] }],
  });
});

test('a request that is out of date before it is made is made anew; one that is no longer wanted is not made', async () => {
  const changes: (readonly [string, Partial<AppState>, number])[] = [
    ['other options', { setup: { ...PLAIN_SETUP, autofill: true, authentication: { timeout: 5 } } }, 2],
    ['another address', { setup: { ...PLAIN_SETUP, autofill: true, appUrl: 'https://shop.example' } }, 2],
    ['another name', { setup: { ...PLAIN_SETUP, autofill: true, appName: 'Shop' } }, 1],
    ['switched off', { setup: PLAIN_SETUP }, 1],
  ];
  const found = [];
  for (const [name, change] of changes) {
    const { browser, calls, called } = silentBrowser();
    let requests = 0;
    const { app, store } = tab({
      answer() {
        requests += 1;
        if (requests === 1) store.set(change);
        return { status: 200, answer: {} };
      },
      state: { setup: { ...PLAIN_SETUP, autofill: true }, answerWith: 'browser' },
      calls: browser,
    });
    const autofill = createAutofill(app);
    const first = called();
    const armed = autofill.arm();
    if (name !== 'switched off') {
      await first;
      await autofill.disarm();
    }
    await armed;
    found.push([name, requests, calls.length, store.get().autofill]);
  }
  expect(found).toEqual(changes.map(([name, , requests]) => [name, requests, name === 'switched off' ? 0 : 1, 'off']));
});

test.each([
  [60_000, undefined],
  [100_000, { ...SERVER, policy: { ...SERVER.policy, challengeTtl: 100_000 } }],
])('a request is replaced after four fifths of the %i ms that its challenge lives', async (lifetime, server) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { autofill, calls, called, answer } = armable({ server, mode: 'development' });
  const first = called();
  const armed = autofill.arm();
  await first;
  vi.advanceTimersByTime(lifetime * 0.8 - 1);
  expect(vi.getTimerCount()).toBe(1);
  const second = called();
  vi.advanceTimersByTime(1);
  await second;
  expect(calls).toHaveLength(2);
  answer(browserLeg({ response: { id: 'AA' } }));
  await armed;
  // Nothing is left to replace.
  expect(vi.getTimerCount()).toBe(0);
  const third = called();
  const again = autofill.arm();
  await third;
  expect(vi.getTimerCount()).toBe(1);
  await autofill.disarm();
  expect(vi.getTimerCount()).toBe(0);
  await again;
});

test('what does not wait is neither replaced nor ended', async () => {
  const { autofill, browser, store, called } = armable();
  let aborts = 0;
  const { abort } = browser;
  browser.abort = async () => {
    aborts += 1;
    await abort();
  };
  await autofill.renew();
  await autofill.disarm();
  expect(aborts).toBe(0);
  const first = called();
  const armed = autofill.arm();
  // Its options have not come.
  store.set({ setup: { ...store.get().setup, authentication: { timeout: 5 } } });
  await autofill.renew();
  expect(aborts).toBe(0);
  await first;
  await autofill.disarm();
  await armed;
  expect(aborts).toBe(1);
  store.set({ autofill: 'armed', setup: { ...store.get().setup, authentication: { timeout: 6 } } });
  await autofill.renew();
  expect(aborts).toBe(1);
});

test.each<[string, Partial<AppState>]>([
  ['it is off', { setup: PLAIN_SETUP }],
  ['a ceremony waits', { waiting: { run: 4, title: 'Log in', phase: 'server', since: 0, until: undefined, silent: false } }],
  ['the server is unknown', { mode: 'unknown' }],
  ['options cannot be used', { invalid: { authentication: { text: '{', problem: 'It ends.' } } }],
])('nothing is asked for where %s', async (_, state) => {
  const { autofill, store, asked } = armable(state);
  await autofill.arm();
  expect([asked, store.get().autofill]).toEqual([[], 'off']);
});

test('options that the server refuses are shown, and end it', async () => {
  const { autofill, store, calls } = armable({}, { status: 422, answer: { code: 'validation_failed', title: 'No.', detail: 'Not so.' } });
  await autofill.arm();
  await autofill.arm();
  expect(calls).toEqual([]);
  expect(store.get()).toMatchObject({ autofill: 'off', runs: [{}, { outcome: 'rejected', summary: expect.stringContaining('Not so.') }] });
});

test('a browser without autofill says so', async () => {
  for (const credential of [{ isConditionalMediationAvailable: () => Promise.resolve(false) }, {}]) {
    vi.stubGlobal('PublicKeyCredential', credential);
    const { autofill, store, asked } = armable();
    await autofill.arm();
    expect([asked, store.get().autofill]).toEqual([[], 'unavailable']);
  }
  const { PublicKeyCredential } = window;
  vi.stubGlobal('PublicKeyCredential', PublicKeyCredential);
});
