import { execFileSync } from 'node:child_process';
import { appendFile, copyFile, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openInputs } from '../../../src/cli/explain/inputs.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';
import { FIXTURES, lines } from './run-explain.js';

const RECORDED = join(FIXTURES, 'recorded/login-synced.json');

/** A folder `all` with two fixtures and, between them, what cannot be read; `fifo` and a file of 8 GB beside it. */
async function hostileFolder(): Promise<string> {
  const folder = await tempFolder();
  await mkdir(join(folder, 'all/m3.json'), { recursive: true });
  for (const name of ['a', 'z']) await copyFile(RECORDED, join(folder, 'all', `${name}.json`));
  execFileSync('mkfifo', [join(folder, 'all/m1.json'), join(folder, 'fifo')]);
  await symlink('nowhere', join(folder, 'all/m2.json'));
  await symlink('m3.json', join(folder, 'all/m4.json'));
  await writeFile(join(folder, 'huge.json'), '');
  await truncate(join(folder, 'huge.json'), 8 * 1024 ** 3);
  return folder;
}

describe('what cannot be read among others', () => {
  test('is named, and the others are explained', async () => {
    const cwd = await hostileFolder();
    const { code, stdout, stderr } = await runIn(cwd, ['explain', 'all']);
    expect(code).toBe(2);
    expect(stdout).toBe('✓ login-synced\n'.repeat(2));
    expect(stderr).toBe(
      [
        'passkey: all/m1.json is a FIFO (a named pipe); expected a file, a folder or - (standard input).',
        'passkey: all/m2.json cannot be read (ENOENT); expected a file, a folder or - (standard input).',
        'passkey: all/m4.json is a folder; expected a file, a folder or - (standard input).',
        '2 accepted, 3 unreadable\n',
      ].join('\n'),
    );
  });

  test('is an error of its own in JSON', async () => {
    const cwd = await hostileFolder();
    const { code, stdout } = await runIn(cwd, ['explain', 'none', 'all/a.json', 'fifo', 'huge.json', 'all/z.json', '--json']);
    expect(code).toBe(2);
    expect(lines(stdout).map(({ source, verdict, error }) => [source, verdict ?? error?.code])).toEqual([
      ['none', 'usage'],
      ['all/a.json', 'accepted'],
      ['fifo', 'usage'],
      ['huge.json', 'usage'],
      ['all/z.json', 'accepted'],
    ]);
  });

  test('is a line that ends in an error of the file', async () => {
    const { io, written } = fakeIo();
    const recording = Buffer.from(`${JSON.stringify(JSON.parse(execFileSync('cat', [RECORDED], { encoding: 'utf8' })))}\n`);
    const stdin = (async function* () {
      yield Buffer.concat([recording, recording]);
      throw Object.assign(new Error('it broke'), { code: 'EIO' });
    })();
    const { run } = await import('../../../src/cli/main.js');
    expect(await run(['explain', '-'], Object.assign(io, { stdin }))).toBe(2);
    expect(written.stdout).toBe('✓ login-synced\n'.repeat(2));
    expect(written.stderr).toBe('passkey: -:3: Expected a readable file; - cannot be read (EIO).\n2 accepted, 1 unreadable\n');
  });
});

describe('what cannot be read by itself ends with 2', () => {
  test.each<[string, string[], RegExp]>([
    ['a FIFO', ['explain', 'fifo'], /^passkey: fifo is a FIFO \(a named pipe\); expected a file/],
    ['a device', ['explain', '/dev/zero'], /^passkey: \/dev\/zero is a device; expected a file/],
    [
      'a file of 8 GB',
      ['explain', 'huge.json'],
      /^passkey: huge\.json has 8589934592 bytes, more than the 268435456 that one input may have\./,
    ],
    ['a FIFO for --public-key', ['explain', RECORDED, '--public-key', 'fifo'], /--public-key .*; fifo is a FIFO/],
    ['a FIFO for --roots', ['explain', RECORDED, '--roots', 'fifo'], /--roots .* \S+fifo is a FIFO/],
    ['a FIFO for --aaguids', ['explain', RECORDED, '--aaguids', 'fifo'], /--aaguids .* \S+fifo is a FIFO/],
    [
      'a FIFO for --metadata-root',
      ['explain', RECORDED, '--metadata', RECORDED, '--metadata-root', 'fifo'],
      /--metadata-root .* is a FIFO/,
    ],
    [
      'a large file for --aaguids',
      ['explain', RECORDED, '--aaguids', 'huge.json'],
      /huge\.json has 8589934592 bytes; expected at most 16777216/,
    ],
    ['a FIFO for --config', ['list', '--config', 'fifo'], /^passkey: The configuration file fifo is a FIFO/],
    ['a FIFO for --fixtures', ['simulate', '--fixtures', 'fifo'], /fifo: expected a readable file; it is a FIFO \(a named pipe\)\.$/],
    [
      'a device for --fixtures',
      ['simulate', '--fixtures', '/dev/zero'],
      /^passkey: \/dev\/zero: expected a readable file; it is a device\.$/,
    ],
    [
      'a FIFO in --fixtures',
      ['simulate', '--fixtures', 'all'],
      /^passkey: 3 files are not fixtures:\n.*m1\.json: .*FIFO.*\n.*ENOENT.*\n.*it is a folder\.$/,
    ],
  ])('%s', async (_, argv, message) => {
    const { code, stdout, stderr } = await runIn(await hostileFolder(), argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd()).toMatch(message);
  });
});

test('a file that grows is read to the size that it had', async () => {
  const cwd = await tempFolder();
  const path = join(cwd, 'grows.jsonl');
  await writeFile(path, '{"n":1}\n'.repeat(20_000));
  const { items } = await openInputs(fakeIo({ cwd }).io, ['grows.jsonl']);
  let count = 0;
  for await (const item of items ?? []) {
    if (count % 1000 === 0) await appendFile(path, '{"n":2}\n'.repeat(20_000));
    expect(item).not.toHaveProperty('problem');
    count += 1;
  }
  expect(count).toBe(20_000);
});
