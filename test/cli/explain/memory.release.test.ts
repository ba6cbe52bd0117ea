import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { JSON_SAMPLES } from '../../explain/annotate/samples.js';

const MB = 1_000_000;
const BIN = join(import.meta.dirname, '../../../bin/passkey.js');
const folder = mkdtempSync(join(tmpdir(), 'passkey-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Says at the end how much memory the process had at most, in kilobytes. */
const METER = 'data:text/javascript,process.on("exit",()=>console.error("maxRSS",process.resourceUsage().maxRSS))';

function explain(file: string, flag = '--brief') {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=256', '--import', METER, BIN, 'explain', file, flag],
    { encoding: 'utf8', maxBuffer: 64 * MB },
  );
  return { status, stdout, stderr, kilobytes: Number(/maxRSS (\d+)/.exec(stderr)?.[1]) };
}

function write(name: string, parts: Iterable<string>): string {
  const file = join(folder, name);
  const fd = openSync(file, 'w');
  for (const part of parts) writeSync(fd, part);
  closeSync(fd);
  return file;
}

const exchange = (url: string, mimeType: string, text: string, sent?: unknown) =>
  JSON.stringify({
    startedDateTime: '2026-01-15T10:30:00.000Z',
    request: { method: 'POST', url, headers: [], ...(sent === undefined ? {} : { postData: { text: JSON.stringify(sent) } }) },
    response: { status: 200, headers: [], content: { size: text.length, mimeType, text } },
  });

function* archive(filler: string) {
  yield '{"log":{"version":"1.2","entries":[';
  for (let size = 0; size < 100 * MB; size += Buffer.byteLength(filler)) yield `${filler},`;
  yield `${exchange('https://example.org/o', 'application/json', JSON.stringify(JSON_SAMPLES['request-options']))},`;
  yield exchange('https://example.org/v', 'application/json', '{"verified":true}', JSON_SAMPLES.authentication);
  yield ']}}';
}

test.each<[string, string]>([
  ['scripts', exchange('https://example.org/a.js', 'text/javascript', 'const challenge="a";'.repeat(20_000))],
  ['scripts beyond Latin-1', exchange('https://example.org/a.js', 'text/javascript', '→const b="c";'.repeat(20_000))],
  ['many small answers', exchange('https://example.org/api', 'application/json', '{"items":[1,2,3],"→":"}]"}'.repeat(40))],
])('an archive of 100 MB of %s is read within 256 MB', (name, filler) => {
  const { status, stdout, kilobytes } = explain(write(`${name}.har`, archive(filler)));
  expect(status).toBe(0);
  expect(stdout).toMatch(/Accepted by your server|undecided/i);
  expect(kilobytes).toBeLessThan(256 * 1024);
});

test.each<[string, () => Iterable<string>, RegExp]>([
  ['words', () => ['lorem ipsum dolor '.repeat(300_000)], /too large: \d+ bytes; expected at most 4194304 for anything but JSON/],
  ['base64', () => ['q83v'.repeat(1_300_000)], /too large/],
  ['a log', () => ['2026 INFO {"a":{"b":"→"}} done\n'.repeat(180_000)], /too large/],
  ['braces', () => ['{'.repeat(5 * MB)], /looks like JSON, but at 1:2/],
  ['numbers in a list', () => [JSON.stringify(Array.from({ length: 1_400_000 }, (_, at) => at % 256))], /cannot be recognised/],
  ['objects', () => [JSON.stringify({ x: Array.from({ length: 400_000 }, (_, at) => ({ at })) })], /100000 values at most/],
  ['quotes', () => [JSON.stringify('a"'.repeat(1_700_000))], /none of: JSON, PEM/],
])('a paste of 5 MB of %s is refused within 256 MB', (name, parts, said) => {
  const { status, stderr, kilobytes } = explain(write(name, parts()));
  expect(status).toBe(2);
  expect(stderr).toMatch(said);
  expect(kilobytes).toBeLessThan(256 * 1024);
});

function* logLines(): Generator<string> {
  for (let line = 0; line < 1000; line += 1) yield `{"outcome":"rejected","code":"challenge_used","requestId":"r${line}"}\n`.repeat(1000);
}

test('a log of 1,000,000 lines is counted within 256 MB', () => {
  const { status, stdout, stderr, kilobytes } = explain(write('large.jsonl', logLines()), '--summary');
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^challenge_used +- +1000000 /m)]);
  expect(stderr).toContain('1000000 lines: 1000000 refused');
  expect(kilobytes).toBeLessThan(256 * 1024);
});
