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
  isSameAddress,
  isSameRequest,
  listCalls,
  listComplaints,
  listExchanges,
  listMembers,
  type Roles,
  sendsResponse,
  type TracedCall,
} from './trace.js';

/** The honest run of a flow. The runs of the flow's cases are compared with it. */
export interface Baseline {
  readonly observations: readonly Observation[];
  /** Index in the observations of the click on the trigger; -1 if the flow did not reach it. */
  readonly trigger: number;
  readonly presses: number;
  readonly roles: Roles;
}

/** The run of a case. */
export interface Run {
  readonly observations: readonly Observation[];
  /** Index in the observations of the click on the trigger. */
  readonly trigger: number;
  /** Index in the observations at which the time of {@link PageCase.watches} was over. */
  readonly watched: number;
  /** Index in the observations at which the second attempt begins; the number of observations if there was no second attempt. */
  readonly again: number;
  /** Whether the driver could click the trigger a second time. */
  readonly isPressed: boolean;
  /** State of the control after the first attempt. */
  readonly control: TriggerState;
  readonly baseline: Baseline;
}

/**
 * The result of a judge. `shown` describes the fault, and `unjudged` says why the run cannot be judged. Undefined if the judge found no
 * fault.
 */
type Verdict = { readonly shown: string } | { readonly unjudged: string } | undefined;

export interface Judge {
  readonly cause: PageCauseId;
  judge(run: Run): Verdict;
}

const show = (isShown: boolean, received: string): Verdict => (isShown ? { shown: received } : undefined);

const callsAfter = ({ observations, trigger }: Run): TracedCall[] => listCalls(observations, trigger);
const firstCalls = (run: Run): TracedCall[] => callsAfter(run).filter(({ at }) => at < run.again);
const modalCalls = (run: Run): TracedCall[] => firstCalls(run).filter(isModal);
const firstExchanges = (run: Run): Exchange[] => listExchanges(run.observations, run.trigger).filter(({ at }) => at < run.again);
const signalled = (run: Run, name: string, from = run.trigger): JsonObject[] =>
  run.observations.flatMap((one, at) => (one.kind === 'signal' && one.name === name && at > from ? [one.argument] : []));

/**
 * Maximum number of calls after one click, because a page may repeat a call once. The next constant is the maximum number of requests: a
 * page may request options four times for the call and for autofill.
 */
const MOST_CALLS = 2;
const MOST_REQUESTS = 8;
const MOST_LIMITED = 2;
/** Milliseconds after which Safari no longer accepts a call as the result of a click. A timeout below this value counts as short. */
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
    if (!listCalls(baseline.observations, baseline.trigger).some(isModal)) return undefined;
    if (callsAfter(run).some(({ at }) => at >= again)) return undefined;
    if (control.hasLostInput) {
      return { unjudged: 'The page emptied a field after the first attempt, which the second click does not fill in.' };
    }
    const usual = listExchanges(baseline.observations, baseline.trigger);
    const sent = listExchanges(run.observations).find(
      ({ at, request }) => at >= again && usual.some((one) => isSameRequest(request, one.request)),
    );
    return sent === undefined
      ? { shown: 'no call' }
      : {
          unjudged: `The second click sent ${nameRequest(sent)}, which was answered with ${sent.answer?.status ?? 0}, and led to no call.`,
        };
  },
};

export const SENT_WITHOUT_RESPONSE: Judge = {
  cause: 'sent-without-response',
  judge(run) {
    const { verification } = run.baseline.roles;
    const failed = firstCalls(run).find(({ error }) => error !== undefined);
    if (verification === undefined || failed === undefined || firstCalls(run).some(({ response }) => response)) return undefined;
    // At an address for everything, such as that of GraphQL, only the same request counts.
    const isShared = listExchanges(run.baseline.observations).some(
      ({ request }) => isSameAddress(request, verification) && !isSameRequest(request, verification),
    );
    const usual = listMembers(verification.body);
    // A member that a verification does not have tells the server of the failure, as pages of Keycloak do.
    const sent = firstExchanges(run).find(
      ({ at, request }) =>
        at > failed.at &&
        (isShared ? isSameRequest(request, verification) : isSameAddress(request, verification)) &&
        listMembers(request.body).every((name) => usual.includes(name)),
    );
    return sent && { shown: nameRequest(sent) };
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
    // The user answers a dialog, as they click.
    const asked = run.observations.findIndex(({ kind }, at) => at > run.trigger && kind === 'dialog');
    const end = Math.min(run.watched, asked === -1 ? run.watched : asked);
    const limited = firstExchanges(run).filter(({ at, answer }) => at < end && answer?.status === 429).length;
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

/** Lists the exceptions that the page did not catch, except those that also occurred in the honest run. */
const complaintsOf = ({ observations, baseline }: Run): string[] => {
  const usual = new Set(listComplaints(baseline.observations).map(withoutNumbers));
  return listComplaints(observations).filter((text) => !usual.has(withoutNumbers(text)));
};

/** Makes messages comparable by replacing their numbers, which often differ from run to run. */
const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, '0');

/**
 * Makes a judge that accepts no uncaught exception.
 *
 * @param isCalling whether the page must also make the call of the honest run
 */
export const withoutComplaint = (cause: PageCauseId, isCalling: boolean): Judge => ({
  cause,
  judge(run) {
    const [complaint] = complaintsOf(run);
    if (complaint !== undefined) return { shown: complaint };
    const { observations, trigger, roles } = run.baseline;
    // A page that offers autofill again has not done what its user wants.
    const isModalPage = listCalls(observations, trigger).some(isModal);
    if (!isCalling || !isModalPage || modalCalls(run).length > 0) return undefined;
    const hasOptions = firstExchanges(run).some(({ request }) => isSameRequest(request, roles.options));
    return hasOptions ? { shown: 'no call' } : { unjudged: 'The page neither requested options nor made a call.' };
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

/** Finds the first call that began while a conditional call was pending. Later clashes may follow from the first. */
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
      return sent && { shown: nameRequest(sent) };
    },
  },
  {
    cause: 'buffers-empty',
    judge({ observations, trigger }) {
      const answered = listCalls(observations, trigger).find(({ response }) => response);
      const later = answered ? listExchanges(observations, answered.at) : [];
      const sent = later.find(({ request }) => hasEmptied(parseUntrustedJson(request.body)));
      return sent && { shown: `{} in ${nameRequest(sent)}` };
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
      const { sentCookie, status = 0 } = verifying?.answer ?? {};
      // A server that accepts the response has no need of it: proxies set cookies of their own.
      return show(isSet && sentCookie === false && status >= 400, 'no cookie');
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
      const { answered } = run.baseline.roles;
      const own = typeof timeout === 'number' && answered !== undefined && answered['timeout'] !== timeout ? timeout : undefined;
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
      // A list that was sent before the server has the passkey is right without it.
      const lists = signalled(run, 'signalAllAcceptedCredentials', accepted.at).map(
        ({ allAcceptedCredentialIds }) => allAcceptedCredentialIds,
      );
      return show(
        lists.some((list) => Array.isArray(list) && !list.includes(id)),
        'a list without it',
      );
    },
  },
];

/** Judges of an honest run. */
export const HONEST: readonly Judge[] = [...CONDITIONAL, ...SENDING, ...CALLING, CHALLENGE_REUSED];

/**
 * Explains why the ceremony of an honest run did not succeed, in which case the run cannot be used to judge others. Undefined if it
 * succeeded.
 */
export function whyFailed({ observations, trigger, roles }: Baseline): string | undefined {
  const calls = listCalls(observations).filter(({ at, until }) => at > trigger || until > trigger);
  const answered = calls.find(({ response }) => response !== undefined);
  if (answered === undefined) {
    const error = calls.find((call) => call.error !== undefined && isModal(call))?.error;
    return error === undefined
      ? 'The page made no call that the authenticator answered.'
      : `In an honest browser, the call ended with ${error}.`;
  }
  const { verification } = roles;
  if (verification === undefined) return 'No request was seen that sends the response.';
  const { status } = listExchanges(observations).find(({ request }) => request.id === verification.id)?.answer ?? {};
  return status === undefined || status >= 400 ? `The server refused the honest response (${status ?? 'no answer'}).` : undefined;
}

export const TRANSPORTS_SENT: Judge = {
  cause: 'transports-dropped',
  judge(run) {
    const answered = firstCalls(run).find((call) => call.response);
    const { transports } = asObject(answered?.response?.['response']);
    if (run.baseline.roles.verification === undefined || !Array.isArray(transports) || transports.length === 0) return undefined;
    const sent = listExchanges(run.observations, answered?.at);
    const isSent = sent.some(({ request: { body } }) => transports.every((transport) => body.includes(String(transport))));
    return show(!isSent, 'a registration without them');
  },
};

/** The entry that {@link addDescriptor} adds to `excludeCredentials`. */
const ADDED = { type: 'public-key', id: 'cGFnZS1raXQtZGVzY3JpcHRvcg', transports: ['hybrid', 'internal'] };

/** Adds an entry to `excludeCredentials` of the options in a body. */
export function addDescriptor(body: string): string {
  return editOptions(body, (options) => ({ ...options, excludeCredentials: [...listEntries(options['excludeCredentials']), ADDED] }));
}

const listEntries = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);
const addedIn = (run: Run): JsonObject | undefined =>
  listEntries(modalCalls(run)[0]?.options?.['excludeCredentials'])
    .map(asObject)
    .find(({ id }) => id === ADDED.id);
const wasAsked = (run: Run): Verdict =>
  modalCalls(run)[0]?.options === undefined ? { unjudged: 'The page made no call with the changed options.' } : undefined;

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

/** Edits the WebAuthn options in a JSON body, recognized as the object that has the challenge. Returns other bodies unchanged. */
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
      return { unjudged: 'The server refused no response of the removed passkey.' };
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

/** Checks whether a JSON value has an empty object where bytes belong. */
function hasEmptied(json: unknown): boolean {
  if (typeof json === 'string') return json.startsWith('{') && hasEmptied(parseUntrustedJson(json));
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(
    ([name, value]) =>
      (BINARY.has(name) && typeof value === 'object' && value !== null && Object.keys(value).length === 0) || hasEmptied(value),
  );
}

export const nameRequest = ({ request }: Exchange): string => `${request.method} ${parseUrl(request.url)?.pathname ?? ''}`;
