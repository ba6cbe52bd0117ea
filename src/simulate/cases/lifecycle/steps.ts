import { FLAG } from '../../../webauthn/authenticator-data.js';
import type { PublicKeyCredentialRequestOptionsJSON } from '../../../webauthn/json.js';
import { type Actor } from '../../engine/attempts.js';
import { authenticate, createBrowser, findSource, isFull, performed } from '../../engine/ceremony.js';
import { passTime } from '../../engine/context.js';
import { type Demands, listDemands, loginFor } from '../../engine/demands.js';
import { type AuthenticationEdits, clearFlags, editAuthentication } from '../../engine/edits.js';
import { compareStaying } from '../../engine/flows.js';
import { type Lack, notApplicable } from '../../engine/scenario.js';
import { DIFFERS } from '../../report/deviation.js';
import type { Mismatch } from '../../report/report.js';
import type { Answer, Session } from '../../target/driver.js';
import { compareOwner } from '../passkeys.js';
import {
  type AccountPolicy,
  type Expected,
  expecting,
  expectOutcome,
  type Stage,
  type Step,
  type StepOptions,
  type Visit,
  type Who,
} from './stage.js';

interface Action extends Pick<Step, 'lists' | 'bound' | 'control'> {
  readonly at: string;
  readonly run: (session: Session, stage: Stage) => Promise<Answer>;
}

/** Makes a step in which a user acts in one of their browsers. */
function toStep({ by = 'user', in: where = 'home', expect }: StepOptions, { at, lists, bound = [], control, run }: Action): Step {
  const outside = where === 'outside';
  return {
    lists: outside ? [...lists, 'whoami'] : lists,
    ...(where !== 'home' && { bound }),
    ...(control !== undefined && { control }),
    ...expecting(expect),
    async run(stage) {
      const session = await stage.visit(where, by);
      if (outside) await requireSignedOut(session);
      return expectOutcome(stage, at, await run(session, stage), expect);
    },
  };
}

/** Ends the case if the user is signed in even in a new browser, because then they are signed in everywhere. */
async function requireSignedOut(session: Session): Promise<void> {
  const witness = await session.whoami();
  if (witness?.outcome !== 'refused') throw notApplicable('the users of the profile are signed in in every browser (whoami)');
}

/**
 * The kind of login and the endpoint to use. Defaults: a login whose options name a credential, if the target has that kind, and the
 * endpoint that signs the user in.
 */
type LoginWants = Pick<Demands, 'login' | 'endpoint'>;

async function finishLogin({ context, browser, passkey }: Actor, session: Session, wants: LoginWants = {}): Promise<() => Promise<Answer>> {
  const { has } = context.driver;
  const { answer, options } = await session.beginAuthentication(loginFor(wants, has), passkey, listDemands(wants, has));
  if (options === undefined) return async () => answer;
  // The browser has the passkey, whatever the server still lists.
  const allowCredentials = [{ type: 'public-key', id: passkey.credentialId }] as const;
  const response = await authenticate(context, browser, { ...options, allowCredentials: [...allowCredentials] });
  return async () => session.finishAuthentication({ ...response });
}

async function finishRegistration(stage: Stage, session: Session, who: Who): Promise<() => Promise<Answer>> {
  const { context } = stage;
  const { session: home } = await stage.actor(who);
  if (isFull(context, home)) throw notApplicable('a user of the target can have at most one passkey');
  const browser = createBrowser(context);
  const { answer, options } = await session.beginRegistration();
  if (options === undefined) return async () => answer;
  const response = await performed(context, browser.ownPage.create({ publicKey: options }));
  return async () => {
    const finished = await session.finishRegistration({ ...response });
    if (finished.outcome !== 'accepted') return finished;
    const rpId = options.rp.id ?? new URL(context.origin).hostname;
    stage.keepAdded({ context, session: home, browser, passkey: { credentialId: response.id, taken: finished.taken, rpId } });
    // A visitor may open an account of their own.
    const owned = await compareOwner(context, home, { id: response.id, by: 'a later step' });
    return owned.length > 0 || session === home ? finished : { ...finished, outcome: await judgeOwner(stage, home, who) };
  };
}

/**
 * Decides whether a new passkey may belong to the user although the server does not list it for them. It may if the server lists none of
 * the user's passkeys.
 */
async function judgeOwner(stage: Stage, home: Session, who: Who): Promise<'accepted' | 'refused'> {
  const { passkey } = await stage.actor(who);
  const lists = await compareOwner(stage.context, home, { id: passkey.credentialId, by: 'the user' });
  return lists.length > 0 ? 'refused' : 'accepted';
}

export const login = (options: StepOptions & { readonly wants?: LoginWants } = {}): Step =>
  toStep(
    { in: 'first', ...options },
    {
      at: 'the login',
      lists: [],
      run: async (session, stage) => (await finishLogin(await stage.actor(options.of ?? options.by ?? 'user'), session, options.wants))(),
    },
  );

/** Last part of the id of the honest case that shows that adding a passkey works. The next two constants are the same for other steps. */
const ADDING = 'login-adds-passkey';
const REMOVING = 'removal';
const LISTING = 'list';

export const add = (options: StepOptions = {}): Step =>
  toStep(options, {
    at: 'the registration',
    lists: [],
    bound: ['registrationOptions', 'register'],
    ...((options.in ?? 'home') !== 'home' && { control: ADDING }),
    run: async (session, stage) => (await finishRegistration(stage, session, options.by ?? 'user'))(),
  });

/** Makes a step that creates a response and keeps it for a later step to send. */
export const begin = (what: 'login' | 'registration', options: StepOptions = {}): Step => ({
  lists: [],
  ...(what === 'registration' && (options.in ?? 'home') !== 'home' && { bound: ['registrationOptions', 'register'], control: ADDING }),
  async run(stage) {
    const { by = 'user', in: where = what === 'login' ? 'first' : 'home' } = options;
    const session = await stage.visit(where, by);
    const ready = what === 'login' ? finishLogin(await stage.actor(by), session) : finishRegistration(stage, session, by);
    stage.open.push(await ready);
    return [];
  },
});

export const finish = (expect: Expected): Step => ({
  lists: [],
  ...expecting(expect),
  async run(stage) {
    const finishing = stage.open.shift();
    return finishing === undefined ? [] : expectOutcome(stage, 'the response that was made before', await finishing(), expect);
  },
});

export const remove = (options: StepOptions = {}): Step =>
  toStep(options, {
    at: 'the removal',
    lists: ['remove'],
    bound: ['remove'],
    control: REMOVING,
    run: async (session, stage) => session.remove((await stage.actor(options.of ?? options.by ?? 'user')).passkey),
  });

/** Requests the user's list of passkeys. The step counts as accepted if the list contains the passkey. */
export const list = (options: StepOptions = {}): Step =>
  toStep(options, {
    at: 'the list',
    lists: ['list'],
    bound: ['list'],
    control: LISTING,
    async run(session, stage) {
      const { answer, credentialIds } = await session.list();
      if (answer.outcome !== 'accepted') return answer;
      if (credentialIds === undefined) throw notApplicable('the profile takes no credentialIds from the list');
      const { passkey } = await stage.actor(options.of ?? 'user');
      return credentialIds.includes(passkey.credentialId) ? answer : { ...answer, outcome: 'refused', said: 'not in the list' };
    },
  });

/** Makes a label that is unique to the passkey, because a label from an earlier case may still be listed. */
const makeLabel = ({ passkey }: Actor): string => `Renamed by simulate ${passkey.credentialId.slice(0, 8)}`;

export const rename = (options: StepOptions = {}): Step =>
  toStep(options, {
    at: 'the new label',
    lists: ['rename'],
    bound: ['rename'],
    control: 'rename',
    async run(session, stage) {
      const actor = await stage.actor(options.of ?? options.by ?? 'user');
      return session.rename(actor.passkey, makeLabel(actor));
    },
  });

/** Makes a step that checks whether the user's list of passkeys shows the new label. */
export const renamed = (expect: 'accepted' | 'refused'): Step =>
  toStep(
    { expect },
    {
      at: 'the label in the list',
      lists: ['list'],
      async run(session, stage) {
        const { answer, labels } = await session.list();
        if (!Array.isArray(labels)) throw notApplicable('the profile does not read labels from the list of passkeys');
        return labels.includes(makeLabel(await stage.actor('user'))) ? answer : { ...answer, outcome: 'refused', said: 'the old label' };
      },
    },
  );

export const whoami = (visit: Visit, expect: Expected = 'accepted', by: Who = 'user'): Step => ({
  lists: ['whoami'],
  ...expecting(expect),
  async run(stage) {
    const witness = await (await stage.visit(visit, by)).whoami();
    return witness === undefined ? [] : expectOutcome(stage, 'whoami', witness, expect);
  },
});

/** Checks that the user is still signed in after another user's action, however the server responded to that action. */
export const staysSignedIn = (visit: Visit): Step => ({
  lists: ['whoami'],
  refuses: true,
  async run(stage) {
    const witness = await (await stage.visit(visit, 'user')).whoami();
    return witness?.outcome === 'accepted'
      ? []
      : [{ at: 'whoami', expected: 'still signed in', received: 'signed out', deviation: DIFFERS }];
  },
});

/** Checks that the user's passkey still signs in after another user's action, however the server responded to that action. */
export const staysGood = (visit: Visit): Step => ({
  lists: [],
  refuses: true,
  async run(stage) {
    const [actor, session] = [await stage.actor('user'), await stage.visit(visit, 'user')];
    return compareStaying('the login', async () => (await finishLogin(actor, session))());
  },
});

/** Copies the current cookies and variables of one browser into a new one. */
export const keepCookies = (from: Visit, as: Visit): Step => ({
  lists: [],
  async run(stage) {
    stage.keep(as, 'user', (await stage.visit(from, 'user')).fork());
    return [];
  },
});

export const signOut = (options: StepOptions = {}): Step =>
  toStep(
    { in: 'first', ...options },
    { at: 'signing out', lists: ['signOut'], bound: ['signOut'], control: 'sign-out', run: (session) => session.signOut() },
  );

/** Milliseconds by which the clocks of two machines may differ. */
const TOLERANCE_MS = 2_000;

/** Waits until a time limit of the profile's policy has passed. */
export const wait = (key: 'freshSeconds' | 'recoverySeconds'): Step => ({
  lists: [],
  policy: key,
  waits: true,
  async run({ context }) {
    const seconds = context.driver.has.policy?.[key] ?? 0;
    await passTime(context, seconds * 1000 + TOLERANCE_MS);
    return [];
  },
});

interface SecretOptions extends StepOptions {
  /** Chooses the password to enter, given the user's own password and another user's; default: the user's own. */
  readonly password?: (own: string, others: string) => string;
}

const stepsUpByPasskey = ({ context: { driver } }: Stage): boolean => driver.reads('credential', 'stepUp');

/** Enters a password to sign in or to step up. A step-up uses a passkey instead if the profile says so. */
function enter(action: 'password' | 'stepUp', { by = 'user', in: where = 'home', password, expect }: SecretOptions): Step {
  return {
    lists: [action],
    control: action === 'password' ? 'password' : 'step-up-adds-passkey',
    ...expecting(expect),
    async run(stage) {
      const session = await stage.visit(where, by);
      if (password !== undefined && !stage.context.driver.reads('user.password', action)) {
        throw notApplicable(`the profile’s ${action} requests do not send {user.password}`);
      }
      if (action === 'stepUp' && stepsUpByPasskey(stage)) {
        const { send } = await readyStepUp(await stage.actor(by), session);
        return expectOutcome(stage, 'stepUp', await send(), expect);
      }
      const text = password?.(session.password, password.length < 2 ? '' : (await stage.actor('other')).session.password);
      const answer = await session.enter(action, text === undefined ? {} : { password: text });
      return expectOutcome(stage, action === 'password' ? 'the sign-in with a password' : 'stepUp', answer, expect);
    },
  };
}

/** Signs the user in with a password. */
export const enterPassword = (options: SecretOptions = {}): Step => enter('password', { in: 'second', ...options });

export const stepUp = (options: SecretOptions = {}): Step => enter('stepUp', options);

/** A passkey's response to the options of a step-up. It can be sent more than once. */
interface ReadyStepUp {
  /** The options of the step-up; undefined if the server gave none. */
  readonly options?: PublicKeyCredentialRequestOptionsJSON;
  readonly send: () => Promise<Answer>;
}

/** Describes how a step-up's response differs from an honest one: whose passkey signs it, and how its parts are edited. */
interface StepUpChange {
  readonly signer?: Actor;
  readonly edits?: AuthenticationEdits;
}

async function readyStepUp(actor: Actor, session: Session, { signer = actor, edits }: StepUpChange = {}): Promise<ReadyStepUp> {
  const { context, browser, passkey } = signer;
  const { answer, options } = await session.beginStepUp(actor.passkey);
  if (options === undefined) return { send: async () => answer };
  const allowCredentials = [{ type: 'public-key', id: passkey.credentialId }] as const;
  const honest = await authenticate(context, browser, { ...options, allowCredentials: [...allowCredentials] });
  const source = await findSource(browser, passkey.rpId, honest.id);
  const credential = edits === undefined ? { ...honest } : await editAuthentication(honest, source, edits);
  return { options, send: async () => session.enter('stepUp', { credential }) };
}

/** Makes a step in which the user steps up with a passkey, in the session in which the account was made. */
function passkeyStep(refuses: boolean, run: (stage: Stage, session: Session) => Promise<readonly Mismatch[]>): Step {
  return {
    lists: ['stepUp'],
    refuses,
    ...(refuses && { control: 'step-up-with-passkey' }),
    async run(stage) {
      if (!stepsUpByPasskey(stage)) throw notApplicable('the profile does not step up with a passkey (stepUp)');
      return run(stage, await stage.visit('home', 'user'));
    },
  };
}

interface PasskeyOptions {
  /** The owner of the passkey that signs; default: the user. */
  readonly of?: Who;
  readonly edits?: AuthenticationEdits;
  /** The expected outcome; default: accepted. */
  readonly expect?: 'accepted' | 'refused';
}

export const stepUpWithPasskey = ({ of = 'user', edits, expect = 'accepted' }: PasskeyOptions = {}): Step =>
  passkeyStep(expect === 'refused', async (stage, session) => {
    const change = { signer: await stage.actor(of), ...(edits && { edits }) };
    const { send } = await readyStepUp(await stage.actor('user'), session, change);
    return expectOutcome(stage, 'stepUp', await send(), expect);
  });

/** Sends the response of a step-up twice in the same session. */
export const stepUpTwice = (): Step =>
  passkeyStep(true, async (stage, session) => {
    const { send } = await readyStepUp(await stage.actor('user'), session);
    const first = expectOutcome(stage, 'stepUp', await send());
    return first.length > 0 ? first : expectOutcome(stage, 'stepUp with the same response', await send(), 'refused');
  });

/** Steps up without user verification. The case applies if the step-up's options or the profile's policy require verification. */
export const stepUpUnverified = (): Step =>
  passkeyStep(true, async (stage, session) => {
    const change = { edits: { authenticatorData: clearFlags(FLAG.uv) } };
    const { options, send } = await readyStepUp(await stage.actor('user'), session, change);
    const { stepUp: needed } = stage.context.driver.has.policy ?? {};
    if (options !== undefined && options.userVerification !== 'required' && needed !== 'verified') throw notApplicable(whyUnjudged(needed));
    return expectOutcome(stage, 'stepUp', await send(), 'refused');
  });

function whyUnjudged(needed: AccountPolicy['stepUp']): string | Lack {
  if (needed === 'present') return 'the target accepts a step-up without user verification (has.policy.stepUp)';
  const reason =
    'correct relying parties differ: the options of stepUp do not require user verification, and has.policy does not say whether the target does (stepUp)';
  return { reason, member: 'has.policy.stepUp' };
}

/** Requests a recovery in a new browser. */
export const ask = (by: 'user' | 'other' = 'user', expect: 'accepted' | 'any' = 'accepted'): Step => ({
  lists: ['recover'],
  control: 'recovery',
  async run(stage) {
    const { session } = await stage.actor(by);
    stage.signedIn ??= (await (await stage.actor('user')).session.whoami())?.user;
    const { answer, token } = await session.newVisit().beginRecovery();
    if (answer.outcome === 'accepted' && token === undefined) throw notApplicable('the profile’s recover requests take no recoveryToken');
    stage.codes[by].push(token ?? '');
    return expectOutcome(stage, 'the beginning of the recovery', answer, expect);
  },
});

interface RecoverOptions extends StepOptions {
  readonly by?: 'user' | 'other';
  /** The owner of the recovery code; default: the user in `by`. */
  readonly code?: 'user' | 'other';
  /** Uses the first recovery code of the user instead of the latest. */
  readonly older?: true;
  /** Changes the recovery code before it is sent. */
  readonly edit?: (code: string) => string;
}

/** Sends a recovery code, which finishes the recovery. */
export const recover = ({
  by = 'user',
  in: where = 'second',
  code = by,
  older,
  edit = (same) => same,
  expect,
}: RecoverOptions = {}): Step => ({
  lists: ['recover'],
  ...expecting(expect),
  async run(stage) {
    const recoveryToken = edit(stage.codes[code].at(older ? 0 : -1) ?? '');
    const answer = await (await stage.visit(where, by)).enter('recover', { recoveryToken });
    return expectOutcome(stage, 'the end of the recovery', answer, expect);
  },
});
