import { describe, expect, test } from 'vitest';
import { encodeUtf8, fromHex } from '../../src/kernel/bytes.js';
import { listChanges, type Piece } from '../../src/page/view/subject/changes.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';

const marked = (pieces: readonly Piece[]) => pieces.map(({ text, changed }) => (changed ? `[${text}]` : text)).join('');
const shown = ({ name, place, before, after }: ReturnType<typeof listChanges>[number]) => [name, place, marked(before), marked(after)];
const withMember = (name: string, bytes: Uint8Array) => ({ id: 'AA', response: { [name]: encodeBase64url(bytes) } });
const changed = (name: string, before: Uint8Array, after: Uint8Array) =>
  listChanges(withMember(name, before), withMember(name, after)).map(shown);

describe('what a mistake changed', () => {
  test('a flipped bit is shown as a bit', () => {
    expect(changed('signature', fromHex('3045a1'), fromHex('3045a3'))).toStrictEqual([
      ['response.signature', 'one bit of byte 2', '101000[0]1', '101000[1]1'],
    ]);
  });

  test('bytes that differ are marked in both, each by itself', () => {
    expect(changed('authenticatorData', fromHex('00010203'), fromHex('00ff02ff'))).toStrictEqual([
      ['response.authenticatorData', 'from byte 1', ' 00[ 01] 02[ 03]', ' 00[ ff] 02[ ff]'],
    ]);
  });

  test('client data are text; what came in between is marked as one', () => {
    expect(changed('clientDataJSON', encodeUtf8('{"origin":"http://a"}'), encodeUtf8('{"origin":"http://a:1"}'))).toStrictEqual([
      ['response.clientDataJSON', 'from byte 19; 21 bytes before, 23 after', '…n":"http://a"}', '…n":"http://a[:1]"}'],
    ]);
  });

  test('a long change is cut, and so is what is the same around it', () => {
    const [change] = changed('signature', new Uint8Array(200), new Uint8Array(200).fill(1, 20));
    expect(change?.[2]).toMatch(/^…( 00){12}\[( 00){24}\] …$/);
  });

  test('two bits of a byte are a byte; most of a value is a new one, of which less is shown', () => {
    expect(changed('signature', fromHex('3045a0'), fromHex('3045a3'))).toStrictEqual([
      ['response.signature', 'from byte 2', ' 30 45[ a0]', ' 30 45[ a3]'],
    ]);
    expect(changed('signature', fromHex('00'), fromHex('80'))).toStrictEqual([
      ['response.signature', 'one bit of byte 0', '[0]0000000', '[1]0000000'],
    ]);
    expect(changed('signature', fromHex('0001'), fromHex('00'))).toStrictEqual([
      ['response.signature', 'from byte 1; 2 bytes before, 1 after', ' 00[ 01]', ' 00'],
    ]);
    expect(changed('signature', fromHex('00010203'), fromHex('ffff02ff'))).toStrictEqual([
      ['response.signature', 'most of it', '[ 00 01] 02[ 03]', '[ ff ff] 02[ ff]'],
    ]);
    expect(changed('signature', fromHex('00010203'), fromHex('ffff0203'))).toStrictEqual([
      ['response.signature', 'from byte 0', '[ 00 01] 02 03', '[ ff ff] 02 03'],
    ]);
    expect(changed('clientDataJSON', encodeUtf8('abcd'), encodeUtf8('wxyz'))).toStrictEqual([
      ['response.clientDataJSON', 'from byte 0', '[abcd]', '[wxyz]'],
    ]);
    const [anew] = changed('signature', new Uint8Array(80), new Uint8Array(80).fill(1));
    expect(anew?.[2]).toMatch(/^\[( 00){24}\] …$/);
  });

  test.each([
    [12, 12, /^( 00){12}\[ 00\]( 00){12}$/],
    [13, 12, /^…( 00){12}\[ 00\]( 00){12}$/],
    [12, 13, /^( 00){12}\[ 00\]( 00){12} …$/],
  ])('of %i bytes before a change and %i after it twelve are shown', (before, after, text) => {
    const bytes = new Uint8Array(before + 1 + after);
    expect(changed('signature', bytes, bytes.with(before, 3))[0]?.[2]).toMatch(text);
  });

  test.each([
    [64, /^\[( 00){64}\]( 00){12} …$/],
    [77, /^\[( 00){76}\] …$/],
  ])('of a change of %i bytes and what is behind it seventy-six are shown', (length, text) => {
    // Less than half of all.
    const bytes = new Uint8Array(160);
    expect(changed('signature', bytes, new Uint8Array(160).fill(1, 0, length))[0]?.[2]).toMatch(text);
  });

  test('bytes that cannot be read are JSON, and so is what was no text', () => {
    const of = (before: unknown, after: unknown) => listChanges({ signature: before }, { signature: after }).map(shown);
    expect(of('MA', '%')).toStrictEqual([['signature', undefined, '"[MA]"', '"[%]"']]);
    expect(of('%', 'MA')).toStrictEqual([['signature', undefined, '"[%]"', '"[MA]"']]);
    expect(of('MA', 5)).toStrictEqual([['signature', 'most of it; 1 byte before, 0 after', '[ 30]', '']]);
    expect(of(5, 'MA')).toStrictEqual([['signature', 'from byte 0; 0 bytes before, 1 after', '', '[ 30]']]);
  });

  test('other members are JSON; what was not there is said', () => {
    expect(listChanges({ type: 'public-key' }, { type: 'password', id: 'A' }).map(shown)).toStrictEqual([
      ['type', undefined, '"p[ublic-key]"', '"p[assword]"'],
      ['id', undefined, '[not there]', '["A"]'],
    ]);
    expect(listChanges({ id: 'A' }, { id: 'A' })).toStrictEqual([]);
    expect(listChanges({ id: 'aa' }, { id: 'aaa' }).map(shown)).toStrictEqual([['id', undefined, '"aa"', '"aa[a]"']]);
    expect(listChanges({ response: { id: 'A' } }, { response: 'A' }).map(shown)).toStrictEqual([
      ['response', undefined, '[{"id":"A"}]', '["A"]'],
    ]);
  });
});
