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
