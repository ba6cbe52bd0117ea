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

/** The user whose account is attacked, another one, and the first again with the passkey that a step has added. */
export type Who = 'user' | 'other' | 'added';

/** A browser by its name; `home` is the one that made the account, `outside` one without any sign-in. */
export type Visit = 'home' | 'outside' | 'first' | 'second' | 'third';

/** An answer on which correct servers differ: that of the policy in the profile. */
export interface Rule {
  readonly key: keyof AccountPolicy;
  readonly decide: (policy: AccountPolicy) => 'accepted' | 'refused';
}

/** `any`: a later step shows the effect. */
export type Expected = 'accepted' | 'refused' | 'any' | Rule;

export interface Stage {
  readonly context: CaseContext;
  actor(who: Who): Promise<Actor>;
  visit(name: Visit, who: Who): Promise<Session>;
  /** Replaces a browser, or one with the passkey that was added. */
  keep(name: Visit, who: Who, session: Session): void;
  keepAdded(actor: Actor): void;
  /** The user, as the witness names them before a recovery. */
  signedIn: unknown;
  /** Codes of the recoveries that were begun, by user, the latest last. */
  readonly codes: Record<Who, string[]>;
  /** Logins and registrations that were begun and not finished. */
  readonly open: (() => Promise<Answer>)[];
}

/** A step of a case. */
export interface Step {
  readonly lists: readonly (OwnAction | 'whoami')[];
  /** Lists that must depend on the session; lists that read the user's bearer token do not. */
  readonly bound?: readonly Phase[];
  readonly policy?: keyof AccountPolicy;
  readonly waits?: true;
  /** End of the id of the honest case that shows this step to work here. */
  readonly control?: string;
  /** Whether a correct server may refuse it; default: no. */
  readonly refuses?: boolean;
  readonly run: (stage: Stage) => Promise<readonly Mismatch[]>;
}

export interface StepOptions {
  /** Default: the user. */
  readonly by?: Who;
  /** Default: `home`. */
  readonly in?: Visit;
  /** Whose passkey; default: that of `by`. */
  readonly of?: Who;
  /** Default: accepted. */
  readonly expect?: Expected;
}

/** Prepares nothing yet: users and browsers come with the steps that need them. */
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

/** Compares the outcome of a step with the expected one. */
export function expectOutcome({ context: { driver } }: Stage, at: string, answer: Answer, expect: Expected = 'accepted'): Mismatch[] {
  if (expect === 'any') {
    if (answer.outcome === 'accepted' || answer.outcome === 'refused') return [];
    return [{ at, expected: 'accepted or refused', received: describeOutcome(answer), deviation: readDeviation(answer) }];
  }
  const decided = typeof expect === 'string' ? expect : expect.decide(driver.has.policy ?? {});
  // Any way to refuse will do, at our own API too.
  return compareOutcome(at, decided === 'accepted' ? ACCEPTED : refused(''), answer, { ...driver.has, codes: false });
}

/** Reads from an expected outcome whether its case tests a policy, and whether it expects a refusal. */
export const expecting = (expect: Expected = 'accepted'): Pick<Step, 'policy' | 'refuses'> => ({
  refuses: expect !== 'accepted',
  ...(typeof expect === 'object' && { policy: expect.key }),
});

/** A title, what happens, and the logins that the target must have for it. */
type Row = readonly [title: string, steps: readonly Step[], wants?: Pick<Demands, 'login'>];

/** Lists after which sessions of the user elsewhere may have ended. */
const ENDING: ReadonlySet<Step['lists'][number]> = new Set(['signOut', 'recover']);

const REFUSED = refused('unauthenticated', undefined, 401);

/**
 * Cases of users' accounts, by the end of their ids. Each runs if the profile has the lists and policies of its steps.
 *
 * @param rule applies to all of them; they run if it refuses
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

/** Takes steps up to the first that ends in another way than expected. */
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
  if (shared !== undefined) return `${shared} sends a bearer token that is good in every browser`;
  const unsaid = policies.find((key) => has.policy?.[key] === undefined);
  if (unsaid === undefined) return undefined;
  const reason = `correct relying parties differ, and has.policy does not say what this one does (${unsaid})`;
  return { reason, member: `has.policy.${unsaid}` };
}

function findUndone({ has: { policy = {} } }: Offers, rule: Rule | undefined): string | undefined {
  return rule?.decide(policy) === 'accepted' ? `the target does not do so (has.policy.${rule.key})` : undefined;
}
