import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from 'typebox/value';
import { beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../src/cli/main.js';
import { schemas } from '../../src/cli/schemas.js';
import { readFixture } from '../../src/fixture/read.js';
import { readVectorIndex } from '../../src/fixture/vector-list.js';
import { ceremoniesElsewhere, ORIGIN } from '../explain/recording/ceremonies.js';
import { fakeIo } from './fake-io.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

const made = await ceremoniesElsewhere();
let cwd: string;
beforeEach(async () => {
  cwd = await tempFolder();
  const { creation, registration, login } = made;
  const files = { options: { publicKey: creation }, registration, login, key: { kty: 'none' } };
  for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, `${name}.json`), JSON.stringify(content));
});
const passkey = (...argv: string[]) => runIn(cwd, ['fixture', ...argv]);
const fits = (name: string, stdout: string) => [...Value.Errors(schemas[name] ?? {}, JSON.parse(stdout))];

describe('passkey fixture import', () => {
  test('writes a fixture for each ceremony and says what each expects', async () => {
    const { code, stdout, stderr } = await passkey(
      'import',
      'registration.json',
      'login.json',
      '--options',
      'options.json',
      '--origin',
      ORIGIN,
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        'FILE                                      KIND            EXPECT',
        'fixtures/example.org-registration.json    registration    verified',
        'fixtures/example.org-authentication.json  authentication  verified',
        '',
      ].join('\n'),
      stderr: 'fixtures/example.org-authentication.json: The challenge comes from the response itself and was not checked.\n',
    });
    expect(await readFixture(join(cwd, 'fixtures/example.org-registration.json'))).toMatchObject({
      provenance: { tool: 'passkey fixture import' },
      expected: { outcome: 'verified' },
    });
    expect((await passkey('check', 'fixtures')).code).toBe(0);
  });

  test('never overwrites: names are numbered; --force replaces, but not its own', async () => {
    const again = async (...flags: string[]) =>
      JSON.parse((await passkey('import', 'registration.json', '--out', 'out', '--json', ...flags)).stdout).imported[0].file;
    expect([await again(), await again(), await again('--name', 'mine')]).toEqual([
      'out/example.org-registration.json',
      'out/example.org-registration-2.json',
      'out/mine-registration.json',
    ]);
    const before = await readFile(join(cwd, 'out/mine-registration.json'), 'utf8');
    expect(await again('--name', 'mine', '--force', '--origin', 'https://other.example')).toBe(
      'out/mine-registration-origin_mismatch.json',
    );
    expect(await again('--name', 'mine', '--force', '--origin', ORIGIN)).toBe('out/mine-registration.json');
    expect(await readFile(join(cwd, 'out/mine-registration.json'), 'utf8')).not.toBe(before);
    const { secondLogin } = made;
    await writeFile(join(cwd, 'second.json'), JSON.stringify(secondLogin));
    const both = ['import', 'login.json', 'second.json', '--registration', 'registration.json', '--out', 'two', '--force'];
    await passkey(...both);
    expect((await passkey(...both)).code).toBe(0);
    expect((await readdir(join(cwd, 'two'))).toSorted()).toEqual(['example.org-authentication-2.json', 'example.org-authentication.json']);
    expect((await readdir(join(cwd, 'out'))).every((file) => file.endsWith('.json'))).toBe(true);
  });

  // There mkdir with `recursive` never returns on Node.js 20.
  test.runIf(process.platform === 'linux')('a folder that cannot be made is wrong usage', async () => {
    const { code, stderr } = await passkey('import', 'registration.json', '--out', '/proc/self/nowhere/at/all');
    expect([code, stderr]).toEqual([
      2,
      'passkey: --out /proc/self/nowhere/at/all cannot be written to (ENOENT). Name a writable folder.\n',
    ]);
  });

  test('a login whose key nobody knows is left out, with the reason; the others are written', async () => {
    const { code, stdout, stderr } = await passkey('import', 'login.json', 'registration.json');
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('example.org-registration.json') });
    expect(stderr).toMatch(
      /^passkey: login\.json: left out this authentication\. Its public key is unknown: .* --registration FILE, or the key with --public-key\.$/m,
    );
    expect(await readdir(join(cwd, 'fixtures'))).toHaveLength(1);
    expect((await passkey('import', 'login.json', '--registration', 'registration.json')).code).toBe(0);
  });

  test('makes no folder where nothing is imported', async () => {
    const { code, stdout } = await passkey('import', 'login.json', '--out', 'nothing');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(existsSync(join(cwd, 'nothing'))).toBe(false);
  });

  test('takes standard input, and JSON lines', async () => {
    const { io, written, stdin } = fakeIo({ cwd });
    stdin.end(`${JSON.stringify(made.registration)}\n${JSON.stringify(made.login)}\n`);
    const code = await run(['fixture', 'import', '-', '--json'], io);
    expect(code).toBe(0);
    expect(fits('fixture-import', written.stdout)).toEqual([]);
    expect(JSON.parse(written.stdout)).toMatchObject({
      imported: [
        {
          source: '-:1',
          file: 'fixtures/example.org-registration.json',
          name: 'example.org-registration',
          expected: { outcome: 'verified', code: null },
        },
        { source: '-:2', kind: 'authentication' },
      ],
      refused: [],
      repeated: 0,
    });
  });

  test.each<[string[], RegExp]>([
    [['options.json'], /has options only\. Add the response\./],
    [['key.json'], /is none of: registration response/],
    [['nothing.json'], /nothing\.json cannot be read \(ENOENT\)/],
    [['registration.json', '--options', 'login.json'], /--options expects creation or request options; login\.json has none\./],
    [
      ['login.json', '--registration', 'options.json'],
      /--registration expects a response of create\(\), or a fixture; options\.json has none\./,
    ],
    [['login.json', '--name', 'A b'], /--name expects 1 to 64 lower-case letters/],
    [['registration.json', '--out', 'login.json'], /--out .*login\.json cannot be written to \((EEXIST|ENOTDIR)\)/],
    [['login.json', '--public-key', 'nonsense'], /--public-key expects/],
  ])('%j is refused, and nothing is written', async (argv, message) => {
    const { code, stdout, stderr } = await passkey('import', ...argv);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
    expect(await readdir(cwd)).not.toContain('fixtures');
  });
});

describe('passkey fixture check and list', () => {
  beforeEach(async () => {
    await mkdir(join(cwd, 'some'));
    await passkey('import', 'registration.json', 'login.json', '--out', 'some');
  });

  test('all as recorded', async () => {
    expect(await passkey('check', 'some')).toEqual({ code: 0, stdout: '', stderr: '2 fixtures checked, all as recorded.\n' });
    const { stdout } = await passkey('check', 'some', '--json');
    expect(fits('fixture-check', stdout)).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({
      checked: 2,
      failed: 0,
      fixtures: [{ kind: 'authentication', found: { outcome: 'verified' } }, {}],
    });
  });

  test('one that differs, and one that is none, end it with 1, each on a line', async () => {
    const file = join(cwd, 'some/example.org-registration.json');
    const fixture = JSON.parse(await readFile(file, 'utf8'));
    fixture.ceremony.origins = ['https://other.example'];
    await writeFile(file, JSON.stringify({ ...fixture, integrity: undefined }));
    await writeFile(join(cwd, 'some/none.json'), '{}');
    const { code, stdout, stderr } = await passkey('check', 'some');
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(/^some\/example\.org-registration\.json: Expected verified; the steps say origin_mismatch \(step origin\)\. /),
      expect.stringMatching(/^some\/none\.json:1:1: \/format: expected "passkey-fixture"/),
      '',
    ]);
    expect(stderr).toBe('3 fixtures checked, 2 not as recorded.\n');
    const json = await passkey('check', 'some', '--json');
    expect([json.code, fits('fixture-check', json.stdout)]).toEqual([1, []]);
  });

  test('list names what each is about', async () => {
    const { code, stdout } = await passkey('list', 'some');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'FIXTURE                     KIND            RP ID        EXPECT',
        'example.org-authentication  authentication  example.org  verified',
        'example.org-registration    registration    example.org  verified',
        '',
      ].join('\n'),
    });
    const json = (await passkey('list', 'some', '--json')).stdout;
    expect(fits('fixture-list', json)).toEqual([]);
    expect(JSON.parse(json)).toMatchObject([{ file: 'some/example.org-authentication.json' }, { rp_id: 'example.org', origin: ORIGIN }]);
  });
});

describe('passkey fixture export', () => {
  const exported = (...flags: string[]) => passkey('export', '--algorithm', 'es256', '--out', 'vectors', ...flags);

  test('writes vectors that the check confirms, and says what each expects', async () => {
    const { code, stdout } = await exported('--json');
    expect({ code, errors: fits('fixture-export', stdout) }).toEqual({ code: 0, errors: [] });
    const rows: { name: string; file: string }[] = JSON.parse(stdout);
    expect(rows).toContainEqual({
      file: 'vectors/es256-login.signature-bit.json',
      name: 'es256-login.signature-bit',
      kind: 'authentication',
      algorithm: 'es256',
      expected: { outcome: 'rejected', code: 'signature_invalid', step: 'signature' },
    });
    expect((await readdir(join(cwd, 'vectors'))).toSorted()).toEqual([...rows.map(({ name }) => `${name}.json`), 'index.json'].toSorted());
    const index = await readIndex();
    expect([...Value.Errors(schemas['passkey-vectors-1'] ?? {}, index)]).toEqual([]);
    expect(index).toMatchObject({ format: 'passkey-vectors', version: 1, licence: 'MIT' });
    expect(index.vectors).toContainEqual({
      file: 'es256-login.signature-bit.json',
      sha256: createHash('sha256')
        .update(await readFile(join(cwd, 'vectors/es256-login.signature-bit.json')))
        .digest('hex'),
      about: 'algorithm',
      topic: 'es256',
      algorithm: 'es256',
      kind: 'authentication',
      proves: 'ES256: one bit of the signature flipped',
      expected: { outcome: 'rejected', code: 'signature_invalid', step: 'signature' },
    });
    expect(await passkey('check', 'vectors')).toMatchObject({ code: 0, stderr: `${rows.length} fixtures checked, all as recorded.\n` });
  });

  const readIndex = async () => (await readVectorIndex(join(cwd, 'vectors/index.json'))) ?? expect.fail('no index');

  test('runs that share a folder share its index, and a run that is repeated lists nothing twice', async () => {
    const eddsa = ['export', '--algorithm', 'eddsa', '--out', 'vectors'];
    await exported();
    expect(await passkey(...eddsa)).toMatchObject({ code: 0 });
    expect(await passkey(...eddsa, '--force')).toMatchObject({ code: 0 });
    const files = (await readIndex()).vectors.map(({ file }) => file);
    expect([...files, 'index.json'].toSorted()).toEqual((await readdir(join(cwd, 'vectors'))).toSorted());
  });

  test('an index.json of something else is not replaced, and is no index of vectors', async () => {
    await mkdir(join(cwd, 'vectors'));
    await writeFile(join(cwd, 'vectors/index.json'), '{"format":"other"}');
    expect(await exported()).toMatchObject({ code: 2, stderr: expect.stringMatching(/index\.json already exists.*--force/) });
    expect(await readdir(join(cwd, 'vectors'))).toEqual(['index.json']);
    expect(await passkey('check', 'vectors')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/index\.json:.*expected "passkey-fixture"/),
    });
  });

  test('overwrites nothing without --force, and then only its own', async () => {
    const taken = join(cwd, 'vectors/es256-login.json');
    await mkdir(join(cwd, 'vectors'));
    await writeFile(taken, 'mine');
    expect(await exported()).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/es256-login\.json already exists.*--force/),
    });
    expect(await readdir(join(cwd, 'vectors'))).toEqual(['es256-login.json']);
    expect(await readFile(taken, 'utf8')).toBe('mine');
    expect(await exported('--force')).toMatchObject({ code: 0, stderr: expect.stringMatching(/^\d+ vectors\n$/) });
    expect(await readFixture(taken)).toMatchObject({ name: 'es256-login', expected: { outcome: 'verified' } });
  });

  test.each([
    ['an unknown algorithm', ['--algorithm', 'es257', '--out', 'x'], /--algorithm: .*es257.*is not one of .*ml-dsa-44/],
    ['a folder that is a file', ['--algorithm', 'es256', '--out', 'key.json'], /--out .*key\.json cannot be written to \(E\w+\)/],
  ])('refuses %s', async (_, argv, says) => {
    expect(await passkey('export', ...argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(says) });
  });
});
