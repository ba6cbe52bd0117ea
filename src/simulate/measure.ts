import { algorithmName } from '../webauthn/algorithms.js';
import { ALL_CASES } from './cases/all-cases.js';
import { ATTESTATION_CASES } from './cases/attestations.js';
import { type Case, toScenario } from './engine/case.js';
import { openRun } from './engine/open-run.js';
import type { RemoteOptions } from './engine/remote.js';
import { runScenarios } from './engine/run-scenarios.js';
import { interrupted } from './http/http.js';
import type { RetryOptions } from './http/rate-limit.js';
import type { CaseResult } from './report/report.js';
import type { Measured, ProbeFound } from './target/probe-report.js';
import type { ReadProfile } from './target/read-profile.js';

/**
 * A member of the profile's `has`, the cases that measure it, and how to derive its value from their results. The value is undefined if the
 * cases do not reveal it or contradict each other.
 */
interface Measure {
  readonly member: Measured['member'];
  readonly cases: (found: ProbeFound) => readonly string[];
  readonly read: (tried: Tried, found: ProbeFound) => unknown;
  /** Describes how the target contradicts the options that it sends. Undefined if the cases show no contradiction. */
  readonly contradiction?: (tried: Tried) => string | undefined;
}

/** Case IDs, grouped by whether the target accepted or refused the ceremony. */
interface Tried {
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
}

const ATTESTED = ATTESTATION_CASES.map(({ id, wants }) => [id, wants?.format ?? ''] as const);
const FORMATS = new Map([['register.packed-es256', 'packed'], ...ATTESTED]);
const findKeyCases = (wanted: string) => ALL_CASES.filter(({ wants }) => wants?.publicKeys === wanted).map(({ id }) => id);
const [CHECKED_KEYS, STRICT_KEYS] = [findKeyCases('checked'), findKeyCases('strict')];
const loginWith = (algorithm: number) => `login.${algorithmName(algorithm).toLowerCase()}`;

/** Makes a function that chooses `ifAccepted` if all cases with a result were accepted, and `ifRefused` if all were refused. */
function choose<T, U>(ifAccepted: T, ifRefused: U) {
  return ({ accepted, refused }: Tried): T | U | undefined => {
    if (accepted.length > 0 && refused.length > 0) return undefined;
    return accepted.length > 0 ? ifAccepted : refused.length > 0 ? ifRefused : undefined;
  };
}

const MEASURES: readonly Measure[] = [
  {
    member: 'formats',
    cases: () => [...FORMATS.keys()],
    read: ({ accepted }, { formats }) => [...new Set([...formats, ...accepted.map((id) => FORMATS.get(id))])],
  },
  {
    member: 'algorithms',
    cases: ({ algorithms }) => algorithms.map(loginWith),
    read({ refused }, { algorithms }) {
      const taken = algorithms.filter((id) => !refused.includes(loginWith(id)));
      return taken.length === 0 ? undefined : taken;
    },
  },
  {
    member: 'userVerification',
    cases: () => ['login.without-user-verification'],
    read: ({ refused }, { user_verification: asked }) => (refused.length > 0 ? undefined : (asked ?? 'preferred')),
    contradiction: ({ refused }) =>
      refused.length === 0 ? undefined : 'the options do not say "required", but the server refuses users who were not verified',
  },
  { member: 'passkeys', cases: () => ['login.each-of-three-passkeys'], read: choose(undefined, 1) },
  { member: 'selfAttestation', cases: () => ['register.packed-es256'], read: choose(true, false) },
  { member: 'counter', cases: () => ['login.counter-regressed'], read: choose('ignore', 'refuse') },
  {
    member: 'afterRefusal',
    cases: () => ['register.challenge-spent-by-failure', 'login.challenge-spent-by-failure'],
    read: choose('kept', 'spent'),
  },
  {
    member: 'publicKeys',
    cases: () => [...CHECKED_KEYS, ...STRICT_KEYS],
    read({ accepted, refused }) {
      // One key that cannot be used and is accepted shows enough: what refuses the others may be anything.
      if (accepted.length > 0) return accepted.some((id) => CHECKED_KEYS.includes(id)) ? 'unchecked' : 'checked';
      return refused.some((id) => STRICT_KEYS.includes(id)) ? 'strict' : undefined;
    },
  },
];

/** Members that replace those of the profile's `has` during measurement, so that every case that measures something can run. */
const ASSUMED = { selfAttestation: true, counter: 'refuse', publicKeys: 'strict', afterRefusal: 'spent' } as const;

interface MeasureOptions extends RetryOptions {
  readonly target: RemoteOptions & { readonly profile: ReadProfile };
  /** Results of a probe in which every step of the profile worked. */
  readonly found: ProbeFound;
}

/**
 * Measures the capabilities of a target by running cases. Cases that the target must accept run first, because the faulty responses of
 * other cases may crash it.
 *
 * @throws PasskeyError `interrupted`
 */
export async function measure({ target, found, signal, onPause }: MeasureOptions): Promise<Measured[]> {
  const { profile, where } = target.profile;
  const { userVerification: _uv, algorithms: _algorithms, ...has } = profile.has ?? {};
  const trust = found.has.trust === 'other' ? ('other' as const) : ('test' as const);
  const assumed = { ...profile, has: { ...has, ...ASSUMED, trust, formats: [...found.formats, ...FORMATS.values()] } };
  const run = await openRun({ signal, onPause, target: { ...target, profile: { where, profile: assumed } } });
  try {
    const ids = MEASURES.flatMap(({ cases }) => cases(found));
    const cases = ALL_CASES.filter(({ id }) => ids.includes(id));
    const inOrder = [...cases.filter((each) => !isFault(each)), ...cases.filter(isFault)];
    const scenarios = inOrder.map((each) => toScenario(each, run));
    const results = await runScenarios(scenarios, signal === undefined ? {} : { signal });
    if (signal?.aborted === true) throw interrupted(signal.reason);
    return MEASURES.flatMap((each) => conclude(each, results, found));
  } finally {
    await run.close();
  }
}

const isFault = ({ expected }: Case): boolean => expected.outcome === 'rejected';

function conclude({ member, cases, read, contradiction }: Measure, results: readonly CaseResult[], found: ProbeFound): Measured[] {
  const ids = cases(found);
  const own = results.filter(({ id }) => ids.includes(id));
  const having = (decision: Decision) => own.filter((result) => decide(result) === decision).map(({ id }) => id);
  const tried = { accepted: having('accepted'), refused: having('refused') };
  const value = read(tried, found);
  const contradicted = contradiction?.(tried);
  const contradict = contradicted !== undefined || (value === undefined && tried.accepted.length > 0 && tried.refused.length > 0);
  if (value === undefined && !contradict) return [];
  const open = own.find((result) => decide(result) === undefined);
  const evidence = [
    ...(contradicted === undefined ? [] : [contradicted]),
    ...(['accepted', 'refused'] as const).flatMap((decision) =>
      tried[decision].length === 0 ? [] : [`${decision} ${shorten(tried[decision])}`],
    ),
    ...(open === undefined ? [] : [`${open.id} shows nothing: ${open.reason ?? open.mismatches[0]?.received ?? ''}`]),
  ];
  return [{ member, ...(!contradict && { value }), evidence: evidence.join('; ') }];
}

type Decision = 'accepted' | 'refused';

/**
 * Reads from a case's result whether the target accepted or refused the ceremony. Undefined if the target did something else, or if the
 * case could not run.
 */
function decide({ status, tags, mismatches: [mismatch] }: CaseResult): Decision | undefined {
  const right = tags.includes('verified') ? 'accepted' : 'refused';
  if (status === 'passed') return right;
  const deviation = mismatch?.deviation;
  // A case whose ceremony is right has failed as well where its preparation is refused.
  const answer = deviation?.kind === 'not_prepared' ? deviation.by : deviation;
  if (answer?.kind !== 'accepted' && answer?.kind !== 'refused') return undefined;
  const wrong = right === 'accepted' ? 'refused' : 'accepted';
  return answer.kind === wrong ? wrong : undefined;
}

const MAX_NAMED = 3;

const shorten = (ids: readonly string[]): string =>
  ids.length <= MAX_NAMED ? ids.join(', ') : `${ids.slice(0, MAX_NAMED).join(', ')} and ${ids.length - MAX_NAMED} more`;
