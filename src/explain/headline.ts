import { PasskeyError } from '../errors.js';
import { equalBytes } from '../kernel/bytes.js';
import { clause } from '../kernel/wording.js';
import { hashOfRpId, hostSuffixes } from '../relying-party/diagnosis/rp-id.js';
import { parseUrl } from '../webauthn/rp-id.js';
import type { ReadCredential } from './annotate/read-credential.js';
import type { CeremonyInput } from './ceremonies.js';
import type { KnownError } from './document-schema.js';
import type { CeremonyReport } from './report/report.js';
import { readRpId } from './requested-options.js';
import type { ServerAnswer } from './server-answer.js';

type Outcome = CeremonyReport | PasskeyError;

/** Writes the headline of an explanation: why the server refused the ceremony, otherwise the verdict of the steps. */
export function writeHeadline(input: CeremonyInput, outcome: Outcome, knownErrors: readonly KnownError[]): string {
  const { answer } = input;
  const here = describeSteps(outcome);
  if (answer === undefined) {
    return input.isUnanswered === true ? `No response of your server is recorded; here ${here}` : capitalised(here);
  }
  const status = answer.status === null ? '' : ` (${answer.status})`;
  switch (answer.verdict) {
    case 'refused':
      return `Refused by your server${status}: ${findReason(input, answer, outcome, knownErrors)}`;
    case 'failed':
      return `Your server failed${status}, which is not a refusal: ${findReason(input, answer, outcome, knownErrors)}`;
    case 'accepted':
      return isAccepted(outcome) ? 'Accepted' : `Accepted by your server${status}; here ${here}`;
    case 'unknown':
      return `${UNKNOWN}${status}; here ${here}`;
  }
}

const UNKNOWN = 'The recorded response of your server does not say whether it accepted';

const isAccepted = (outcome: Outcome): boolean => !(outcome instanceof PasskeyError) && outcome.verdict === 'accepted';

/** States the verdict of the steps in one clause. */
function describeSteps(outcome: Outcome): string {
  if (outcome instanceof PasskeyError) return `rejected before the first step: ${clause(outcome.message)}`;
  const { verdict, failed, disagreement, steps } = outcome;
  if (failed !== undefined) {
    const { section, number, slug, expected, received } = failed;
    return `rejected at §${section} step ${number} (${slug}): expected ${expected}; received ${received}`;
  }
  if (disagreement !== undefined) return `undecided (${disagreement.code}): ${clause(disagreement.hint)}`;
  const open = steps.filter((step) => step.status === 'skip' && step.open === true).map(({ slug }) => slug);
  return verdict === 'undecided' && open.length > 0 ? `undecided, without an expectation for ${open.join(', ')}` : verdict;
}

/** Finds the reason for a refusal: a known error, a step that fails here too, or the message of the server. */
function findReason(input: CeremonyInput, answer: ServerAnswer, outcome: Outcome, [known]: readonly KnownError[]): string {
  if (known !== undefined) return describeKnown(input, outcome, known);
  if (outcome instanceof PasskeyError || outcome.failed !== undefined) {
    const said = answer.message === null ? '' : `“${clause(answer.message)}”; `;
    return `${said}here ${describeSteps(outcome)}`;
  }
  if (answer.message !== null) return `“${clause(answer.message)}”`;
  return answer.body === '' ? 'it gives no reason; see its log' : answer.body;
}

/** Short descriptions of mistakes, by the slug of the step that fails because of them. */
const WRONG: Readonly<Record<string, string>> = {
  origin: 'wrong origin',
  'top-origin': 'wrong top origin',
  'rp-id-hash': 'wrong RP ID',
  type: 'response of the other ceremony',
  algorithm: 'wrong algorithm',
  'sign-count': 'the counter has not grown',
  'user-verified': 'user verification is required',
};

function describeKnown({ credential, known }: CeremonyInput, outcome: Outcome, error: KnownError): string {
  const { step, title, from, expectations } = error;
  const wrong = step === null || from === 'recording' ? undefined : WRONG[step];
  if (wrong === undefined || step === null) return `${title.charAt(0).toLowerCase()}${title.slice(1)}`;
  const failed = outcome instanceof PasskeyError ? undefined : outcome.steps.find(({ slug, status }) => slug === step && status === 'fail');
  if (failed?.status === 'fail') return `${wrong}; expected ${failed.expected}, received ${failed.received}`;
  if (step === 'rp-id-hash') {
    const expected = expectations.find(({ member }) => member === 'rpId')?.value;
    return describeRpId(wrong, { expected, received: readReceived(step, credential, known.options), requested: readRpId(known.options) });
  }
  const suggested = step === 'user-verified' ? '' : expectations.map(({ value }) => value).join(' or ');
  const expected = suggested === '' ? undefined : `expected ${step === 'sign-count' ? 'more than ' : ''}${suggested}`;
  const received = readReceived(step, credential, known.options);
  return `${wrong}${expected === undefined && received === undefined ? '' : '; '}${[expected, received && `received ${received}`].filter(Boolean).join(', ')}`;
}

interface RpIds {
  /** RP ID that the server expects, according to its error message. */
  readonly expected: string | undefined;
  readonly received: string | undefined;
  /** RP ID in the options. */
  readonly requested: string | undefined;
}

/**
 * Adds the expected and the received RP ID to the description of a mistake. If the server's message does not name the expected RP ID, takes
 * it from the options.
 */
function describeRpId(wrong: string, { expected, received, requested }: RpIds): string {
  const isRequested = received === requested;
  const wanted = expected ?? (received === undefined || isRequested ? undefined : requested);
  if (received === undefined && wanted === undefined) return wrong;
  const from = received !== undefined && isRequested ? ', as your options ask' : '';
  return `${wrong}; expected ${wanted ?? 'another'}, received ${received ?? 'another'}${from}`;
}

/** Reads, as text, the value in a response that a step checks. */
function readReceived(step: string, credential: ReadCredential, options: CeremonyInput['known']['options']): string | undefined {
  const { clientDataJSON, attestedData, authenticatorData } = credential;
  const clientData = clientDataJSON.decoded?.ok === true ? clientDataJSON.decoded.value : undefined;
  const decoded = authenticatorData.decoded ?? attestedData;
  const data = decoded?.ok === true ? decoded.value : undefined;
  switch (step) {
    case 'origin':
      return clientData?.origin;
    case 'top-origin':
      return clientData?.topOrigin;
    case 'type':
      return clientData?.type;
    case 'sign-count':
      return data === undefined ? undefined : String(data.signCount);
    case 'user-verified':
      return data === undefined ? undefined : data.flags.uv ? 'UV is set' : 'UV is not set';
    case 'rp-id-hash': {
      const host = parseUrl(clientData?.origin ?? '')?.hostname;
      const candidates = [readRpId(options) ?? [], host === undefined ? [] : [host, ...hostSuffixes(host)]].flat();
      return candidates.find((candidate) => data !== undefined && equalBytes(hashOfRpId(candidate), data.rpIdHash));
    }
    default:
      return undefined;
  }
}

function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
