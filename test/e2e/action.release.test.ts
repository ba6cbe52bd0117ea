import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runScript, versionStep } from '../architecture/action-yml.js';
import { tempFolder } from '../cli/temp-folder.js';
import { BIN, collect, ROOT } from './passkey-process.js';

/** The step that has a script, in a project that has this passkey. */
const runStep = (inputs: Readonly<Record<string, string>>) =>
  runScript(inputs, {
    'node_modules/.bin/passkey': `#!/bin/sh\nprintf '%s\\n' "$@" "$PASSKEY_TOKEN,$PASSKEY_TOKEN_2" > words\nexec "${process.execPath}" "${BIN}" "$@"\n`,
  });

describe('the version that action.yml runs', () => {
  test.each([
    ['', JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version],
    ['1.2.3', '1.2.3'],
    ['installed', 'installed'],
    ['1.2.3\nother=output', '1.2.3'],
  ])('given %j: %s', async (given, version) => {
    const cwd = await tempFolder();
    const output = join(cwd, 'output');
    const env = { ...process.env, INPUT_VERSION: given, GITHUB_ACTION_PATH: ROOT, GITHUB_OUTPUT: output };
    expect(await collect(spawn('bash', ['-eo', 'pipefail', '-c', versionStep.run ?? ''], { cwd, env }))).toMatchObject({ code: 0 });
    expect(await readFile(output, 'utf8')).toBe(`version=${version}\n`);
  });
});

describe('the script of action.yml', () => {
  test('runs cases against passkey itself, with a summary and counts', async () => {
    const { code, outputs, summary, stdout } = await runStep({ cases: 'login.challenge-used*\nlogin.signature-bit', args: '--jobs\n1' });
    expect({ code, outputs }).toEqual({
      code: 0,
      outputs: {
        total: '4',
        passed: '4',
        failed: '0',
        tolerated: '0',
        findings: '0',
        'not-applicable': '0',
        incomplete: 'false',
        report: expect.stringMatching(/\.json$/),
      },
    });
    expect(summary).toContain('## passkey simulate');
    expect(stdout).toContain('4 of 4 as expected');
  });

  test('fails with annotations where a server cannot be judged, and takes everything else it is given', async () => {
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
      args: '--timeout=5s\n--keep-going',
    });
    expect([code, outputs]).toMatchObject([2, { total: '1', passed: '0', failed: '1', findings: '0' }]);
    expect(stdout).toMatch(/^::error title=not judged::The server is not fit to be tested/m);
    expect(summary).toContain('The server is not fit to be tested');
    // Tokens are not among the words of the command, which every process of the machine may see.
    expect(words).toMatch(/^simulate\n(?:(?!.*(?:one|two))(?:.*)\n)*one,two\n$/);
  });

  test('hands the baseline on', async () => {
    const { code, stderr } = await runStep({ cases: 'login.signature-bit', baseline: 'known.json' });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--baseline: known.json') });
  });

  test('runs nothing that an input says', async () => {
    const hostile = '"; touch pwned; $(touch pwned) `touch pwned` #';
    const inputs = Object.fromEntries(
      ['cases', 'args', 'tags', 'reporter', 'target', 'url', 'tokens', 'baseline'].map((name) => [name, hostile]),
    );
    const { code, outputs, files } = await runStep(inputs);
    expect([code, outputs]).toEqual([2, {}]);
    expect(files).not.toContain('pwned');
  });
});
