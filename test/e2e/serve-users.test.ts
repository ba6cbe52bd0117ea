import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { schemas } from '../../src/cli/schemas.js';
import { tempFolder } from '../cli/temp-folder.js';
import { interruptHere, passkeyHere, serveHere } from './passkey-in-process.js';
import { browserAt, call } from './relying-party-over-http.js';

const USERS = ['--user', 'ada@example.com', '--user', 'bob@example.com', '--print-token'];

test('serve --print-token prints an env file: the URL and a token for each user', async () => {
  const cwd = await tempFolder();
  const { code, stdout } = await interruptHere(['serve', '--port', '0', '--no-open', '--store', 'memory:', ...USERS], { cwd });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^PASSKEY_URL=http:\/\/localhost:\d+\nPASSKEY_TOKEN=pk_[\w-]+\nPASSKEY_TOKEN_2=pk_[\w-]+\n$/);
});

test('with --json they are in the document; they work while the server runs, and the users stay', async () => {
  const cwd = await tempFolder();
  const { document, url, stop } = await serveHere([...USERS, '--user', 'User:1'], { cwd });
  const schema = schemas.serve;
  expect(schema && [...Value.Errors(schema, document)]).toStrictEqual([]);
  const users = [
    { user_id: 1, user_type: 'User', email: 'ada@example.com', token: expect.stringMatching(/^pk_/) },
    { user_id: 2, user_type: 'User', email: 'bob@example.com', token: expect.stringMatching(/^pk_/) },
  ];
  expect(document).toMatchObject({ tokens: [...users, users[0]] });
  const { tokens }: { readonly tokens?: readonly { readonly token: string }[] } = { tokens: [], ...document };
  expect(await browserAt(url, tokens[1]?.token ?? '').register()).toMatchObject({ status: 200 });
  await stop();

  const again = await serveHere([], { cwd });
  const headers = { authorization: `Bearer ${tokens[1]?.token}` };
  expect(await call('GET', `${again.url}/api/passkeys`, { headers })).toMatchObject({ status: 401 });
  await again.stop();
  const { stdout } = await passkeyHere(['user', 'list', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject([{ email: 'ada@example.com' }, { email: 'bob@example.com', passkeys: 1 }]);
  const live = await passkeyHere(['token', 'list', '--json'], { cwd });
  expect(JSON.parse(live.stdout)).toEqual([]);
});

test.each([
  [['--print-token'], '--print-token prints the tokens of --user'],
  [[...USERS, '--production'], '--print-token and --production exclude each other'],
  [['--user', 'User:9'], 'No user matches "User:9"'],
])('serve %j serves nothing', async (argv, message) => {
  const cwd = await tempFolder();
  const { code, stdout, stderr } = await passkeyHere(['serve', '--port', '0', '--no-open', '--store', 'memory:', ...argv], { cwd });
  expect([code, stdout]).toEqual([argv.includes('User:9') ? 1 : 2, '']);
  expect(stderr).toContain(message);
});
