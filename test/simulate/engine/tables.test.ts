import { expect, test } from 'vitest';
import {
  type Demands,
  holdCreationOptions,
  holdRequestOptions,
  lacking,
  listDemands,
  loginFor,
  policyFor,
  whyNoUser,
} from '../../../src/simulate/engine/demands.js';
import {
  ACCEPTED,
  compareAnswer,
  compareOutcome,
  compareProblem,
  denied,
  describeExpectation,
  type ExpectedAnswer,
  notPrepared,
  readRaceDeviation,
  refused,
} from '../../../src/simulate/engine/outcome.js';
import { ScenarioEnded, toVerdict, type Verdict } from '../../../src/simulate/engine/scenario.js';
import { type Attempted, concludeAttempts, describeRepeat, mayEndOtherwise } from '../../../src/simulate/engine/unsteady.js';
import type { Deviation } from '../../../src/simulate/report/deviation.js';
import type { Answer, Exchange } from '../../../src/simulate/target/driver.js';
import type { TargetCapabilities } from '../../../src/simulate/target/profile-schema.js';
import { creation, request } from '../../client/ceremony.js';

// Each table holds every combination of its inputs. A line is one combination, and ends with what was decided.

const lines = (rows: readonly unknown[]): string => `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;

const exchange = (status: number | undefined, at = 'POST /login'): Exchange => ({
  request: at,
  sent: '{}',
  status,
  received: `body ${status}`,
});
const STEP = { section: '7.2', number: 12, slug: 'origin', title: 'The origin is expected', expected: 'a', received: 'b' };

function answer(outcome: Answer['outcome'], status: number | undefined, more: Partial<Answer> = {}): Answer {
  const own = exchange(status);
  const exchanges = [exchange(201, 'POST /first'), own];
  const rest = {
    code: undefined,
    step: undefined,
    remarks: [],
    taken: {},
    json: undefined,
    at: '/login/1',
    absent: undefined,
    lost: undefined,
  };
  return { outcome, said: `${status} said`, exchanges, decisive: own, ...rest, ...more };
}

const ANSWERS: readonly Answer[] = [
  answer('accepted', 200),
  answer('accepted', undefined, { said: 'nothing to send', exchanges: [], decisive: undefined }),
  answer('accepted', 200, { signedIn: { user: 'owner', known_by: 'whoami' } }),
  answer('accepted', 200, { signedIn: { user: 'unknown' } }),
  answer('refused', 401),
  answer('refused', 401, { code: 'origin_mismatch', step: STEP }),
  answer('refused', 422, { code: 'origin_mismatch' }),
  answer('refused', 401, { code: 'type_mismatch', step: { ...STEP, slug: 'type' } }),
  answer('failed', 200),
  answer('failed', 200, { signedIn: { user: 'another', known_by: 'whoami' } }),
  answer('failed', 429),
  answer('failed', 499),
  answer('failed', 500),
  answer('broken', undefined),
];
const EXPECTED: readonly ExpectedAnswer[] = [
  ACCEPTED,
  { outcome: 'verified', status: 201 },
  denied('origin_mismatch', 'origin'),
  denied('origin_mismatch'),
  refused('origin_mismatch'),
];

test('the comparison of an answer with the expected one', async () => {
  const capabilities: readonly TargetCapabilities[] = [{}, { codes: true }, { codes: true, steps: true }, { steps: true }];
  const rows = capabilities.flatMap((has) =>
    EXPECTED.flatMap((expected) =>
      ANSWERS.map((each) => [has, describeExpectation(expected, has), compareOutcome('at', expected, each, has)]),
    ),
  );
  await expect(lines(rows)).toMatchFileSnapshot('tables/outcomes.txt');
});

test('the comparison of an HTTP answer with the expected one', async () => {
  const problem = { type: 'urn:passkey:problem:origin_mismatch', title: 'Origin', status: 401, code: 'origin_mismatch', request_id: 'r' };
  const bodies: readonly unknown[] = [
    undefined,
    'text',
    problem,
    { ...problem, detail: 'of another page' },
    { ...problem, detail: 'of another page', step: { ...STEP, hint: 'Compare it.' } },
    { ...problem, detail: 'x', step: { ...STEP, slug: 'type' } },
    { ...problem, code: 'type_mismatch', title: '', request_id: '', status: 422 },
    { ...problem, title: 7, request_id: 7 },
  ];
  const types = [{ 'content-type': 'application/problem+json; charset=utf-8' }, {}];
  const rows = [200, 299, 300, 401, 429, 500].flatMap((status) =>
    bodies.map((json, index) => {
      const given = { status, headers: types[index % 2] ?? {}, json, text: JSON.stringify(json) ?? '' };
      const wrong = compareProblem(denied('x'), given).map(({ at, expected, received }) => [at, expected, received]);
      const isMet = EXPECTED.map((expected) => compareAnswer('at', expected, given).length === 0);
      return [status, index, compareAnswer('at', { outcome: 'verified', status: 999 }, given), isMet, wrong];
    }),
  );
  expect(compareProblem(ACCEPTED, { status: 500, headers: {}, json: undefined, text: '' })).toEqual([]);
  await expect(lines(rows)).toMatchFileSnapshot('tables/http-answers.txt');
});

const verdictOf = (ending: () => unknown): unknown => {
  try {
    return ending() ?? 'goes on';
  } catch (error) {
    if (error instanceof ScenarioEnded) return error.verdict;
    throw error;
  }
};

test('what ends a case before its test, and who is at fault in a race', async () => {
  const rows = [
    ...ANSWERS.map((each) => notPrepared('POST /options', each).verdict),
    ...[0, 1, 2].flatMap((accepted) =>
      [[], [0], [4], [0, 4], [0, 0], [12, 4], [4, 12, 0]].map((chosen) => {
        const answers = chosen.flatMap((index) => ANSWERS[index] ?? []);
        return [accepted, chosen, readRaceDeviation(answers, accepted)];
      }),
    ),
  ];
  await expect(lines(rows)).toMatchFileSnapshot('tables/preparations.txt');
});

const DEMANDS: readonly Demands[] = [
  {},
  { userVerification: 'required', attestation: 'direct', residentKey: 'required', algorithms: [-8, -257], endpoint: 'verify' },
  { userVerification: 'preferred', attestation: 'none', residentKey: 'discouraged', algorithms: [-7] },
  { login: 'named' },
  { login: 'discoverable' },
  { unverified: true },
  { format: 'tpm' },
  { trust: false },
  { certificates: true },
  { selfAttestation: true },
  { selfAttestation: false },
  { topOrigin: true },
  { topOrigin: false },
  { furtherOrigins: true },
  { originMatch: 'exact' },
  { originMatch: 'parsed' },
  { afterRefusal: 'spent' },
  { attachment: 'platform' },
  { counter: true },
  { uncounted: true },
  { publicKeys: 'checked' },
  { publicKeys: 'strict' },
  { applications: 'several' },
  { users: 2 },
  { challengeSeconds: true },
];
const CAPABILITIES: readonly TargetCapabilities[] = [
  {},
  { logins: ['named'], formats: ['tpm'], algorithms: [-257, -8, -7], trust: 'test', selfAttestation: false, counter: 'ignore', users: 1 },
  { logins: ['discoverable'], trust: 'other', selfAttestation: true, counter: 'required', users: 2, algorithms: [-8], codes: true },
  {
    topOrigins: ['https://top.example'],
    origins: ['https://b.example'],
    originMatch: 'parsed',
    afterRefusal: 'kept',
    publicKeys: 'strict',
  },
  { originMatch: 'subdomains', publicKeys: 'unchecked', challengeSeconds: 60, asks: ['origin', 'endpoint'], users: 1, codes: true },
  { asks: ['userVerification', 'attestation', 'residentKey', 'algorithms'], userVerification: 'required', originMatch: 'exact' },
];

test('what a target lacks, and what it is asked for', async () => {
  const rows = [
    ...CAPABILITIES.flatMap((has, index) =>
      DEMANDS.map((wants) => [index, wants, lacking(wants, has) ?? null, listDemands(wants, has), loginFor(wants, has)]),
    ),
    ...DEMANDS.map((wants) => policyFor(wants)),
    ...CAPABILITIES.flatMap((has) => [whyNoUser(has, 1), whyNoUser(has, 2)]),
  ];
  await expect(lines(rows)).toMatchFileSnapshot('tables/demands.txt');
});

test('which options do not meet a demand', async () => {
  const selections = [
    undefined,
    { userVerification: 'required', residentKey: 'required', authenticatorAttachment: 'platform' },
    { userVerification: 'preferred', requireResidentKey: true, authenticatorAttachment: 'cross-platform' },
    { residentKey: 'discouraged', requireResidentKey: true },
  ] as const;
  const rows = (['target', 'options'] as const).flatMap((asker) =>
    DEMANDS.flatMap((wants) => [
      ...selections.map((authenticatorSelection, index) => {
        const options = {
          ...creation(authenticatorSelection && { authenticatorSelection }),
          ...(index > 1 && { attestation: 'direct' as const }),
        };
        const { authenticatorSelection: given, ...without } = options;
        const asked = authenticatorSelection === undefined ? without : { ...without, authenticatorSelection: given ?? {} };
        return [asker, wants, index, verdictOf(() => holdCreationOptions(wants, asked, asker))];
      }),
      ...([undefined, 'required', 'preferred', 'discouraged'] as const).map((userVerification) => {
        const options = request(userVerification === undefined ? {} : { userVerification });
        return [asker, wants, userVerification ?? null, verdictOf(() => holdRequestOptions(wants, options, asker))];
      }),
    ]),
  );
  await expect(lines(rows.filter((row) => row.at(-1) !== 'goes on'))).toMatchFileSnapshot('tables/options.txt');
});

test('whether a scenario runs again, and what several runs of it say', async () => {
  const failed = (deviation: Deviation, at = 'POST /login'): Verdict => toVerdict([{ at, expected: 'refused', received: 'x', deviation }]);
  const SHOWN = { request: 'GET /', sent: '', received: '' };
  const plain: readonly Verdict[] = [
    { status: 'passed' },
    { status: 'not_applicable', reason: 'it is full' },
    { status: 'not_run', code: 'control_failed', reason: 'x', mismatches: [] },
    failed({ kind: 'accepted', status: 200 }),
    failed({ kind: 'failed', status: 503 }),
    failed({ kind: 'failed', status: 503 }, 'POST /other'),
    failed({ kind: 'failed', status: 499 }),
    failed({ kind: 'ended', status: 200 }),
    failed({ kind: 'not_prepared' }),
    failed({ kind: 'not_prepared', by: { kind: 'refused', status: 401 } }),
    failed({ kind: 'not_prepared', by: { kind: 'failed', status: 500 } }),
    failed({ kind: 'not_prepared', by: { kind: 'unreadable', status: 200 } }),
    failed({ kind: 'not_prepared', by: { kind: 'no_answer' } }),
  ];
  const verdicts = plain.map((verdict): Verdict => ({ ...verdict, remarks: ['a remark'], exchanges: [SHOWN], gone: true }));
  const answers = [[], [exchange(200), exchange(401)], [exchange(503, 'GET /me'), exchange(401)], [exchange(500), exchange(429, 'GET /a')]];
  const attempts = verdicts.flatMap((verdict) => answers.map((exchanges): Attempted => ({ verdict, exchanges })));
  const [other] = attempts.filter(({ verdict }) => verdict.status === 'passed');
  const runs = attempts.flatMap((each) => [[each], [each, each], [each, each, each], ...(other === undefined ? [] : [[other, each]])]);
  const shorten = ({ exchanges, remarks, gone, ...verdict }: Partial<Verdict> = {}) => [verdict, exchanges?.length, remarks, gone];
  const rows = [[], ...runs].map((each) => [
    each.map(({ verdict, exchanges }) => [
      verdict.status,
      verdict.status === 'failed' ? verdict.mismatches[0].deviation : null,
      exchanges.length,
    ]),
    mayEndOtherwise(each),
    shorten(concludeAttempts(each)),
    describeRepeat(each) ?? null,
  ]);
  await expect(lines(rows)).toMatchFileSnapshot('tables/attempts.txt');
});
