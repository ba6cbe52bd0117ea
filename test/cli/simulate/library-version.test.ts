import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSimpleWebAuthn } from '../../targets/simplewebauthn.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

const NAME = '@simplewebauthn/server';
const CASE = 'login.signature-doubled';

/** What becomes of a fault of the library that every version has, in a project with these files. */
async function simulateIn(files: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const target = await startSimpleWebAuthn();
  try {
    const folder = await tempFolder();
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const argv = ['simulate', 'login.default', CASE, '--target', 'simplewebauthn', '--url', target.url, '--json', ...flags];
    const { code, stdout } = await runIn(folder, argv);
    const { findings } = JSON.parse(stdout);
    return { code, title: findings[0].title, severity: findings[0].severity, known: findings[0].known };
  } finally {
    await target.close();
  }
}

const installed = (version: string) => ({ [`node_modules/${NAME}/package.json`]: JSON.stringify({ version }) });

test.each([
  ['the profile, where the project has none', {}, '14.0.3'],
  ['node_modules', installed('14.0.1'), '14.0.1'],
  ['the lock file', { 'yarn.lock': `"${NAME}@^13.0.0":\n  version "13.2.1"\n` }, '13.2.1'],
])('the version of the library is that of %s', async (_, files, version) => {
  expect(await simulateIn(files)).toEqual({
    code: 0,
    title: `${NAME} ${version} reads the signature as BER, and not to its end (§6.5.5): 1 request. Not yours to fix; no attack is known.`,
    severity: 'note',
    known: true,
  });
});

test('a version that was not tested is not blamed, so that the run fails', async () => {
  const { code, title, known } = await simulateIn(installed('14.1.0'));
  expect([code, known]).toEqual([1, undefined]);
  expect(title).not.toContain(NAME);
});

test('--fail-on-library fails for a fault that no version has mended', async () => {
  expect(await simulateIn(installed('14.0.1'), '--fail-on-library')).toMatchObject({ code: 1, severity: 'note', known: undefined });
});
