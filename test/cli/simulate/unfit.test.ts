import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

/** A server that answers its start page, and 503 to all else. */
async function startOverloaded(): Promise<string> {
  const server = createServer((request, response) => {
    response.statusCode = request.method === 'GET' ? 200 : 503;
    response.end('{"error":"busy"}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CASES = ['register.origin-other-site', 'login.origin-other-site'];

test('a plain registration that fails ends the run with exit code 2, and says what to check', async () => {
  const url = await startOverloaded();
  const { code, stdout, stderr } = await runIn('/', ['simulate', ...CASES, '--url', url, '--token', 'pk_one', '--fail-on', 'critical']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  const lines = stderr.trimEnd().split('\n');
  expect(lines[0]).toBe('passkey: A plain registration (register.default) fails, so no case about registrations can be judged.');
  expect(lines.slice(-3)).toEqual([
    '  came 503 {"error":"busy"}',
    '  POST /api/passkeys/register/options (preparation): expected options, got failed: 503 busy',
    expect.stringMatching(/^Check "account", "registrationOptions" and "register" in the profile.*--keep-going/),
  ]);
});

test('a server that is not fit to be tested ends the run with exit code 2, and its reports say why', async () => {
  const [url, cwd] = [await startOverloaded(), await tempFolder()];
  const reporters = ['--reporter', 'pretty,junit=junit.xml,tap=run.tap,sarif=run.sarif,json=run.json,html=run.html'];
  const { code, stdout } = await runIn(cwd, ['simulate', ...CASES, '--url', url, '--token', 'pk_one', '--keep-going', ...reporters]);
  expect(code).toBe(2);
  const reason = 'POST /api/passkeys/register/options (preparation): failed: 503 busy';
  const unfit = 'The server is not fit to be tested: requests that prepare cases got 503 × 2.';
  expect(stdout).toContain(`\n${unfit}\n`);
  expect(stdout).toContain(`! 2 not judged: ${reason}\n    register.origin-other-site, login.origin-other-site\n`);
  expect(stdout).toMatch(/^0 of 2 as expected, 2 not judged; against/m);
  const read = (name: string) => readFile(join(cwd, name), 'utf8');
  const junit = await read('junit.xml');
  expect(junit).toContain('tests="2" failures="0" errors="2" skipped="0"');
  expect(junit).toContain(`<error type="preparation_failed" message="${reason}">`);
  expect(await read('run.tap')).toContain('\nnot ok 1 - register.origin-other-site\n');
  const [invocation] = JSON.parse(await read('run.sarif')).runs[0].invocations;
  expect(invocation).toMatchObject({
    executionSuccessful: false,
    toolExecutionNotifications: [{}, {}, { level: 'error', message: { text: unfit } }],
  });
  expect(await read('run.html')).toContain(`<p class="doubt">${unfit}</p>`);
  const rerun = await runIn(cwd, [
    'simulate',
    '--url',
    url,
    '--token',
    'pk_one',
    '--keep-going',
    '--rerun-failed',
    'run.json',
    '--list',
    '--json',
  ]);
  expect(JSON.parse(rerun.stdout).map(({ id }: { readonly id: string }) => id)).toEqual(CASES);
});
