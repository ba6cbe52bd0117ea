import { type ComponentType, h } from 'preact';
import { expect, onTestFinished, test } from 'vitest';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { Bytes } from '../../src/page/view/bytes/bytes.js';
import { cutSegments, findMalformed, findStructures, layOutRows } from '../../src/page/view/bytes/structure.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { JSON_SAMPLES, vector } from '../explain/annotate/samples.js';
import { annotated } from './annotated.js';
import { draw, PageElement } from './dom.js';
import { shows } from './drawing.js';
import { GONE, tab } from './tab.js';

type Props = Parameters<typeof Bytes>[0];
const ASKED = { challenge: 'AQ', origin: 'https://example.org', rpId: 'example.org' };
const CLIENT_DATA = JSON.stringify({ type: 'webauthn.get', challenge: 'AQ', origin: 'https://other.example' });
const LOGIN = {
  ...JSON_SAMPLES.authentication,
  response: {
    ...JSON_SAMPLES.authentication.response,
    clientDataJSON: encodeBase64url(encodeUtf8(CLIENT_DATA)),
    signature: 'MAYCAQECAQI',
    userHandle: 'YWRh',
  },
};
const withResponse = (change: object) => ({ ...LOGIN, response: { ...LOGIN.response, ...change } });

/** The bytes of a login, as they are drawn. */
async function drawBytes(change: Partial<Props> = {}) {
  const { app } = tab({ answer: () => GONE });
  const { response = LOGIN } = change;
  const annotation = annotated(response, ASKED.rpId);
  const props = { response, annotated: { annotation }, asked: ASKED, failed: undefined, publicKey: undefined, ...change };
  return await draw(app, h(Bytes as ComponentType<Props>, props));
}

test.each<[string, Partial<Props>]>([
  ['of a login', { publicKey: encodeBase64url(vector.credentialPublicKey) }],
  ['that cannot be read', { response: withResponse({ authenticatorData: 'AAAAAAAAAAAAAAAA', clientDataJSON: '_-', signature: 'MA' }) }],
  ['that the server did not decode', { annotated: { problem: 'It is gone.' } }],
])('the bytes %s', async (name, change) => {
  const page = await drawBytes(change);
  await shows(page.outline('.bytes'), `bytes-${name.replaceAll(' ', '-')}`);
});

test('what a failed step looks at comes first, is marked, and has the first focus', async () => {
  const marked = [];
  for (const failed of ['rp-id-hash', 'client-data', 'origin', 'allow-credentials', 'user-handle', 'store']) {
    const page = await drawBytes({ failed });
    const lines = page.outline('.bytes').split('\n');
    marked.push(failed, ...lines.filter((line) => /data-structure|failed/.test(line) || /option .*tabindex=0/.test(line)));
  }
  await shows(marked.join('\n'), 'bytes-of-failed-steps');
});

test('a response of other members has them alone, and one without any has none', async () => {
  const page = await drawBytes({ response: { id: 'AQ', type: 'public-key' } });
  expect(page.body.querySelectorAll('.structure h4').map(({ textContent }) => textContent)).toEqual(['Other members of the response']);
  const none = await drawBytes({ response: {}, annotated: { problem: 'It is gone.' } });
  expect(none.body.querySelectorAll('.structure')).toEqual([]);
});

test.each([
  [539, ['8', '8']],
  [540, ['16', '8']],
  [639, ['16', '8']],
  [640, ['16', '16']],
])('%i pixels have room for %j bytes in a row, beside text for fewer', async (clientWidth, columns) => {
  onTestFinished(() => void Reflect.deleteProperty(PageElement.prototype, 'clientWidth'));
  Object.defineProperty(PageElement.prototype, 'clientWidth', { value: clientWidth, configurable: true });
  const page = await drawBytes();
  const found = page.body.querySelectorAll('.hex').map((hex) => hex.dataset['columns']);
  expect(found.slice(0, 2)).toEqual(columns);
});

test('the arrow keys go through the fields of the dump, and say of what the pointer is over', async () => {
  const page = await drawBytes();
  const [hex] = page.body.querySelectorAll('.hex');
  const options = () => hex?.querySelectorAll('[role=option]') ?? [];
  const names = () => options().map(({ tabIndex }) => tabIndex);
  const press = async (index: number, key: string) => {
    let prevented: boolean | undefined;
    await page.happen(() => {
      prevented = options()[index]?.fire('keydown', { key }).defaultPrevented;
    });
    return [prevented, options().findIndex((option) => option === page.focused()), names()];
  };
  expect(options().map((option) => option.querySelector('.unseen')?.textContent)).toEqual([
    expect.stringMatching(/^rpIdHash, 32 bytes from 0: [0-9a-f]{16}…$/),
    expect.stringMatching(/^flags, 1 byte from 32: 0x/),
    expect.stringMatching(/^signCount, 4 bytes from 33: \d+$/),
  ]);
  expect(names()).toEqual([0, -1, -1]);
  expect(await press(0, 'ArrowRight')).toEqual([true, 1, [-1, 0, -1]]);
  expect(await press(1, 'ArrowDown')).toEqual([true, 2, [-1, -1, 0]]);
  expect(await press(2, 'ArrowRight')).toEqual([true, 2, [-1, -1, 0]]);
  expect(await press(2, 'ArrowLeft')).toEqual([true, 1, [-1, 0, -1]]);
  expect(await press(1, 'ArrowUp')).toEqual([true, 0, [0, -1, -1]]);
  expect(await press(0, 'End')).toEqual([true, 2, [-1, -1, 0]]);
  expect(await press(2, 'Home')).toEqual([true, 0, [0, -1, -1]]);
  expect(await press(0, 'x')).toEqual([false, 0, [0, -1, -1]]);
  const lit = () => options().map((option) => option.getAttribute('aria-selected'));
  expect(lit()).toEqual(['true', 'false', 'false']);
  await page.happen(() => options()[2]?.fire('mouseenter'));
  expect(lit()).toEqual(['false', 'false', 'true']);
  await page.happen(() => hex?.fire('mouseleave'));
  expect(lit()).toEqual(['true', 'false', 'false']);
  await page.happen(() => options()[0]?.fire('blur'));
  expect(lit()).toEqual(['false', 'false', 'false']);
});

test('each field that is coloured has its own colour', () => {
  const colours = (structure: string, ...names: readonly string[]) => {
    const children = names.map((name, index) => ({ name, at: { offset: index, length: 1 } }));
    const segments = cutSegments({ name: structure, bytes: new Uint8Array(names.length), field: { name: structure, children } });
    return segments.map(({ tone }) => tone).join('');
  };
  expect(colours('authenticatorData', 'rpIdHash', 'flags', 'signCount', 'aaguid', 'credentialIdLength', 'credentialId')).toBe('145233');
  expect(colours('authenticatorData', 'credentialPublicKey', 'extensions', 'unknown')).toBe('610');
  expect(colours('attestationObject', 'fmt', 'alg', 'sig', 'x5c', 'ver', 'certInfo', 'pubArea', 'response')).toBe('24563235');
  expect(colours('clientDataJSON', 'type', 'challenge', 'origin', 'crossOrigin', 'topOrigin')).toBe('21345');
  expect(colours('signature', 'r', 's')).toBe('12');
  expect([colours('signature', 'x'), colours('userHandle', 'x')]).toEqual(['1', '3']);
  const key = ['kty (1)', 'alg (3)', 'crv (-1)', 'x (-2)', 'y (-3)', 'n (-1)', 'e (-2)', 'pub (-1)'];
  expect([colours('credentialPublicKey', ...key), colours('other', ...key)]).toEqual(['24513131', '00000000']);
});

test.each<
  [
    string,
    readonly { readonly name: string; readonly at?: { readonly offset: number; readonly length: number } }[],
    readonly (readonly [string, number, number, boolean])[],
  ]
>([
  ['none', [], [['s', 0, 4, false]]],
  ['one without a place', [{ name: 'a' }], [['s', 0, 4, false]]],
  ['an empty one', [{ name: 'a', at: { offset: 1, length: 0 } }], [['s', 0, 4, false]]],
  ['one that ends behind it', [{ name: 'a', at: { offset: 1, length: 4 } }], [['s', 0, 4, false]]],
  [
    'two that share a byte',
    [
      { name: 'a', at: { offset: 0, length: 2 } },
      { name: 'b', at: { offset: 1, length: 2 } },
    ],
    [['s', 0, 4, false]],
  ],
  [
    'one within',
    [{ name: 'a', at: { offset: 1, length: 2 } }],
    [
      ['s', 0, 1, true],
      ['s/a', 1, 3, false],
      ['s', 3, 4, true],
    ],
  ],
  [
    'two in another order',
    [
      { name: 'b', at: { offset: 2, length: 2 } },
      { name: 'a', at: { offset: 0, length: 2 } },
    ],
    [
      ['s/a', 0, 2, false],
      ['s/b', 2, 4, false],
    ],
  ],
])('parts of four bytes: %s', (_, children, segments) => {
  const cut = cutSegments({ name: 's', bytes: new Uint8Array(4), field: { name: 's', children } });
  expect(cut.map(({ path, start, end, frame }) => [path, start, end, frame])).toEqual(segments);
  expect(cutSegments({ name: 's', bytes: new Uint8Array(), field: { name: 's', children: [] } })).toEqual([]);
});

test.each([
  [192, 12],
  [193, 6],
])('a field of %i bytes has %i rows: a longer one is folded behind the third, but for the last', (length, drawn) => {
  const field = { name: 's', children: [{ name: 'a', at: { offset: 0, length } }] };
  const rows = layOutRows(cutSegments({ name: 's', bytes: new Uint8Array(length), field }), { length, columns: 16, open: new Set() });
  const kinds = rows.map((row) => ('path' in row ? 'fold' : row.offset));
  expect(kinds).toEqual(drawn === 12 ? Array.from({ length: 12 }, (_, index) => index * 16) : [0, 16, 32, 'fold', 192]);
});

test.each([
  [24, 29],
  [25, 30],
  [257, 30],
  [258, 31],
])('of a byte string of %i bytes at byte 28, the first byte is byte %i', (length, byte) => {
  const note = 'The authenticator data is malformed at byte 0: no.';
  const field = { name: 'attestationObject', children: [{ name: 'authData', at: { offset: 28, length }, verdict: 'bad' as const, note }] };
  expect(findMalformed(field)).toBe(byte);
  expect(findMalformed({ name: 'x', verdict: 'bad' })).toBeUndefined();
  const [{ at: _, ...unplaced }] = field.children as [(typeof field.children)[0]];
  expect(findMalformed({ ...field, children: [unplaced] })).toBeUndefined();
});

test('members that hold no bytes are among the rest', () => {
  const fields = ['id', 'signature', 'userHandle', 'clientDataJSON'].map((name) => ({ name }));
  const response = { id: 'AQ', response: { signature: 'MA', userHandle: '', clientDataJSON: 5 } };
  const { structures, rest } = findStructures(fields, response);
  expect(structures).toEqual([
    { name: 'signature', title: 'Signature', bytes: Uint8Array.of(0x30), field: { name: 'signature' }, text: true },
  ]);
  expect(rest.map(({ name }) => name)).toEqual(['id', 'clientDataJSON', 'userHandle']);
});
