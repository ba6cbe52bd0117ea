import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { appendFile, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type readVectorIndex, vectorIndexSchema } from '../../src/fixture/vector-list.js';
import { tempFolder } from '../cli/temp-folder.js';
import { passkeyHere } from './passkey-in-process.js';
import { collect, ROOT } from './passkey-process.js';

const page = readFileSync(join(ROOT, 'docs/vectors.md'), 'utf8');

interface Reader {
  readonly language: string;
  readonly file: string;
  readonly run: readonly [string, ...string[]];
  /** Whether the machine has it. */
  readonly probe: readonly string[];
  /** The verifier of the page, and one that accepts everything. */
  readonly verifier: readonly [open: string, accepts: string];
}

const READERS: readonly Reader[] = [
  { language: 'js', file: 'read.mjs', run: [process.execPath], probe: ['--version'], verifier: ['return undefined;', 'return true;'] },
  { language: 'python', file: 'read.py', run: ['python3'], probe: ['--version'], verifier: ['return None', 'return True'] },
  { language: 'go', file: 'read.go', run: ['go', 'run'], probe: ['version'], verifier: ['return false, false', 'return true, true'] },
];

const codeOf = (language: string): string => new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? '';

function isThere({ language, run: [command], probe }: Reader): boolean {
  const found = process.platform !== 'win32' && spawnSync(command, [...probe], { stdio: 'ignore' }).status === 0;
  if (!found) console.warn(`docs/vectors.md: ${command} is not here, so the reader in ${language} is skipped.`);
  return found;
}

let cwd = '';
let index: NonNullable<Awaited<ReturnType<typeof readVectorIndex>>>;

async function read({ file, run: [command, ...argv] }: Reader, code: string, folder = 'vectors') {
  await writeFile(join(cwd, file), code);
  return collect(spawn(command, [...argv, file, folder], { cwd, stdio: ['ignore', 'pipe', 'pipe'] }));
}

describe('docs/vectors.md', { timeout: 300_000 }, () => {
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'passkey-vectors-'));
    expect((await passkeyHere(['fixture', 'export', '--out', 'vectors'], { cwd })).code).toBe(0);
    index = JSON.parse(await readFile(join(cwd, 'vectors/index.json'), 'utf8'));
  }, 300_000);

  afterAll(() => rm(cwd, { recursive: true, force: true }));

  test('its index is as its schema says, and has the digest of every file', async () => {
    expect([...Value.Errors(vectorIndexSchema, index)]).toEqual([]);
    const changed = index.vectors.filter(
      ({ file, sha256 }) =>
        createHash('sha256')
          .update(readFileSync(join(cwd, 'vectors', file)))
          .digest('hex') !== sha256,
    );
    expect([changed, index.vectors.slice(0, 1).map(({ topic }) => topic)]).toEqual([[], ['ml-dsa-44']]);
    expect(await passkeyHere(['fixture', 'check', 'vectors'], { cwd })).toMatchObject({
      code: 0,
      stderr: `${index.vectors.length} fixtures checked, all as recorded.\n`,
    });
  });

  test.each(READERS)('the reader in $language has less than 40 lines', ({ language, verifier: [open] }) => {
    const lines = codeOf(language).trimEnd().split('\n');
    expect([lines.length > 20, lines.length < 40, lines.filter((line) => line.includes(open)).length]).toEqual([true, true, 1]);
  });

  test('CI has Python', () => {
    expect(
      process.env['CI'] === undefined ||
        process.platform === 'win32' ||
        READERS.filter(isThere).some(({ language }) => language === 'python'),
    ).toBe(true);
  });

  const readers = READERS.filter(isThere);

  test.each(readers)('the reader in $language gives every vector to a verifier', async (reader) => {
    const { code, stdout, stderr } = await read(reader, codeOf(reader.language));
    expect([code, stdout, stderr]).toEqual([0, `0 right, 0 wrong, ${index.vectors.length} not judged\n`, '']);
  });

  test.each(readers)('the reader in $language names what a verifier accepts wrongly', async (reader) => {
    const { code, stdout } = await read(reader, codeOf(reader.language).replace(...reader.verifier));
    const wrong = index.vectors.filter(({ expected }) => expected.outcome === 'rejected');
    expect([code, stdout.split('\n').at(-2)]).toEqual([
      1,
      `${index.vectors.length - wrong.length} right, ${wrong.length} wrong, 0 not judged`,
    ]);
    expect(stdout).toMatch(
      /^error-origin_mismatch\.json: origin_mismatch: a page of another site: expected (?:rejected )?origin_mismatch$/m,
    );
  });

  test.each(readers)('the reader in $language stops at a file that was changed', async (reader) => {
    const folder = await tempFolder();
    const [first] = index.vectors;
    await copyFile(join(cwd, 'vectors/index.json'), join(folder, 'index.json'));
    await copyFile(join(cwd, 'vectors', first?.file ?? ''), join(folder, first?.file ?? ''));
    await appendFile(join(folder, first?.file ?? ''), ' ');
    const { code, stderr } = await read(reader, codeOf(reader.language), folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('ml-dsa-44-register.json was changed.')]);
  });
});
