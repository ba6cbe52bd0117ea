import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { passkeyHere } from './passkey-in-process.js';
import { passkey, ROOT } from './passkey-process.js';

const RECORDED = join(ROOT, 'fixtures/recorded');

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'passkey-explain-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

test('every shipped recording is accepted, by the steps and by the library', async () => {
  const { code, stdout } = await passkey(['explain', RECORDED, '--json'], { cwd: await folder() });
  const documents: { verdict: string; library: { verdict: string } }[] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(documents.length).toBeGreaterThan(5);
  expect(documents.filter(({ verdict, library }) => verdict !== 'accepted' || library.verdict !== 'accepted')).toEqual([]);
});

test('a recording with another origin is rejected, with the fix', async () => {
  const cwd = await folder();
  const { code, stdout, stderr } = await passkeyHere(
    ['explain', join(RECORDED, 'login-user-verified.json'), '--origin', 'https://localhost:7277'],
    { cwd },
  );
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toContain('✗ 12 C.origin is an expected origin (origin)');
  expect(stdout).toMatch(/fix +Only the scheme differs/);
  expect(stdout).toContain('Verdict  rejected at §7.2 step 12 (origin)');
});

test('a fixture that is cut off names the place, and ends with 2', async () => {
  const cwd = await folder();
  const text = await readFile(join(RECORDED, 'login-user-verified.json'), 'utf8');
  await writeFile(join(cwd, 'cut.json'), text.slice(0, 200));
  const { code, stdout, stderr } = await passkeyHere(['explain', 'cut.json'], { cwd });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^passkey: .*\d+:\d+ \(line:column\)/);
});
