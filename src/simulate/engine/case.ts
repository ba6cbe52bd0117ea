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

/** The step that a scenario tests, for the report; undefined when the procedure of its kind has no step of that name. */
export function testedStep(kind: CeremonyKind, slug: string | undefined): TestedStep | undefined {
  const section = kind === 'registration' ? '7.1' : '7.2';
  const place = Object.keys(TITLES[section]).indexOf(slug ?? '');
  const title = TITLES[section][slug ?? '']?.title;
  return slug === undefined || title === undefined ? undefined : { section, number: place + 1, revision: STEP_REVISION, slug, title };
}

/** Needs that only a server in process can meet, each with the reason that a report gives elsewhere. */
export const NEEDS = {
  policy: 'needs a policy of its own',
  settings: 'needs server settings of its own',
  clock: "needs to set the server's clock",
  store: "needs to reach into the server's store",
  api: 'tests the HTTP contract of passkey serve',
} as const;

type Need = keyof typeof NEEDS;

/** One row of the catalogue: a ceremony or request, and the answer it must get. */
export interface Case {
  /** `<part>.<what>`, e.g. `register.origin-other-port`. Stable: users select and report cases by it. */
  readonly id: string;
  readonly title: string;
  /** Further tags: every case can also be selected by its ceremony, its outcome and its error code. */
  readonly tags?: readonly string[];
  /** The expected answer; a refusal names the step of the standard that it tests. */
  readonly expected: ExpectedAnswer;
  /** Slug of the step that it tests, if `expected` names none. */
  readonly step?: string;
  /** The rule within the step, e.g. `§8.2: the leaf is version 3`. */
  readonly rule?: string;
  /** Says in a sentence or two why it matters and what to change, for the owner of a server that fails it. */
  readonly why?: string;
  /** The reason why a correct server may decide otherwise. Such a case runs only against our own API, or where `has.decides` of the profile names it. */
  readonly disputed?: string;
  /** Its demands on the relying party. */
  readonly wants?: Demands;
  /** How the browser and its authenticator differ from the ordinary. */
  readonly browser?: BrowserTraits;
  /** Ids of the honest cases that show its steps to work here; default: the plain ceremonies that are like its own. */
  readonly controls?: readonly string[];
  /** Origin of the application in process; default: that of the server, which has neither a domain nor https. */
  readonly origin?: string;
  /** Policy, settings, clock and store that the case needs, in process only. */
  readonly setup?: ServerSetup;
  /** Its needs, in addition to those of `setup`. */
  readonly needs?: readonly Need[];
  /**
   * It ends sessions, or closes an account, that other cases may use: no other case runs on the target at the same time. Default: false.
   */
  readonly runsAlone?: boolean;
  /** Says which of its steps a profile does not describe; a run in process leaves the case out for that. */
  readonly lacks?: (target: Pick<Driver, 'has' | 'gates' | 'opensAccounts' | 'offers' | 'reads'>) => string | Lack | undefined;
  /** Empty when everything went as expected. */
  run(context: CaseContext): Promise<readonly Mismatch[]>;
}

/** A case before a builder gives it its `run`. */
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

/** The server in process, and the application, that a case runs at. */
function placeFor({ id, setup = {}, wants = {}, origin }: Case): ContextOptions {
  const policy = { ...policyFor(wants), ...setup.policy };
  const origins = wants.furtherOrigins === true ? { origins: [FURTHER_ORIGIN] } : {};
  return { key: id, setup: { ...origins, ...setup, policy }, ...(origin !== undefined && { origin }) };
}

/** Says why a case cannot run against a target that is not in process. */
function whyNot(each: Case, { api, driver: { has } }: RemoteTarget): string | Lack | undefined {
  const undecided = has.codes !== true && has.decides?.[each.id] === undefined;
  if (each.disputed !== undefined && undecided) return `correct relying parties differ: ${each.disputed}`;
  const need = listNeeds(each).find((needed) => needed !== 'api' || api === undefined);
  return need === undefined ? lacking(each.wants ?? {}, has) : NEEDS[need];
}

/** A case as a scenario of a run. Its description is made when it is read: most runs select a few of a thousand cases. */
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

/** Describes the step and the rule that a case tests. */
export function describeTest(each: Case): TestedStep | undefined {
  const tests = testedStep(each.id.startsWith('register.') ? 'registration' : 'authentication', findStep(each));
  return tests === undefined || each.rule === undefined ? tests : { ...tests, rule: each.rule };
}

/** A table of rows by name. */
export type Rows<Row> = Readonly<Record<string, Row>>;

/** Changes every row, and no name. */
export function mapRows<From, To>(rows: Rows<From>, change: (row: From) => To): Rows<To> {
  return Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, change(row)]));
}

/** The rows of a table, each with its name. */
export function listRows<Row>(rows: Rows<Row>) {
  return Object.entries(rows).map(([what, row]) => ({ ...row, what }));
}

/** Rows of a table that matter for the same reason. */
export function because<Row extends { readonly why?: string }>(why: string, rows: Rows<Omit<Row, 'why'>>) {
  return mapRows(rows, (row) => ({ ...row, why }));
}

/** Adds a tag to a case, before its own. */
export const withTag =
  (tag: string) =>
  (each: Case): Case => ({ ...each, tags: [tag, ...(each.tags ?? [])] });

/** The tag for the first part of an id. */
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
