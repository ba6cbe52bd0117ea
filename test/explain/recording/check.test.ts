import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { checkFixtures } from '../../../src/explain/recording/check.js';
import { findFixtureFiles } from '../../../src/fixture/find.js';
import type { Fixture } from '../../../src/fixture/format.js';
import { serializeFixture } from '../../../src/fixture/write.js';
import { tempFolder } from '../../cli/temp-folder.js';
import { editCredential } from '../../simulate/fixture-edits.js';
import { recordSoftwareCeremonies } from '../../simulate/software-ceremonies.js';

type CheckedFixture = ReturnType<typeof checkFixtures> extends AsyncIterable<infer One> ? One : never;

const SHIPPED = join(import.meta.dirname, '../../../fixtures');

let login: Fixture;
beforeAll(async () => {
  ({ login } = await recordSoftwareCeremonies());
});

async function checked(files: readonly string[]): Promise<CheckedFixture[]> {
  const results: CheckedFixture[] = [];
  for await (const each of checkFixtures(files)) results.push(each);
  return results;
}

/** The problems of one file with this text. */
async function problemsOf(text: string): Promise<readonly string[] | undefined> {
  const file = join(await tempFolder(), 'a.json');
  await writeFile(file, text);
  return (await checked([file]))[0]?.problems;
}

describe('checkFixtures', () => {
  test('every fixture that ships is as it was recorded, by the steps alone', async () => {
    const results = await checked(await findFixtureFiles([SHIPPED]));
    expect(results.filter(({ problems }) => problems.length > 0)).toEqual([]);
    expect(results.length).toBeGreaterThan(60);
  });

  test('another verdict than the recorded one is a problem, with what to change', async () => {
    const wrong = { ...login, expected: { outcome: 'rejected', code: 'counter_regressed', status: 401, step: 'sign-count' } } as const;
    expect(await problemsOf(serializeFixture(wrong))).toEqual(['Expected counter_regressed (step sign-count); the steps say verified.']);
    const stale = editCredential(() => ({ signCount: 900 }))(login);
    expect(await problemsOf(serializeFixture(stale))).toEqual([
      expect.stringMatching(/^Expected verified; the steps say counter_regressed \(step sign-count\)\. ./),
    ]);
  });

  test('a refusal is compared by code and step; a recording without a step leaves it open', async () => {
    const refused = (step?: string) => ({
      ...login,
      origin: 'https://other.example',
      ceremony: { ...login.ceremony, origins: ['https://other.example'] },
      expected: { outcome: 'rejected' as const, code: 'origin_mismatch', status: 401, ...(step !== undefined && { step }) },
    });
    expect(await problemsOf(serializeFixture(refused()))).toEqual([]);
    expect(await problemsOf(serializeFixture(refused('origin')))).toEqual([]);
    expect(await problemsOf(serializeFixture(refused('signature')))).toEqual([
      expect.stringMatching(/^Expected origin_mismatch \(step signature\); the steps say origin_mismatch \(step origin\)\./),
    ]);
  });

  test('a changed file is told by its digest, and one that is no fixture by its place', async () => {
    const changed = serializeFixture(login).replace('"version": "0"', '"version": "1"');
    expect(await problemsOf(changed)).toEqual([expect.stringMatching(/^The file was changed after it was recorded\./)]);
    expect(await problemsOf('{ "format": "passkey-fixture", "version": 1 }')).toEqual([expect.stringMatching(/a\.json:1:1: .*expected/)]);
    expect(await problemsOf('{')).toEqual([expect.stringContaining('a.json:1:2')]);
  });

  test('a name that comes twice is a problem of the second', async () => {
    const folder = await tempFolder();
    const files = ['a.json', 'b.json'].map((name) => join(folder, name));
    for (const file of files) await writeFile(file, serializeFixture(login));
    expect((await checked(files)).map(({ problems }) => problems)).toEqual([
      [],
      [`${files[0]} has the same name, "${login.name}". Rename one of them.`],
    ]);
  });
});
