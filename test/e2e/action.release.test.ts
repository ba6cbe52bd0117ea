import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { action, inputOf, script } from '../architecture/action-yml.js';
import { tempFolder } from '../cli/temp-folder.js';
import { BIN, collect } from './passkey-process.js';

/** The step that has a script, as the runner runs it, in a project that has this passkey. */
async function runStep(inputs: Readonly<Record<string, string>>) {
  const cwd = await tempFolder();
  await mkdir(join(cwd, 'node_modules/.bin'), { recursive: true });
  await writeFile(join(cwd, 'package.json'), '{ "private": true }');
  await writeFile(
    join(cwd, 'node_modules/.bin/passkey'),
    `#!/bin/sh\nprintf '%s\\n' "$@" "$PASSKEY_TOKEN,$PASSKEY_TOKEN_2" > words\nexec "${process.execPath}" "${BIN}" "$@"\n`,
    { mode: 0o755 },
  );
  const files = { GITHUB_OUTPUT: join(cwd, 'output'), GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'), RUNNER_TEMP: join(cwd, 'temp') };
  await mkdir(files.RUNNER_TEMP);
  await writeFile(join(cwd, 'script.sh'), script.run ?? '');
  const given: Record<string, string> = { version: 'installed', ...inputs };
  const env = Object.entries(script.env ?? {}).map(([name, expression]) => {
    const input = inputOf(expression) ?? '';
    return [name, given[input] ?? action.inputs[input]?.default ?? ''];
  });
  // https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell
  const { code, stdout, stderr } = await collect(
    spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', 'script.sh'], {
      cwd,
      env: { PATH: [join(process.execPath, '..'), process.env['PATH']].join(delimiter), HOME: cwd, ...Object.fromEntries(env), ...files },
    }),
  );
  const text = (file: string) => readFile(file, 'utf8').catch(() => '');
  const outputs = Object.fromEntries(
    (await text(files.GITHUB_OUTPUT)).split('\n').flatMap((line) => (line === '' ? [] : [line.split('=')])),
  );
  return {
    code,
    stdout,
    stderr,
    outputs,
    summary: await text(files.GITHUB_STEP_SUMMARY),
    words: await text(join(cwd, 'words')),
    files: await readdir(cwd),
  };
}

describe('the script of action.yml', () => {
  test('runs cases against passkey itself, with a summary and counts', async () => {
    const { code, outputs, summary, stdout } = await runStep({ cases: 'login.challenge-used*\nlogin.signature-bit', args: '--jobs\n1' });
    expect({ code, outputs }).toEqual({
      code: 0,
      outputs: { total: '4', passed: '4', failed: '0', 'not-applicable': '0', report: expect.stringMatching(/\.json$/) },
    });
    expect(summary).toContain('## passkey simulate');
    expect(stdout).toContain('4 of 4 as expected');
  });

  test('fails with annotations where a server accepts what it must refuse, and takes everything else it is given', async () => {
    const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{}')).listen(0, 'localhost');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const { code, outputs, summary, stdout, words } = await runStep({
      url: `http://localhost:${typeof address === 'object' ? address?.port : 0}`,
      target: 'passkey',
      tokens: 'one\ntwo\n',
      tags: 'signature_invalid, rejected',
      cases: 'login.signature-bit',
      args: '--timeout=5s',
    });
    expect([code, outputs]).toMatchObject([1, { total: '1', passed: '0', failed: '1' }]);
    expect(stdout).toContain('::error title=login.signature-bit');
    expect(summary).toContain('login.signature-bit');
    // Tokens are not among the words of the command, which every process of the machine may see.
    expect(words).toMatch(/^simulate\n(?:(?!.*(?:one|two))(?:.*)\n)*one,two\n$/);
  });

  test('runs nothing that an input says', async () => {
    const hostile = '"; touch pwned; $(touch pwned) `touch pwned` #';
    const inputs = Object.fromEntries(['cases', 'args', 'tags', 'reporter', 'target', 'url', 'tokens'].map((name) => [name, hostile]));
    const { code, outputs, files } = await runStep(inputs);
    expect([code, outputs]).toEqual([2, {}]);
    expect(files).not.toContain('pwned');
  });
});
