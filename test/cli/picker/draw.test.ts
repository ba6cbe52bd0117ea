import truncatedWidth from 'fast-string-truncated-width';
import { describe, expect, test } from 'vitest';
import { widest } from '../../../src/cli/output/table.js';
import { passkeyTableRows } from '../../../src/cli/passkey/rows.js';
import { countVisibleRows, draw, type Screen } from '../../../src/cli/picker/draw.js';
import { firstState, press, searchText } from '../../../src/cli/picker/state.js';
import type { Passkey } from '../../../src/relying-party/credential-record.js';
import { newPasskey, START } from '../../contract/samples.js';

const COLUMNS = [
  { title: 'ID', align: 'right' as const },
  { title: 'LABEL', yields: 3, max: 40 },
  { title: 'USER', yields: 2, max: 40 },
  { title: 'CREATED (UTC)' },
];
const ROWS = [
  ['1', 'Phone', 'User:1 ada@example.com', '2026-01-15 10:31'],
  ['12', '\u001b[31mKey\u009b\u202e', 'User:1 ada@example.com', '2026-01-15 10:32'],
  ['103', '電話のパスキー'.repeat(8), 'App\\Models\\User:2 bob@example.com', '2026-01-15 10:33'],
];
const plain = { bold: (text: string) => text, dim: (text: string) => text };

function drawn(keys: string, size: Partial<Screen> = {}) {
  const screen = { width: 80, height: 24, paint: plain, ...size };
  const texts = ROWS.map(searchText);
  let state = firstState(ROWS.length);
  for (const text of keys) {
    ({ state } = press(state, { name: text === ' ' ? 'space' : text, text }, { texts, page: countVisibleRows(screen) }));
  }
  const picture = { message: 'Passkeys to revoke', columns: COLUMNS, rows: ROWS, wanted: widest(COLUMNS, ROWS, (row) => row) };
  const [search, below] = draw(picture, state, screen);
  return [search, ...below.split('\n')];
}

describe('the picker draws', () => {
  test('the search, aligned columns, the count and the keys', () => {
    expect(drawn(' ')).toStrictEqual([
      '? Passkeys to revoke: ',
      '       ID  LABEL                     USER                      CREATED (UTC)',
      '> [x]   1  Phone                     User:1 ada@example.com    2026-01-15 10:31',
      '  [ ]  12  \\x1b[31mKey\\x9b\\u202e     User:1 ada@example.com    2026-01-15 10:32',
      '  [ ] 103  電話のパスキー電話のパ…   App\\Models\\User:2 bob@e…  2026-01-15 10:33',
      '1 selected · 3 in all',
      'type to search · tab select · ctrl-a all · enter done · esc cancel',
    ]);
  });

  test('how many are selected that the search does not show', () => {
    const [search, , first, count] = drawn(' bob');
    expect([search, first?.slice(0, 9), count]).toStrictEqual([
      '? Passkeys to revoke: bob',
      '> [ ] 103',
      '1 selected (1 not shown) · 1 of 3 shown',
    ]);
  });

  test('that nothing matches', () => {
    expect(drawn('zzz')).toContain('  Nothing matches.');
  });

  test.each([40, 20, 10])('no line as wide as a terminal of %d columns', (width) => {
    for (const keys of ['', ' ', 'ada@example.com,phone,and,more,than,fits', '電話']) {
      for (const line of drawn(keys, { width })) expect(truncatedWidth(line).width).toBeLessThan(width);
    }
  });

  test('on 40 columns what tells rows apart; the end of a long search', () => {
    const [search, head] = drawn('a'.repeat(60), { width: 40 });
    expect([search, head]).toStrictEqual([`? Passkeys to revoke: ${'a'.repeat(17)}`, '       ID  LABEL          USER']);
  });

  test('on 80 columns when passkeys were last used rather than when they were made', () => {
    const passkey = (id: number): Passkey => ({
      ...newPasskey({ label: 'iCloud Keychain', rpId: 'login.example.com' }),
      id,
      lastUsedAt: id === 1 ? undefined : START + 60_000,
      revokedAt: undefined,
      revokedReason: undefined,
      revokedChange: undefined,
      counterRegressions: 0,
      counterRegressedAt: undefined,
    });
    const { columns, rows, toCells } = passkeyTableRows([passkey(1), passkey(100_000)]);
    const cells = rows.map(toCells);
    const picture = { message: 'Passkeys to revoke', columns, rows: cells, wanted: widest(columns, cells, (row) => row) };
    const titlesAt = (width: number) => draw(picture, firstState(2), { width, height: 24, paint: plain })[1].split('\n').slice(0, 3);
    expect(titlesAt(80)).toStrictEqual([
      '          ID  LABEL            USER    RP ID              LAST USED (UTC)',
      '> [ ]      1  iCloud Keychain  User:1  login.example.com  never',
      '  [ ] 100000  iCloud Keychain  User:1  login.example.com  2026-01-15 10:31',
    ]);
    expect(titlesAt(120)[0]).toMatch(/RP ID +CREATED \(UTC\) +LAST USED \(UTC\)$/);
  });

  test('no more lines than a low terminal has', () => {
    expect(drawn('', { height: 6 })).toHaveLength(5);
    expect([countVisibleRows({ height: 3 }), countVisibleRows({ height: 10 }), countVisibleRows({ height: 100 })]).toStrictEqual([
      1, 5, 15,
    ]);
  });

  test('in bold and dim where there are colours', () => {
    const paint = { bold: (text: string) => `<b>${text}</b>`, dim: (text: string) => `<i>${text}</i>` };
    const [, head, first, second] = drawn('', { paint });
    expect([head?.startsWith('<i>'), first?.startsWith('<b>>'), second?.startsWith('  [')]).toStrictEqual([true, true, true]);
  });
});
