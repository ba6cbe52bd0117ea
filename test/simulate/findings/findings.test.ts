import { readFile } from 'node:fs/promises';
import { Check } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { CAUSES, COMBINED_CAUSES, findCause } from '../../../src/simulate/findings/causes.js';
import { listFindings } from '../../../src/simulate/findings/findings.js';
import { listReferences } from '../../../src/simulate/findings/references.js';
import { type Deviation, DIFFERS, MIXED_UP_BY, type SignedIn } from '../../../src/simulate/report/deviation.js';
import { simulateReportSchema } from '../../../src/simulate/report/report.js';
import { isAtLeast, SEVERITY_NAMES } from '../../../src/simulate/report/severity.js';
import { listCases } from '../../../src/simulate/simulate.js';
import { ACCEPTING_ALL, acceptedCase, SAMPLE } from '../reporters/sample-report.js';

const OWNER: SignedIn = { user: 'owner', known_by: 'whoami' };
const ANOTHER: SignedIn = { user: 'another', known_by: 'whoami' };

const mismatch = (deviation: Deviation) => ({ at: 'POST /login', expected: 'refused', received: 'something else', deviation });

const summary = (ids: readonly string[]) =>
  listFindings(ids.map((id) => acceptedCase(id))).map(({ cause, title, cases }) => ({ cause, title, cases }));

describe('findings', () => {
  test('one missing check is one finding, with the cases closest to the cause first', () => {
    expect(summary(['login.origin-upper-case', 'login.origin-longer-host', 'login.origin-other-site'])).toEqual([
      {
        cause: 'origin',
        title: 'The server does not compare the origin: it accepted 3 responses made for other pages.',
        cases: ['login.origin-other-site', 'login.origin-upper-case', 'login.origin-longer-host'],
      },
    ]);
  });

  test('without its telltale case the narrower mistakes are findings, the most serious first', () => {
    expect(summary(['login.origin-upper-case', 'login.origin-subdomain', 'login.signature-bit']).map(({ cause }) => cause)).toEqual([
      'signature',
      'origin-domain',
      'origin-spelling',
    ]);
  });

  test('without a row of the table the rule is the finding', () => {
    const tests = { section: '7.1', number: 22, revision: '', slug: 'attestation-statement', title: 'The statement is right' };
    const failed = acceptedCase('register.tpm-magic', {
      tests: { ...tests, rule: '§8.3: magic is TPM_GENERATED_VALUE' },
      attestation_format: 'tpm',
      rerun: 'passkey simulate register.tpm-magic',
    });
    expect(listFindings([failed])).toMatchObject([
      {
        severity: 'medium',
        title: 'The server does not enforce "§8.3: magic is TPM_GENERATED_VALUE": it accepted 1 response.',
        steps: ['§7.1 step 22, attestation-statement'],
        rerun: 'passkey simulate register.tpm-magic',
      },
    ]);
    expect(findCause({ ...failed, tests }).says).toContain('"§7.1 step 22: The statement is right"');
  });

  test('many rules of one attestation format are one finding, and of many formats too', () => {
    const failed = (format: string) =>
      ['signature', 'version', 'subject', 'extension'].map((rule) =>
        acceptedCase(`register.${format}-${rule}`, {
          tests: { section: '7.1', number: 22, revision: '', slug: 'attestation-statement', title: '', rule: `rule ${rule}` },
          attestation_format: format,
        }),
      );
    const causes = (...formats: string[]) => listFindings(formats.flatMap((each) => failed(each))).map(({ cause }) => cause);
    expect(listFindings([...failed('tpm').slice(1), ...failed('tpm').slice(1)])).toHaveLength(3);
    expect(causes('tpm', 'apple')).toEqual(['attestation-statement of format tpm', 'attestation-statement of format apple']);
    expect(causes('tpm', 'apple', 'packed')).toEqual(['attestation-statement']);
  });

  test.each<[Deviation, cause: string]>([
    [{ kind: 'accepted', status: 200 }, 'origin'],
    [{ kind: 'accepted', status: 200, signed_in: { user: 'unknown' } }, 'origin'],
    [{ kind: 'accepted', status: 200, signed_in: OWNER }, 'origin'],
    [DIFFERS, 'origin'],
    [{ kind: 'refused', status: 400, otherwise: true }, 'other-reason'],
    [{ kind: 'refused', status: 422, code: 'challenge_used', otherwise: true }, 'other-reason'],
    [{ kind: 'failed', status: 500 }, 'failure-client-data'],
    [{ kind: 'failed', status: 429 }, 'unreadable'],
    [{ kind: 'unreadable', status: 200 }, 'unreadable'],
    [{ kind: 'accepted', status: 200, signed_in: ANOTHER }, 'another-user-signed-in'],
    [{ kind: 'differs', signed_in: ANOTHER }, 'origin'],
    [{ kind: 'no_answer' }, 'server-ends'],
    [{ kind: 'ended', status: 400 }, 'server-ends'],
    [{ kind: 'not_prepared', by: { kind: 'refused', status: 401 } }, 'client-data-refused'],
    [{ kind: 'not_prepared', by: { kind: 'failed', status: 503 } }, 'failure-client-data'],
    [{ kind: 'not_prepared' }, 'client-data-refused'],
    [{ kind: 'no_response', error: 'NotAllowedError' }, 'no-response'],
    [{ kind: 'varies' }, 'varies'],
    [{ kind: 'case_error' }, 'case-error'],
  ])('a forged origin for which there is %j is %s', (deviation, cause) => {
    expect(findCause(acceptedCase('login.origin-other-site', { mismatches: [mismatch(deviation)] })).id).toBe(cause);
  });

  test('repeats that differ say nothing by themselves, and a server that ended is the cause wherever it shows', () => {
    const causeOf = (...deviations: Deviation[]) =>
      findCause(acceptedCase('login.origin-other-site', { mismatches: deviations.map((each) => mismatch(each)) })).id;
    expect(causeOf({ kind: 'varies' }, { kind: 'failed', status: 500 })).toBe('failure-client-data');
    expect(causeOf({ kind: 'accepted' }, { kind: 'ended' })).toBe('server-ends');
  });

  test('the words of a report decide nothing', () => {
    const report = [...SAMPLE.results, ...ACCEPTING_ALL.results];
    const scrambled = report.map(({ mismatches, ...result }) => ({
      ...result,
      expected: 'refused: 500 ',
      mismatches: mismatches.map(({ deviation }) => ({
        at: 'the target',
        expected: '400 refused',
        received: 'the server ended: failed: 500, for the owner of the passkey',
        deviation,
      })),
    }));
    const shown = (results: typeof report) =>
      listFindings(results).map(({ cause, severity, title, cases }) => ({ cause, severity, title, cases }));
    expect(shown(scrambled)).toEqual(shown(report));
  });

  test('a report that is read again has the same findings', () => {
    const read = JSON.parse(JSON.stringify(SAMPLE));
    expect(Check(simulateReportSchema, read)).toBe(true);
    expect(listFindings(read.results)).toEqual(SAMPLE.findings);
  });

  test.each<[id: string, SignedIn | undefined, cause: string, severity: string]>([
    ['login.user-handle-foreign', undefined, 'user-handle', 'high'],
    ['login.user-handle-foreign', ANOTHER, 'another-user-signed-in', 'critical'],
    ['login.signature-bit', undefined, 'signature', 'high'],
    ['login.signature-bit', { user: 'unknown' }, 'signature', 'high'],
    ['login.signature-bit', OWNER, 'signature', 'critical'],
    ['login.options-of-another-user', OWNER, 'sign-in-identity', 'high'],
    ['login.credential-revoked', OWNER, 'credential-removed', 'critical'],
    ['register.credential-known', undefined, 'credential-known', 'high'],
    ['lifecycle.password-wrong', OWNER, 'password-check', 'critical'],
    ['lifecycle.recovery-code-cut', undefined, 'recovery-check', 'high'],
    ['login.user-handle-foreign', OWNER, 'user-handle-ignored', 'low'],
    ['login.challenge-of-another-user', OWNER, 'credential-not-asked-for', 'low'],
  ])('%s that is accepted for %j is %s, %s', (id, signedIn, cause, severity) => {
    const mismatches = [mismatch({ kind: 'accepted', status: 200, ...(signedIn && { signed_in: signedIn }) })];
    expect(findCause(acceptedCase(id, { mismatches }))).toMatchObject({ id: cause, severity });
  });

  test.each<[id: string, Deviation, cause: string, severity: string]>([
    ['register.challenge-empty', { kind: 'accepted', status: 200 }, 'challenge-part', 'high'],
    ['register.challenge-shared', DIFFERS, 'challenge-shared', 'high'],
    ['login.challenge-shared-by-browsers', DIFFERS, 'challenge-shared-by-browsers', 'high'],
    ['login.challenge-guessable', DIFFERS, 'challenge-guessable', 'high'],
    ['login.challenge-length', DIFFERS, 'challenge-length', 'medium'],
    ['register.user-handle-of-each-user', DIFFERS, 'user-handle-shared', 'low'],
    ['login.attested-key-despite-algorithm-copy', { kind: 'refused', status: 400 }, 'unsigned-copies-read', 'low'],
    ['login.credential-id-of-256', { kind: 'no_response', error: 'NotAllowedError' }, 'credential-id-cut', 'medium'],
    ['login.credential-ids-differing-at-the-end', { kind: 'refused', status: 409 }, 'credential-id-cut', 'medium'],
    ['login.credential-ids-differing-in-case', { kind: 'refused', status: 409 }, 'credential-id-case', 'medium'],
    ['login.credential-id-other-case', { kind: 'accepted', status: 200 }, 'credential-id-case', 'medium'],
    ['login.user-verified-in-json', { kind: 'accepted', status: 200 }, 'user-verified-unsigned', 'high'],
    ['login.without-user-verification', { kind: 'refused', status: 401 }, 'user-verification-unasked', 'low'],
    ['login.user-verified-unasked', { kind: 'refused', status: 401 }, 'user-verification-refused', 'low'],
    ['login.rp-id-hash-in-request', { kind: 'accepted', status: 200 }, 'rp-id-in-request', 'high'],
    ['register.site-in-request', { kind: 'accepted', status: 200 }, 'site-in-request', 'high'],
    ['register.origin-in-body', { kind: 'accepted', status: 200 }, 'origin-in-body', 'high'],
    ['login.type-confused', { kind: 'accepted', status: 200 }, 'type-part', 'high'],
    ['register.signed-out', MIXED_UP_BY.list, 'signed-out-registration', 'critical'],
    ['lifecycle.sign-out-elsewhere', { kind: 'refused', status: 401 }, 'sign-out-elsewhere', 'low'],
    ['login.each-of-three-passkeys', { kind: 'no_response', error: 'NotAllowedError' }, 'no-response', 'low'],
    ['login.two-users-one-authenticator', { kind: 'no_response', error: 'NotAllowedError' }, 'no-response', 'low'],
    ['login.many-at-once', { kind: 'refused', status: 409 }, 'meanwhile-refused', 'low'],
    ['register.many-at-once', { kind: 'failed', status: 503 }, 'failure', 'low'],
    ['login.two-users-interleaved', MIXED_UP_BY.whoami, 'sign-in-identity', 'critical'],
    ['login.two-users-interleaved', { kind: 'refused' }, 'meanwhile-refused', 'low'],
    ['register.two-users-interleaved', MIXED_UP_BY.list, 'sign-in-identity', 'critical'],
    ['session.fixation', MIXED_UP_BY.whoami, 'session-fixation', 'critical'],
    ['session.others-passkey-removed', DIFFERS, 'passkeys-of-another-user', 'critical'],
    ['session.others-passkey-removed', { kind: 'not_prepared', by: { kind: 'refused', status: 401 } }, 'valid-refused', 'low'],
    ['lifecycle.signed-out-removes', DIFFERS, 'signed-out-changes', 'critical'],
    ['lifecycle.signed-out-removes', { kind: 'refused', status: 401 }, 'valid-refused', 'low'],
    ['login.counter-of-another-passkey', { kind: 'refused', status: 401 }, 'sign-count-refused', 'low'],
    ['login.counter-of-another-passkey', { kind: 'not_prepared', by: { kind: 'unreadable' } }, 'unreadable', 'low'],
  ])('%s is as serious as %j proves', (id, deviation, cause, severity) => {
    expect(findCause(acceptedCase(id, { mismatches: [mismatch(deviation)] }))).toMatchObject({ id: cause, severity });
  });

  test('no cause is critical where nothing was accepted, nobody is named, and no fact differs', () => {
    const deviations: Deviation[] = [
      { kind: 'accepted', status: 200 },
      { kind: 'failed', status: 500 },
      { kind: 'unreadable' },
      { kind: 'no_answer' },
      { kind: 'not_prepared', by: { kind: 'refused', status: 403 } },
      { kind: 'no_response', error: 'InvalidStateError' },
      { kind: 'varies' },
      { kind: 'case_error' },
    ];
    const critical = ALL_CASES.flatMap(({ id }) =>
      deviations
        .filter((deviation) => findCause(acceptedCase(id, { mismatches: [mismatch(deviation)] })).severity === 'critical')
        .map(({ kind }) => `${id} ${kind}`),
    );
    // Here the answer itself shows what became of another user's passkeys, or holds the code of one.
    expect(
      critical.filter(
        (each) => !/^(?:session\.(?:others-|(?:removal|rename)-for-)|lifecycle\.(?:others-|signed-out-)|http\.)\S+ accepted$/.test(each),
      ),
    ).toEqual([]);
  });

  test('a finding is as serious as the case that proves most, and says so where the user is unknown', () => {
    const unknown = acceptedCase('login.signature-bit', { mismatches: [mismatch({ kind: 'accepted', signed_in: { user: 'unknown' } })] });
    const owner = acceptedCase('login.signature-empty', { mismatches: [mismatch({ kind: 'accepted', signed_in: OWNER })] });
    const claimed = acceptedCase('register.credential-known-to-another-user');
    const another = acceptedCase('login.key-of-claimed-credential-id', {
      mismatches: [mismatch({ kind: 'accepted', signed_in: ANOTHER })],
    });
    expect(listFindings([claimed])).toMatchObject([{ cause: 'credential-known', severity: 'high' }]);
    expect(listFindings([claimed, another])).toMatchObject([
      { cause: 'credential-known', severity: 'critical', title: expect.not.stringContaining('unknown') },
    ]);
    expect(listFindings([unknown])).toMatchObject([
      { severity: 'high', title: expect.stringMatching(/ The signed-in user is unknown\.$/) },
    ]);
    const proven = acceptedCase('verify.signature-bit', { mismatches: owner.mismatches });
    for (const results of [
      [unknown, proven],
      [proven, unknown],
    ]) {
      expect(listFindings(results)).toMatchObject([
        { severity: 'critical', title: expect.not.stringContaining('unknown'), cases: expect.any(Array) },
      ]);
    }
  });

  test('what is refused is a valid case, or what prepares one that is not', () => {
    const mismatches = [mismatch({ kind: 'not_prepared', by: { kind: 'refused', status: 400 } })];
    const invalid = acceptedCase('login.signature-bit', { title: 'a wrong bit', tags: ['case', 'rejected'], mismatches });
    const valid = acceptedCase('login.one-more', { title: 'one more login', tags: ['case', 'verified'], mismatches });
    const titles = (...failed: (typeof valid)[]) => listFindings(failed).map(({ title }) => title);
    expect(titles(invalid, valid)).toEqual(['The server refuses what a correct one accepts, such as one more login: 2 responses.']);
    expect(titles(invalid)).toEqual([
      'The server refuses what a correct one accepts, such as the preparation of "a wrong bit": 1 response.',
    ]);
  });

  test('causes that show one mistake together are one finding, before the others', () => {
    const what = ['origin-other-port', 'origin-other-scheme', 'signature-raw', 'origin-upper-case'];
    expect(summary(what.map((each) => `login.${each}`)).map(({ cause, cases }) => [cause, cases.length])).toEqual([
      ['origin-host-only', 3],
      ['signature-form', 1],
    ]);
    const mismatches = [mismatch({ kind: 'refused', status: 400 })];
    const refused = ['login.default', 'login.counter-never'].map((id) => acceptedCase(id, { tags: ['case', 'verified'], mismatches }));
    const counted = acceptedCase('login.counter-by-one', { status: 'passed', mismatches: [] });
    const causes = (...results: (typeof refused)[number][]) => listFindings(results).map(({ cause }) => cause);
    expect(causes(...refused, counted)).toEqual(['sign-count-zero-refused']);
    expect(causes(...refused)).toEqual(['ordinary-refused']);
  });

  test('a root that no attestation leads to is one finding, unless one of them was accepted', () => {
    const mismatches = [mismatch({ kind: 'refused', status: 400 })];
    const ids = ['register.attested-tpm', 'register.packed-honest', 'register.packed-with-root', 'register.attested-compound'];
    const refused = ids.map((id) => acceptedCase(id, { tags: ['case', 'verified'], mismatches }));
    const accepted = acceptedCase('register.attested-apple', { status: 'passed', mismatches: [] });
    const other = acceptedCase('register.attested-credential-cut', { status: 'passed', mismatches: [] });
    expect(listFindings([...refused, other]).map(({ cause, cases }) => [cause, cases.length])).toEqual([['attestation-root-refused', 4]]);
    expect(listFindings([...refused, accepted]).map(({ cause }) => cause)).toEqual([
      'root-refused',
      'compound-refused',
      'attestation-refused',
    ]);
  });

  test('a server that refuses ordinary registrations is told nothing of the credential IDs in them', () => {
    const mismatches = [mismatch({ kind: 'refused', status: 400 })];
    const ids = ['register.default', 'login.credential-id-of-256', 'login.credential-ids-differing-in-case'];
    const refused = ids.map((id) => acceptedCase(id, { tags: ['case', 'verified'], mismatches }));
    expect(listFindings(refused).map(({ cause }) => cause)).toEqual(['ordinary-refused']);
    expect(listFindings(refused.slice(1)).map(({ cause }) => cause)).toEqual(['credential-id-case', 'credential-id-cut']);
  });

  test('the advice names the option of the library that checks the step', () => {
    const tests = { section: '7.2', number: 12, revision: '', slug: 'origin', title: '' };
    const failed = acceptedCase('login.origin-other-site', { tests, advice: 'Compare all of it.' });
    const adviceFor = (library: string | undefined) => listFindings([failed], library)[0]?.advice;
    expect(adviceFor('@simplewebauthn/server')).toBe('Compare all of it. In @simplewebauthn/server, look at `expectedOrigin`.');
    expect(adviceFor('another')).toBe('Compare all of it.');
    const adviceAt = (deviation: Deviation) =>
      listFindings([{ ...failed, mismatches: [mismatch(deviation)] }], '@simplewebauthn/server')[0]?.advice;
    expect(adviceAt({ kind: 'accepted', status: 200, signed_in: OWNER })).toBe(adviceFor('@simplewebauthn/server'));
    expect(adviceAt({ kind: 'failed', status: 500 })).toBe('Compare all of it.');
    expect(adviceAt({ kind: 'unreadable', status: 302 })).toBeUndefined();
  });

  test('known failures are findings of their own, at the end', () => {
    const failed = [acceptedCase('login.origin-other-site', { known: true }), acceptedCase('login.origin-empty')];
    expect(listFindings(failed).map(({ cases, known }) => [cases, known])).toEqual([
      [['login.origin-empty'], undefined],
      [['login.origin-other-site'], true],
    ]);
  });
});

test('a case has the references of the cause that it looks for, however it ends', async () => {
  const listed = await listCases({
    fixtures: [],
    select: { ids: ['login.origin-other-site', 'login.challenge-fresh', 'login.two-visits', 'register.none-with-aaguid', 'login.default'] },
  });
  expect(Object.fromEntries(listed.map(({ id, references }) => [id, references]))).toEqual({
    'login.origin-other-site': ['CWE-346', 'NIST SP 800-63B-4 §3.2.5'],
    'login.challenge-fresh': ['CWE-330', 'ASVS 6.7.2', 'NIST SP 800-63B-4 §3.2.7', 'ATT&CK T1550'],
    'login.two-visits': ['CWE-639', 'ASVS 8.2.2'],
    'register.none-with-aaguid': undefined,
    'login.default': undefined,
  });
});

describe('the table of causes', () => {
  test('has a case for every row, and a row for every cause that explains another', () => {
    const ids = ALL_CASES.map(({ id }) => id);
    expect(CAUSES.filter(({ cases }) => !ids.some((id) => cases.test(id)))).toEqual([]);
    const names = new Set(CAUSES.map(({ id }) => id));
    expect(CAUSES.flatMap(({ within = [] }) => within).filter((id) => !names.has(id))).toEqual([]);
  });

  test('names the observation that proves a cause wherever it is critical or high', () => {
    const serious = [...CAUSES, ...COMBINED_CAUSES].filter(({ severity }) => isAtLeast(severity, 'high'));
    expect(serious.filter(({ proof }) => proof === undefined).map(({ id }) => id)).toEqual([]);
    const proofs = ['accepted', 'affected', 'another', 'ended', 'given', 'kept', 'signedIn'];
    expect(new Set(serious.map(({ proof }) => proof))).toEqual(new Set(proofs));
  });

  test('says what an attacker gains wherever an attack is known, and refers auditors to standards', () => {
    expect(CAUSES.filter(({ severity, gain }) => isAtLeast(severity, 'high') && gain === undefined)).toEqual([]);
    expect(CAUSES.filter(({ severity, id }) => severity === 'critical' && listReferences(id).length === 0)).toEqual([]);
    expect(listReferences('origin-part')).toEqual(['CWE-346', 'NIST SP 800-63B-4 §3.2.5']);
    expect(listReferences('valid-refused')).toEqual([]);
  });
});

test('the documentation has the table of severities', async () => {
  const docs = await readFile(new URL('../../../docs/targets.md', import.meta.url), 'utf8');
  const rows = [...docs.matchAll(/^\| \*(\w+)\* \| .+ \|$/gm)].map(([, name]) => name);
  expect(rows).toEqual(SEVERITY_NAMES);
});
