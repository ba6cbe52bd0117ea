import { describe, expect, test } from 'vitest';
import {
  AUTOFILL_NOT_REARMED,
  addDescriptor,
  CALLED_WITH_ERROR,
  CHALLENGE_KEPT,
  CHALLENGE_REUSED,
  CONDITIONAL_UNCHECKED,
  CONTROL_STUCK,
  DOUBLE,
  EXCLUDE_LOST,
  editOptions,
  HONEST,
  type Judge,
  RATE_LIMIT_IGNORED,
  REJECTION_UNHANDLED,
  RETRY_LOOP,
  type Run,
  SECOND_ATTEMPT_DEAD,
  SENT_WITHOUT_RESPONSE,
  SIGNAL_REMOVAL,
  SIGNAL_RENAME,
  SIGNAL_UNKNOWN,
  SIGNAL_UNKNOWN_AFTER_FAILURE,
  TRANSPORTS_DROPPED,
  TRANSPORTS_SENT,
  whyFailed,
  withoutComplaint,
} from '../../../src/testing/page/judges.js';
import {
  AGAIN,
  aborted,
  answer,
  answered,
  baselineOf,
  call,
  conditional,
  dialog,
  document,
  type Event,
  failed,
  LOGIN,
  offer,
  options,
  press,
  request,
  response,
  runOf,
  signal,
  uncaught,
  verify,
  WATCHED,
} from './observed.js';

type Verdict = ReturnType<Judge['judge']>;
type Row = readonly [title: string, events: readonly Event[], verdict: Verdict, more?: Partial<Run>];

const shown = (text: string): Verdict => ({ shown: text });
const unjudged = (text: string): Verdict => ({ unjudged: text });
const FINE: Verdict = undefined;

/** Tests of one judge: in the run with these events it comes to this verdict. */
function judges(name: string, { cause, judge }: Judge, rows: readonly Row[]): void {
  describe(`the judge of ${name}`, () => {
    test.for(rows)('%s', ([, events, verdict, more = {}]) => {
      expect({ cause, verdict: judge(runOf(events, more)) }).toEqual({ cause: name, verdict });
    });
  });
}

/** A judge of a list, by its cause. */
function find(list: readonly Judge[], name: string): Judge {
  const found = list.find(({ cause }) => cause === name);
  if (found === undefined) throw new Error(`Expected a judge of ${name}.`);
  return found;
}

const times = (number: number, event: (index: number) => readonly Event[]): Event[] =>
  Array.from({ length: number }, (_, index) => event(index + 1)).flat();
const control = { exists: true, isDisabled: false, isBusy: false, hasLostInput: false };

judges('control-stuck', CONTROL_STUCK, [
  ['it can be used', [press], FINE],
  ['it is disabled', [press], shown('it is disabled'), { control: { ...control, isDisabled: true } }],
  ['it is busy', [press], shown('it is busy'), { control: { ...control, isBusy: true } }],
  ['it is both', [press], shown('it is disabled'), { control: { ...control, isDisabled: true, isBusy: true } }],
  ['a field is empty', [press], FINE, { control: { ...control, hasLostInput: true } }],
  [
    'it is gone',
    [press],
    unjudged('The control is gone after the first attempt.'),
    { control: { ...control, exists: false, isDisabled: true } },
  ],
]);

const EMPTIED = 'The page emptied a field after the first attempt, which the second click does not fill in.';
judges('second-attempt-dead', SECOND_ATTEMPT_DEAD, [
  ['a call', [press, call(1), failed(1), AGAIN, press, call(2)], FINE],
  ['a call at once', [press, call(1), failed(1), AGAIN, call(2)], FINE],
  ['no call', [press, call(1), failed(1), AGAIN, press], shown('no call')],
  ['the control is gone', [press, AGAIN, press], FINE, { control: { ...control, exists: false } }],
  ['the control is disabled', [press, AGAIN, press], FINE, { control: { ...control, isDisabled: true } }],
  ['it could not be clicked', [press, AGAIN], unjudged('Something covers the control after the first attempt.'), { isPressed: false }],
  ['a field is empty', [press, AGAIN, press], unjudged(EMPTIED), { control: { ...control, hasLostInput: true } }],
  ['a field is empty, and a call', [press, AGAIN, press, call(2)], FINE, { control: { ...control, hasLostInput: true } }],
  ['a page whose only call is autofill', [press, AGAIN, press], FINE, { baseline: baselineOf([press, conditional(1), answered(1)]) }],
  ['a page that calls before its click', [press, AGAIN, press], FINE, { baseline: baselineOf([call(1), answered(1), press]) }],
  [
    'a request of the honest run, and no call',
    [press, options(1), AGAIN, options(2), answer(2, 409)],
    unjudged('The second click sent POST /options, which was answered with 409, and led to no call.'),
  ],
  [
    'a request of the honest run without an answer',
    [press, AGAIN, press, verify(2, 7)],
    unjudged('The second click sent POST /verify, which was answered with 0, and led to no call.'),
  ],
  ['the request was of the first attempt', [press, options(1), answer(1, 409), AGAIN, press], shown('no call')],
  ['another request', [press, AGAIN, press, request(1)], shown('no call')],
  ['the request of another address', [press, AGAIN, press, options(1, { url: 'https://shop.example/other' })], shown('no call')],
  [
    'a request that the honest run had before its click alone',
    [press, AGAIN, press, request(3)],
    shown('no call'),
    { baseline: baselineOf([request(9), ...LOGIN]) },
  ],
]);

const SHARED = baselineOf([press, verify(1, 9, { body: '{"query":"x"}' }), offer(1, 1), call(1), answered(1), verify(2, 1), answer(2)]);
judges('sent-without-response', SENT_WITHOUT_RESPONSE, [
  ['nothing', [press, call(1), failed(1)], FINE],
  ['a verification without members', [press, call(1), failed(1), verify(2, 1, { body: '' })], shown('POST /verify')],
  ['one with some of its members', [press, call(1), failed(1), verify(2, 1, { body: '{"id":"x"}' })], shown('POST /verify')],
  ['one with a member of its own', [press, call(1), failed(1), verify(2, 1, { body: '{"id":"x","error":"y"}' })], FINE],
  ['one with an empty member of its own', [press, call(1), failed(1), verify(2, 1, { body: '{"error":""}' })], shown('POST /verify')],
  ['before the call', [press, verify(2, 1, { body: '' }), call(1), failed(1)], FINE],
  ['before the click', [verify(2, 1, { body: '' }), press, call(1), failed(1)], FINE],
  ['in the second attempt', [press, call(1), failed(1), AGAIN, verify(2, 1, { body: '' })], FINE],
  ['to another address', [press, call(1), failed(1), request(2)], FINE],
  ['the call did not fail', [press, call(1), verify(2, 1, { body: '' })], FINE],
  ['another call got a response', [press, call(1), failed(1), call(2), answered(2), verify(2, 1, { body: '' })], FINE],
  [
    'another call gets a response in the second attempt',
    [press, call(1), failed(1), verify(2, 1, { body: '' }), AGAIN, call(2), answered(2)],
    shown('POST /verify'),
  ],
  ['the honest run sends none', [press, call(1), failed(1), verify(2, 1)], FINE, { baseline: baselineOf([press, call(1), answered(1)]) }],
  ['at an address for everything, another body', [press, call(1), failed(1), verify(2, 1, { body: '{}' })], FINE, { baseline: SHARED }],
  ['at an address for everything, the same body', [press, call(1), failed(1), verify(2, 5)], shown('POST /verify'), { baseline: SHARED }],
]);

judges('retry-loop', RETRY_LOOP, [
  ['two calls', [press, ...times(2, (number) => [call(number), failed(number)])], FINE],
  ['three', [press, ...times(3, (number) => [call(number), failed(number)])], shown('3 calls for one click')],
  ['three conditional ones', [press, ...times(3, (number) => [conditional(number)])], FINE],
  ['three, one before the click', [call(3), press, ...times(2, (number) => [call(number)])], FINE],
  ['three, one in the second attempt', [press, ...times(2, (number) => [call(number)]), AGAIN, call(3)], FINE],
  ['eight requests for options', [press, ...times(8, (id) => [options(id)])], FINE],
  ['nine', [press, ...times(9, (id) => [options(id)])], shown('9 requests for one click')],
  ['nine verifications', [press, ...times(9, (id) => [verify(id, id)])], shown('9 requests for one click')],
  ['eight of each', [press, ...times(8, (id) => [options(id), verify(id + 20, id)])], FINE],
  ['nine, one before the click', [options(9), press, ...times(8, (id) => [options(id)])], FINE],
  ['nine, one in the second attempt', [press, ...times(8, (id) => [options(id)]), AGAIN, options(9)], FINE],
  ['nine of another kind', [press, ...times(9, (id) => [request(id)])], FINE],
]);

const limited = (id: number): readonly Event[] => [options(id), answer(id, 429)];
judges('rate-limit-ignored', RATE_LIMIT_IGNORED, [
  ['two requests', [press, ...times(2, limited)], FINE],
  ['three', [press, ...times(3, limited)], shown('3 requests')],
  ['three, of which one was answered otherwise', [press, ...times(2, limited), options(3), answer(3, 503)], FINE],
  ['three, one without an answer', [press, ...times(2, limited), options(3)], FINE],
  ['three, one after the time', [press, ...times(2, limited), WATCHED, ...limited(3)], FINE],
  ['three in the time', [press, ...times(3, limited), WATCHED, ...limited(4)], shown('3 requests')],
  ['three, one in the second attempt', [press, ...times(2, limited), AGAIN, ...limited(3)], FINE],
  ['three, one after a dialog', [press, ...times(2, limited), dialog('Again?'), ...limited(3)], FINE],
  ['three before a dialog', [press, ...times(3, limited), dialog('Again?'), ...limited(4)], shown('3 requests')],
  ['three after a dialog before the click', [dialog('Welcome'), press, ...times(3, limited)], shown('3 requests')],
  ['a dialog after the time', [press, ...times(2, limited), WATCHED, ...limited(3), dialog('Again?')], FINE],
  ['a dialog before the time is over', [press, ...times(2, limited), dialog('Again?'), ...limited(3), WATCHED], FINE],
]);

judges('called-with-error', CALLED_WITH_ERROR, [
  ['no call', [press], FINE],
  ['a call of get()', [press, call(1)], shown('a call of get()')],
  ['a call of create()', [press, call(1, { method: 'create' }), call(2)], shown('a call of create()')],
  ['a conditional one', [press, conditional(1)], FINE],
  ['one in the second attempt', [press, AGAIN, call(1)], FINE],
  ['one before the click', [call(1), press], FINE],
]);

const REUSED = shown('create() with the challenge of a response that was sent before');
const second = call(2, { method: 'create', options: { challenge: 'challenge-1' } });
judges('challenge-reused', CHALLENGE_REUSED, [
  ['the challenge of a response that was sent', [call(1), answered(1), verify(1, 1), answer(1, 500), second], REUSED],
  ['and that was not answered yet', [call(1), answered(1), verify(1, 1), second], REUSED],
  ['and that did not reach the server', [call(1), answered(1), verify(1, 1), answer(1, 0), second], FINE],
  ['and that was sent later', [call(1), answered(1), second, verify(1, 1), answer(1)], FINE],
  ['that was not sent', [call(1), answered(1), request(1), answer(1), second], FINE],
  ['another challenge', [call(1), answered(1), verify(1, 1), answer(1), call(2)], FINE],
  ['a call that failed', [call(1), failed(1), verify(1, 1), answer(1), second], FINE],
  ['no challenges', [call(1, { options: {} }), answered(1), verify(1, 1), answer(1), call(2, { options: {} })], FINE],
  ['the ID was sent before the response was there', [call(1), verify(1, 1), answered(1), answer(1), second], FINE],
]);
test('the judge of honest runs looks for challenges that are used again', () => {
  expect(HONEST).toContain(CHALLENGE_REUSED);
});

const kept = (number: number, challenge: string) => call(number, { options: { challenge } });
judges('challenge-kept', CHALLENGE_KEPT, [
  ['another challenge', [press, kept(1, 'a'), AGAIN, kept(2, 'b')], FINE],
  ['the same', [press, kept(1, 'a'), AGAIN, kept(2, 'a')], shown('the challenge of the first attempt')],
  ['the same as of a retry', [press, kept(1, 'a'), kept(2, 'b'), AGAIN, kept(3, 'b')], shown('the challenge of the first attempt')],
  ['the same within the first attempt', [press, kept(1, 'a'), kept(2, 'a'), AGAIN, kept(3, 'b')], FINE],
  ['the second call of the second attempt', [press, kept(1, 'a'), AGAIN, kept(2, 'b'), kept(3, 'a')], FINE],
  ['autofill with it before', [press, conditional(1, { options: { challenge: 'a' } }), AGAIN, kept(2, 'a')], FINE],
  ['autofill with it after', [press, kept(1, 'a'), AGAIN, conditional(2, { options: { challenge: 'a' } })], FINE],
  ['none at all', [press, call(1, { options: {} }), AGAIN, call(2, { options: {} })], FINE],
  ['no second call', [press, call(1, { options: {} }), AGAIN, press], FINE],
]);

judges('signal-unknown-after-failure', SIGNAL_UNKNOWN_AFTER_FAILURE, [
  ['a call', [press, signal('signalUnknownCredential')], shown('a call of signalUnknownCredential()')],
  ['before the click', [signal('signalUnknownCredential'), press], FINE],
  ['another signal', [press, signal('signalAllAcceptedCredentials')], FINE],
]);

judges('rejection-unhandled', REJECTION_UNHANDLED, [
  ['nothing', [press, call(1)], FINE],
  ['an exception', [press, uncaught('Error: a'), uncaught('Error: b')], shown('Error: a')],
  ['a rejection', [press, { kind: 'rejection', text: 'Error: r' }], shown('Error: r')],
  ['one of the honest run', [uncaught('Error: 12 of 3'), press], FINE, { baseline: baselineOf([uncaught('Error: 7 of 40'), ...LOGIN]) }],
  ['another', [uncaught('Error: 7'), uncaught('Error: b')], shown('Error: b'), { baseline: baselineOf([uncaught('Error: 1'), press]) }],
  ['no call', [press], FINE],
]);

const NEITHER = unjudged('The page neither requested options nor made a call.');
judges('future-values', withoutComplaint('future-values', true), [
  ['a call', [press, call(1)], FINE],
  ['an exception', [press, call(1), uncaught('Error: a')], shown('Error: a')],
  ['no call', [press, options(1)], shown('no call')],
  ['autofill alone', [press, options(1), conditional(1)], shown('no call')],
  ['a call before the click', [call(1), press, options(1)], shown('no call')],
  ['no request for options', [press, request(1)], NEITHER],
  ['options before the click', [options(1), press], NEITHER],
  ['a page of autofill', [press, options(1)], FINE, { baseline: baselineOf([press, conditional(1), answered(1)]) }],
  ['a page that called before its click', [press, options(1)], FINE, { baseline: baselineOf([call(1), press, answered(1)]) }],
]);
judges('without-webauthn', withoutComplaint('without-webauthn', false), [['no call', [press, options(1)], FINE]]);

const FILLED = { baseline: baselineOf([conditional(5), press, aborted(5), call(1), answered(1)]) };
judges('autofill-not-rearmed', AUTOFILL_NOT_REARMED, [
  ['none', [press, call(1), failed(1)], shown('none'), FILLED],
  ['one', [press, call(1), failed(1), conditional(2)], FINE, FILLED],
  ['one in the second attempt', [press, call(1), failed(1), AGAIN, conditional(2)], shown('none'), FILLED],
  ['one before the failure', [press, conditional(2), call(1), failed(1)], shown('none'), FILLED],
  ['a conditional create()', [press, call(1), failed(1), conditional(2, { method: 'create' })], shown('none'), FILLED],
  ['the call did not fail', [press, call(1), answered(1)], FINE, FILLED],
  ['it was autofill that failed', [press, conditional(1), failed(1)], FINE, FILLED],
  ['it fails in the second attempt', [press, AGAIN, call(1), failed(1)], FINE, FILLED],
  ['a page without', [press, call(1), failed(1)], FINE],
  [
    'a page that begins it after the click',
    [press, call(1), failed(1)],
    FINE,
    { baseline: baselineOf([press, conditional(1), answered(1)]) },
  ],
]);

judges('conditional-unchecked', CONDITIONAL_UNCHECKED, [
  ['a conditional call', [conditional(1), press], shown('a conditional call')],
  ['a modal call', [press, call(1)], FINE],
  ['a conditional create()', [press, conditional(1, { method: 'create' })], FINE],
]);

const ABORT_FIRST = shown('a modal call while it was pending');
judges('conditional-not-aborted', find(HONEST, 'conditional-not-aborted'), [
  ['a modal call beside autofill', [conditional(1), press, call(2), aborted(1)], ABORT_FIRST],
  ['autofill was aborted', [conditional(1), press, aborted(1), call(2)], FINE],
  ['autofill ended', [conditional(1), answered(1), call(2)], FINE],
  ['in another document', [conditional(1), document, call(2)], FINE],
  ['autofill twice, then a modal call', [conditional(1), conditional(2), call(3)], FINE],
  ['a modal call, then autofill twice', [conditional(1), call(2), conditional(3)], ABORT_FIRST],
  ['autofill beside a modal call', [call(1), conditional(2)], FINE],
  ['a modal call beside a conditional create()', [conditional(1, { method: 'create' }), call(2)], FINE],
]);
judges('conditional-twice', find(HONEST, 'conditional-twice'), [
  ['twice', [conditional(1), conditional(2)], shown('another one while it was pending')],
  ['one after the other', [conditional(1), aborted(1), conditional(2)], FINE],
  ['a modal call beside it', [conditional(1), call(2)], FINE],
  ['a modal call first', [conditional(1), call(2), conditional(3)], FINE],
]);
judges('autocomplete-missing', find(HONEST, 'autocomplete-missing'), [
  ['no field', [conditional(1, { hasField: false })], shown('no such field')],
  ['a field', [conditional(1)], FINE],
  ['a field later', [conditional(1, { hasField: false }), { kind: 'field' }], FINE],
  ['a modal call', [call(1, { hasField: false })], FINE],
  ['a modal call with a field', [call(1), conditional(2, { hasField: false })], shown('no such field')],
]);

const inUrl = (number: number) => `https://shop.example/log?r=${encodeURIComponent(JSON.stringify(response(number)))}`;
judges('response-in-url', find(HONEST, 'response-in-url'), [
  ['in a URL', [call(1), answered(1), request(2, { url: inUrl(1), method: 'GET' })], shown('GET /log')],
  ['in a body', [call(1), answered(1), verify(2, 1)], FINE],
  ['another in a URL', [call(1), answered(1), request(2, { url: inUrl(2) })], FINE],
  ['its ID in a URL', [call(1), answered(1), request(2, { url: 'https://shop.example/log/credential-1' })], FINE],
  ['of a call that failed', [call(1), failed(1), request(2, { url: inUrl(1) })], FINE],
]);

const sends = (body: unknown): readonly Event[] => [press, call(1), answered(1), verify(2, 1, { body: JSON.stringify(body) })];
const EMPTY = shown('{} in POST /verify');
judges('buffers-empty', find(HONEST, 'buffers-empty'), [
  ...['rawId', 'clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle'].map(
    (name): Row => [`${name} is empty`, sends({ [name]: {} }), EMPTY],
  ),
  ['within', sends({ response: [{ signature: {} }] }), EMPTY],
  ['in JSON in JSON', sends({ credential: JSON.stringify({ response: { signature: {} } }) }), EMPTY],
  ['text that begins like it', sends({ credential: '{ signature: {}' }), FINE],
  ['bytes', sends({ signature: { 0: 1 }, rawId: 'x', userHandle: null, clientDataJSON: 7 }), FINE],
  ['another member', sends({ clientExtensionResults: {}, list: null }), FINE],
  ['a number', sends(7), FINE],
  ['before the call', [press, verify(2, 1, { body: '{"rawId":{}}' }), call(1), answered(1)], FINE],
  ['of a call before the click', [call(1), answered(1), press, verify(2, 1, { body: '{"rawId":{}}' })], FINE],
  ['without a response', [press, call(1), failed(1), verify(2, 1, { body: '{"rawId":{}}' })], FINE],
]);

const elsewhere = (path: string) => ({ url: `https://api.example/${path}` });
const SET = { headers: { 'set-cookie': 'a=1' } };
const across = (first: Event, last: Event, url = elsewhere('verify')): readonly [readonly Event[], Partial<Run>] => {
  const events = [press, options(1, elsewhere('options')), first, call(1), answered(1), verify(2, 1, url), last];
  return [events, { baseline: baselineOf(runOf(events).observations) }];
};
const cookieRow = (title: string, verdict: Verdict, ...given: Parameters<typeof across>): Row => {
  const [events, more] = across(...given);
  return [title, events, verdict, more];
};
judges('cookie-missing', find(HONEST, 'cookie-missing'), [
  cookieRow('it is not sent', shown('no cookie'), answer(1, 200, SET), answer(2, 400, { sentCookie: false })),
  cookieRow('it is sent', FINE, answer(1, 200, SET), answer(2, 400, { sentCookie: true })),
  cookieRow('the browser does not say', FINE, answer(1, 200, SET), answer(2, 400)),
  cookieRow('the server accepts', FINE, answer(1, 200, SET), answer(2, 399, { sentCookie: false })),
  cookieRow('there is no answer', FINE, answer(1, 200, SET), answer(7, 400, { sentCookie: false })),
  cookieRow('it was not set', FINE, answer(1, 200), answer(2, 400, { sentCookie: false })),
  cookieRow('the options are not answered', FINE, answer(7, 200, SET), answer(2, 400, { sentCookie: false })),
  cookieRow('of the same origin', FINE, answer(1, 200, SET), answer(2, 400, { sentCookie: false }), {
    url: 'https://shop.example/verify',
  }),
  cookieRow('of a third origin', FINE, answer(1, 200, SET), answer(2, 400, { sentCookie: false }), {
    url: 'https://other.example/verify',
  }),
  [
    'it was set later',
    [press, call(1), answered(1), verify(2, 1, elsewhere('verify')), answer(2, 400, { ...SET, sentCookie: false })],
    FINE,
    { baseline: baselineOf([press, call(1), answered(1), verify(2, 1, elsewhere('verify'))]) },
  ],
  ['there is no verification', [press, call(1)], FINE, { baseline: baselineOf([press, call(1)]) }],
]);

const AT_LOAD = shown('get() with mediation absent');
judges('modal-at-load', find(HONEST, 'modal-at-load'), [
  ['before a click', [document, call(1), press], AT_LOAD],
  ['with its mediation', [document, call(1, { method: 'create', mediation: 'silent' })], shown('create() with mediation silent')],
  ['without any click', [document, call(1)], AT_LOAD],
  ['after a click', [document, press, call(1)], FINE],
  ['at the load of a document after the last click', [document, press, document, call(1)], FINE],
  ['at the load of a document after a click', [document, press, document, call(1), press], AT_LOAD],
  ['after a click that is not the last', [document, press, call(1), press], FINE],
  ['autofill', [document, conditional(1), press], FINE],
  ['before any document', [call(1), press], FINE],
  ['the first that is one', [document, conditional(1), call(2, { mediation: 'required' }), press], shown('get() with mediation required')],
]);
judges('gesture-spent', find(HONEST, 'gesture-spent'), [
  ['no timer', [press, call(1)], FINE],
  ['a timer of 999 ms', [press, call(1, { timer: 999 })], FINE],
  ['a timer of a second', [press, call(1, { timer: 999 }), call(2, { timer: 1_000 })], shown('a timer of 1000 ms')],
  ['of autofill', [press, conditional(1, { timer: 1_000 })], FINE],
  ['before the click', [call(1, { timer: 1_000 }), press], FINE],
]);

const timed = (timeout: unknown, more: object = {}): readonly Event[] => [press, call(1, { options: { timeout }, ...more })];
const SERVERS = { baseline: baselineOf([press, options(1), offer(1, 1, { timeout: 5_000 }), call(1), answered(1)]) };
judges('timeout-short', find(HONEST, 'timeout-short'), [
  ['none', timed(undefined), FINE],
  ['of its own', timed(59_999), shown('59999 ms')],
  ['of a minute', timed(60_000), FINE],
  ['a text', timed('5000'), FINE],
  ['that of the server', timed(5_000), FINE, SERVERS],
  ['not that of the server', timed(5_001), shown('5001 ms'), SERVERS],
  ['where the options of the server were not seen', timed(5_000), FINE, { baseline: baselineOf([press, call(1), answered(1)]) }],
  ['of a signal', timed(undefined, { abortsAfter: 59_999 }), shown('59999 ms')],
  ['of a signal, a minute', timed(undefined, { abortsAfter: 60_000 }), FINE],
  ['of both, the signal first', timed(40_000, { abortsAfter: 30_000 }), shown('30000 ms')],
  ['of both, the options first', timed(20_000, { abortsAfter: 30_000 }), shown('20000 ms')],
  ['of the second call', [press, call(1), call(2, { abortsAfter: 1 })], FINE],
  ['of no call', [press], FINE],
]);

const accepts = (status: number, list: unknown): readonly Event[] => [
  press,
  call(1),
  answered(1),
  verify(2, 1),
  answer(2, status),
  signal('signalAllAcceptedCredentials', { allAcceptedCredentialIds: list }),
];
const WITHOUT = shown('a list without it');
judges('signal-accepted-incomplete', find(HONEST, 'signal-accepted-incomplete'), [
  ['a list without it', accepts(299, ['credential-2']), WITHOUT],
  ['a list with it', accepts(200, ['credential-2', 'credential-1']), FINE],
  ['no list', accepts(200, 'credential-2'), FINE],
  ['it was not accepted', accepts(300, []), FINE],
  ['it was not answered', accepts(200, []).filter((event) => typeof event === 'string' || event.kind !== 'answer'), FINE],
  ['two lists, one without it', [...accepts(200, ['credential-1']), ...accepts(200, []).slice(-1)], WITHOUT],
  ['a list before', [press, call(1), answered(1), ...accepts(200, []).slice(-1), verify(2, 1), answer(2)], FINE],
  ['another signal', [...accepts(200, []).slice(0, -1), signal('signalUnknownCredential', { allAcceptedCredentialIds: [] })], FINE],
  ['no signal', accepts(200, []).slice(0, -1), FINE],
  ['no response', [press, call(1), failed(1), ...accepts(200, []).slice(3)], FINE],
  ['no verification', accepts(200, []), FINE, { baseline: baselineOf([press, call(1), answered(1)]) }],
]);

describe('whether an honest run succeeded', () => {
  const NO_CALL = 'The page made no call that the authenticator answered.';
  test.each<[string, Parameters<typeof baselineOf>[0], string | undefined]>([
    ['it did', LOGIN, undefined],
    ['no call', [press], NO_CALL],
    ['a call that was not answered', [press, call(1)], NO_CALL],
    ['a call that failed', [press, call(1), failed(1, 'SecurityError')], 'In an honest browser, the call ended with SecurityError.'],
    ['autofill that failed', [press, conditional(1), failed(1)], NO_CALL],
    ['a call before the click that failed', [call(1), failed(1), press], NO_CALL],
    ['a call before the click that was answered after it', [call(1), press, answered(1)], 'No request was seen that sends the response.'],
    ['a response that is not sent', LOGIN.slice(0, -2), 'No request was seen that sends the response.'],
    ['no answer', LOGIN.slice(0, -1), 'The server refused the honest response (no answer).'],
    ['a refusal', [...LOGIN.slice(0, -1), answer(2, 400)], 'The server refused the honest response (400).'],
    ['a redirection', [...LOGIN.slice(0, -1), answer(2, 399)], undefined],
  ])('%s', (_, observations, expected) => {
    expect(whyFailed(baselineOf(observations))).toBe(expected);
  });
});

const REGISTRATION = { transports: ['internal', 'hybrid'] };
const registers = (body: string, more: object = REGISTRATION): readonly Event[] => [
  press,
  call(1),
  answered(1, more),
  verify(2, 1, { body }),
];
judges('transports-dropped', TRANSPORTS_SENT, [
  ['they are sent', registers('{"transports":["internal","hybrid"]}'), FINE],
  ['one is not sent', registers('{"transports":["internal"]}'), shown('a registration without them')],
  ['in a request of their own', [...registers('{}'), request(3, { body: 'hybrid,internal' })], FINE],
  ['the authenticator has none', registers('{}', { transports: [] }), FINE],
  ['the response has none', registers('{}', {}), FINE],
  [
    'they were sent before the call',
    [press, request(3, { body: 'hybrid,internal' }), ...registers('{}').slice(1)],
    shown('a registration without them'),
  ],
  ['in the second attempt', [press, AGAIN, ...registers('{}').slice(1)], FINE],
  ['the honest run sends none', registers('{}'), FINE, { baseline: baselineOf([press, call(1), answered(1)]) }],
]);

const ADDED = { type: 'public-key', id: 'cGFnZS1raXQtZGVzY3JpcHRvcg', transports: ['hybrid', 'internal'] };
const excludes = (excludeCredentials: unknown): readonly Event[] => [press, call(1, { options: { excludeCredentials } })];
const NOT_ASKED = unjudged('The page made no call with the changed options.');
judges('exclude-lost', EXCLUDE_LOST, [
  ['it is there', excludes([{ type: 'public-key', id: 'x' }, ADDED]), FINE],
  ['it is not there', excludes([{ type: 'public-key', id: 'x' }, 7]), shown('a call without an entry that the server gave')],
  ['no list', excludes('x'), shown('a call without an entry that the server gave')],
  ['no call', [press], NOT_ASKED],
  ['a call without options that can be read', [press, { kind: 'call', call: 1, method: 'create', hasField: true }], NOT_ASKED],
  ['autofill', [press, conditional(1, { options: { excludeCredentials: [ADDED] } })], NOT_ASKED],
]);
judges('transports-dropped', TRANSPORTS_DROPPED, [
  ['they are there', excludes([ADDED]), FINE],
  ['they are not', excludes([{ type: 'public-key', id: ADDED.id }]), shown('an entry of excludeCredentials without them')],
  ['another entry has none', excludes([{ type: 'public-key', id: 'x' }, ADDED]), FINE],
  ['the entry is not there', excludes([{ type: 'public-key', id: 'x' }]), FINE],
]);

test.each([
  ['{"challenge":"c"}', { challenge: 'c', excludeCredentials: [ADDED] }],
  ['{"a":[{"challenge":"c","excludeCredentials":[1]}]}', { a: [{ challenge: 'c', excludeCredentials: [1, ADDED] }] }],
  ['{"challenge":"c","excludeCredentials":{}}', { challenge: 'c', excludeCredentials: [ADDED] }],
])('an entry is added to the options in %s', (body, expected) => {
  expect(JSON.parse(addDescriptor(body))).toEqual(expected);
});
test.each(['', '<p>', '{"challenge": 7 }', '[ ]'])('a body without options stays: %s', (body) => {
  expect(editOptions(body, () => ({}))).toBe(body);
});

const ceremony = (number: number, status: number | undefined, more: object = {}): readonly Event[] => [
  call(number),
  answered(number),
  verify(number, number, more),
  ...(status === undefined ? [] : [answer(number, status)]),
];
judges('double-success', find(DOUBLE, 'double-success'), [
  ['one', [press, ...ceremony(1, 200)], FINE],
  ['two', [press, ...ceremony(1, 200), ...ceremony(2, 299)], shown('2 responses that the server accepted')],
  ['two, of which one is refused', [press, ...ceremony(1, 200), ...ceremony(2, 300)], FINE],
  ['two, of which one gets no success', [press, ...ceremony(1, 200), ...ceremony(2, 199)], FINE],
  ['two, of which one is not answered', [press, ...ceremony(1, 200), ...ceremony(2, undefined)], FINE],
  ['two, of which one is not sent', [press, ...ceremony(1, 200), ...ceremony(2, 200, { body: 'x' })], FINE],
  ['two, of which one sends its ID alone', [press, ...ceremony(1, 200), ...ceremony(2, 200, { body: '"credential-2"' })], FINE],
  ['one before the click', [...ceremony(1, 200), press, ...ceremony(2, 200)], FINE],
]);
judges('double-clash', find(DOUBLE, 'double-clash'), [
  ['one after the other', [press, call(1), answered(1), call(2), answered(2)], FINE],
  ['one beside the other', [press, call(1), call(2), answered(1)], shown('2 calls')],
  ['autofill beside it', [press, conditional(1), call(2)], FINE],
  ['one before the click', [call(1), press, call(2)], FINE],
  ['of three, the last two', [press, call(1), answered(1), call(2), call(3)], shown('3 calls')],
]);

judges('signal-removal-missing', SIGNAL_REMOVAL, [
  ['none', [press], shown('none')],
  ['the list', [press, signal('signalAllAcceptedCredentials')], FINE],
  ['the removed one', [press, signal('signalUnknownCredential')], FINE],
  ['before the click', [signal('signalUnknownCredential'), press], shown('none')],
  ['another', [press, signal('signalCurrentUserDetails')], shown('none')],
]);
judges('signal-rename-missing', SIGNAL_RENAME, [
  ['none', [press], shown('none')],
  ['the name', [press, signal('signalCurrentUserDetails')], FINE],
  ['another', [press, signal('signalUnknownCredential')], shown('none')],
]);
const UNREFUSED = unjudged('The server refused no response of the removed passkey.');
judges('signal-unknown-missing', SIGNAL_UNKNOWN, [
  ['none', [press, ...ceremony(1, 404)], shown('none')],
  ['refused with 300', [press, ...ceremony(1, 300)], shown('none')],
  ['the unknown one', [press, ...ceremony(1, 404), signal('signalUnknownCredential')], FINE],
  ['the list', [press, ...ceremony(1, 404), signal('signalAllAcceptedCredentials')], FINE],
  ['another', [press, ...ceremony(1, 404), signal('signalCurrentUserDetails')], shown('none')],
  ['before the click', [signal('signalUnknownCredential'), press, ...ceremony(1, 404)], shown('none')],
  ['it was accepted', [press, ...ceremony(1, 200)], UNREFUSED],
  ['it was not answered', [press, ...ceremony(1, undefined)], UNREFUSED],
  ['there was no response', [press, call(1), failed(1), verify(2, 1), answer(2, 404)], UNREFUSED],
  ['it was not sent', [press, ...ceremony(1, 404, { body: '' })], UNREFUSED],
]);
