import { expect, test } from 'vitest';
import type { Api } from '../../src/page/api.js';
import type { App } from '../../src/page/flow/app.js';
import { answererOf, ask } from '../../src/page/flow/ask.js';
import { createRunLog } from '../../src/page/flow/run-log.js';
import { toVerifiable } from '../../src/page/setup/verifiable.js';
import { type AppState, createStore, type ServerState } from '../../src/page/state.js';

const SERVER: ServerState = {
  authAction: 'session',
  local: true,
  refusal: undefined,
  userVerification: 'preferred',
  residentKey: 'required',
  algorithms: [-7],
  attestation: 'none',
  timeout: 60_000,
  verifiable: toVerifiable(undefined),
  challengeTtl: 60_000,
  users: [],
};

const LEG = { kind: 'http', requestId: 'r', bearer: false, failure: undefined, milliseconds: 1 } as const;

const NO_BROWSER: App['calls'] = {
  run() {
    throw new Error('Expected nobody to ask the browser.');
  },
  abort: () => Promise.resolve(),
};

/** A tab whose server answers every request like this. */
function tab(status: number, body: object, more: Partial<AppState> = {}) {
  const asked: { path: string; body: unknown }[] = [];
  const state: Partial<AppState> = {
    runs: [],
    stream: [],
    passkeys: [],
    signalled: [],
    server: SERVER,
    answerWith: 'plain',
    status: '',
    ...more,
  };
  const store = createStore(state as AppState);
  const api: Api = {
    async call(method, path, sent) {
      asked.push({ path, body: sent });
      return { ...LEG, method, path, body: sent, status, answer: body };
    },
  };
  const runs = createRunLog(store, api, () => 0);
  const app: App = { store, api, runs, calls: NO_BROWSER, isOwn: () => true };
  return { app, asked };
}

const RESPONSE = { id: 'AA', response: { clientDataJSON: 'e30' } };

test('a persona answers with the credential that was chosen, and the leg says which', async () => {
  const { app, asked } = tab(200, { response: RESPONSE, persona: 'titan' }, { answerWith: 'titan' });
  const run = app.runs.begin('Log in', 'authentication', { waits: true });
  const { leg, aborted } = await ask(app, run, { call: 'get', options: { challenge: 'AA' }, credentialId: 'QUJD' });
  expect(asked).toStrictEqual([{ path: '/dev/answer', body: { options: { challenge: 'AA' }, persona: 'titan', credential_id: 'QUJD' } }]);
  expect(leg).toMatchObject({ response: RESPONSE, error: undefined, software: { persona: 'titan', tamper: undefined } });
  expect(aborted).toBe(false);
  expect(app.store.get().runs[0]?.legs).toStrictEqual([leg]);
});

test('without a persona none is asked for; what a purpose says comes before the choice of the page', async () => {
  const { app, asked } = tab(200, { response: RESPONSE }, { answerWith: 'titan' });
  const run = app.runs.begin('Break it', 'authentication', { waits: true });
  const tamper = { id: 'login.signature-bit', title: '', inBrowser: true };
  const { leg } = await ask(app, run, { call: 'get', options: {}, tamper, answerWith: 'plain' });
  expect(asked[0]?.body).toStrictEqual({ options: {}, tamper: 'login.signature-bit' });
  expect(leg.software).toStrictEqual({ persona: 'plain', tamper: 'login.signature-bit' });
});

test('what this browser cannot sign is answered by the software authenticator', async () => {
  const { app } = tab(200, { response: RESPONSE }, { answerWith: 'browser' });
  const run = app.runs.begin('Break it', 'authentication', { waits: true });
  const tamper = { id: 'login.other-key', title: '', inBrowser: false };
  const { leg } = await ask(app, run, { call: 'get', options: {}, tamper });
  expect(leg.software).toStrictEqual({ persona: 'plain', tamper: 'login.other-key' });
});

test.each([
  [422, 'options_refused', 'The software authenticator refused the options, as a browser would'],
  [422, 'not_applicable', 'This mistake cannot be made here'],
  [422, 'validation_failed', 'No browser would read these options'],
  [404, 'route_not_found', 'This server has no software authenticator'],
  [500, 'internal_error', 'The software authenticator could not answer'],
])('%d %s is explained: %s', async (status, code, title) => {
  const { app } = tab(status, { code, title: 'Title', detail: 'What the server says.' });
  const run = app.runs.begin('Register', 'registration', { waits: true });
  const { leg } = await ask(app, run, { call: 'create', options: {} });
  expect(leg).toMatchObject({ response: undefined, error: { name: code, explanation: { title, causes: ['What the server says.'] } } });
});

test('an answer without a response is none', async () => {
  const { app } = tab(200, {});
  const { leg } = await ask(app, app.runs.begin('Register', 'registration'), { call: 'create', options: {} });
  expect(leg.error?.explanation.title).toBe('The software authenticator could not answer');
});

test('cancelled while the software authenticator works: aborted, and no refusal', async () => {
  const { app } = tab(200, {});
  const waiting: App = {
    ...app,
    api: {
      call: (method, path, body, { signal } = {}) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () =>
            resolve({ ...LEG, method, path, body, status: undefined, answer: undefined, failure: 'Cancelled.' }),
          );
        }),
    },
  };
  const run = app.runs.begin('Register', 'registration', { waits: true });
  const asking = ask(waiting, run, { call: 'create', options: {} });
  app.runs.cancel();
  expect(await asking).toMatchObject({ aborted: true, leg: { response: undefined, error: { name: 'AbortError' } } });
});

test('where the server lends no software authenticator, the browser answers, whatever was chosen before', () => {
  expect(answererOf({ answerWith: 'titan', server: SERVER })).toBe('titan');
  expect(answererOf({ answerWith: 'titan', server: { ...SERVER, local: false } })).toBe('browser');
  expect(answererOf({ answerWith: 'titan', server: undefined })).toBe('browser');
});
