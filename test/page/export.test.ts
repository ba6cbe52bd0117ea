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

  test('has each request, with a token where one of them had, and the origin that development endpoints check', () => {
    const legs = [
      httpLeg({ method: 'GET', path: '/dev/state' }),
      browserLeg(),
      httpLeg({ path: '/api/passkeys/register', bearer: true }),
      httpLeg({ path: '/api/dev/' }),
    ];
    expect(runToCurl({ ...RUN, legs }, 'http://localhost:1').split('\n')).toEqual([
      "# PASSKEY_TOKEN=$(passkey token create --user 'you@example.com')",
      "curl -sS -X GET 'http://localhost:1/dev/state' \\",
      "  -H 'Origin: http://localhost:1'",
      "curl -sS -X POST 'http://localhost:1/api/passkeys/register' \\",
      '  -H "Authorization: Bearer $PASSKEY_TOKEN"',
      "curl -sS -X POST 'http://localhost:1/api/dev/'",
      '',
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

test('a run as JSON has its facts, and its legs without what is secret', () => {
  const run = loginRun({
    title: 'Own',
    kind: 'registration',
    outcome: 'rejected',
    summary: 'Refused.',
    startedAt: 5,
    legs: [HTTP, BROWSER],
  });
  expect(runToJson(run, 'http://localhost:7277', 'UA')).toEqual({
    title: 'Own',
    kind: 'registration',
    outcome: 'rejected',
    summary: 'Refused.',
    started_at: '1970-01-01T00:00:00.005Z',
    origin: 'http://localhost:7277',
    user_agent: 'UA',
    legs: [{ ...HTTP, milliseconds: 12.3, answer: { user: { id: 1 }, token: '(left out)' } }, BROWSER],
  });
});

describe('fixturePath', () => {
  test('exists once the server has seen a response', () => {
    expect(fixturePath(RUN)).toBeUndefined();
    expect(fixturePath({ ...RUN, legs: [HTTP, BROWSER] })).toBeUndefined();
    expect(fixturePath({ ...RUN, legs: [BROWSER, HTTP] })).toBe('/dev/fixtures/Y2hhbGxlbmdl');
  });
});
