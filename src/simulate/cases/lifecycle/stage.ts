import { type Actor, prepareActor } from '../../engine/attempts.js';
import type { Case } from '../../engine/case.js';
import type { CaseContext } from '../../engine/context.js';
import type { Demands } from '../../engine/demands.js';
import { ACCEPTED, compareOutcome, describeOutcome, readDeviation, refused } from '../../engine/outcome.js';
import { notApplicable, SLOW_TAG } from '../../engine/scenario.js';
import type { Mismatch } from '../../report/report.js';
import type { Answer, Driver, OwnAction, Session } from '../../target/driver.js';
import { describeLack } from '../passkeys.js';

export type AccountPolicy = NonNullable<Driver['has']['policy']>;
type Phase = Parameters<Driver['reads']>[1];

/**
 * A user in a case: the one whose account is attacked (`user`), another user (`other`), or the attacked user with the passkey that a step
 * registered (`added`).
 */
export type Who = 'user' | 'other' | 'added';

/** The name of a browser. The account was made in `home`; in `outside` no user is signed in. */
export type Visit = 'home' | 'outside' | 'first' | 'second' | 'third';

/** A rule for an action on which correct servers differ. It decides by the policy in the target's profile which outcome to expect. */
export interface Rule {
  readonly key: keyof AccountPolicy;
  readonly decide: (policy: AccountPolicy) => 'accepted' | 'refused';
}

/** The expected outcome of a step. With `any`, both outcomes are allowed, and a later step checks the effect. */
export type Expected = 'accepted' | 'refused' | 'any' | Rule;

export interface Stage {
  readonly context: CaseContext;
  actor(who: Who): Promise<Actor>;
  visit(name: Visit, who: Who): Promise<Session>;
  /** Replaces the session in one of the user's browsers. */
  keep(name: Visit, who: Who, session: Session): void;
  keepAdded(actor: Actor): void;
  /** The user that whoami returned before the first recovery; undefined until then. */
  signedIn: unknown;
  /** The recovery codes that each user has received, oldest first. */
  readonly codes: Record<Who, string[]>;
  /** Functions that finish the logins and registrations which earlier steps began. */
  readonly open: (() => Promise<Answer>)[];
}

/** One step in a case about accounts, and what the step needs from the profile. */
export interface Step {
  readonly lists: readonly (OwnAction | 'whoami')[];
  /** Phases that must identify the user by the session. The case does not apply if the profile sends a bearer token in one of them. */
  readonly bound?: readonly Phase[];
  readonly policy?: keyof AccountPolicy;
  readonly waits?: true;
  /** Last part of the id of the honest case that shows that this step works at the target. */
  readonly control?: string;
  /** True if a correct server may refuse this step; default: false. */
  readonly refuses?: boolean;
  readonly run: (stage: Stage) => Promise<readonly Mismatch[]>;
}

export interface StepOptions {
  /** The user who takes the step; default: `user`. */
  readonly by?: Who;
  /** The browser in which the step is taken; default: `home`. */
  readonly in?: Visit;
  /** The owner of the passkey to use; default: the user in `by`. */
  readonly of?: Who;
  /** The expected outcome; default: accepted. */
  readonly expect?: Expected;
}

/** Creates a stage without users or browsers. They are prepared when a step first needs them. */
export function createStage(context: CaseContext, wants: Demands = {}): Stage {
  const actors = new Map<Who, Promise<Actor>>();
  const visits = new Map<string, Session>();
  const prepare = async (who: Who) => prepareActor(context, await context.session(who === 'other' ? 2 : 1), { wants });
  const actor = (who: Who): Promise<Actor> => {
    const known = actors.get(who) ?? prepare(who);
    actors.set(who, known);
    return known;
  };
  const nameVisit = (name: Visit, who: Who) => `${name} ${who === 'other' ? 'other' : 'user'}`;
  return {
    context,
    actor,
    async visit(name, who) {
      const { session: home } = await actor(who);
      const session = name === 'home' ? home : (visits.get(nameVisit(name, who)) ?? home.newVisit());
      if (!visits.has(nameVisit(name, who))) visits.set(nameVisit(name, who), session);
      return session;
    },
    keep: (name, who, session) => visits.set(nameVisit(name, who), session),
    keepAdded: (added) => actors.set('added', Promise.resolve(added)),
    signedIn: undefined,
    codes: { user: [], other: [], added: [] },
    open: [],
  };
}

/** Compares the outcome of a step with the expected one, and lists the mismatch if there is one. */
export function expectOutcome({ context: { driver } }: Stage, at: string, answer: Answer, expect: Expected = 'accepted'): Mismatch[] {
  if (expect === 'any') {
    if (answer.outcome === 'accepted' || answer.outcome === 'refused') return [];
    return [{ at, expected: 'accepted or refused', received: describeOutcome(answer), deviation: readDeviation(answer) }];
  }
  const decided = typeof expect === 'string' ? expect : expect.decide(driver.has.policy ?? {});
  // Any way to refuse will do, at our own API too.
  return compareOutcome(at, decided === 'accepted' ? ACCEPTED : refused(''), answer, { ...driver.has, codes: false });
}

/** Derives the members of a step that depend on its expected outcome: the policy to read, and whether the server may refuse the step. */
export const expecting = (expect: Expected = 'accepted'): Pick<Step, 'policy' | 'refuses'> => ({
  refuses: expect !== 'accepted',
  ...(typeof expect === 'object' && { policy: expect.key }),
});

/** The title of a case, its steps, and the kind of login that the target must offer. */
type Row = readonly [title: string, steps: readonly Step[], wants?: Pick<Demands, 'login'>];

/** Request lists that may end other sessions of the user. */
const ENDING: ReadonlySet<Step['lists'][number]> = new Set(['signOut', 'recover']);

const REFUSED = refused('unauthenticated', undefined, 401);

/**
 * Makes cases about users' accounts. Each key of `rows` is the last part of a case id. A case runs if the profile has the request lists and
 * policies that its steps need.
 *
 * @param rule a rule for all of these cases: they run only if it expects a refusal
 */
export function lifecycleCases(why: string, rows: Readonly<Record<string, Row>>, rule?: Rule): readonly Case[] {
  return Object.entries(rows).map(([id, [title, steps, wants]]) => {
    const policies = [...new Set([...(rule ? [rule.key] : []), ...steps.flatMap(({ policy }) => policy ?? [])])];
    const lacks = (target: Offers) => findLack(target, steps, policies) ?? findUndone(target, rule);
    const waits = steps.some((step) => step.waits === true);
    const taken = steps.flatMap(({ control }) => (control === undefined || control === id ? [] : `lifecycle.${control}`));
    const controls = [...new Set([...(wants?.login === 'discoverable' ? ['login.discoverable'] : []), ...taken])];
    return {
      id: `lifecycle.${id}`,
      title,
      why,
      tags: [...(policies.length > 0 ? ['policy'] : []), ...(waits ? [SLOW_TAG] : [])],
      expected: steps.some((step) => step.refuses === true) ? REFUSED : ACCEPTED,
      lacks,
      ...(steps.some(({ lists }) => lists.some((list) => ENDING.has(list))) && { runsAlone: true }),
      ...(wants && { wants }),
      ...(controls.length > 0 && { controls }),
      async run(context) {
        const reason = lacks(context.driver);
        if (reason !== undefined) throw notApplicable(reason);
        return takeSteps(createStage(context, wants), steps);
      },
    };
  });
}

/** Performs steps in order until one has mismatches, and returns those mismatches. */
export async function takeSteps(stage: Stage, steps: readonly Step[]): Promise<readonly Mismatch[]> {
  for (const step of steps) {
    const mismatches = await step.run(stage);
    if (mismatches.length > 0) return mismatches;
  }
  return [];
}

type Lacks = NonNullable<Case['lacks']>;
type Offers = Parameters<Lacks>[0];

function findLack({ has, offers, reads }: Offers, steps: readonly Step[], policies: readonly (keyof AccountPolicy)[]): ReturnType<Lacks> {
  const list = steps.flatMap(({ lists }) => lists).find((action) => !offers(action));
  if (list !== undefined) return describeLack(list);
  const shared = steps.flatMap(({ bound = [] }) => bound).find((phase) => reads('user.token', phase));
  if (shared !== undefined) return `${shared} sends a bearer token that is valid in every browser`;
  const unsaid = policies.find((key) => has.policy?.[key] === undefined);
  if (unsaid === undefined) return undefined;
  const reason = `correct relying parties differ, and has.policy does not say what this one does (${unsaid})`;
  return { reason, member: `has.policy.${unsaid}` };
}

function findUndone({ has: { policy = {} } }: Offers, rule: Rule | undefined): string | undefined {
  return rule?.decide(policy) === 'accepted' ? `the profile says that the target does not do this (has.policy.${rule.key})` : undefined;
}
