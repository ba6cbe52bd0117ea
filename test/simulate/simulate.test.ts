import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import { writeFixture } from '../../src/fixture/write.js';
import { flipBit } from '../../src/simulate/engine/edits.js';
import { simulateReportSchema } from '../../src/simulate/report/report.js';
import { listCases, simulate } from '../../src/simulate/simulate.js';
import { fc } from '../properties.js';
import { editBytes } from './fixture-edits.js';
import { type Recordings, recordSoftwareCeremonies } from './software-ceremonies.js';

let folder: string;
let recordings: Recordings;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'passkey-simulate-'));
  recordings = await recordSoftwareCeremonies();
});
afterEach(() => rm(folder, { recursive: true }));

const write = (sub: string, name: string, of: keyof Recordings = 'login') => writeFixture(join(folder, sub), { ...recordings[of], name });
const run = (options: Partial<Parameters<typeof simulate>[0]> = {}) =>
  simulate({ fixtures: [folder], replay: ['verbatim'], cases: false, version: '0.0.0', ...options });

describe('simulate', () => {
  test('replays every fixture below a folder and reports it', async () => {
    await write('b', 'second', 'registration');
    await write('a', 'first');
    const told: string[] = [];
    const report = await run({ onResult: ({ id }, { done, total }) => told.push(`${id} ${done}/${total}`) });
    expect(Check(simulateReportSchema, report)).toBe(true);
    expect(report).toMatchObject({
      target: 'in-process',
      tool_version: '0.0.0',
      summary: { total: 2, passed: 2, failed: 0, not_applicable: 0, not_run: 0 },
      results: [
        {
          id: 'first',
          source: 'fixture',
          replay: 'verbatim',
          status: 'passed',
          file: join(folder, 'a', 'first.json'),
          tags: ['fixture', 'authentication', 'verified', 'es256', 'verbatim'],
        },
        { id: 'second', title: 'registration at http://localhost:7277', expected: 'verified', mismatches: [] },
      ],
    });
    expect(told).toEqual(['first 1/2', 'second 2/2']);
  });

  test('stops at the first failure with bail, and lists what was not run', async () => {
    await write('', '1-good');
    await writeFixture(folder, { ...editBytes('signature', flipBit(-1))(recordings.login), name: '2-bad' });
    await write('', '3-good');
    const all = await run();
    expect(all.results.map(({ status }) => status)).toEqual(['passed', 'failed', 'passed']);
    const bailed = await run({ bail: true });
    expect(bailed.results.map(({ status }) => status)).toEqual(['passed', 'failed', 'not_run']);
    expect(bailed.summary).toMatchObject({ total: 3, passed: 1, failed: 1, known: 0, tolerated: 0, not_run: 1, not_judged: 0 });
    expect(Check(simulateReportSchema, bailed)).toBe(true);
  });

  test('runs only what is selected', async () => {
    await write('', 'one');
    await write('', 'two', 'discoverableLogin');
    expect((await run({ select: { tags: ['discoverable'] } })).results.map(({ id }) => id)).toEqual(['two']);
    await expect(run({ select: { ids: ['three'] } })).rejects.toMatchObject({ code: 'usage' });
  });

  test('runs in process what its server has; a case that is named is listed all the same', async () => {
    const list = async (ids: readonly string[]) => (await listCases({ fixtures: [], select: { ids } })).map(({ id }) => id);
    const all = await list([]);
    expect([all.includes('lifecycle.removed-passkey'), all.includes('lifecycle.recovery')]).toEqual([true, false]);
    expect(await list(['lifecycle.recovery'])).toEqual(['lifecycle.recovery']);
  });

  test('tags what was made wrong on purpose, fixtures and cases, as invalid', async () => {
    const fixtures = [join(import.meta.dirname, '../../fixtures')];
    const all = await listCases({ fixtures });
    const invalid = all.filter(({ tags }) => tags.includes('invalid'));
    expect(new Set(invalid.map(({ source }) => source))).toEqual(new Set(['fixture', 'case']));
    expect(invalid.filter(({ tags }) => tags.includes('verified'))).toEqual([]);
    const inFolder = all.filter(({ file }) => file?.includes(join('fixtures', 'invalid')));
    expect(invalid.filter(({ source }) => source === 'fixture')).toEqual(inFolder);
    expect(inFolder.length).toBeGreaterThan(40);
  });

  test('takes fixtures as texts, as the executable carries them', async () => {
    await write('', 'one');
    const text = await readFile(join(folder, 'one.json'), 'utf8');
    const given = (name: string, content: string) => ({ fixtures: [{ file: `fixtures/${name}.json`, text: content }] });
    const { results } = await run(given('one', text));
    expect(results).toMatchObject([{ id: 'one', file: 'fixtures/one.json', status: 'passed' }]);
    await expect(run(given('two', '{'))).rejects.toMatchObject({ message: expect.stringContaining('fixtures/two.json:1:2: expected') });
  });

  test('never passes with nothing to run', async () => {
    await expect(run()).rejects.toMatchObject({ code: 'fixture_invalid', message: expect.stringContaining('found none') });
    await expect(run({ fixtures: [] })).rejects.toMatchObject({ code: 'usage' });
  });

  test('names every file that is not a fixture', async () => {
    await write('', 'good');
    await writeFile(join(folder, 'x.json'), '{');
    await expect(run()).rejects.toMatchObject({
      code: 'fixture_invalid',
      message: expect.stringContaining(`${join(folder, 'x.json')}:1:2: expected`),
    });
    await writeFile(join(folder, 'y.json'), '[]');
    await expect(run()).rejects.toMatchObject({
      code: 'fixture_invalid',
      message: expect.stringMatching(/^2 files are not fixtures:\n {2}.*x\.json:1:2: .*\n {2}.*y\.json:1:1: .*$/),
    });
  });

  test('refuses two fixtures with the same name', async () => {
    await write('a', 'same');
    await write('b', 'same', 'registration');
    const [a, b] = [join(folder, 'a', 'same.json'), join(folder, 'b', 'same.json')];
    await expect(run()).rejects.toMatchObject({
      code: 'fixture_invalid',
      message: `${a} and ${b} are both named "same". Rename one of them, and remove its member "integrity".`,
    });
    expect((await run({ fixtures: [join(folder, 'a'), a] })).summary).toMatchObject({ total: 1, passed: 1 });
  });

  test('can be interrupted', async () => {
    await write('', 'one');
    await write('', 'two');
    const controller = new AbortController();
    const report = await run({ signal: controller.signal, onResult: () => controller.abort() });
    expect(report).toMatchObject({ incomplete: true, summary: { total: 2, passed: 1, not_run: 1 } });
  });

  test('passes no fixture of which a bit is flipped', async () => {
    const path = await write('', 'recorded', 'registration');
    const original = await readFile(path);
    const trailing = original.length - 1;
    await fc.assert(
      fc.asyncProperty(fc.nat(trailing - 1), fc.nat(7), async (at, bit) => {
        const flipped = original.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte));
        // White space that becomes other white space leaves the document unchanged.
        if (isSameDocument(original, flipped)) return;
        await writeFile(path, flipped);
        const passed = await run().then(
          (report) => report.summary.passed,
          (error: unknown) => (error instanceof PasskeyError && error.code === 'fixture_invalid' ? 0 : error),
        );
        expect(passed).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

function isSameDocument(a: Uint8Array, b: Uint8Array): boolean {
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8');
  try {
    return JSON.stringify(JSON.parse(text(a))) === JSON.stringify(JSON.parse(text(b)));
  } catch {
    return false;
  }
}
