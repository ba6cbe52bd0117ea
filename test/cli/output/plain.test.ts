import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { plainOutput } from '../../../src/cli/output/plain.js';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-plain-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

function opened(path: string, flags: string | number): number {
  const fd = openSync(path, flags);
  onTestFinished(() => closeSync(fd));
  return fd;
}

/** A stream that is opened when it is asked for. */
function lateStream() {
  const late: { stream?: Writable } = {};
  const pieces: Buffer[] = [];
  const collecting = () =>
    new Writable({
      write(piece: Buffer, _encoding, done) {
        pieces.push(piece);
        done();
      },
    });
  const open = (): Writable => (late.stream ??= collecting());
  return { late, stdout: { opened: () => late.stream, open }, bytes: () => Buffer.concat(pieces) };
}

const ON_WINDOWS = process.platform === 'win32';

test.skipIf(ON_WINDOWS)('writes to a file, and opens no stream', async () => {
  const path = join(await temporaryFolder(), 'out');
  const { late, stdout } = lateStream();
  const output = plainOutput(stdout, opened(path, 'w'));
  const results: unknown[] = [];
  output?.write('a\n', (error) => results.push(error));
  output?.write('ü\n');
  expect([readFileSync(path, 'utf8'), results, late.stream]).toEqual(['a\nü\n', [undefined], undefined]);
});

test.skipIf(ON_WINDOWS)('leaves to the stream what a full pipe does not take, and all that follows', async () => {
  const path = join(await temporaryFolder(), 'pipe');
  execFileSync('mkfifo', [path]);
  // Open for both, so that there is a reader, who reads later.
  const fd = opened(path, constants.O_RDWR | constants.O_NONBLOCK);
  const { stdout, bytes } = lateStream();
  const output = plainOutput(stdout, fd);
  const long = Array.from({ length: 40_000 }, (_, line) => `${line} é\n`).join('');
  output?.write(long);
  output?.write('end\n');
  const taken = Buffer.alloc(long.length * 2);
  const filled = readSync(fd, taken);
  expect([filled > 0, bytes().length > 'end\n'.length]).toEqual([true, true]);
  expect(Buffer.concat([taken.subarray(0, filled), bytes()]).toString() === `${long}end\n`).toBe(true);
});

test.skipIf(ON_WINDOWS)('writes through the stream once somebody else has opened it', async () => {
  const path = join(await temporaryFolder(), 'out');
  const { stdout, bytes } = lateStream();
  const output = plainOutput(stdout, opened(path, 'w'));
  stdout.open().write('first\n');
  output?.write('second\n');
  expect([bytes().toString(), readFileSync(path, 'utf8')]).toEqual(['first\nsecond\n', '']);
});

test.skipIf(ON_WINDOWS)('is not there for a device, such as a terminal', () => {
  expect(plainOutput(lateStream().stdout, opened('/dev/null', 'w'))).toBeUndefined();
});
