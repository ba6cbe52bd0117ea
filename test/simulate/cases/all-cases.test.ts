import { afterAll, describe, expect, test } from 'vitest';
import { ERRORS, FAILED_CHECKS } from '../../../src/errors.js';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { ATTESTATION_ROWS } from '../../../src/simulate/cases/attestation/attestation-cases.js';
import { type Case, describeTest } from '../../../src/simulate/engine/case.js';
import { STRAY, texts } from '../../explain/stray.js';
import { IN_RELEASE, quick, share } from '../../thorough.js';
import { findOtherFaults } from './one-rule.js';
import { openWatchedRun } from './watched-run.js';

const { finishedIn, fits, refusals, close } = await openWatchedRun();
afterAll(close);

/** Its users sign in by a development route, not by what opens an account. */
const NEEDS_SIGN_UP = ['session.registration-keeps-user'];

const FITTING = ALL_CASES.filter((each) => fits(each) && !NEEDS_SIGN_UP.includes(each.id));

/** No other test runs those of our own API, which say themselves what it must answer. */
const isOfApi = ({ id }: Case): boolean => /^(?:session|http)\./.test(id);

/** Of the others, one of fifteen in `npm test`, the rest in `npm run test:release`. */
const CASES = [
  ...share(
    FITTING.filter((each) => !isOfApi(each)),
    15,
  ),
  ...(IN_RELEASE ? [] : FITTING.filter(isOfApi)),
];

/** Their sub-checks are compared in attestation-cases.test.ts. */
const ATTESTED = new Set(ATTESTATION_ROWS.map(({ id }) => id));

describe('every case passes against the server in process, and breaks the one rule that the server names', () => {
  test.each(CASES.map((each) => [each.id, each] as const))('%s', async (id, each) => {
    const watched = await finishedIn(each);
    if (!ATTESTED.has(id)) expect(await findOtherFaults(id, watched)).toEqual([]);
  });

  // None of the answers to all these cases joins two sentences with a stray full stop.
  afterAll(() => {
    const said = texts(refusals);
    expect(said.length).toBeGreaterThan(CASES.length);
    // A host with a dot at its end is what one case sends.
    expect(said.filter((text) => STRAY.test(text.replaceAll('//localhost.:', '//localhost:')))).toEqual([]);
  });
});

describe('the cases', () => {
  const codes = new Set(ALL_CASES.flatMap(({ expected }) => (expected.outcome === 'rejected' ? [expected.code] : [])));

  quick('have unique ids', () => {
    const ids = ALL_CASES.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const id of ids) expect(id).toMatch(/^(register|verify|login|session|lifecycle|http)\.[a-z0-9-]+$/);
  });

  quick('include at least forty invalid ceremonies that name the step they violate', () => {
    const invalid = ALL_CASES.filter(({ id, expected }) => expected.outcome === 'rejected' && !id.startsWith('http.'));
    expect(invalid.length).toBeGreaterThanOrEqual(40);
    expect(invalid.filter(({ expected }) => expected.outcome === 'rejected' && expected.step !== undefined).length).toBeGreaterThanOrEqual(
      40,
    );
  });

  quick('that a step refuses name it, and so do all the others that test one', () => {
    const refused = ALL_CASES.filter(({ expected }) => expected.outcome === 'rejected' && Object.hasOwn(FAILED_CHECKS, expected.code));
    // Malformed CBOR is refused by the step that reads it, whichever that is.
    const undecodable = /\.(?:public-key|extensions)-(?:not-cbor|deep|form)$/;
    expect(refused.filter((each) => describeTest(each) === undefined && !undecodable.test(each.id)).map(({ id }) => id)).toEqual([]);
    for (const each of ALL_CASES) {
      expect([each.id.startsWith('register.') ? '7.1' : '7.2', undefined], each.id).toContain(describeTest(each)?.section);
    }
  });

  quick('say why they matter, where they run on any server', () => {
    const silent = ALL_CASES.filter(({ why, needs = [] }) => why === undefined && !needs.includes('api'));
    const short = ALL_CASES.filter(({ why = '' }) => why !== '' && !/^[A-Za-z].{20,}\.$/.test(why));
    expect([...silent, ...short].map(({ id }) => id)).toEqual([]);
  });

  quick('cover every code of a failed check', () => {
    // allowCredentials names the one credential that the challenge is bound to, so challenge_unknown comes first.
    // No correct server disagrees with itself.
    const unreachable = ['credential_not_allowed', 'verifiers_disagree'];
    expect(Object.keys(FAILED_CHECKS).filter((code) => !codes.has(code) && !unreachable.includes(code))).toEqual([]);
  });

  quick('cover every other outcome of the API', () => {
    const api = ['malformed_json', 'unauthenticated', 'origin_not_allowed', 'host_not_allowed', 'passkey_not_found', 'route_not_found'];
    const more = [
      'method_not_allowed',
      'credential_already_registered',
      'payload_too_large',
      'unsupported_media_type',
      'validation_failed',
    ];
    const faults = ['rate_limited', 'internal_error', 'store_unavailable'];
    const table = [...api, ...more, ...faults];
    expect(table.filter((code) => !codes.has(code))).toEqual([]);
    expect(table.filter((code) => !Object.hasOwn(ERRORS, code))).toEqual([]);
  });
});
