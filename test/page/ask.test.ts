import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask, findAnswerer } from '../../src/page/flow/ask.js';
import type { AppState } from '../../src/page/state.js';
import { browserLeg } from './runs.js';
import { type Answer, GONE, SERVER, tab } from './tab.js';

beforeAll(() => void vi.stubGlobal('location', { origin: 'http://localhost:7277' }));
afterAll(() => void vi.unstubAllGlobals());

/** A tab whose server answers every request like this. */
function tabWith(status: number, answer: object, state: Partial<AppState> = {}) {
  return tab({ answer: () => ({ status, answer }), state });
}

const RESPONSE = { id: 'AA', response: { clientDataJSON: 'e30' } };

test('a persona answers with the credential that was chosen, and the leg says which', async () => {
  const { app, asked } = tabWith(200, { response: RESPONSE, persona: 'titan' }, { answerWith: 'titan' });
  const run = app.runs.begin('Log in', 'authentication', { waits: true });
  const { leg, aborted } = await ask(app, run, { call: 'get', options: { challenge: 'AA' }, credentialId: 'QUJD' });
  expect(asked).toStrictEqual([{ path: '/dev/answer', body: { options: { challenge: 'AA' }, persona: 'titan', credential_id: 'QUJD' } }]);
  expect(leg).toStrictEqual({
    ...browserLeg({ options: { challenge: 'AA' }, response: RESPONSE, software: { persona: 'titan', tamper: undefined } }),
    honest: undefined,
  });
  expect(aborted).toBe(false);
  expect(app.store.get().runs[0]?.legs).toStrictEqual([leg]);
});

test('without a persona none is asked for; what a purpose says comes before the choice of the page', async () => {
  const { app, asked } = tabWith(200, { response: RESPONSE }, { answerWith: 'titan' });
  const run = app.runs.begin('Break it', 'authentication', { waits: true });
  const tamper = { id: 'login.signature-bit', title: '', inBrowser: true };
  const { leg } = await ask(app, run, { call: 'get', options: {}, tamper, answerWith: 'plain' });
  expect(asked[0]?.body).toStrictEqual({ options: {}, tamper: 'login.signature-bit' });
  expect(leg.software).toStrictEqual({ persona: 'plain', tamper: 'login.signature-bit' });
});

test('what this browser cannot sign is answered by the software authenticator', async () => {
  const { app } = tabWith(200, { response: RESPONSE }, { answerWith: 'browser' });
  const run = app.runs.begin('Break it', 'authentication', { waits: true });
  const tamper = { id: 'login.other-key', title: '', inBrowser: false };
  const { leg } = await ask(app, run, { call: 'get', options: {}, tamper });
  expect(leg.software).toStrictEqual({ persona: 'plain', tamper: 'login.other-key' });
});

const DETAIL = 'A browser would refuse these options with InvalidStateError: One is here. Remove it.';

test.each([
  [422, 'options_refused', DETAIL, 'InvalidStateError', 'One is here. Remove it.'],
  [422, 'options_refused', 'In other words.', 'options_refused', 'In other words.'],
  [422, 'not_applicable', 'It has no counter.', 'not_applicable', 'It has no counter.'],
  [500, 'internal_error', 'A mistake: of ours.', 'internal_error', 'A mistake: of ours.'],
])('%d %s, “%s”: the server explains %s and keeps it', async (status, code, detail, name, message) => {
  const explanation = { title: 'Explained', causes: ['A cause.'], next: 'Go on.' };
  const { app, asked } = tab({
    answer: (path) =>
      path === '/dev/answer' ? { status, answer: { code, title: 'Title', detail } } : { status: 200, answer: explanation },
    state: { answerWith: 'titan' },
  });
  const run = app.runs.begin('Register', 'registration', { waits: true });
  const options = { challenge: 'AA', excludeCredentials: [] };
  const { leg } = await ask(app, run, { call: 'create', options });
  expect(leg).toMatchObject({ response: undefined, error: { name, message, explanation } });
  const here = { origin: 'http://localhost:7277', signalled: false, secure_context: true, permitted: null, framed: false, focused: true };
  const software = { persona: 'titan', tamper: null };
  expect(asked.slice(1)).toEqual([
    { path: '/dev/browser-error', body: { name, message, call: 'create', options, milliseconds: 1, software: true, ...here } },
    { path: '/dev/stream/browser', body: { challenge: 'AA', call: 'create', error: name, message, milliseconds: 1, software } },
  ]);
});

test('a refusal without a code or a detail says what there is, of a call without a dialog as well', async () => {
  const { app, asked } = tabWith(500, { title: 'Oh' }, { answerWith: 'titan' });
  const run = app.runs.begin('Log in', 'authentication', { waits: true });
  const tamper = { id: 'login.other-key', title: '', inBrowser: false };
  const { leg } = await ask(app, run, { call: 'get', options: { challenge: 'AA' }, mediation: 'conditional', tamper });
  expect(leg.error).toMatchObject({ name: 'internal_error', message: '500: Oh' });
  expect(asked[0]?.body).toMatchObject({ mediation: 'conditional', tamper: tamper.id });
  expect(asked[1]?.body).toMatchObject({ name: 'internal_error', message: '500: Oh', call: 'get', mediation: 'conditional' });
  expect(asked[2]?.body).toMatchObject({ software: { persona: 'titan', tamper: tamper.id } });
});

test.each([
  ['A browser would refuse these options with InvalidStateError', 'options_refused'],
  ['It would refuse: these.', 'options_refused'],
  [DETAIL, 'validation_failed'],
])('a detail that names no exception is the message: %s (%s)', async (detail, code) => {
  const { app } = tabWith(422, { code, title: 'Title', detail }, { answerWith: 'titan' });
  const { leg } = await ask(app, app.runs.begin('Register', 'registration'), { call: 'create', options: {} });
  expect([leg.error?.name, leg.error?.message]).toEqual([code, detail]);
});

test.each([
  [{ response: RESPONSE, honest: { id: 'AB' } }, 200, RESPONSE, { id: 'AB' }],
  [{ response: RESPONSE, honest: 'AB' }, 200, RESPONSE, undefined],
  [{ response: 'AA' }, 200, undefined, undefined],
  [{ response: RESPONSE }, 400, undefined, undefined],
])('in the answer %j of the software authenticator (%i) is its response', async (answer, status, response, honest) => {
  const { app } = tabWith(status, answer);
  const { leg } = await ask(app, app.runs.begin('Log in', 'authentication'), { call: 'get', options: {} });
  expect([leg.response, leg.honest]).toEqual([response, honest]);
});

test('an answer without a response is an unexpected one', async () => {
  const { app, asked } = tabWith(200, {});
  const { leg } = await ask(app, app.runs.begin('Register', 'registration'), { call: 'create', options: {} });
  expect(leg.error?.name).toBe('internal_error');
  expect(asked[1]).toMatchObject({ path: '/dev/browser-error', body: { name: 'internal_error', software: true } });
});

test('cancelled while the software authenticator works: aborted, and no refusal', async () => {
  const { app } = tab({
    answer: (_path, _method, signal) =>
      new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ status: undefined, answer: undefined, failure: 'Cancelled.' }));
      }),
  });
  const run = app.runs.begin('Register', 'registration', { waits: true });
  const asking = ask(app, run, { call: 'create', options: {} });
  app.runs.cancel();
  const explanation = { title: 'Ended by this page', causes: ['You cancelled it.'], next: 'Begin it again when you like.' };
  const error = { name: 'AbortError', message: 'Cancelled.', explanation };
  const leg = browserLeg({ call: 'create', response: undefined, error, software: { persona: 'plain', tamper: undefined } });
  expect(await asking).toStrictEqual({ aborted: true, leg });
  expect(app.store.get().runs[0]?.legs).toStrictEqual([leg]);
});

test('without a server, it says so, and reports nothing', async () => {
  const { app, asked } = tab({ answer: () => GONE, state: { answerWith: 'titan' } });
  const options = { challenge: 'AA' };
  const { leg } = await ask(app, app.runs.begin('Log in', 'authentication'), { call: 'get', options, mediation: 'conditional' });
  expect(asked).toStrictEqual([{ path: '/dev/answer', body: { options, mediation: 'conditional', persona: 'titan' } }]);
  expect(leg).toEqual({
    kind: 'browser',
    call: 'get',
    mediation: 'conditional',
    options,
    milliseconds: 1,
    software: { persona: 'titan', tamper: undefined },
    response: undefined,
    error: {
      name: 'NetworkError',
      message: 'The server did not answer.',
      explanation: {
        title: 'The server did not answer',
        causes: ['The server did not answer.'],
        next: 'Start `passkey serve` again, then repeat it.',
      },
    },
  });
});

describe('the response of this browser', () => {
  const OPTIONS = { challenge: 'AA', timeout: 5 };
  const OWN = browserLeg({ options: OPTIONS, response: RESPONSE, milliseconds: 7.6 });
  const tamper = { id: 'login.origin-other-port', title: 'another port', inBrowser: true };
  const REPORT = { challenge: 'AA', call: 'get', error: null, message: null, milliseconds: 8 };

  async function askBrowser({ answer = GONE, leg = OWN, aborted = false, request = {}, state = {} }: Partial<AskedBrowser> = {}) {
    const calls = { run: async () => ({ leg, aborted }), abort: async () => {} };
    const opened = tab({ answer: () => answer, state: { answerWith: 'browser', ...state }, calls });
    const run = opened.app.runs.begin('Log in', 'authentication', { waits: true });
    if (aborted) opened.store.watch(({ waiting }) => waiting?.phase === 'browser' && cancels && opened.app.runs.cancel(), ['waiting']);
    const asked = await ask(opened.app, run, { call: 'get', options: OPTIONS, ...request });
    return { ...asked, asked: opened.asked, legs: opened.store.get().runs[0]?.legs, waiting: opened.store.get().waiting };
  }
  let cancels = false;
  interface AskedBrowser {
    readonly aborted: boolean;
    readonly answer: Answer;
    readonly leg: typeof OWN;
    readonly request: Partial<Parameters<typeof ask>[2]>;
    readonly state: Partial<AppState>;
  }

  test('is reported to the server, which lends its authenticator, and to no other', async () => {
    const { leg, asked, legs, aborted, waiting } = await askBrowser();
    expect([leg, legs, aborted]).toEqual([OWN, [OWN], false]);
    // The time that its options give it.
    expect(waiting).toMatchObject({ phase: 'browser', since: 0, until: 5 });
    expect((await askBrowser({ request: { options: {} } })).waiting).toMatchObject({ phase: 'browser', until: undefined });
    expect(asked).toStrictEqual([{ path: '/dev/stream/browser', body: REPORT }]);
    expect((await askBrowser({ state: { server: { ...SERVER, local: false } } })).asked).toEqual([]);
    expect((await askBrowser({ leg: { ...OWN, options: {} } })).asked).toEqual([]);
  });

  test('is broken by the server, and reported as it was', async () => {
    const { leg, asked, legs } = await askBrowser({ answer: { status: 200, answer: { response: { id: 'BB' } } }, request: { tamper } });
    expect(leg).toEqual({ ...OWN, response: { id: 'BB' }, honest: RESPONSE, software: { persona: undefined, tamper: tamper.id } });
    expect(legs).toEqual([leg]);
    expect(asked).toStrictEqual([
      { path: '/dev/tamper', body: { id: tamper.id, options: OPTIONS, response: RESPONSE } },
      { path: '/dev/stream/browser', body: REPORT },
    ]);
  });

  test.each<[string, Answer, string, string, string]>([
    ['the server is gone', GONE, 'NetworkError', 'The server did not answer', 'The server did not answer.'],
    [
      'it does not fit',
      { status: 422, answer: { code: 'not_applicable', title: 'No.', detail: 'It has no counter.' } },
      'not_applicable',
      'This mistake cannot be made here',
      'It has no counter.',
    ],
    [
      'the server fails',
      { status: 500, answer: { code: 'internal_error', title: 'No.', detail: 'Oh.' } },
      'internal_error',
      'The response could not be changed',
      'Oh.',
    ],
    [
      'the answer has none',
      { status: 200, answer: {} },
      'internal_error',
      'The response could not be changed',
      '200: The server gave no reason.',
    ],
  ])('is not broken where %s', async (_, answer, name, title, cause) => {
    const { leg } = await askBrowser({ answer, request: { tamper } });
    expect(leg).toMatchObject({ response: undefined, software: { persona: undefined, tamper: tamper.id }, error: { name } });
    expect(leg.error?.explanation).toMatchObject({ title, causes: [cause] });
    expect(leg.error?.message).toContain(cause);
  });

  test('that another call of the page ended is none of the run, but one that the user ended is', async () => {
    expect(await askBrowser({ aborted: true })).toMatchObject({ aborted: true, legs: [] });
    cancels = true;
    expect(await askBrowser({ aborted: true })).toMatchObject({ aborted: true, legs: [OWN] });
    cancels = false;
  });

  test('that never came is not broken', async () => {
    const error = { name: 'NotAllowedError', message: 'Timed out.', explanation: { title: '', causes: [], next: '' } };
    const { leg, asked } = await askBrowser({ leg: { ...OWN, response: undefined, error }, request: { tamper } });
    expect(leg.error).toEqual(error);
    expect(asked).toStrictEqual([{ path: '/dev/stream/browser', body: { ...REPORT, error: 'NotAllowedError', message: 'Timed out.' } }]);
  });
});

test('where the server lends no software authenticator, the browser answers, whatever was chosen before', () => {
  expect(findAnswerer({ answerWith: 'titan', server: SERVER })).toBe('titan');
  expect(findAnswerer({ answerWith: 'titan', server: { ...SERVER, local: false } })).toBe('browser');
  expect(findAnswerer({ answerWith: 'titan', server: undefined })).toBe('browser');
});
