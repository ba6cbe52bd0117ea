import { spawn, spawnSync } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { passkeyHere, serveHere } from './passkey-in-process.js';
import { BIN, collect, ROOT } from './passkey-process.js';

const page = await readFile(join(ROOT, 'docs/any-language.md'), 'utf8');

/** The code of the page in one language. */
const codeOf = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);

interface Language {
  readonly name: string;
  /** Whether the machine has it: a command that ends with 0. */
  readonly probe: readonly [string, ...string[]];
  readonly file: string;
  readonly code: string | undefined;
  readonly run: readonly [string, ...string[]];
}

const shell = codeOf('sh').find((code) => code.startsWith('#!'));
const [python, overHttp = ''] = codeOf('python');
const LANGUAGES: readonly Language[] = [
  { name: 'Shell', probe: ['curl', '--version'], file: 'test.sh', code: shell, run: ['sh', 'test.sh'] },
  { name: 'Python', probe: ['python3', '--version'], file: 'test_passkey.py', code: python, run: ['python3', 'test_passkey.py'] },
  {
    name: 'Python over HTTP',
    probe: ['python3', '--version'],
    file: 'test_passkey.py',
    code: python?.replace(/^def answer[\s\S]*?(?=^class)/m, `${overHttp}\n\n`),
    run: ['python3', 'test_passkey.py'],
  },
  { name: 'Go', probe: ['go', 'version'], file: 'passkey_test.go', code: codeOf('go')[0], run: ['go', 'test', 'passkey_test.go'] },
  { name: 'PHP', probe: ['php', '--version'], file: 'passkey_test.php', code: codeOf('php')[0], run: ['php', 'passkey_test.php'] },
  { name: 'Java', probe: ['javac', '--version'], file: 'PasskeyTest.java', code: codeOf('java')[0], run: ['java', 'PasskeyTest.java'] },
];

const isThere = ({ name, probe: [command, ...argv] }: Language): boolean => {
  const found = process.platform !== 'win32' && spawnSync(command, argv, { stdio: 'ignore' }).status === 0;
  if (!found) console.warn(`docs/any-language.md: ${command} is not here, so the example in ${name} is not run.`);
  return found;
};

/** A folder with the command on its path, and the code of the page. */
async function folderWith({ file, code = '' }: Language): Promise<string> {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'passkey'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
  await chmod(join(cwd, 'passkey'), 0o755);
  await writeFile(join(cwd, file), code);
  return cwd;
}

async function outcomeOf(language: Language, change: (code: string) => string = (same) => same) {
  const { code = '' } = language;
  const cwd = await folderWith({ ...language, code: change(code) });
  expect((await passkeyHere(['user', 'add', '--email', 'ada@example.com', '--name', 'Ada'], { cwd })).code).toBe(0);
  const token = (await passkeyHere(['token', 'create', '--user', 'ada@example.com'], { cwd })).stdout.trim();
  const server = await serveHere(['--log-level', 'silent'], { cwd });
  const [command, ...argv] = language.run;
  const env = { ...process.env, APP: server.url, TOKEN: token, PATH: `${cwd}${delimiter}${process.env.PATH}` };
  const ran = await collect(spawn(command, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  expect(await server.stop()).toBe(0);
  return ran;
}

describe('docs/any-language.md', () => {
  test('has an example in each language', () => {
    for (const { name, code } of LANGUAGES) expect([name, code]).toEqual([name, expect.stringMatching(/signature-bit|flags\[1\]/)]);
  });

  const runnable = LANGUAGES.filter(isThere);
  test.each(runnable)('$name runs as it stands', { timeout: 180_000 }, async (language) => {
    const { code, stdout, stderr } = await outcomeOf(language);
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/^(?:passed|OK|ok\s.*)$/m)]);
  });

  test.each(runnable)('$name fails where the broken login is accepted', { timeout: 180_000 }, async (language) => {
    const { code, stdout, stderr } = await outcomeOf(language, (text) => text.replace('signature-bit', 'login.standard-base64'));
    expect([code === 0, stdout + stderr]).toEqual([false, expect.not.stringMatching(/^(?:passed|OK|ok\s.*)$/m)]);
  });
});
