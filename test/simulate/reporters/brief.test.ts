import { describe, expect, test } from 'vitest';
import { ALL_CASES } from '../../../src/simulate/cases/all-cases.js';
import { findProfileLine } from '../../../src/simulate/report/profile-lines.js';
import { renderBrief } from '../../../src/simulate/reporters/brief.js';
import { targetProfileSchema } from '../../../src/simulate/target/profile-schema.js';
import { parseProfile } from '../../../src/simulate/target/read-profile.js';
import { ACCEPTING_ALL, acceptedCase, sampleCase, sampleReport } from './sample-report.js';

const unjudged = (id: string, member: string, reason = `the profile does not say it (${member})`) =>
  sampleCase({ id, source: 'case', status: 'not_applicable', reason, member });
const TYPE = acceptedCase('login.type-null', {
  advice: 'Compare the type.',
  rerun: 'passkey simulate login.type-null --url "http://localhost:3000"',
});
const ORIGIN = acceptedCase('login.origin-other-port', {
  advice: 'Compare the origin.',
  rerun: 'passkey simulate login.origin-other-port --url "http://localhost:3000"',
});

describe('the brief report', () => {
  test('says that the server passes', () => {
    const report = sampleReport([sampleCase({})], { target: 'http://localhost:3000', profile: { name: 'shop' } });
    expect(renderBrief(report)).toBe('passes: 1 of 1 as expected; against http://localhost:3000, 1.23 s, profile shop\n');
  });

  test('has the cause, the remedy and the command of each finding, the most serious first', () => {
    const report = sampleReport([acceptedCase('login.counter-zero', { advice: 'Compare the count.' }), TYPE, ORIGIN]);
    const lines = renderBrief(report).split('\n');
    expect(lines[0]).toMatch(/^fails: 0 of 3 as expected, 3 not; /);
    const headings = lines.filter((line) => /^(?:critical|high|medium|low|note)/.test(line));
    expect(headings.map((line) => line.split(':')[0])).toEqual(report.findings.map(({ severity, cause }) => `${severity}, ${cause}`));
    expect(report.findings.map(({ advice }) => advice)).not.toContain(undefined);
    for (const { advice } of report.findings) expect(lines).toContain(`  fix: ${advice}`);
    const [first, ...others] = report.findings.flatMap(({ cases: [key = ''] }) => key);
    expect(lines.filter((line) => line.startsWith('  run: '))).toEqual([
      `  run: passkey simulate ${first} --url "http://localhost:3000"`,
      ...others.map((key) => `  run: the same with ${key}`),
    ]);
  });

  test('counts what does not fail the run, and names what does', () => {
    const tolerated = { ...TYPE, tolerated: true as const };
    const report = sampleReport([tolerated, acceptedCase('login.counter-zero')]);
    const [, first, ...others] = renderBrief(report).split('\n');
    expect(first).toMatch(/^medium, sign-count: /);
    expect(others).toEqual(['not counted: 1 finding, known or tolerated; --reporter json lists them', '']);
    expect(renderBrief(sampleReport([tolerated, sampleCase({})]))).toMatch(/^passes: /);
  });

  test('says what the profile would have to say for more cases to be judged', () => {
    const report = sampleReport([sampleCase({}), unjudged('a', 'signOut'), unjudged('b', 'list'), unjudged('c', 'list')]);
    expect(renderBrief(report).split('\n').slice(1)).toEqual([
      'not judged: 2 cases: the profile does not say it (list)',
      `  profile: ${findProfileLine('list')}`,
      'not judged: 1 case: the profile does not say it (signOut)',
      `  profile: ${findProfileLine('signOut')}`,
      '',
    ]);
  });

  test('is never longer than 2 kB, and counts what it leaves out', () => {
    const report = sampleReport([
      ...ACCEPTING_ALL.results.map((result) => ({ ...result, rerun: `passkey simulate ${result.id} --token "$TOKEN_1"` })),
      ...Array.from({ length: 30 }, (_, index) => unjudged(`case-${index}`, `member-${index}`, `reason ${index} ${'ü'.repeat(40)}`)),
    ]);
    for (let number = 0; number <= report.findings.length; number++) {
      const text = renderBrief({ ...report, findings: report.findings.slice(0, number) });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2048);
      const headings = text.match(/^(?:critical|high|medium|low|note)/gm)?.length ?? 0;
      const counted = Number(/^and (\d+) more finding/m.exec(text)?.[1] ?? 0);
      expect(headings + counted).toBe(number);
      const reasons = text.match(/^not judged/gm)?.length ?? 0;
      expect(reasons + Number(/^and (\d+) more reason/m.exec(text)?.[1] ?? 0)).toBe(30);
    }
  });

  test('changes from one form to the next at the same length of a remedy, to the byte', () => {
    const lacks = [1, 2, 3].map((n) => unjudged(`login.top-origin-${n}`, 'topOrigins', `a reason that differs, number ${n}`));
    const failing = ['type-null', 'origin-null', 'signature-bit', 'challenge-unknown'].map((what) => acceptedCase(`login.${what}`));
    const report = sampleReport([...failing, ...lacks]);
    const formsOf = (member: 'advice' | 'title', from: number, to: number) => {
      const changes: string[] = [];
      for (let length = from; length < to; length += 1) {
        const findings = report.findings.map((finding, index) => (index === 1 ? { ...finding, [member]: 'x'.repeat(length) } : finding));
        const lines = renderBrief({ ...report, findings }).split('\n');
        const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
        const form = `${count(/^\w+, /)} findings, ${count(/^ {2}fix/)} remedies, ${count(/^not judged/)} reasons, ${count(/^and /)} rests`;
        if (changes.at(-1)?.endsWith(form) !== true) changes.push(`${length}: ${form}`);
      }
      return changes;
    };
    expect(formsOf('advice', 1100, 1200)).toMatchInlineSnapshot(`
      [
        "1100: 4 findings, 1 remedies, 3 reasons, 0 rests",
        "1151: 4 findings, 0 remedies, 3 reasons, 0 rests",
      ]
    `);
    expect(formsOf('title', 1280, 1480)).toMatchInlineSnapshot(`
      [
        "1280: 4 findings, 0 remedies, 3 reasons, 0 rests",
        "1292: 3 findings, 0 remedies, 3 reasons, 1 rests",
        "1352: 2 findings, 0 remedies, 3 reasons, 1 rests",
        "1470: 1 findings, 0 remedies, 3 reasons, 1 rests",
      ]
    `);
  });
});

const LISTS = ['whoami', 'list', 'rename', 'remove', 'signOut', 'password', 'stepUp', 'recover', 'gates'];

test('the example lines of a profile are lines of a correct profile', async () => {
  const members = [
    'has.challengeSeconds',
    'has.models',
    ...LISTS,
    ...Object.keys(targetProfileSchema.properties.has.properties.policy.properties).map((name) => `has.policy.${name}`),
  ];
  for (const member of members) {
    const line = findProfileLine(member);
    const ceremonies = ['registrationOptions', 'register', 'authenticationOptions', 'authenticate'].map(
      (name) => `"${name}": [{ "request": "POST /${name}"${name === 'register' ? ', "take": { "id": "json id" }' : ''} }]`,
    );
    const text = `{ "format": "passkey-target-profile", "version": 1, "name": "x", ${ceremonies.join(', ')}, ${line} }`;
    expect((await parseProfile(text, `${member}.json`)).profile).toHaveProperty(member);
  }
});

test('each member that a profile may lack for a case has an example line', () => {
  const nothing = { has: {}, gates: [], opensAccounts: false, offers: () => false, reads: () => false };
  const offering = { ...nothing, offers: () => true };
  const lacks = ALL_CASES.flatMap((each) => [each.lacks?.(nothing), each.lacks?.(offering)]);
  const members = new Set(lacks.flatMap((lack) => (typeof lack === 'object' ? [lack.member] : [])));
  expect(members.size).toBeGreaterThan(12);
  expect([...members].filter((member) => findProfileLine(member) === undefined)).toEqual([]);
});
