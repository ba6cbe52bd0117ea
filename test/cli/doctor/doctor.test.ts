import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { expect, test } from 'vitest';
import { schemas } from '../../../src/cli/schemas.js';
import { openSite, ROOT, type Served } from '../../simulate/doctor/site.js';
import { PLAIN_PROFILE, smallServer } from '../../simulate/target/small-server.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

async function diagnose(served: Readonly<Record<string, Served>>, ...flags: readonly string[]) {
  const [site, cwd] = [await openSite(served), await tempFolder()];
  await writeFile(join(cwd, 'root.pem'), ROOT);
  try {
    const reach = ['--resolve', `shop.example=${site.address}`, '--ca', 'root.pem'];
    return { cwd, ...(await runIn(cwd, ['doctor', 'https://shop.example', ...reach, ...flags])) };
  } finally {
    await site.close();
  }
}

/** One warning: an answer without HSTS. */
const WARNED = { '/': { headers: { 'content-type': 'text/html' }, body: '' } };
const FAILED = { '/.well-known/assetlinks.json': { body: {} } };

test('prints each check, what to change, and every request', async () => {
  const { code, stdout } = await diagnose({ ...WARNED, '/.well-known/passkey-endpoints': { status: 404 } });
  expect(code).toBe(0);
  expect(stdout).toContain('✓ secure-context: https://shop.example\n');
  expect(stdout).toContain('! hsts: there is no header\n    rule  The site tells browsers');
  expect(stdout).toContain('– passkey-endpoints: https://shop.example/.well-known/passkey-endpoints does');
  expect(stdout).toContain('  TLS https://shop.example\n');
  expect(stdout).toContain('  GET https://shop.example/.well-known/webauthn 200\n');
  expect(stdout).toMatch(/\d+ passed, 1 warning, 0 failed, 3 skipped\n$/);
});

test.each([
  ['a failed check', FAILED, [], 1],
  ['a warning with --fail-on warn', WARNED, ['--fail-on', 'warn'], 1],
  ['a warning', WARNED, ['--fail-on', 'fail'], 0],
])('exits by %s', async (_, served, flags, expected) => {
  const { code, stdout } = await diagnose(served, ...flags, '--json');
  expect(code).toBe(expected);
  const schema = schemas['doctor'];
  expect(schema && [...Value.Errors(schema, JSON.parse(stdout))]).toStrictEqual([]);
});

test('writes the reports of simulate: a warning that does not fail the run is tolerated', async () => {
  const { code, cwd, stdout } = await diagnose({ ...WARNED, ...FAILED }, '--reporter', 'tap,junit=doctor.xml,sarif=doctor.sarif');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^not ok \d+ - hsts # TODO tolerated failure$/m);
  expect(stdout).toMatch(/^not ok \d+ - assetlinks$/m);
  const junit = await readFile(join(cwd, 'doctor.xml'), 'utf8');
  expect(junit).toContain('<testsuite name="passkey doctor"');
  expect(junit).toContain('classname="doctor.case.other"');
  const { runs } = JSON.parse(await readFile(join(cwd, 'doctor.sarif'), 'utf8'));
  expect(runs[0].results.map(({ ruleId, level }: Record<string, string>) => [ruleId, level])).toEqual([
    ['hsts', 'warning'],
    ['assetlinks', 'warning'],
  ]);
});

/** What a server of the small profile, whose paths begin with a variable, gets from doctor. It answers `{}`, or nothing. */
async function askedOf(answers: boolean, ...flags: readonly string[]) {
  const server = await smallServer(() => (answers ? {} : 'handled'));
  const cwd = await tempFolder();
  const profile = JSON.stringify(PLAIN_PROFILE).replaceAll('"POST /', '"POST /{shop}/{origin}/');
  await writeFile(join(cwd, 'shop.json'), JSON.stringify({ ...JSON.parse(profile), variables: { shop: 'books' } }));
  const ended = await runIn(cwd, ['doctor', server.url, '--target', 'shop.json', ...flags]);
  const asked = server.requests.map(({ method, path }) => `${method} ${path}`);
  return { ...ended, url: server.url, asked };
}

test('--origin and --set are in what it sends to the server', async () => {
  const pathFor = (shop: string, origin: string) => expect.stringContaining(`POST /${shop}/${origin}/`);
  const plain = await askedOf(true);
  expect(plain.asked).toContainEqual(pathFor('books', plain.url));
  const { asked, url } = await askedOf(true, '--origin', 'http://shop.localhost:7277', '--set', 'shop=shoes');
  expect(asked).toContainEqual(pathFor('shoes', 'http://shop.localhost:7277'));
  for (const other of [pathFor('books', url), pathFor('shoes', url)]) expect(asked).not.toContainEqual(other);
});

test('--timeout is how long it waits for an answer', async () => {
  const { code, stderr } = await askedOf(false, '--timeout', '150ms');
  expect(code).toBe(4);
  expect(stderr).toContain('none within 0.15 s');
});

test.each<[string, readonly string[], number, RegExp]>([
  ...(['--set a=b', '--token x', '--origin https://shop.example', '--allow-host shop.example'] as const).map(
    (flag): [string, readonly string[], number, RegExp] => [
      `${flag} without a profile`,
      ['https://shop.example', ...flag.split(' ')],
      2,
      new RegExp(`${flag.split(' ')[0]} is for ceremonies\\. Name .* with --target\\.`),
    ],
  ),
  ['what is no URL', ['shop.example'], 2, /Expected the http or https URL of a page.*got "shop\.example"/],
  ['a URL with a password', ['https://ada:secret@shop.example'], 2, /without user and password/],
  ['an address without its host', ['https://shop.example', '--resolve', '127.0.0.1'], 2, /--resolve: "127\.0\.0\.1" is not HOST=ADDRESS/],
  ['ceremonies at another host', ['https://shop.example', '--target', 'simplewebauthn'], 2, /--allow-host shop\.example/],
  ['another result', ['https://shop.example', '--fail-on', 'low'], 2, /--fail-on expects one of warn, fail/],
  ['a page that does not answer', ['http://localhost:1'], 4, /Expected an answer from http:\/\/localhost:1/],
])('refuses %s', async (_, argv, expected, says) => {
  const { code, stdout, stderr } = await runIn(await tempFolder(), ['doctor', ...argv]);
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
  expect(stderr).toMatch(says);
  expect(stderr).not.toContain('secret');
});
