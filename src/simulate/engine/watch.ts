import type { LostConnection } from '../http/http.js';
import type { Refusal, Exchange as ReportedExchange } from '../report/report.js';
import type { Answer, Begun, Exchange, Session } from '../target/driver.js';
import type { Verdict } from './scenario.js';

/** Observations that are recorded while a scenario runs, for its report. */
export interface Watch {
  readonly exchanges: Exchange[];
  readonly remarks: Set<string>;
  /** Whether the connection broke, or no response came in time. */
  broken: boolean;
  lost: LostConnection | undefined;
  /** The last refusal of the target. */
  refusal: Refusal | undefined;
}

export function newWatch(): Watch {
  return { exchanges: [], remarks: new Set(), broken: false, lost: undefined, refusal: undefined };
}

export function note(watch: Watch, { exchanges, decisive, remarks, outcome, lost, code }: Answer): void {
  watch.exchanges.push(...exchanges);
  const status = decisive?.status;
  if (outcome === 'refused' && status !== undefined) watch.refusal = { status, ...(code !== undefined && { code }) };
  for (const remark of remarks) watch.remarks.add(remark);
  if (outcome === 'broken' || lost !== undefined) watch.broken = true;
  watch.lost ??= lost;
}

/** Wraps a session so that `watch` records every response. */
export function watched(session: Session, watch: Watch): Session {
  const answered = async (pending: Promise<Answer>) => {
    const answer = await pending;
    note(watch, answer);
    return answer;
  };
  const begun = async <T>(pending: Promise<Begun<T>>) => {
    const result = await pending;
    note(watch, result.answer);
    return result;
  };
  return {
    user: session.user,
    password: session.password,
    passkeys: () => session.passkeys(),
    beginRegistration: (...args) => begun(session.beginRegistration(...args)),
    finishRegistration: (...args) => answered(session.finishRegistration(...args)),
    beginAuthentication: (...args) => begun(session.beginAuthentication(...args)),
    finishAuthentication: (...args) => answered(session.finishAuthentication(...args)),
    async whoami() {
      const answer = await session.whoami();
      if (answer !== undefined) note(watch, answer);
      return answer;
    },
    identify: (name) => session.identify(name),
    async list() {
      const listed = await session.list();
      note(watch, listed.answer);
      return listed;
    },
    remove: (...args) => answered(session.remove(...args)),
    signOut: () => answered(session.signOut()),
    rename: (...args) => answered(session.rename(...args)),
    beginStepUp: (...args) => begun(session.beginStepUp(...args)),
    enter: (...args) => answered(session.enter(...args)),
    async beginRecovery() {
      const begun = await session.beginRecovery();
      note(watch, begun.answer);
      return begun;
    },
    turnGate: (...args) => answered(session.turnGate(...args)),
    async signUp() {
      const opened = await session.signUp();
      note(watch, opened.answer);
      return opened;
    },
    names: () => session.names(),
    claiming: (...args) => watched(session.claiming(...args), watch),
    forging: (...args) => watched(session.forging(...args), watch),
    carried: () => session.carried(),
    carrying: (...args) => watched(session.carrying(...args), watch),
    cookies: () => session.cookies(),
    withoutCookie: (...args) => watched(session.withoutCookie(...args), watch),
    fork: () => watched(session.fork(), watch),
    newVisit: () => watched(session.newVisit(), watch),
    newStranger: () => watched(session.newStranger(), watch),
    newImpostor: () => watched(session.newImpostor(), watch),
  };
}

/**
 * Adds the observations of a watch that belong in the report to a verdict.
 *
 * @returns a copy of the verdict with these observations.
 */
export function withNotes(verdict: Verdict, { exchanges, remarks }: Watch): Verdict {
  return {
    ...verdict,
    ...(remarks.size > 0 && { remarks: [...remarks] }),
    ...((verdict.status === 'failed' || verdict.status === 'not_run') && { exchanges: exchanges.map(reported) }),
  };
}

export const reported = ({ request, sent, status, received }: Exchange): ReportedExchange => ({
  request,
  sent,
  ...(status !== undefined && { status }),
  received,
});

/** Finds the last request that was answered. */
export const findAnswered = ({ exchanges }: Watch): Exchange | undefined => exchanges.findLast(({ status }) => status !== undefined);
