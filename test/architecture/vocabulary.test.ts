import { createRequire } from 'node:module';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { makeVocabulary } from '../../build/reference/vocabulary.js';
import { listIds } from '../../build/released-ids.js';
import { vocabularySchema } from '../../src/cli/vocabulary-schema.js';
import { ERRORS } from '../../src/errors.js';
import { AUTHENTICATION_TITLES, REGISTRATION_TITLES } from '../../src/relying-party/steps/procedure.js';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { describeTest } from '../../src/simulate/engine/case.js';
import { CAUSES, COMBINED_CAUSES } from '../../src/simulate/findings/causes.js';
import { listFindings } from '../../src/simulate/findings/findings.js';
import type { Deviation } from '../../src/simulate/report/deviation.js';
import type { CaseResult } from '../../src/simulate/report/report.js';

const vocabulary = makeVocabulary();
const { errors, steps, causes } = vocabulary;
const ids = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => id);

test('the vocabulary is as its schema says, and the package has it', () => {
  expect([...Value.Errors(vocabularySchema, vocabulary)]).toEqual([]);
  expect(createRequire(import.meta.url)('passkey-cli/vocabulary.json')).toEqual(vocabulary);
});

test('it has every error code, every step and every cause, each once', () => {
  expect(ids(errors)).toEqual(Object.keys(ERRORS));
  expect(ids(steps)).toEqual(Object.keys({ ...REGISTRATION_TITLES, ...AUTHENTICATION_TITLES }));
  expect(ids(causes)).toEqual(expect.arrayContaining(ids([...CAUSES, ...COMBINED_CAUSES])));
  for (const entries of [errors, steps, causes]) expect(new Set(ids(entries)).size).toBe(entries.length);
});

/** A failed result of each case, as a server gives it that answers all of them in one wrong way. */
function failAll(deviation: Deviation): CaseResult[] {
  return ALL_CASES.map((each) => {
    const { id, title, expected, wants } = each;
    const tests = describeTest(each);
    return {
      id,
      source: 'case',
      title,
      tags: [expected.outcome],
      expected: expected.outcome,
      status: 'failed',
      ...(tests && { tests }),
      ...(wants?.format !== undefined && { attestation_format: wants.format }),
      mismatches: [{ at: 'outcome', expected: 'a', received: 'b', deviation }],
      duration_ms: 1,
    };
  });
}

const ENDINGS: readonly Deviation[] = [
  { kind: 'accepted' },
  { kind: 'accepted', signed_in: { user: 'another' } },
  { kind: 'refused' },
  { kind: 'refused', otherwise: true },
  { kind: 'failed', status: 500 },
  { kind: 'unreadable' },
  { kind: 'no_answer' },
  { kind: 'no_response' },
  { kind: 'varies' },
  { kind: 'case_error' },
];

test.each(ENDINGS)('it has the cause of every finding of a server where each case ends as %j', (deviation) => {
  const results = failAll(deviation);
  const found = [...listFindings(results), ...results.flatMap((result) => listFindings([result]))];
  expect(found.length).toBeGreaterThan(1);
  expect([...new Set(found.map(({ cause }) => cause))].filter((cause) => !ids(causes).includes(cause))).toEqual([]);
  const byId = new Map(causes.map((cause) => [cause.id, cause]));
  const rank = (severity: string | null | undefined) => vocabulary.severities.findIndex((name) => name === severity);
  const worse = found.filter(({ cause, severity }) => rank(severity) < rank(byId.get(cause)?.severity));
  expect(worse.map(({ cause, severity }) => `${cause}: ${severity}`)).toEqual([]);
});

test('entries name only entries that there are, and say what to change', () => {
  for (const entry of [...errors, ...steps, ...causes]) {
    const named = { errors: [], steps: [], causes: [], ...entry };
    expect(named.errors.filter((id) => !ids(errors).includes(id))).toEqual([]);
    expect(named.steps.filter((id) => !ids(steps).includes(id))).toEqual([]);
    expect(named.causes.filter((id) => !ids(causes).includes(id))).toEqual([]);
    for (const text of [entry.sentence, entry.remedy ?? 'None.']) expect(text, entry.id).toMatch(/^(?!.*\{\w+\}).+[.!)]$/);
  }
  const without = (entries: readonly { readonly id: string; readonly remedy: string | null }[]) =>
    ids(entries.filter(({ remedy }) => remedy === null));
  expect([without(errors), without(causes)]).toEqual([[], []]);
  const coded = steps.filter(({ errors: codes }) => codes.length > 0);
  expect(without(coded)).toEqual([]);
});

test('an entry has section with anchor, severity and CWE', () => {
  const sections = [
    { name: '§7.1 step 9', url: 'https://www.w3.org/TR/webauthn-3/#sctn-registering-a-new-credential' },
    { name: '§7.2 step 12', url: 'https://www.w3.org/TR/webauthn-3/#sctn-verifying-assertion' },
  ];
  const found = [
    errors.find(({ id }) => id === 'origin_mismatch'),
    steps.find(({ id }) => id === 'origin'),
    causes.find(({ id }) => id === 'origin'),
  ];
  for (const entry of found) {
    expect(entry).toMatchObject({ sections: expect.arrayContaining(sections), severity: 'high', cwe: ['CWE-346'] });
  }
  expect(found[0]).toMatchObject({ sentence: 'The origin is not the expected one.', steps: ['origin'], status: 422 });
  expect(found[2]).toMatchObject({ gain: expect.stringContaining(' '), errors: ['origin_mismatch'] });
  expect(errors.find(({ id }) => id === 'usage')).toMatchObject({ sections: [], severity: null, cwe: [], causes: [] });
});

test('no id of the vocabulary disappears: they are held against those of earlier versions', () => {
  expect(listIds()).toEqual(
    expect.arrayContaining([
      ...ids(errors).map((id) => `error ${id}`),
      ...ids(steps).map((id) => `step ${id}`),
      ...ids(causes).map((id) => `cause ${id}`),
    ]),
  );
});
