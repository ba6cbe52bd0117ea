import type { BrowserLeg, HttpLeg, Run } from '../../src/page/run.js';

/** A request to log in that was answered. */
export function httpLeg(change: Partial<HttpLeg> = {}): HttpLeg {
  return {
    kind: 'http',
    requestId: 'page-1',
    method: 'POST',
    path: '/api/passkeys/login',
    body: undefined,
    bearer: false,
    status: 200,
    answer: {},
    failure: undefined,
    milliseconds: 1,
    ...change,
  };
}

/** A login that the browser answered. */
export function browserLeg(change: Partial<BrowserLeg> = {}): BrowserLeg {
  return {
    kind: 'browser',
    call: 'get',
    mediation: undefined,
    options: {},
    response: {},
    error: undefined,
    milliseconds: 1,
    software: undefined,
    ...change,
  };
}

/** A login of this tab that was verified. */
export function loginRun(change: Partial<Run> = {}): Run {
  return {
    id: 1,
    title: 'Log in',
    kind: 'authentication',
    startedAt: 0,
    legs: [],
    outcome: 'verified',
    summary: '',
    offer: undefined,
    ...change,
  };
}
