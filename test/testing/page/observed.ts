import type { AnswerObservation, CallObservation, Observation, PageObservation, SentRequest } from '../../../src/testing/page/driver.js';
import type { Baseline, Run } from '../../../src/testing/page/judges.js';
import { findRoles } from '../../../src/testing/page/trace.js';

// What a driver observes, in short: a list of events is a run of a page.

export const press: Observation = { kind: 'press' };
export const document: Observation = { kind: 'document', url: 'https://shop.example/' };

export const call = (number: number, more: Partial<CallObservation> = {}): Observation => ({
  kind: 'call',
  call: number,
  method: 'get',
  hasField: true,
  options: { challenge: `challenge-${number}` },
  ...more,
});
export const conditional = (number: number, more: Partial<CallObservation> = {}): Observation =>
  call(number, { mediation: 'conditional', ...more });
export const failed = (number: number, error = 'NotAllowedError'): Observation => ({ kind: 'ended', call: number, error });
export const aborted = (number: number): Observation => ({ kind: 'aborted', call: number });

/** The response of an authenticator, which no other response shares a part with. */
export const response = (number: number, more: object = {}) => ({
  id: `credential-${number}`,
  response: { clientDataJSON: `client-data-${number}`, signature: `signature-${number}`, ...more },
});
export const answered = (number: number, more: object = {}): Observation => ({
  kind: 'ended',
  call: number,
  response: response(number, more),
});

export const request = (id: number, more: Partial<SentRequest> = {}): Observation => ({
  kind: 'request',
  id,
  method: 'POST',
  url: 'https://shop.example/log',
  headers: {},
  body: '',
  isNavigation: false,
  origin: 'https://shop.example',
  ...more,
});
export const options = (id: number, more: Partial<SentRequest> = {}): Observation =>
  request(id, { url: 'https://shop.example/options', ...more });
/** Sends the response of a call. */
export const verify = (id: number, number: number, more: Partial<SentRequest> = {}): Observation =>
  request(id, { url: 'https://shop.example/verify', body: JSON.stringify(response(number)), ...more });
export const answer = (to: number, status = 200, more: Partial<AnswerObservation> = {}): Observation => ({
  kind: 'answer',
  request: to,
  status,
  headers: {},
  body: undefined,
  sentCookie: undefined,
  ...more,
});
/** The answer to a request for options. */
export const offer = (to: number, number: number, more: object = {}): Observation =>
  answer(to, 200, { body: JSON.stringify({ challenge: `challenge-${number}`, ...more }) });

export const signal = (name: string, argument: Extract<PageObservation, { kind: 'signal' }>['argument'] = {}): Observation => ({
  kind: 'signal',
  name,
  argument,
});
export const uncaught = (text: string): Observation => ({ kind: 'uncaught', text });
export const dialog = (text: string): Observation => ({ kind: 'dialog', text });

/** Marks the beginning of the second attempt in a list of events. */
export const AGAIN = 'again';
/** Marks the end of the time in which requests are counted. */
export const WATCHED = 'watched';
export type Event = Observation | typeof AGAIN | typeof WATCHED;

/** A login that succeeds. */
export const LOGIN: readonly Observation[] = [document, press, options(1), offer(1, 1), call(1), answered(1), verify(2, 1), answer(2)];

const listObservations = (events: readonly Event[]): Observation[] => events.filter((event) => typeof event !== 'string');

export function baselineOf(observations: readonly Observation[]): Baseline {
  const trigger = observations.findLastIndex(({ kind }) => kind === 'press');
  const presses = observations.filter(({ kind }) => kind === 'press').length;
  return { observations, trigger, presses, roles: findRoles(observations, trigger) };
}

/** The run of a case with these events; its last click before the second attempt is the trigger. */
export function runOf(events: readonly Event[], more: Partial<Run> = {}): Run {
  const observations = listObservations(events);
  const indexOf = (mark: Event) => (events.includes(mark) ? listObservations(events.slice(0, events.indexOf(mark))).length : undefined);
  const again = indexOf(AGAIN) ?? observations.length;
  return {
    observations,
    trigger: observations.slice(0, again).findLastIndex(({ kind }) => kind === 'press'),
    watched: indexOf(WATCHED) ?? Number.POSITIVE_INFINITY,
    again,
    isPressed: again < observations.length,
    control: { exists: true, isDisabled: false, isBusy: false, hasLostInput: false },
    baseline: baselineOf(LOGIN),
    ...more,
  };
}
