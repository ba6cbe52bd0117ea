import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../relying-party/steps/procedure.js';
import { STEP_REVISION, type StepIdentity } from '../../relying-party/steps/step.js';
import type { CeremonyKind } from '../../webauthn/enumerations.js';
import type { Mismatch, TestedStep } from '../report/report.js';
import type { Driver } from '../target/driver.js';
import type { TargetCapabilities } from '../target/profile-schema.js';
import type { BrowserTraits } from './ceremony.js';
import { type CaseContext, type ContextOptions, inContext, type RunContext } from './context.js';
import { type Demands, FURTHER_ORIGIN, lacking, policyFor } from './demands.js';
import type { ServerSetup } from './in-process.js';
import { describeExpectation, type ExpectedAnswer, expectedIn } from './outcome.js';
import type { RemoteTarget } from './remote-target.js';
import { type Lack, type Scenario, toNotApplicable, toVerdict, type Verdict } from './scenario.js';

const TITLES: Readonly<Record<StepIdentity['section'], Readonly<Record<string, { readonly title: string }>>>> = {
  '7.1': REGISTRATION_TITLES,
  '7.2': AUTHENTICATION_TITLES,
};

/**
 * Finds the step of the standard that a scenario tests, for the report. Undefined if this ceremony's procedure has no step with that slug.
 */
export function testedStep(kind: CeremonyKind, slug: string | undefined): TestedStep | undefined {
  const section = kind === 'registration' ? '7.1' : '7.2';
  const place = Object.keys(TITLES[section]).indexOf(slug ?? '');
  const title = TITLES[section][slug ?? '']?.title;
  return slug === undefined || title === undefined ? undefined : { section, number: place + 1, revision: STEP_REVISION, slug, title };
}

/**
 * Things that a case may need and only a server in the same process can provide. Each message is the reason in the report why the case did
 * not run on another server.
 */
export const NEEDS = {
  policy: 'needs its own policy on the server',
  settings: 'needs its own server settings',
  clock: "needs to set the server's clock",
  store: "needs access to the server's store",
  api: 'tests the HTTP contract of passkey serve',
} as const;

type Need = keyof typeof NEEDS;

/** An entry of the catalogue: a ceremony or request, and the response that a correct server must give. */
export interface Case {
  /**
   * Identifier in the form `<part>.<what>`, e.g. `register.origin-other-port`. It never changes, because users select cases by it and
   * reports contain it.
   */
  readonly id: string;
  readonly title: string;
  /** Tags in addition to those that every case has: its ceremony, its outcome and its error code. */
  readonly tags?: readonly string[];
  /** The expected response to the case. An expected refusal names the step of the standard that the case tests. */
  readonly expected: ExpectedAnswer;
  /** Slug of the step that the case tests, if `expected` does not name a step. */
  readonly step?: string;
  /** Rule within the step that the case tests, e.g. `§8.2: the leaf is version 3`. */
  readonly rule?: string;
  /** Advice to the owner of a server that fails the case: one or two sentences about why it matters and what to change. */
  readonly why?: string;
  /**
   * Reason why a correct server may decide otherwise. A case with this member runs only against our own API, or if the profile names the
   * case in `has.decides`.
   */
  readonly disputed?: string;
  /** Demands of the case on the relying party. */
  readonly wants?: Demands;
  /** How the browser and its authenticator differ from ordinary ones. */
  readonly browser?: BrowserTraits;
  /**
   * IDs of the controls, which are honest cases that show that the target performs the steps of this case. Default: the plain ceremonies of
   * the same kind.
   */
  readonly controls?: readonly string[];
  /**
   * Origin of the application when the case runs in the same process. Default: the server's origin, which is http://localhost with a port.
   */
  readonly origin?: string;
  /** Policy, settings, clock and store that the case needs. Only a server in the same process can provide them. */
  readonly setup?: ServerSetup;
  /** Other things that the case needs from a server in the same process, in addition to `setup`. */
  readonly needs?: readonly Need[];
  /**
   * True if the case ends sessions or closes an account that other cases may use. No other case then runs on the target at the same time.
   * Default: false.
   */
  readonly runsAlone?: boolean;
  /** Names a step of the case that the profile does not describe. If it names one, a run against our own server leaves the case out. */
  readonly lacks?: (target: Pick<Driver, 'has' | 'gates' | 'opensAccounts' | 'offers' | 'reads'>) => string | Lack | undefined;
  /** Runs the case. Returns an empty list if everything went as expected. */
  run(context: CaseContext): Promise<readonly Mismatch[]>;
}

/** A case before a builder adds `run` and `expected`. */
export type CaseSpec = Omit<Case, 'run' | 'expected'>;

function listNeeds({ setup = {}, needs = [] }: Case): readonly Need[] {
  const { policy, settings, origins, now, decorateStore } = setup;
  return [
    ...(policy === undefined ? [] : ['policy' as const]),
    ...(settings === undefined && origins === undefined ? [] : ['settings' as const]),
    ...(now === undefined ? [] : ['clock' as const]),
    ...(decorateStore === undefined ? [] : ['store' as const]),
    ...needs,
  ];
}

export async function runCase(each: Case, run: RunContext): Promise<Verdict> {
  if (run.remote !== undefined) {
    const why = whyNot(each, run.remote);
    if (why !== undefined) return toNotApplicable(why);
  }
  return inContext(run, placeFor(each), async (context) => toVerdict(await each.run(context)));
}

/** Collects the settings of the server in this process and the origin of the application for a case. */
function placeFor({ id, setup = {}, wants = {}, origin }: Case): ContextOptions {
  const policy = { ...policyFor(wants), ...setup.policy };
  const origins = wants.furtherOrigins === true ? { origins: [FURTHER_ORIGIN] } : {};
  return { key: id, setup: { ...origins, ...setup, policy }, ...(origin !== undefined && { origin }) };
}

/** Explains why a case cannot run against a target outside this process. Undefined if the case can run. */
function whyNot(each: Case, { api, driver: { has } }: RemoteTarget): string | Lack | undefined {
  const undecided = has.codes !== true && has.decides?.[each.id] === undefined;
  if (each.disputed !== undefined && undecided) return `correct relying parties differ: ${each.disputed}`;
  const need = listNeeds(each).find((needed) => needed !== 'api' || api === undefined);
  return need === undefined ? lacking(each.wants ?? {}, has) : NEEDS[need];
}

/**
 * Converts a case to a scenario of a run. Computes its descriptions only when they are read, because most runs select only a few of about a
 * thousand cases.
 */
export function toScenario(each: Case, run: RunContext): Scenario {
  return {
    id: each.id,
    source: 'case',
    title: each.title,
    get tags() {
      return listTags(each);
    },
    get expected() {
      return expectationIn(each, run.remote?.driver.has);
    },
    get tests() {
      return describeTest(each);
    },
    ...(each.wants?.format !== undefined && { attestationFormat: each.wants.format }),
    ...(each.why !== undefined && { advice: each.why }),
    ...(each.runsAlone === true && { runsAlone: true }),
    run: () => runCase(each, run),
  };
}

function expectationIn(each: Case, has: TargetCapabilities | undefined): string {
  return describeExpectation(has === undefined ? each.expected : expectedIn(each, has), has);
}

/** Finds the slug of the step that a case tests. */
export function findStep({ expected, step }: Pick<Case, 'expected' | 'step'>): string | undefined {
  return (expected.outcome === 'rejected' ? expected.step : undefined) ?? step;
}

/** Describes the step, and the rule within it, that a case tests. */
export function describeTest(each: Case): TestedStep | undefined {
  const tests = testedStep(each.id.startsWith('register.') ? 'registration' : 'authentication', findStep(each));
  return tests === undefined || each.rule === undefined ? tests : { ...tests, rule: each.rule };
}

/** Table rows by name. */
export type Rows<Row> = Readonly<Record<string, Row>>;

/** Changes every row of a table and keeps the names. */
export function mapRows<From, To>(rows: Rows<From>, change: (row: From) => To): Rows<To> {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, change(row)]));
}

/** Lists the rows of a table, each with its name in `what`. */
export function listRows<Row>(rows: Rows<Row>) {
  return Object.entries(rows).map(([what, row]) => ({ ...row, what }));
}

/** Adds the same `why` to every row of a table. */
export function because<Row extends { readonly why?: string }>(why: string, rows: Rows<Omit<Row, 'why'>>) {
  return mapRows(rows, (row) => ({ ...row, why }));
}

/** Makes a function that adds a tag to a case, before its other tags. */
export const withTag =
  (tag: string) =>
  (each: Case): Case => ({ ...each, tags: [tag, ...(each.tags ?? [])] });

/** First tag of a case for each possible first part of a case ID (the part before the first dot). */
const KINDS: Readonly<Record<string, string>> = {
  register: 'registration',
  login: 'authentication',
  verify: 'authentication',
  session: 'session',
  lifecycle: 'lifecycle',
  http: 'http',
};

function listTags({ id, tags = [], wants, expected }: Case): readonly string[] {
  const kind = KINDS[id.slice(0, id.indexOf('.'))] ?? [];
  const discoverable = kind === 'authentication' && wants?.login === 'discoverable' ? ['discoverable'] : [];
  const outcome = expected.outcome === 'verified' ? ['verified'] : ['rejected', expected.code];
  return [...new Set(['case', ...[kind].flat(), ...discoverable, ...tags, ...outcome])];
}
