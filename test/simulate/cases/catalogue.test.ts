import { expect, test } from 'vitest';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { listControls } from '../../../src/simulate/cases/controls.js';
import { type Case, describeTest } from '../../../src/simulate/engine/case.js';
import type { TargetProfile } from '../../../src/simulate/target/profile-schema.js';

type Target = Parameters<NonNullable<Case['lacks']>>[0];
type Policy = NonNullable<NonNullable<TargetProfile['has']>['policy']>;

const ALL: Target = { has: {}, gates: [], opensAccounts: true, offers: () => true, reads: () => false };

const POLICIES: readonly Policy[] = [
  {
    freshFor: ['add', 'remove', 'rename'],
    freshSeconds: 60,
    stepUp: 'verified',
    lastPasskey: 'kept',
    removedSessions: 'ended',
    recoveryEnds: ['passkeys', 'sessions', 'password', 'codes'],
    recoverySeconds: 60,
    passwordOpens: ['session', 'add', 'remove'],
    signOutEnds: 'sessions',
    unknownUsers: 'hidden',
  },
  {
    freshFor: [],
    freshSeconds: 0,
    stepUp: 'present',
    lastPasskey: 'removed',
    removedSessions: 'kept',
    recoveryEnds: [],
    passwordOpens: [],
    signOutEnds: 'session',
    unknownUsers: 'told',
  },
];

const EVERY_GATE = [{ name: 'locked', stops: ['verify', 'sessions', 'registration', 'recovery'] as const }];

/** Targets that lack one thing or another. */
const TARGETS: readonly Target[] = [
  { ...ALL, opensAccounts: false, offers: () => false },
  { ...ALL, offers: (action) => action !== 'whoami' },
  ALL,
  { ...ALL, opensAccounts: false },
  { ...ALL, reads: () => true },
  // The request that answers names the user, and the one for options has a bearer token.
  { ...ALL, reads: (variable, phase) => variable === (phase === 'registrationOptions' ? 'user.token' : 'user.email') },
  { ...ALL, reads: (variable) => variable === 'user.token' },
  { ...ALL, has: { codes: true } },
  { ...ALL, has: { formats: ['packed'] } },
  { ...ALL, has: { formats: ['tpm'], models: ['70617373-6b65-4079-a074-657374737465'] } },
  { ...ALL, has: { users: 1 } },
  { ...ALL, gates: [{ name: 'locked', stops: [] }] },
  ...POLICIES.map((policy) => ({ ...ALL, gates: EVERY_GATE, has: { policy } })),
];

/** Why a case does not run at one or the other of these targets. */
function describeLacks({ lacks }: Case): readonly string[] {
  const reasons = TARGETS.map((target) => lacks?.(target));
  return [...new Set(reasons.map((reason) => (typeof reason === 'object' ? reason.member : (reason ?? 'runs'))))];
}

function describeCase(each: Case) {
  const { expected, tags, disputed, wants, browser, origin, setup, needs, runsAlone } = each;
  const test = describeTest(each);
  const controls = listControls(each);
  return {
    expected: expected.outcome === 'rejected' ? [expected.code, expected.status, expected.step] : ['accepted', expected.status],
    ...(test && { test: [test.section, test.number, test.slug].join(' ') }),
    ...(controls.length > 0 && { controls }),
    ...(disputed !== undefined && { disputed: true }),
    tags,
    wants,
    browser,
    origin,
    setup,
    needs,
    runsAlone,
    ...(each.lacks && { lacks: describeLacks(each) }),
  };
}

function shorten(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return typeof value === 'function' ? 'a function' : value;
}

test('what each case expects, needs and lacks stays as recorded', async () => {
  const groups = new Map<string, string[]>();
  for (const each of ALL_CASES) {
    const key = JSON.stringify(describeCase(each), shorten);
    groups.set(key, [...(groups.get(key) ?? []), each.id]);
  }
  const lines = [...groups].map(([key, ids]) => `${key}: ${ids.join(' ')}\n`);
  await expect(lines.join('')).toMatchFileSnapshot('catalogue.txt');
});
