import type { Scope, Session } from '../target/driver.js';
import { countUsers } from '../target/open-driver.js';
import type { RemoteTarget } from './remote.js';
import { ScenarioEnded } from './scenario.js';

/** Ends a scenario that would send a request. */
const send = (): never => {
  throw new ScenarioEnded({ status: 'passed' });
};

/** A target to which nothing is sent: a scenario ends as passed where it would send its first request. */
export function withoutSending(remote: RemoteTarget): RemoteTarget {
  const { driver, api } = remote;
  const scope: Scope = {
    openUser: async (position) => (position > countUsers(driver.has) ? undefined : newSession(position)),
    cleanUp: async () => [],
  };
  return {
    ...remote,
    driver: { ...driver, newScope: () => scope },
    api: api && { ...api, target: { ...api.target, send } },
  };
}

function newSession(user: number): Session {
  const session: Session = {
    user,
    passkeys: () => 0,
    beginRegistration: send,
    finishRegistration: send,
    beginAuthentication: send,
    finishAuthentication: send,
    whoami: send,
    list: send,
    remove: send,
    signOut: send,
    forging: () => session,
    fork: () => session,
    newVisit: () => session,
  };
  return session;
}
