import type { Answer, Begun, Exchange, Session } from '../target/driver.js';

/** What a report says of a scenario besides its verdict. */
export interface Watch {
  readonly exchanges: Exchange[];
  readonly remarks: Set<string>;
  /** Whether the connection broke, or no answer came in time. */
  broken: boolean;
}

export function newWatch(): Watch {
  return { exchanges: [], remarks: new Set(), broken: false };
}

function note(watch: Watch, { exchanges, remarks, outcome }: Answer): void {
  watch.exchanges.push(...exchanges);
  for (const remark of remarks) watch.remarks.add(remark);
  if (outcome === 'broken') watch.broken = true;
}

/** A session of whose every request the watch takes note. */
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
    beginRegistration: (...args) => begun(session.beginRegistration(...args)),
    finishRegistration: (...args) => answered(session.finishRegistration(...args)),
    beginAuthentication: (...args) => begun(session.beginAuthentication(...args)),
    finishAuthentication: (...args) => answered(session.finishAuthentication(...args)),
    async whoami() {
      const answer = await session.whoami();
      if (answer !== undefined) note(watch, answer);
      return answer;
    },
    async list() {
      const listed = await session.list();
      note(watch, listed.answer);
      return listed;
    },
    remove: (...args) => answered(session.remove(...args)),
    signOut: () => answered(session.signOut()),
    forging: (...args) => watched(session.forging(...args), watch),
    fork: () => watched(session.fork(), watch),
    newVisit: () => watched(session.newVisit(), watch),
  };
}

/** Takes note of an answer that no session gave. */
export { note as noteAnswer };
