import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { App } from '../../src/page/flow/app.js';
import { createAutofill } from '../../src/page/flow/autofill.js';
import type { CallRequest } from '../../src/page/flow/browser-calls.js';
import { PLAIN_SETUP } from '../../src/page/setup/setup.js';
import { browserLeg } from './runs.js';
import { tab } from './tab.js';

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
  let arrived: () => void = () => undefined;
  const browser: App['calls'] = {
    run: (request) =>
      new Promise((resolve) => {
        calls.push(request);
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
  return { browser, calls, called };
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
