import { isDeepStrictEqual } from 'node:util';
import { isUnavailable } from '../http/http.js';
import type { AnswerDeviation } from '../report/deviation.js';
import type { Mismatch } from '../report/report.js';
import type { Exchange } from '../target/driver.js';
import type { Verdict } from './scenario.js';

/** A verdict on one run of a scenario, with its requests and responses. */
export interface Attempted {
  readonly verdict: Verdict;
  readonly exchanges: readonly Exchange[];
}

const isUnsteady = (status = 0): boolean => status >= 500 || isUnavailable(status);

/**
 * Deviations in the preparation of a case that say nothing about the case itself. A refusal is not among them, because a target that
 * refuses an honest ceremony has a fault.
 */
const UNPREPARED: readonly AnswerDeviation['kind'][] = ['failed', 'unreadable', 'no_answer'];

/**
 * Number of runs in which a scenario must fail because its actual test got an unsteady response, one that may be different next time,
 * before the failure counts.
 */
const BELIEVED_AFTER = 3;

/**
 * Decides whether to run a scenario again from its beginning with a new account, because a response may be different next time. Repeats a
 * failed scenario once, or twice if the response in question was the one to the actual test.
 */
export function mayEndOtherwise(attempts: readonly Attempted[]): boolean {
  const last = attempts.at(-1);
  if (last === undefined || (findUnprepared(last) ?? findAnswer(last, isUnsteady)) === undefined) return false;
  return attempts.length < (isDecisive(last) ? BELIEVED_AFTER : 2);
}

/** Combines the verdicts of all runs of a scenario. If preparation failed each time, the scenario counts as not run. */
export function concludeAttempts(attempts: readonly Attempted[]): Verdict | undefined {
  const last = attempts.at(-1);
  const disturbance = last && describeDisturbance(last);
  if (last === undefined || disturbance === undefined) return last?.verdict;
  if (attempts.length === BELIEVED_AFTER && attempts.every((each) => isDecisive(each) && hasSameEnd(each, last))) return last.verdict;
  const { exchanges, remarks, gone, ended } = last.verdict;
  return {
    status: 'not_run',
    code: 'preparation_failed',
    reason: `${disturbance.at}: ${disturbance.received}`,
    mismatches: [disturbance],
    ...(exchanges && { exchanges }),
    ...(remarks && { remarks }),
    ...(gone && { gone }),
    ...(ended && { ended }),
  };
}

/** Writes the remark for a scenario that failed at first and passed when repeated. */
export function describeRepeat([first]: readonly Attempted[]): string | undefined {
  const answer = first && findAnswer(first, isUnsteady);
  return answer && `the case was repeated, because ${answer.request} was answered with ${answer.status}`;
}

/** Finds the response that made a scenario fail for a reason other than the one that it tests. */
function describeDisturbance(attempted: Attempted): Mismatch | undefined {
  const unprepared = findUnprepared(attempted);
  if (unprepared !== undefined) return unprepared;
  const answer = findAnswer(attempted, isUnavailable);
  if (answer?.status === undefined) return undefined;
  const { request, status } = answer;
  return { at: request, expected: 'an answer', received: `${status}`, deviation: { kind: 'not_prepared', by: { kind: 'failed', status } } };
}

function findUnprepared({ verdict }: Attempted): Mismatch | undefined {
  if (verdict.status !== 'failed') return undefined;
  return verdict.mismatches.find(({ deviation: d }) => d.kind === 'not_prepared' && d.by !== undefined && UNPREPARED.includes(d.by.kind));
}

/**
 * Finds the last response whose status satisfies `isSuch` before a scenario failed. Undefined if the server has ended, or if the scenario
 * passed.
 */
function findAnswer({ verdict, exchanges }: Attempted, isSuch: (status: number) => boolean): Exchange | undefined {
  if (verdict.status !== 'failed' && verdict.status !== 'not_applicable') return undefined;
  if (verdict.status === 'failed' && verdict.mismatches.some(({ deviation }) => deviation.kind === 'ended')) return undefined;
  return exchanges.findLast(({ status = 0 }) => isSuch(status));
}

/** Whether an unsteady response, one that may be different next time, was the response to the actual test. */
function isDecisive({ verdict }: Attempted): boolean {
  const deviation = verdict.status === 'failed' ? verdict.mismatches[0].deviation : undefined;
  return deviation?.kind === 'failed' && isUnsteady(deviation.status);
}

function hasSameEnd(one: Attempted, other: Attempted): boolean {
  return isDeepStrictEqual(listDeviations(one.verdict), listDeviations(other.verdict));
}

function listDeviations(verdict: Verdict) {
  return verdict.status === 'failed' ? verdict.mismatches.map(({ at, deviation }) => [at, deviation]) : [];
}
