import { describe, expect, test } from 'vitest';
import { readLargeArchive } from '../../../src/explain/annotate/large-archive.js';
import { recognise } from '../../../src/explain/annotate/recognise.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { JSON_SAMPLES } from './samples.js';

const entry = (url: string, mimeType: string, text: string, sent?: unknown) => ({
  request: { method: 'POST', url, headers: [], ...(sent === undefined ? {} : { postData: { text: JSON.stringify(sent) } }) },
  response: { status: 200, headers: [], content: { mimeType, text } },
});
const script = entry('https://example.org/a.js', 'text/javascript', 'const challenge = "a\\"}]";');
const page = entry('https://example.org/', 'text/html; charset=utf-8', '<p>→</p>');
const frame = entry('https://example.org/f', 'text/html', '<iframe src="/login">');
const options = entry('https://example.org/o', 'application/json', JSON.stringify(JSON_SAMPLES['request-options']));
const login = entry('https://example.org/v', 'application/json', '{"verified":true}', JSON_SAMPLES.authentication);
const other = entry('https://example.org/cart', 'application/json', '{"items":["}]"]}');
const archive = {
  log: {
    version: '1.2',
    creator: { entries: [1] },
    pages: [{ id: 'entries' }],
    entries: [script, page, frame, options, other, login],
    comment: 'x',
  },
};
const read = (value: unknown, space?: number) => readLargeArchive(encodeUtf8(JSON.stringify(value, null, space)), 'a.har');

describe('a large archive', () => {
  test.each([undefined, 2])('keeps what may belong to a ceremony, and the numbers of its entries (indented by %s)', (space) => {
    const silent = { ...page, response: { ...page.response, content: { ...page.response.content, text: '' } } };
    expect(read(archive, space)).toEqual({ log: { entries: [null, silent, frame, options, null, login] } });
  });

  test.each<[string, unknown]>([
    ['an object with entries', { entries: [options] }],
    ['entries in another object', { data: { entries: [options] } }],
    ['a list', [{ log: { entries: [options] } }]],
    ['a log without entries', { log: { version: 'entries', pages: [] } }],
  ])('is not %s', (_, value) => {
    expect(read(value)).toBeUndefined();
  });

  test('that ends too early says so', () => {
    const text = encodeUtf8(JSON.stringify(archive));
    const cut = text.subarray(0, text.length - 40);
    expect(() => readLargeArchive(cut, 'a.har')).toThrow(
      `a.har is an HTTP archive that ends too early, at byte ${cut.length}. Export it again.`,
    );
  });

  test('is read by its findings, and other JSON of the size is refused with the limit', () => {
    const filler = entry('https://example.org/b.js', 'text/javascript', `→${'x'.repeat(20_000_000)}`);
    const { log } = archive;
    const recognised = recognise(encodeUtf8(JSON.stringify({ log: { ...log, entries: [filler, ...log.entries] } })));
    expect('findings' in recognised && recognised.findings.map(({ place, found }) => [place, found.kind])).toEqual([
      ['entry 4, response', 'request-options'],
      ['entry 6, request', 'authentication'],
    ]);
    expect(() => recognise(encodeUtf8(JSON.stringify({ ...JSON_SAMPLES.registration, filler })), 'r.json')).toThrow(
      /^r\.json is too large: JSON that is not an HTTP archive is expected to have 16777216 bytes at most; got \d+\.$/,
    );
  });
});
