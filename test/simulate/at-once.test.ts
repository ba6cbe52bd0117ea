import { describe, expect, test } from 'vitest';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { type SimulateOptions, simulate } from '../../src/simulate/simulate.js';
import type { TargetCapabilities } from '../../src/simulate/target/profile-schema.js';
import { connect, readIndependentProfile, URL_OF_PARTY } from '../independent/catalogue.js';
import type { FaultId } from '../independent/faults.js';
import type { Policy } from '../independent/party.js';
import { createIndependentParty } from '../independent/server.js';
import { quick, share } from '../thorough.js';

/** Attacks and honest ceremonies, some of which end the server, race, or change what other cases may see. */
const CASES = [
  'register.default',
  'register.type-s*',
  'register.challenge-used*',
  'register.credential-known*',
  'login.type-s*',
  'login.challenge-used*',
  'login.challenge-longer',
  'login.many-at-once',
  'login.two-users',
  'session.others*',
];

interface Run {
  readonly faults?: readonly FaultId[];
  readonly policy?: Partial<Policy>;
  readonly has?: Partial<TargetCapabilities>;
  readonly cases?: readonly string[];
  /** Default: that of the user. */
  readonly token?: string;
  readonly target?: Partial<SimulateOptions['target']>;
}

/**
 * A run against the independent relying party, whose answers take a turn of the event loop.
 *
 * @returns `most`: how many requests were under way at most; `mostBesideGates`: while one set or lifted a gate
 */
async function runOn({ faults = [], policy = {}, has = {}, cases = CASES, token = '{user.token}', target = {} }: Run, jobs?: number) {
  const party = createIndependentParty({ faults: new Set(faults), policy, roots: [] }, () => URL_OF_PARTY.origin);
  const read = await readIndependentProfile();
  const profile = JSON.parse(JSON.stringify(read.profile).replaceAll('{user.token}', token));
  const connections = connect(party);
  let [pending, most, mostBesideGates] = [0, 0, 0];
  const report = await simulate({
    fixtures: [],
    version: '0.0.0',
    select: { ids: cases },
    keepGoing: true,
    ...(jobs !== undefined && { jobs }),
    target: {
      url: URL_OF_PARTY.href,
      tokens: party.tokens,
      env: { TARGET_TOKEN: party.tokens[0] },
      profile: { ...read, profile: { ...profile, has: { ...profile.has, ...has } } },
      comeBackWithin: 5000,
      ...target,
      connections: {
        ...connections,
        async send(request) {
          pending += 1;
          most = Math.max(most, pending);
          try {
            await new Promise((resolve) => void setImmediate(resolve));
            if (request.path.endsWith('/admin/gates')) mostBesideGates = Math.max(mostBesideGates, pending);
            return await connections.send(request);
          } finally {
            pending -= 1;
          }
        },
      },
    },
  });
  return { report, most, mostBesideGates };
}

/** All that a report says of its cases, but for how long they took and what is drawn at random. */
function readEndings({ results, findings, summary }: Awaited<ReturnType<typeof simulate>>) {
  const endings = results.map(({ id, status, code, control, reason, remarks, mismatches }) => [
    id,
    status,
    code,
    control,
    reason,
    remarks?.map((remark) => remark.replace(/passkey-simulate-\w+/, 'passkey-simulate')).toSorted(),
    mismatches.map(({ at, deviation }) => [at, deviation]),
  ]);
  return { endings, summary, findings: findings.map(({ cause, severity, cases }) => ({ cause, severity, cases })) };
}

/** Cases that close an account or end its sessions, among others. */
const CLOSING = ['register.type-*', 'login.type-s*', 'lifecycle.gate-*', 'lifecycle.sign-out*', 'session.after-sign-out'];

/** No case of these sends more than this many requests at once, apart from the races. */
const QUIET = ['register.type-*', 'login.type-s*'];

describe('the cases of a run at once end as one after another', () => {
  const SERVERS: readonly [string, Run][] = [
    ['on a correct server', {}],
    ['where every challenge registers while one is open', { faults: ['create-challenge-unchecked'] }],
    ['where a login takes any challenge', { faults: ['get-challenge-unchecked', 'get-type-unchecked'] }],
    ['where a case ends the server, which a supervisor starts again', { faults: ['refused-type-ends-process'] }],
    ['where the challenge is spent late', { faults: ['challenge-spent-late'] }],
    ['where the server holds one challenge for a user', { policy: { openChallenges: 'given-again' } }],
    ['where some close an account, or end sessions', { cases: CLOSING }],
    ['where a closed account still signs in', { faults: ['gate-unchecked-at-login'], cases: CLOSING }],
    ['where all options have the same challenge', { faults: ['challenge-constant'] }],
  ];

  test.each(share(SERVERS, 10))('%s', async (_, run) => {
    const [one, several] = [await runOn(run, 1), await runOn(run)];
    expect(readEndings(several.report)).toEqual(readEndings(one.report));
  });
});

describe('by default', () => {
  quick('four cases run at once where the profile allows it', async () => {
    const { report, most } = await runOn({ cases: QUIET });
    expect(report.summary).toMatchObject({ failed: 0, not_run: 0 });
    expect(most).toBe(4);
  });

  quick('none runs while another closes an account', async () => {
    const { report, most, mostBesideGates } = await runOn({ cases: CLOSING });
    expect(report.summary).toMatchObject({ failed: 0, not_run: 0 });
    expect([most, mostBesideGates]).toEqual([4, 1]);
  });

  quick('a case runs alone whose control does', () => {
    const cases = new Map(ALL_CASES.map((each) => [each.id, each]));
    const beside = ALL_CASES.filter(
      ({ controls = [], runsAlone }) => runsAlone !== true && controls.some((id) => cases.get(id)?.runsAlone === true),
    );
    expect(beside.map(({ id }) => id)).toEqual([]);
    expect(ALL_CASES.filter(({ runsAlone }) => runsAlone === true).length).toBeGreaterThan(20);
  });

  quick.each<[string, Run]>([
    ['one account', { has: { users: 1 } }],
    ['one passkey of a user', { has: { passkeys: 1 } }],
    ['few passkeys of the same users', { has: { passkeys: 5 } }],
    ['an account that is always the same', { has: { users: 'any' }, token: '{env.TARGET_TOKEN}' }],
    ['a command that starts the server again', { target: { restart: 'exit 1' } }],
    ['a clock that the cases move', { target: { passTime: async () => undefined } }],
    ['a server that holds one challenge', { policy: { openChallenges: 'given-again' } }],
    ['few cases', { cases: ['login.type-missing', 'login.type-swapped'] }],
  ])('one at a time with %s', async (_, run) => {
    const { report, most } = await runOn({ cases: QUIET, ...run });
    expect(report.summary.passed).toBeGreaterThan(1);
    expect(most).toBe(1);
  });
});
