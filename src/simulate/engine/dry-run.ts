import type { Scope, Session } from '../target/driver.js';
import { countUsers } from '../target/profile-schema.js';
import type { RemoteTarget } from './remote-target.js';
import { ScenarioEnded } from './scenario.js';

/** Throws to end a scenario at the point where it would send a request. */
const send = (): never => {
  throw new ScenarioEnded({ status: 'passed' });
};

/** Makes a target that receives nothing: a scenario passes as soon as it would send its first request. */
export function withoutSending(remote: RemoteTarget): RemoteTarget {
  const { driver, api } = remote;
  const scope: Scope = {
    openUser: async (position) => (position > countUsers(driver.has) ? undefined : createIdleSession(position, send)),
    cleanUp: async () => [],
  };
  return {
    ...remote,
    driver: { ...driver, newScope: () => scope },
    api: api && { ...api, target: { ...api.target, send } },
  };
}

/** Creates a session that sends nothing: every request calls `act` instead. */
export function createIdleSession(user: number, act: () => never): Session {
  const session: Session = {
    user,
    password: '',
    passkeys: () => 0,
    beginRegistration: act,
    finishRegistration: act,
    beginAuthentication: act,
    finishAuthentication: act,
    whoami: act,
    identify: act,
    list: act,
    remove: act,
    signOut: act,
    rename: act,
    beginStepUp: act,
    enter: act,
    beginRecovery: act,
    signUp: act,
    turnGate: act,
    forging: () => session,
    names: () => ({}),
    claiming: () => session,
    carried: () => undefined,
    carrying: () => session,
    cookies: act,
    withoutCookie: () => session,
    fork: () => session,
    newVisit: () => session,
    newStranger: () => session,
    newImpostor: () => session,
  };
  return session;
}
