import type { KeyPairSource } from '../../authenticator/key-pair.js';
import type { CaseContext } from '../engine/context.js';

interface Place {
  readonly origin: string;
  readonly topOrigin: string | undefined;
  readonly newPrivateKey: KeyPairSource;
  readonly onRemark: ((text: string) => void) | undefined;
}

/** Where one response is made and changed: an origin, and no target to talk to. */
export function placeOf({ origin, topOrigin, newPrivateKey, onRemark }: Place): CaseContext {
  return {
    origin,
    topOrigin,
    newPrivateKey,
    driver: {
      has: {},
      name: 'none',
      origin,
      cleansUp: false,
      offers: () => false,
      sends: () => true,
      newScope: noTarget,
      forgetAccounts: noTarget,
      openUser: noTarget,
      cleanUp: noTarget,
      close: noTarget,
    },
    session: noTarget,
    cleanUp: noTarget,
    api: undefined,
    server: undefined,
    passTime: undefined,
    signal: undefined,
    remark: (text) => onRemark?.(text),
  };
}

/** Stands for the session in which the ceremony was begun, elsewhere. */
export const BEGUN_ELSEWHERE = {
  user: 1,
  beginRegistration: noTarget,
  finishRegistration: noTarget,
  beginAuthentication: noTarget,
  finishAuthentication: noTarget,
  whoami: noTarget,
  list: noTarget,
  remove: noTarget,
  signOut: noTarget,
  forging: noTarget,
  fork: noTarget,
  newVisit: noTarget,
};

/** A case that comes here is no mutation, and must say so (`severalCeremonies`). */
function noTarget(): never {
  throw new TypeError('Expected a mutation to change one response only; it asked for a target.');
}
