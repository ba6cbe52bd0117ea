import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { CaseResult } from '../../../src/simulate/report/report.js';
import { toSarif } from '../../../src/simulate/reporters/sarif.js';
import { ACCEPTING_ALL, acceptedCase, HOSTILE_REPORT, SAMPLE, sampleReport } from './sample-report.js';

// SARIF 2.1.0 of OASIS, as the JSON Schema Store has it (sarif-2.1.0-rtm.5, Apache-2.0). It is of draft 4, whose `id` is no `$id`.
const { id: _, $schema: __, ...schema } = JSON.parse(readFileSync(join(import.meta.dirname, 'sarif-2.1.0.json'), 'utf8'));
const validate = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(schema);

const problemsOf = (sarif: unknown) => (validate(JSON.parse(JSON.stringify(sarif))) ? [] : validate.errors);

/** The result of the only finding. */
function resultOf(change: Partial<CaseResult>, baseline = SAMPLE.baseline) {
  const report = sampleReport([acceptedCase('login.origin-other-site', change)], baseline && { baseline });
  return JSON.parse(JSON.stringify(toSarif(report))).runs[0].results[0];
}

describe('SARIF', () => {
  test.each([
    ['every way a case can end', SAMPLE],
    ['a server that accepts everything', ACCEPTING_ALL],
    ['hostile texts', HOSTILE_REPORT],
    ['no case at all', sampleReport([])],
  ])('is valid by its schema: %s', (_name, report) => {
    expect(problemsOf(toSarif(report))).toEqual([]);
  });

  test('the schema refuses another level', () => {
    const text = JSON.stringify(toSarif(SAMPLE));
    expect(problemsOf(JSON.parse(text.replace('"level":"warning"', '"level":"bad"')))).not.toEqual([]);
  });

  test('has a rule for a cause, and a result for a finding, at the file of the profile', () => {
    const report = sampleReport(
      ['other-site', 'empty', 'null', 'other-port'].map((what) => acceptedCase(`login.origin-${what}`, { rerun: 'passkey simulate X' })),
      { profile: { name: 'shop', file: 'test/our shop.yaml' } },
    );
    expect(toSarif(report)).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'passkey-cli',
              semanticVersion: '0.1.0',
              rules: [
                {
                  id: 'origin',
                  shortDescription: { text: 'The server does not compare the origin.' },
                  fullDescription: { text: expect.stringContaining('gets a response from the user') },
                  help: { text: expect.stringContaining('with it.\nsee: CWE-346, NIST') },
                  defaultConfiguration: { level: 'error' },
                  properties: {
                    tags: ['security', 'passkey', 'external/cwe/cwe-346', 'NIST SP 800-63B-4 §3.2.5'],
                    'security-severity': '8.0',
                  },
                },
              ],
            },
          },
          results: [
            {
              ruleId: 'origin',
              ruleIndex: 0,
              level: 'error',
              message: {
                text: 'The server does not compare the origin: it accepted 4 responses made for other pages.\nShown by login.origin-other-site, login.origin-empty, login.origin-null and 1 case more.\nReproduce it with: passkey simulate X',
              },
              locations: [{ physicalLocation: { artifactLocation: { uri: 'test/our%20shop.yaml' }, region: { startLine: 1 } } }],
              partialFingerprints: { primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{16}:1$/) },
              properties: { cases: report.findings[0]?.cases },
            },
          ],
        },
      ],
    });
  });

  test.each([
    ['new', {}, 'new', undefined],
    ['in the baseline', { known: true, known_by: 'baseline' }, 'unchanged', 'The baseline has this failure.'],
    ['of the library', { known: true, known_by: 'library' }, 'new', 'A fault of the library, which the application cannot fix.'],
    ['not serious', { tolerated: true }, 'new', undefined],
  ] as const)('says that a finding is %s', (_name, change, state, justification) => {
    const { baselineState, suppressions } = resultOf(change);
    expect({ baselineState, justification: suppressions?.[0].justification }).toEqual({ baselineState: state, justification });
  });

  test('a finding keeps its fingerprint, whatever cases show it', () => {
    const [one, other] = [resultOf({}), resultOf({ id: 'register.origin-other-site' })];
    expect(one.partialFingerprints).toEqual(other.partialFingerprints);
    expect(resultOf({ id: 'login.type-null' }).partialFingerprints).not.toEqual(one.partialFingerprints);
  });
});
