import type { Case } from '../../engine/case.js';
import type { CaseContext } from '../../engine/context.js';
import type { Demands } from '../../engine/demands.js';
import { ACCEPTED, describeOutcome, notPrepared, readDeviation, refused } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';
import type { Mismatch } from '../../report/report.js';
import type { Answer, Driver, Session } from '../../target/driver.js';
import { describeLack } from '../passkeys.js';
import { createStage, type Stage, type Step, takeSteps } from './stage.js';
import { add, ask, begin, finish, login, recover, whoami } from './steps.js';

type Gate = Driver['gates'][number];
type Stopped = Gate['stops'][number];

interface GateCase extends Pick<Case, 'title' | 'why' | 'wants'> {
  /** Steps to perform before the gate, such as a locked account, is set. */
  readonly before?: readonly Step[];
  /** Steps to perform while the gate, such as a locked account, is set. */
  readonly steps: readonly Step[];
  /** Limits the case to gates that stop not only logins but also this other way into the account. */
  readonly stops?: Stopped;
  /** Ids of honest cases that show that the steps work without the gate. */
  readonly controls?: readonly string[];
}

const WHAT: Readonly<Record<Stopped, string>> = {
  verify: 'an authentication without a session',
  sessions: 'sessions that are open',
  registration: 'the registration of a passkey',
  recovery: 'a recovery',
};

const STOPPED = refused('unauthenticated', undefined, 403);

type Lacks = NonNullable<Case['lacks']>;
type Offers = Parameters<Lacks>[0];

function findLack({ gates, offers }: Offers, steps: readonly Step[], stops: Stopped | undefined): ReturnType<Lacks> {
  const list = steps.flatMap(({ lists }) => lists).find((action) => !offers(action));
  if (list !== undefined) return describeLack(list);
  if (gates.length === 0) {
    return { reason: 'not judged: the profile does not say how to lock, disable or unverify a user (gates)', member: 'gates' };
  }
  if (stops === undefined || gates.some((gate) => gate.stops.includes(stops))) return undefined;
  return { reason: `not judged: no gate of the profile says that it stops ${WHAT[stops]} (stops: ${stops})`, member: 'gates' };
}

/** Deletes the account after its gate was lifted, because the gate may have ended the account's session. */
async function leave(context: CaseContext): Promise<void> {
  await context.cleanUp();
  context.driver.forgetAccounts();
}

/** Lifts a gate; repeats a failed attempt once, because a gate that stays set fails all later cases with the same user. */
async function liftGate(session: Session, name: string): Promise<Answer> {
  const lifted = await session.turnGate(name, 'lift');
  return lifted.outcome === 'accepted' ? lifted : await session.turnGate(name, 'lift');
}

/** Sets a gate on the user's account, performs the steps, and lifts the gate again. */
async function takeUnder({ name }: Gate, stage: Stage, steps: readonly Step[]): Promise<readonly Mismatch[]> {
  const { session } = await stage.actor('user');
  const set = await session.turnGate(name, 'set');
  try {
    if (set.outcome !== 'accepted') throw notPrepared(`setting the gate "${name}"`, set);
    const mismatches = await takeSteps(stage, steps);
    return mismatches.map((mismatch) => ({ ...mismatch, at: `${mismatch.at}, with the gate "${name}"` }));
  } finally {
    const lifted = await liftGate(session, name);
    if (lifted.outcome !== 'accepted') stage.context.remark(`The gate "${name}" was not lifted: ${lifted.said}`);
  }
}

/** Makes cases about users who may not sign in. Each key is the last part of a case id. Each case tries every gate of the profile. */
function gateCases(rows: Readonly<Record<string, GateCase>>): readonly Case[] {
  return Object.entries(rows).map(([id, { before = [], steps, stops, controls = ['login.default'], ...described }]) => {
    const needed: readonly Step[] = [...before, ...steps, ...(described.wants?.endpoint === undefined ? [whoami('first')] : [])];
    const lacks = (target: Offers) => findLack(target, needed, stops);
    return {
      ...described,
      id: `lifecycle.${id}`,
      tags: ['gate'],
      expected: STOPPED,
      controls: [...controls, 'lifecycle.gate-lifted'],
      runsAlone: true,
      lacks,
      async run(context) {
        const reason = lacks(context.driver);
        if (reason !== undefined) throw notApplicable(reason);
        const found: Mismatch[] = [];
        for (const gate of context.driver.gates.filter((each) => stops === undefined || each.stops.includes(stops))) {
          const stage = createStage(context.inNewSessions(), described.wants);
          await stage.actor('user');
          const mismatches = await takeSteps(stage, before);
          found.push(...mismatches, ...(mismatches.length > 0 ? [] : await takeUnder(gate, stage, steps)));
          await leave(context);
        }
        return found;
      },
    };
  });
}

/** Tries to sign the user in with their password. Returns undefined if the profile has no sign-in with a password. */
async function entersByPassword(stage: Stage): Promise<boolean | undefined> {
  if (!stage.context.driver.offers('password')) return undefined;
  const { session } = await stage.actor('user');
  const visit = session.newVisit();
  const entered = await visit.enter('password');
  return entered.outcome === 'accepted' && (await visit.whoami())?.outcome === 'accepted';
}

/** Reports a gate that does not stop a sign-in with a password: either it was not really set, or the server ignores it. */
function compareGated({ name }: Gate, before: boolean | undefined, gated: boolean | undefined): readonly Mismatch[] {
  if (before !== true || gated !== true) return [];
  return [
    {
      at: `the sign-in with a password, with the gate "${name}" (preparation)`,
      expected: 'refused',
      received: 'accepted, as without the gate',
      deviation: { kind: 'not_prepared', by: { kind: 'accepted' } },
      hint: 'Check that the steps in "set" of the gate have an effect: a command that changes no row of the database succeeds too. If they have, the server ignores this state of the account.',
    },
  ];
}

async function compareLifted(gate: Gate, stage: Stage): Promise<readonly Mismatch[]> {
  const { session } = await stage.actor('user');
  const before = await entersByPassword(stage);
  let gated: boolean | undefined;
  const set = await session.turnGate(gate.name, 'set');
  if (set.outcome === 'accepted' && before === true) gated = await entersByPassword(stage);
  const lifted = await liftGate(session, gate.name);
  for (const [act, answer] of [
    ['setting', set],
    ['lifting', lifted],
  ] as const) {
    if (answer.outcome === 'accepted') continue;
    const at = `${act} the gate "${gate.name}" (preparation)`;
    return [
      { at, expected: 'accepted', received: describeOutcome(answer), deviation: { kind: 'not_prepared', by: readDeviation(answer) } },
    ];
  }
  const mismatches = compareGated(gate, before, gated);
  return mismatches.length > 0 ? mismatches : takeSteps(stage, [login()]);
}

const LIFTED: Case = {
  id: 'lifecycle.gate-lifted',
  title: 'a login of a user who was locked, disabled or unverified before, but is no longer',
  why: 'Users who are unlocked or enabled again must be able to sign in as before. The steps in "set" and "lift" of a gate must do what they say; otherwise the cases about gates prove nothing.',
  tags: ['gate'],
  expected: ACCEPTED,
  controls: ['login.default'],
  runsAlone: true,
  lacks: (target) => findLack(target, [whoami('first')], undefined),
  async run(context) {
    const reason = findLack(context.driver, [whoami('first')], undefined);
    if (reason !== undefined) throw notApplicable(reason);
    const found: Mismatch[] = [];
    for (const gate of context.driver.gates) {
      found.push(...(await compareLifted(gate, createStage(context.inNewSessions()))));
      await leave(context);
    }
    return found;
  },
};

const SAME_GATE =
  'The login with a passkey is often separate from the login with a password, and omits its checks: whether the account is locked, disabled or unverified, or needs a second factor. Check the state of the account in one place that every way in uses, when you create the session.';
const AT_THE_END =
  'A user may be locked after the options of a login were given and before the response arrives. Check the state of the account when you create the session, not when a ceremony begins.';
const OPEN =
  'An administrator who locks or disables an account wants its user signed out. End the open sessions of the user in the same step, or check the state of the account in every request.';
const NEW_KEY =
  'A passkey registered while the account is disabled is a way back in. Check the state of the account when a ceremony begins and when it ends.';
const RECOVERED =
  'A recovery proves who the user is, but must not unlock or enable the account. Only the procedure that set such a state may lift it. Check the state before the recovery signs the user in.';
const VERIFIED =
  'To the program that calls it, an endpoint that only verifies a response is a sign-in too. Check the state of the account there as well.';

const DISCOVERABLE: Demands = { login: 'discoverable' };
const VERIFY: Demands = { endpoint: 'verify' };
const ADDING = ['register.default', 'login.default'];

/** Cases about users who are locked, disabled or unverified, and may not sign in at all. */
export const GATES: readonly Case[] = [
  LIFTED,
  ...gateCases({
    'gate-login': {
      title: 'a login of a user who is locked, disabled or unverified',
      why: SAME_GATE,
      steps: [login({ expect: 'refused' })],
    },
    'gate-login-discoverable': {
      title: 'a login that names no user, by a user who is locked, disabled or unverified',
      why: SAME_GATE,
      wants: DISCOVERABLE,
      controls: ['login.discoverable'],
      steps: [login({ wants: { login: 'discoverable' }, expect: 'refused' })],
    },
    'gate-login-begun': {
      title: 'a login that began before its user was locked, disabled or unverified, and is sent afterwards',
      why: AT_THE_END,
      before: [begin('login')],
      steps: [finish('refused')],
    },
    'gate-verify': {
      title: 'a response that is only verified, by a user who is locked, disabled or unverified',
      why: VERIFIED,
      wants: VERIFY,
      controls: ['verify.default'],
      stops: 'verify',
      steps: [login({ wants: { endpoint: 'verify' }, expect: 'refused' })],
    },
    'gate-session': {
      title: 'the open session of a user who is then locked, disabled or unverified',
      why: OPEN,
      stops: 'sessions',
      before: [login(), whoami('first')],
      steps: [whoami('first', 'refused')],
    },
    'gate-adds-passkey': {
      title: 'a new passkey of a user who is locked, disabled or unverified, in a session from before',
      why: NEW_KEY,
      stops: 'registration',
      controls: ADDING,
      steps: [add({ expect: 'refused' })],
    },
    'gate-registration-begun': {
      title: 'a registration that began before its user was locked, disabled or unverified, and is sent afterwards',
      why: NEW_KEY,
      stops: 'registration',
      controls: ADDING,
      before: [begin('registration')],
      steps: [finish('refused')],
    },
    'gate-recovery': {
      title: 'a recovery of a user who is locked, disabled or unverified',
      why: RECOVERED,
      stops: 'recovery',
      controls: ['login.default', 'lifecycle.recovery'],
      steps: [ask('user', 'any'), recover({ expect: 'any' }), whoami('second', 'refused'), login({ in: 'third', expect: 'refused' })],
    },
  }),
];
