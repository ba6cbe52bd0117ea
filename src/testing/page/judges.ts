import { asObject, type JsonObject, parseUntrustedJson } from '../../kernel/json-value.js';
import { count } from '../../kernel/wording.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import type { PageCauseId } from './causes.js';
import type { Observation, TriggerState } from './driver.js';
import {
  carriesResponse,
  type Exchange,
  findOptions,
  isAutofill,
  isModal,
  isSameRequest,
  listCalls,
  listComplaints,
  listExchanges,
  type Roles,
  sendsResponse,
  type TracedCall,
} from './trace.js';

/** A flow that was played honestly: what a case is held against. */
export interface Baseline {
  readonly observations: readonly Observation[];
  /** Index of the click on the trigger; -1 where it was not reached. */
  readonly trigger: number;
  readonly presses: number;
  readonly roles: Roles;
}

/** One page in the world of a case. */
export interface Run {
  readonly observations: readonly Observation[];
  /** Index of the click on the trigger. */
  readonly trigger: number;
  /** Index from which the second attempt is; the number of observations where there was none. */
  readonly again: number;
  /** Whether the second click was carried out. */
  readonly isPressed: boolean;
  /** The control after the first attempt. */
  readonly control: TriggerState;
  readonly baseline: Baseline;
}

/** What a judge sees: the fault as it showed, or why it cannot be judged; undefined if all is well. */
type Verdict = { readonly shown: string } | { readonly unjudged: string } | undefined;

export interface Judge {
  readonly cause: PageCauseId;
  judge(run: Run): Verdict;
}

const show = (isShown: boolean, received: string): Verdict => (isShown ? { shown: received } : undefined);

const callsAfter = ({ observations, trigger }: Run): TracedCall[] => listCalls(observations).filter(({ at }) => at > trigger);
const firstCalls = (run: Run): TracedCall[] => callsAfter(run).filter(({ at }) => at < run.again);
const modalCalls = (run: Run): TracedCall[] => firstCalls(run).filter(isModal);
const firstExchanges = (run: Run): Exchange[] => listExchanges(run.observations).filter(({ at }) => at > run.trigger && at < run.again);
const signalled = (run: Run, name: string): (JsonObject & object)[] =>
  run.observations.flatMap((one, at) => (one.kind === 'signal' && one.name === name && at > run.trigger ? [one.argument] : []));

/** Calls after which a page asks for no click, and requests that only tools repeat. */
const MOST_CALLS = 2;
const MOST_REQUESTS = 4;
const MOST_LIMITED = 2;
/** Milliseconds: Safari forgets a click after a second; the standard's shortest recommended timeout is five minutes. */
const GESTURE = 1_000;
const SHORT_TIMEOUT = 60_000;

export const CONTROL_STUCK: Judge = {
  cause: 'control-stuck',
  judge({ control }) {
    if (!control.exists) return { unjudged: 'The control is gone after the first attempt.' };
    return show(control.isDisabled || control.isBusy, control.isDisabled ? 'it is disabled' : 'it is busy');
  },
};

export const SECOND_ATTEMPT_DEAD: Judge = {
  cause: 'second-attempt-dead',
  judge(run) {
    const { control, again, isPressed, baseline } = run;
    if (!control.exists || control.isDisabled) return undefined;
    if (!isPressed) return { unjudged: 'Something covers the control after the first attempt.' };
    if (!listCalls(baseline.observations).some((call) => call.at > baseline.trigger && isModal(call))) return undefined;
    return show(!callsAfter(run).some(({ at }) => at >= again), 'no call');
  },
};

export const SENT_WITHOUT_RESPONSE: Judge = {
  cause: 'sent-without-response',
  judge(run) {
    const { options, verification } = run.baseline.roles;
    if (verification === undefined || isSameRequest(verification, options)) return undefined;
    const failed = firstCalls(run).find(({ error }) => error !== undefined);
    const sent = firstExchanges(run).find(({ at, request }) => failed && at > failed.at && isSameAddress(request.url, verification.url));
    return show(
      sent !== undefined && !firstCalls(run).some(({ response }) => response),
      `${sent?.request.method} ${pathOf(sent?.request.url)}`,
    );
  },
};

export const RETRY_LOOP: Judge = {
  cause: 'retry-loop',
  judge(run) {
    const calls = modalCalls(run).length;
    if (calls > MOST_CALLS) return { shown: `${count(calls, 'call')} for one click` };
    const { options, verification } = run.baseline.roles;
    const requests = [options, verification].map(
      (role) => firstExchanges(run).filter(({ request }) => isSameRequest(request, role)).length,
    );
    const most = Math.max(...requests);
    return show(most > MOST_REQUESTS, `${count(most, 'request')} for one click`);
  },
};

export const RATE_LIMIT_IGNORED: Judge = {
  cause: 'rate-limit-ignored',
  judge(run) {
    const limited = firstExchanges(run).filter(({ answer }) => answer?.status === 429).length;
    return show(limited > MOST_LIMITED, count(limited, 'request'));
  },
};

export const CALLED_WITH_ERROR: Judge = {
  cause: 'called-with-error',
  judge: (run) => show(modalCalls(run).length > 0, `a call of ${modalCalls(run)[0]?.method}()`),
};

export const CHALLENGE_REUSED: Judge = {
  cause: 'challenge-reused',
  judge({ observations }) {
    const exchanges = listExchanges(observations);
    const calls = listCalls(observations);
    const sent = calls.flatMap(({ challenge, response, until }) => {
      const sending =
        response && exchanges.find(({ at, request, answer }) => at > until && sendsResponse(request, response) && answer?.status !== 0);
      return challenge !== undefined && sending ? [{ challenge, at: sending.at }] : [];
    });
    const again = calls.find(({ challenge, at }) => sent.some((one) => one.challenge === challenge && at > one.at));
    return show(again !== undefined, `${again?.method}() with the challenge of a response that was sent before`);
  },
};

export const CHALLENGE_KEPT: Judge = {
  cause: 'challenge-kept',
  judge(run) {
    const second = callsAfter(run).find((call) => call.at >= run.again && isModal(call));
    const isKept = second?.challenge !== undefined && modalCalls(run).some(({ challenge }) => challenge === second.challenge);
    return show(isKept, 'the challenge of the first attempt');
  },
};

export const SIGNAL_UNKNOWN_AFTER_FAILURE: Judge = {
  cause: 'signal-unknown-after-failure',
  judge: (run) => show(signalled(run, 'signalUnknownCredential').length > 0, 'a call of signalUnknownCredential()'),
};

/** Complaints that the honest page does not have. */
const complaintsOf = ({ observations, baseline }: Run): string[] => {
  const usual = new Set(listComplaints(baseline.observations));
  return listComplaints(observations).filter((text) => !usual.has(text));
};

/** @param isCalling whether the page has to call as it does in an honest browser. */
export const withoutComplaint = (cause: PageCauseId, isCalling: boolean): Judge => ({
  cause,
  judge(run) {
    const [complaint] = complaintsOf(run);
    if (complaint !== undefined) return { shown: complaint };
    const { observations, trigger } = run.baseline;
    // A page that offers autofill again has not done what its user wants.
    const isModalPage = listCalls(observations).some((call) => call.at > trigger && isModal(call));
    return show(isCalling && isModalPage && modalCalls(run).length === 0, 'no call');
  },
});

export const REJECTION_UNHANDLED = withoutComplaint('rejection-unhandled', false);

export const AUTOFILL_NOT_REARMED: Judge = {
  cause: 'autofill-not-rearmed',
  judge(run) {
    const { baseline, again } = run;
    const hadAutofill = listCalls(baseline.observations).some((call) => isAutofill(call) && call.at < baseline.trigger);
    const failed = modalCalls(run).find(({ error }) => error !== undefined);
    if (!hadAutofill || failed === undefined) return undefined;
    return show(!callsAfter(run).some((call) => isAutofill(call) && call.at > failed.at && call.at < again), 'none');
  },
};

export const CONDITIONAL_UNCHECKED: Judge = {
  cause: 'conditional-unchecked',
  judge: ({ observations }) => show(listCalls(observations).some(isAutofill), 'a conditional call'),
};

/** The first call that began while a conditional one was pending: those after it may follow from it. */
const findClash = ({ observations }: Run): TracedCall | undefined => {
  const calls = listCalls(observations);
  return calls.find((call) => calls.some((one) => isAutofill(one) && one.at < call.at && one.until > call.at));
};

const clash = (cause: PageCauseId, isSecond: (call: TracedCall) => boolean, received: string): Judge => ({
  cause,
  judge(run) {
    const second = findClash(run);
    return show(second !== undefined && isSecond(second), received);
  },
});

const CONDITIONAL: readonly Judge[] = [
  clash('conditional-not-aborted', isModal, 'a modal call while it was pending'),
  clash('conditional-twice', isAutofill, 'another one while it was pending'),
  {
    cause: 'autocomplete-missing',
    judge({ observations }) {
      const call = listCalls(observations).find((one) => isAutofill(one));
      const hasField = call?.hasField === true || observations.some(({ kind }) => kind === 'field');
      return show(call !== undefined && !hasField, 'no such field');
    },
  },
];

const SENDING: readonly Judge[] = [
  {
    cause: 'response-in-url',
    judge({ observations }) {
      const responses = listCalls(observations).flatMap(({ response }) => (response ? [response] : []));
      const sent = listExchanges(observations).find(({ request }) => responses.some((one) => carriesResponse(request.url, one)));
      return show(sent !== undefined, `${sent?.request.method} ${pathOf(sent?.request.url)}`);
    },
  },
  {
    cause: 'buffers-empty',
    judge({ observations, trigger }) {
      const answered = listCalls(observations).find(({ response, at }) => response && at > trigger);
      const sent = listExchanges(observations).find(
        ({ at, request }) => answered && at > answered.at && hasEmptied(parseUntrustedJson(request.body)),
      );
      return show(sent !== undefined, `{} in ${sent?.request.method} ${pathOf(sent?.request.url)}`);
    },
  },
  {
    cause: 'cookie-missing',
    judge({ observations, baseline }) {
      const { verification } = baseline.roles;
      const origin = parseUrl(verification?.url ?? '')?.origin;
      if (verification === undefined || origin === verification.origin) return undefined;
      const exchanges = listExchanges(observations);
      const verifying = exchanges.find(({ request }) => request.id === verification.id);
      const isSet = exchanges.some(
        ({ at, request, answer }) =>
          verifying && at < verifying.at && parseUrl(request.url)?.origin === origin && answer?.headers['set-cookie'] !== undefined,
      );
      return show(isSet && verifying?.answer?.sentCookie === false, 'no cookie');
    },
  },
];

const CALLING: readonly Judge[] = [
  {
    cause: 'modal-at-load',
    judge({ observations, trigger }) {
      const call = listCalls(observations).find((one) => {
        const before = observations.slice(0, one.at).findLast(({ kind }) => kind === 'document' || kind === 'press');
        return isModal(one) && before?.kind === 'document' && (trigger === -1 || one.at < trigger);
      });
      return show(call !== undefined, `${call?.method}() with mediation ${call?.mediation ?? 'absent'}`);
    },
  },
  {
    cause: 'gesture-spent',
    judge(run) {
      const call = modalCalls(run).find(({ timer = 0 }) => timer >= GESTURE);
      return show(call !== undefined, `a timer of ${call?.timer} ms`);
    },
  },
  {
    cause: 'timeout-short',
    judge(run) {
      const [call] = modalCalls(run);
      const { timeout } = call?.options ?? {};
      const own = typeof timeout === 'number' && run.baseline.roles.answered?.['timeout'] !== timeout ? timeout : undefined;
      const shortest = Math.min(own ?? Number.POSITIVE_INFINITY, call?.abortsAfter ?? Number.POSITIVE_INFINITY);
      return show(shortest < SHORT_TIMEOUT, `${shortest} ms`);
    },
  },
  {
    cause: 'signal-accepted-incomplete',
    judge(run) {
      const { verification } = run.baseline.roles;
      const accepted = listExchanges(run.observations).find(({ request }) => request.id === verification?.id);
      const [answered] = firstCalls(run).filter(({ response }) => response);
      const id = answered?.response?.['id'];
      if (typeof id !== 'string' || accepted?.answer === undefined || accepted.answer.status >= 300) return undefined;
      const lists = signalled(run, 'signalAllAcceptedCredentials').map(({ allAcceptedCredentialIds }) => allAcceptedCredentialIds);
      return show(
        lists.some((list) => Array.isArray(list) && !list.includes(id)),
        'a list without it',
      );
    },
  },
];

/** Judges of a flow that was played honestly. */
export const HONEST: readonly Judge[] = [...CONDITIONAL, ...SENDING, ...CALLING, CHALLENGE_REUSED];

/** Why nothing of a ceremony can be judged: it did not succeed in an honest world. */
export function whyFailed({ observations, trigger, roles }: Baseline): string | undefined {
  const calls = listCalls(observations).filter(({ at, until }) => at > trigger || until > trigger);
  const answered = calls.find(({ response }) => response !== undefined);
  if (answered === undefined) {
    const error = calls.find((call) => call.error !== undefined && isModal(call))?.error;
    return error === undefined ? 'Nothing was called that was answered.' : `In an honest browser, the call ended with ${error}.`;
  }
  const { verification } = roles;
  if (verification === undefined) return 'No request was seen that sends the response.';
  const { status } = listExchanges(observations).find(({ request }) => request.id === verification.id)?.answer ?? {};
  return status === undefined || status >= 400 ? `The server refused the honest response (${status ?? 'no answer'}).` : undefined;
}

export const TRANSPORTS_SENT: Judge = {
  cause: 'transports-dropped',
  judge(run) {
    const response = asObject(firstCalls(run).find((call) => call.response)?.response?.['response']);
    const { verification } = run.baseline.roles;
    const { transports } = response;
    if (verification === undefined || !Array.isArray(transports) || transports.length === 0) return undefined;
    return show(!verification.body.includes('transports'), 'a registration without them');
  },
};

/** The credential that {@link addDescriptor} adds to a list of options. */
const ADDED = { type: 'public-key', id: 'cGFnZS1raXQtZGVzY3JpcHRvcg', transports: ['hybrid', 'internal'] };

/** Adds an entry to the list of the options in an answer. */
export function addDescriptor(body: string): string {
  return editOptions(body, (options) => ({ ...options, excludeCredentials: [...listEntries(options['excludeCredentials']), ADDED] }));
}

const listEntries = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
const addedIn = (run: Run): JsonObject | undefined =>
  listEntries(modalCalls(run)[0]?.options?.['excludeCredentials'])
    .map(asObject)
    .find(({ id }) => id === ADDED.id);
const wasAsked = (run: Run): Verdict =>
  modalCalls(run)[0]?.options === undefined ? { unjudged: 'The page did not call with the changed options.' } : undefined;

export const EXCLUDE_LOST: Judge = {
  cause: 'exclude-lost',
  judge: (run) => wasAsked(run) ?? show(addedIn(run) === undefined, 'a call without an entry that the server gave'),
};
export const TRANSPORTS_DROPPED: Judge = {
  cause: 'transports-dropped',
  judge(run) {
    const added = addedIn(run);
    return show(added !== undefined && added['transports'] === undefined, 'an entry of excludeCredentials without them');
  },
};

/** Changes the object with the challenge in a JSON text; leaves other texts alone. */
export function editOptions(body: string, edit: (options: JsonObject) => JsonObject): string {
  const json = parseUntrustedJson(body);
  const found = findOptions(json);
  if (found === undefined) return body;
  return JSON.stringify(json, (_, value: unknown) => (value === found ? edit(found) : value));
}

/** Judges of a double click. */
export const DOUBLE: readonly Judge[] = [
  {
    cause: 'double-success',
    judge(run) {
      const responses = callsAfter(run).flatMap(({ response }) => (response ? [response] : []));
      const accepted = responses.filter((response) =>
        listExchanges(run.observations).some(
          ({ request, answer }) =>
            sendsResponse(request, response) && carriesResponse(request.body, response) && answer !== undefined && isSuccess(answer.status),
        ),
      );
      return show(accepted.length > 1, `${accepted.length} responses that the server accepted`);
    },
  },
  {
    cause: 'double-clash',
    judge(run) {
      const calls = callsAfter(run).filter(isModal);
      const isClash = calls.some((call) => calls.some((one) => one.at < call.at && one.until > call.at));
      return show(isClash, count(calls.length, 'call'));
    },
  },
];

const signalDuty = (cause: PageCauseId, names: readonly string[]): Judge => ({
  cause,
  judge: (run) =>
    show(
      names.every((name) => signalled(run, name).length === 0),
      'none',
    ),
});
export const SIGNAL_REMOVAL = signalDuty('signal-removal-missing', ['signalAllAcceptedCredentials', 'signalUnknownCredential']);
export const SIGNAL_RENAME = signalDuty('signal-rename-missing', ['signalCurrentUserDetails']);
export const SIGNAL_UNKNOWN: Judge = {
  cause: 'signal-unknown-missing',
  judge(run) {
    const response = firstCalls(run).find((call) => call.response)?.response;
    const verifying = response && firstExchanges(run).find(({ request }) => sendsResponse(request, response));
    if (verifying?.answer === undefined || isSuccess(verifying.answer.status)) {
      return { unjudged: 'The page sent no response with the removed passkey that was refused.' };
    }
    const duty = ['signalUnknownCredential', 'signalAllAcceptedCredentials'];
    return show(
      duty.every((name) => signalled(run, name).length === 0),
      'none',
    );
  },
};

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

const BINARY = new Set(['rawId', 'clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']);

/** Whether a member that is bytes is an empty object. */
function hasEmptied(json: unknown): boolean {
  if (typeof json === 'string') return json.startsWith('{') && hasEmptied(parseUntrustedJson(json));
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(
    ([name, value]) =>
      (BINARY.has(name) && typeof value === 'object' && value !== null && Object.keys(value).length === 0) || hasEmptied(value),
  );
}

const pathOf = (url = ''): string => parseUrl(url)?.pathname ?? '';
const isSameAddress = (one: string, other: string): boolean => one.split('?')[0] === other.split('?')[0];
