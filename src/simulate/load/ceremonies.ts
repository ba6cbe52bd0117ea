import { createAuthenticator } from '../../authenticator/authenticator.js';
import type { KeyPairSource } from '../../authenticator/key-pair.js';
import { createClient } from '../../client/client.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { traitsFor } from '../target/attestation-for.js';
import type { Answer, Login, Outcome } from '../target/driver.js';
import type { LoadTarget } from './open-target.js';
import type { HeldPasskey, Passkeys } from './passkeys.js';
import type { CeremonyKind, LoadMix, RequestKind } from './report.js';
import type { LoadClock, Start } from './schedule.js';
import type { Tally } from './tally.js';

export interface CeremonyOptions {
  readonly target: LoadTarget;
  readonly clock: LoadClock;
  readonly tally: Tally;
  readonly passkeys: Passkeys;
  readonly mix: LoadMix;
  readonly newPrivateKey: KeyPairSource;
}

/**
 * The sign count of a new passkey. It is not 0, because 0 means "not counted" (§6.1.1), and the count of the registration could then not be
 * checked.
 */
const FIRST_SIGN_COUNT = 1;

/** Measures one ceremony, starting from the time at which it was due. */
interface Course {
  /** The time in milliseconds from which the next operation is measured. */
  from: number;
  /** Counts and times a request that has just been answered. */
  request(kind: RequestKind, answer: Pick<Answer, 'outcome' | 'said'>): void;
  /** Awaits the client's response. Returns undefined if the client cannot use the options, which counts as a failure of the target. */
  perform<T>(ceremony: Promise<T>): Promise<T | undefined>;
}

/**
 * Makes the function that performs the ceremonies of a load run. It alternates registrations and logins in the proportion of the mix, and
 * registers if no passkey is free for a login. It counts failures of the target or the connection and never throws them.
 */
export function createCeremonies(options: CeremonyOptions): Start {
  const { clock, tally, passkeys, mix } = options;
  const { logins } = options.target;
  const round = mix.registrations + mix.logins;
  /** Number of logins so far. It selects the kind of the next login, so that all kinds the target offers take turns. */
  let loggedIn = 0;

  return async function run(index, due) {
    tally.late(clock.now() - due);
    const passkey = index % round < mix.registrations ? undefined : passkeys.take();
    const kind: CeremonyKind = passkey === undefined ? 'registration' : 'login';
    const course = newCourse(options, due);
    try {
      const outcome = await (passkey === undefined
        ? register(options, course)
        : logIn(course, passkey, logins[loggedIn++ % logins.length] ?? 'named'));
      tally.ceremony(kind, outcome, clock.now() - due);
    } finally {
      if (passkey !== undefined) passkeys.giveBack(passkey);
    }
  };
}

function newCourse({ clock, tally }: CeremonyOptions, due: number): Course {
  const course: Course = {
    from: due,
    request(kind, answer) {
      const now = clock.now();
      tally.request(kind, answer, now - course.from);
      course.from = now;
    },
    async perform(ceremony) {
      const began = clock.now();
      try {
        return await ceremony;
      } catch (error) {
        tally.unusable(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`);
        return undefined;
      } finally {
        course.from = clock.now();
        tally.client(course.from - began);
      }
    },
  };
  return course;
}

async function register({ target, passkeys, newPrivateKey }: CeremonyOptions, course: Course): Promise<Outcome> {
  const { session, scope } = await target.openUser();
  if ('outcome' in session) {
    course.request('account', session);
    return session.outcome;
  }
  if (target.makesAccounts) {
    target.keep(scope);
    course.request('account', { outcome: 'accepted', said: '' });
  }
  const begun = await session.beginRegistration();
  course.request('options', begun.answer);
  if (begun.options === undefined) return begun.answer.outcome;
  const authenticator = createAuthenticator({
    newPrivateKey,
    ...traitsFor(target.has),
    alwaysDiscoverable: target.logins.includes('discoverable'),
    signCount: { kind: 'per-credential', start: FIRST_SIGN_COUNT },
  });
  const client = createClient({ authenticator, origin: target.origin });
  const response = await course.perform(client.create({ publicKey: begun.options }));
  if (response === undefined) return 'failed';
  const answer = await session.finishRegistration({ ...response });
  course.request('register', answer);
  if (answer.outcome === 'accepted') {
    target.keep(scope);
    const rpId = begun.options.rp.id ?? new URL(target.origin).hostname;
    const { taken } = answer;
    const { store } = authenticator;
    passkeys.add({ credentialId: response.id, taken, rpId, session, client, store, acknowledged: FIRST_SIGN_COUNT });
  }
  return answer.outcome;
}

async function logIn(course: Course, passkey: HeldPasskey, login: Login): Promise<Outcome> {
  const visit = passkey.session.newVisit();
  const begun = await visit.beginAuthentication(login, passkey);
  course.request('options', begun.answer);
  if (begun.options === undefined) return begun.answer.outcome;
  const response = await course.perform(passkey.client.get({ publicKey: begun.options }));
  if (response === undefined) return 'failed';
  const answer = await visit.finishAuthentication({ ...response }, { witness: false });
  course.request('login', answer);
  if (answer.outcome === 'accepted') passkey.acknowledged = await readSignCount(passkey);
  return answer.outcome;
}

/** Reads the current sign count of a passkey from its authenticator. */
export async function readSignCount({ store, rpId, credentialId }: HeldPasskey): Promise<number> {
  return (await store.find(rpId, decodeBase64url(credentialId)))?.signCount ?? 0;
}
