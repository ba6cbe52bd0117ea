import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { fixturePath, runToCurl, runToJson } from '../../src/page/ceremony-file.js';
import { browserLeg, httpLeg, loginRun } from './runs.js';

const HTTP = httpLeg({
  path: '/api/passkeys/register',
  body: { label: "Ada's $HOME `key`" },
  bearer: true,
  answer: { user: { id: 1 }, token: 'pk_secret' },
  milliseconds: 12.3456,
});
const BROWSER = browserLeg({ call: 'create', options: { challenge: 'Y2hhbGxlbmdl' } });
const RUN = loginRun({ legs: [HTTP] });

describe('runToCurl', () => {
  test('is a command that a shell parses as intended, without the token', async () => {
    const text = runToCurl(RUN, 'http://localhost:7277');
    expect(text).not.toContain('pk_secret');
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      `curl() { printf '%s\\n' "$@"; }; PASSKEY_TOKEN=T; ${text.replace(/^#.*\n/, '')}`,
    ]);
    expect(stdout.trim().split('\n')).toStrictEqual([
      '-sS',
      '-X',
      'POST',
      'http://localhost:7277/api/passkeys/register',
      '-H',
      'Authorization: Bearer T',
      '-H',
      'Content-Type: application/json',
      '--data',
      JSON.stringify(HTTP.body),
    ]);
  });

  test('sends no body and no token if there was none', () => {
    const leg = httpLeg({ method: 'DELETE', path: '/api/session' });
    expect(runToCurl({ ...RUN, legs: [leg] }, 'http://localhost:1')).toBe("curl -sS -X DELETE 'http://localhost:1/api/session'\n");
  });
});

describe('runToJson', () => {
  test('leaves tokens out', () => {
    const text = JSON.stringify(runToJson(RUN, 'http://localhost:7277', 'UA'));
    expect(text).not.toContain('pk_secret');
    expect(JSON.parse(text)).toMatchObject({
      started_at: '1970-01-01T00:00:00.000Z',
      legs: [{ milliseconds: 12.3, answer: { token: '(left out)' } }],
    });
  });
});

describe('fixturePath', () => {
  test('exists once the server has seen a response', () => {
    expect(fixturePath(RUN)).toBeUndefined();
    expect(fixturePath({ ...RUN, legs: [HTTP, BROWSER] })).toBeUndefined();
    expect(fixturePath({ ...RUN, legs: [BROWSER, HTTP] })).toBe('/dev/fixtures/Y2hhbGxlbmdl');
  });
});
