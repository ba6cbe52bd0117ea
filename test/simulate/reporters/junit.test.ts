import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { validateXML } from 'xmllint-wasm';
import { renderJunit } from '../../../src/simulate/reporters/junit.js';
import { HOSTILE_REPORT, SAMPLE, sampleReport } from './sample-report.js';

const schema = await readFile(join(import.meta.dirname, 'junit.xsd'), 'utf8');

async function problemsOf(xml: string): Promise<string[]> {
  const { errors } = await validateXML({
    xml: [{ fileName: 'report.xml', contents: xml }],
    schema: [{ fileName: 'junit.xsd', contents: schema }],
  });
  return errors.map(({ message }) => message);
}

describe('JUnit XML', () => {
  test.each([
    ['every way a case can end', SAMPLE],
    ['hostile texts', HOSTILE_REPORT],
    ['no case at all', sampleReport([])],
    [
      'a very long and a very short time',
      sampleReport(
        SAMPLE.results.map((each) => ({ ...each, duration_ms: 1e-7 })),
        { duration_ms: 1e12 },
      ),
    ],
  ])('is valid by its schema: %s', async (_, report) => {
    expect(await problemsOf(renderJunit(report))).toEqual([]);
  });

  test.each([
    ['a count in words', 'tests="7"', 'tests="seven"'],
    ['an exponent', 'time="1.234"', 'time="1e3"'],
    ['another element', '<properties>', '<other/><properties>'],
    ['two outcomes', '</failure>', '</failure><failure type="x" message="x">x</failure>'],
    ['an open tag', '"not applicable', '"<not applicable'],
    ['a control character', '"not applicable', '"\u0001not applicable'],
  ])('the schema refuses %s', async (_, good, bad) => {
    const xml = renderJunit(SAMPLE);
    expect(xml).toContain(good);
    expect(await problemsOf(xml.replace(good, bad))).not.toEqual([]);
  });

  test('counts new failures only; all else that did not pass is skipped', () => {
    const xml = renderJunit(SAMPLE);
    expect(xml).toContain(
      '<testsuite name="passkey simulate" tests="7" failures="2" errors="0" skipped="3" time="1.234" timestamp="2026-01-15T10:30:00">',
    );
    expect(xml).toContain(
      '<testcase name="broken verbatim" classname="simulate.fixture.verbatim" time="0.003">\n      <skipped message="known failure: integrity: expected sha256-a, received sha256-b"/>\n      <system-out>finding   low (known), ',
    );
    expect(xml).toContain('<skipped message="not applicable: needs a pinned clock"/>');
    expect(xml).toContain('<skipped message="not run: an earlier case failed (--bail)"/>');
    expect(xml).toContain(
      'classname="simulate.case.login" time="0.003">\n      <properties><property name="references" value="CWE-346, NIST SP 800-63B-4 §3.2.5"/></properties>',
    );
    expect(xml).toContain('<failure type="flaky" message="the repeats: expected the same outcome 3 times, received 2 passed, 1 failed">');
    expect(xml).toContain('<system-out>options with padded base64</system-out>');
  });

  test('tells everything about a failure', () => {
    const [, failure = ''] = /<failure type="failed"[^>]*>([\s\S]*?)<\/failure>/.exec(renderJunit(SAMPLE)) ?? [];
    expect(failure.split('\n')).toEqual([
      'finding   low, other-reason: The server refuses for the wrong reason: 1 request.',
      'case      origin with another port',
      'tests     §7.2 step 12, origin: C.origin is an expected origin',
      'rule      the port is part of the origin',
      'at        POST /api/passkeys/login',
      'expected  401 origin_mismatch (step origin)',
      'received  401 signature_invalid (step signature)',
      'step      §7.2 step 21, signature: The signature verifies',
      '          the server expected an ES256 signature',
      '          and received MEQ…',
      'hint      Compare the whole origin.',
      'at        the second witness',
      'expected  nobody signed in',
      'received  ada signed in',
      'sent      POST /api/passkeys/login/options {"app_url":"http://localhost:7277"}',
      'came      200 {"challenge":"…"}',
      'sent      POST /api/passkeys/login',
      'came      socket hang up',
      'remark    the target was restarted',
      'advice    Any other program on the machine can use the passkey. Compare scheme, host and port.',
      'run alone passkey simulate login.origin-other-port',
    ]);
  });
});
