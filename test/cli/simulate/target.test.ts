import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startIndependentServer } from '../../independent/start.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

const PROFILE = join(import.meta.dirname, '../../independent/profile.json');
const URL_GIVEN = ['--url', 'http://localhost:1'];

test.each<[string, readonly string[], RegExp]>([
  ['a profile without a URL', ['--target', 'passkey'], /--target needs a running server\. Name it with --url\./],
  ['a restart without a URL', ['--restart', 'true'], /--restart needs a running server/],
  ['a profile that is not there', [...URL_GIVEN, '--target', 'nothing.json'], /Expected the name of a profile \(.*passkey.*\) or the path/],
  ['no token where the profile needs one', URL_GIVEN, /The profile passkey needs --token: .*passkey token create/],
  ['a setting without a value', [...URL_GIVEN, '--token', 'x', '--set', 'realm'], /--set expects NAME=VALUE, got "realm"/],
  ['a setting of no variable', [...URL_GIVEN, '--token', 'x', '--set', 'realm=a'], /The profile passkey has no variables; got --set realm/],
  [
    'certificates that are not there',
    [...URL_GIVEN, '--token', 'x', '--ca', 'ca.pem'],
    /--ca expects a file of certificates in PEM; ca\.pem /,
  ],
  ['certificates that are none', [...URL_GIVEN, '--token', 'x', '--ca', 'other.pem'], /other\.pem holds none/],
  ['two origins', [...URL_GIVEN, '--origin', 'http://a.test', '--app-url', 'http://b.test'], /--app-url is the old name of --origin/],
  [
    'an origin that is none',
    [...URL_GIVEN, '--token', 'x', '--origin', 'here'],
    /Expected an origin such as http:\/\/localhost:3000, got "here"/,
  ],
  [
    'a URL with a password',
    ['--url', 'http://ada:secret@127.0.0.1:1', '--token', 'x'],
    /URL of a server, .*, got "http:\/\/…@127\.0\.0\.1:1"/,
  ],
  ['what is no URL, with a password', ['--url', 'ada:secret@host:x', '--token', 'x'], /got "…@host:x"/],
  ['a host that may not be attacked', ['--url', 'https://example.com', '--token', 'x'], /example\.com.*--allow-host example\.com/s],
  ['a demo of another server', ['--demo', '--target', 'passkey'], /--demo tests its own shop, so --target has no effect on it/],
  ['a demo that only lists', ['--demo', '--list'], /--demo tests its own shop, so --list has no effect on it/],
])('refuses %s', async (_, flags, says) => {
  const folder = await tempFolder();
  await writeFile(join(folder, 'other.pem'), 'nothing');
  const { code, stdout, stderr } = await runIn(folder, ['simulate', 'login.default', ...flags]);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
});

test.each<[string, (tokens: readonly string[]) => { flags: string[]; env: Record<string, string> }]>([
  ['flags', (tokens) => ({ flags: tokens.flatMap((token) => ['--token', token]), env: { PASSKEY_TOKEN: 'not this' } })],
  ['variables', ([ada = '', bob = '']) => ({ flags: [], env: { PASSKEY_TOKEN: ada, PASSKEY_TOKEN_2: bob } })],
])('runs against another relying party as its profile says, with tokens in %s', async (_, given) => {
  const server = await startIndependentServer();
  try {
    const { flags, env } = given(server.tokens);
    const argv = ['simulate', 'login.default', 'login.signature-bit', 'http.ready', '--target', PROFILE, '--url', server.url, ...flags];
    const { code, stdout } = await runIn(await tempFolder(), [...argv, '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      target: server.url,
      results: [
        { id: 'login.default', status: 'passed' },
        { id: 'login.signature-bit', status: 'passed', expected: 'refused' },
        { id: 'http.ready', status: 'not_applicable', reason: 'tests the HTTP contract of passkey serve' },
      ],
    });
  } finally {
    await server.close();
  }
});
