import { beforeAll, describe, expect, test } from 'vitest';
import { ALL_CASES } from '../../../../src/simulate/cases/all-cases.js';
import { ATTESTATION_ROWS } from '../../../../src/simulate/cases/attestation/attestation-cases.js';
import type { RefusedRow } from '../../../../src/simulate/cases/attestation/row.js';
import { ATTESTATION_FORMAT_IDS } from '../../../../src/webauthn/enumerations.js';
import { quick, share } from '../../../thorough.js';
import { brokenRules, judgeRow } from './judge-row.js';

const REFUSED = ATTESTATION_ROWS.filter((row): row is RefusedRow => row.expected === 'refused');

quick('every row is one of the cases', () => {
  const ids = new Set(ALL_CASES.map(({ id }) => id));
  expect(ATTESTATION_ROWS.filter(({ id }) => !ids.has(id))).toEqual([]);
  expect(ATTESTATION_ROWS.filter(({ id }) => !/^register\.[a-z0-9-]+$/.test(id))).toEqual([]);
});

quick('each row names its rule by section, and says in one or two sentences why it matters', () => {
  expect(ATTESTATION_ROWS.filter(({ rule }) => !/^(§\d|RFC |TPM |Android )/.test(rule)).map(({ id }) => id)).toEqual([]);
  expect(ATTESTATION_ROWS.filter(({ why }) => !/^[A-Z].*\.$/.test(why)).map(({ id }) => id)).toEqual([]);
});

quick('no two rows send the same for the same reason', () => {
  const titles = ATTESTATION_ROWS.map(({ format, title }) => `${format}: ${title}`);
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
});

quick.each(ATTESTATION_FORMAT_IDS)('%s has an honest row, which the others are held against', (format) => {
  expect(ATTESTATION_ROWS.find(({ id }) => id === `register.${format}-honest`)).toMatchObject({ format, expected: 'accepted' });
  expect(REFUSED.filter((row) => row.format === format).length).toBeGreaterThan(2);
});

/** Sub-checks that nothing in a statement can make fail: they warn only, or are about the credential key. */
const NEVER_FAIL: Readonly<Record<string, readonly string[]>> = {
  packed: ['credential-public-key', 'certificate-serial-number'],
  tpm: ['credential-public-key', 'certificate-tpm-manufacturer'],
  'android-key': ['credential-public-key'],
  'android-safetynet': ['timestamp'],
  'fido-u2f': [],
  apple: ['credential-public-key'],
  none: [],
};
/** Rules about certificates that hold for every format alike, and are broken in packed. */
const ALIKE = ['certificates', 'certificate-aaguid', 'chain-signatures', 'chain-authorities', 'chain-critical-extensions'];

describe('every rule that our own relying party knows is broken by a row', () => {
  const rules = new Map<string, Set<string>>();

  beforeAll(async () => {
    for (const row of ATTESTATION_ROWS.filter(({ expected }) => expected === 'accepted')) {
      const { report } = await judgeRow(row, 'no roots');
      if (report === undefined) throw new Error(`Expected a report of ${row.id}.`);
      for (const { slug } of report.checks) rules.set(report.fmt, (rules.get(report.fmt) ?? new Set()).add(slug));
    }
  });

  quick.each(Object.entries(NEVER_FAIL))('of %s', (format, never) => {
    const broken = REFUSED.filter((row) => row.format === format).flatMap(({ check, also = [] }) => [check, ...also]);
    const whole = format === 'packed' ? [] : ALIKE;
    const known = [...(rules.get(format) ?? [])];
    expect(known.length).toBeGreaterThan(0);
    expect(known.filter((slug) => ![...broken, ...never, ...whole].includes(slug))).toEqual([]);
  });
});

describe('each row is judged as it says, for the one rule that it says is broken', () => {
  // An eighth of them in `npm test`, the others in `npm run test:release`.
  const runs = share(ATTESTATION_ROWS, 8).flatMap((row) => {
    const trusts = [...(row.onlyWithoutTrust ? [] : (['test root'] as const)), ...(row.needsTrust ? [] : (['no roots'] as const))];
    return trusts.map((trust) => ({ row, trust, id: row.id }));
  });

  test.each(runs)('$id with $trust', async ({ row, trust }) => {
    const judged = await judgeRow(row, trust);
    const refused = row.expected === 'refused';
    expect({ outcome: judged.outcome, broken: brokenRules(judged).toSorted() }).toEqual({
      outcome: refused ? `${row.code} at ${row.slug}` : 'accepted',
      broken: refused ? [row.check, ...(row.also ?? [])].toSorted() : [],
    });
  });
});
