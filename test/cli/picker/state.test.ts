import { describe, expect, test } from 'vitest';
import {
  currentSearch,
  firstState,
  hiddenSelected,
  type PickerState,
  press,
  searchText,
  selectedRows,
} from '../../../src/cli/picker/state.js';

type Key = Parameters<typeof press>[1];

const ROWS = [
  ['1', 'Phone', 'User:1 ada@example.com', 'example.com'],
  ['2', 'YubiKey 5', 'User:1 ada@example.com', 'login.example.com'],
  ['3', 'Téléphone', 'User:2 bob@example.com', 'example.com'],
  ['4', 'Phone', 'Admin:1 bob@example.com', 'example.com'],
];

const TYPED: Readonly<Record<string, Key>> = {
  '⏎': { name: 'return' },
  '⎋': { name: 'escape' },
  '↑': { name: 'up' },
  '↓': { name: 'down' },
  '⇞': { name: 'pageup' },
  '⇟': { name: 'pagedown' },
  '⇱': { name: 'home' },
  '⇲': { name: 'end' },
  '␣': { name: 'space', text: ' ' },
  '⇥': { name: 'tab', text: '\t' },
  '⌫': { name: 'backspace' },
};

const keyOf = (character: string): Key => TYPED[character] ?? { name: character === ' ' ? 'space' : character, text: character };

function after(keys: string | readonly Key[], { rows = ROWS, page = 3, from = firstState(rows.length) }: Options = {}) {
  const around = { texts: rows.map(searchText), page };
  let state = from;
  for (const key of typeof keys === 'string' ? Array.from(keys, keyOf) : keys) {
    const step = press(state, key, around);
    ({ state } = step);
    if (step.ended) return { state, ended: step.ended };
  }
  return { state, ended: undefined };
}

interface Options {
  readonly rows?: readonly (readonly string[])[];
  readonly page?: number;
  readonly from?: PickerState;
}

const ids = (rows: readonly number[]) => rows.map((row) => row + 1);
const shownAfter = (keys: string) => ids(currentSearch(after(keys).state).shown);
const selectedAfter = (keys: string) => ids(selectedRows(after(keys).state));

describe('the search', () => {
  test.each([
    ['a', [1, 2, 3, 4]],
    ['ada', [1, 2]],
    ['ADA', [1, 2]],
    ['ada,phone', [1]],
    ['phone,ada', [1]],
    ['yubikey,login', [2]],
    ['admin,', [4]],
    [',,', [1, 2, 3, 4]],
    ['telephone', [3]],
    ['Téléphone', [3]],
    ['Te\u0301le', [3]],
    ['adaphone', []],
  ])('%s leaves %j', (search, shown) => {
    expect(shownAfter(search)).toStrictEqual(shown);
  });

  test('typing selects nobody', () => {
    expect(selectedAfter('ada⏎')).toStrictEqual([]);
  });

  test('a key that is taken back shows what it hid', () => {
    expect(shownAfter('adb')).toStrictEqual([]);
    expect(shownAfter('adb⌫')).toStrictEqual([1, 2, 4]);
    expect(shownAfter('adb⌫⌫⌫⌫')).toStrictEqual([1, 2, 3, 4]);
    expect(ids(currentSearch(after([...Array.from('adb', keyOf), { name: 'u', ctrl: true }]).state).shown)).toStrictEqual([1, 2, 3, 4]);
  });

  test('Esc clears it, and then cancels', () => {
    expect(shownAfter('bob⎋')).toStrictEqual([1, 2, 3, 4]);
    expect(after('bob⎋').ended).toBeUndefined();
    expect(after('bob⎋⎋').ended).toBe('cancelled');
  });

  test('looks at each row only as long as it is shown', () => {
    let looks = 0;
    const texts = new Proxy(ROWS.map(searchText), {
      get(target, member) {
        looks += Number(typeof member === 'string' && /^\d+$/.test(member));
        return Reflect.get(target, member);
      },
    });
    let state = firstState(ROWS.length);
    const perKey = Array.from('adaz', (character) => {
      looks = 0;
      ({ state } = press(state, keyOf(character), { texts, page: 3 }));
      return looks;
    });
    expect(perKey).toStrictEqual([4, 4, 3, 2]);
    looks = 0;
    press(state, keyOf('⌫'), { texts, page: 3 });
    expect(looks).toBe(0);
  });

  test('takes a paste as a whole, and no control characters', () => {
    expect(currentSearch(after([{ text: 'ada' }]).state)).toStrictEqual({ text: 'ada', shown: [0, 1] });
    expect(currentSearch(after([{ text: 'a\u001b[31m' }, { text: '\u202e' }, { name: 'f1', text: '' }]).state).text).toBe('');
    expect(currentSearch(after([{ text: 'x'.repeat(1000) }]).state).text).toHaveLength(200);
  });

  test('finds what is shown of a label that a terminal must not act on', () => {
    const { state } = after('x1b[31m', {
      rows: [
        ['1', '\u001b[31mKey'],
        ['2', 'Key'],
      ],
    });
    expect(currentSearch(state).shown).toStrictEqual([0]);
  });
});

describe('the selection', () => {
  test('is toggled with the space bar, row by row', () => {
    expect(selectedAfter('␣↓↓␣⏎')).toStrictEqual([1, 3]);
    expect(selectedAfter('␣↓↓␣⇱␣')).toStrictEqual([3]);
  });

  test('keeps what the search hides, and counts it', () => {
    const { state } = after('bob⇥⎋ada⇥');
    expect(ids(selectedRows(state))).toStrictEqual([1, 3]);
    expect(hiddenSelected(state)).toBe(1);
    expect(hiddenSelected(after('⎋', { from: state }).state)).toBe(0);
  });

  test('is toggled with Tab too, and only so while a search is typed', () => {
    expect(selectedAfter('⇥↓↓⇥⏎')).toStrictEqual([1, 3]);
    const rows = [
      ['1998', 'Key 1998'],
      ['1999', 'Key 1999'],
      ['2000', 'Key 199'],
    ];
    const typed = after('Key 1999', { rows });
    expect([currentSearch(typed.state).text, currentSearch(typed.state).shown]).toStrictEqual(['Key 1999', [1]]);
    expect(selectedRows(typed.state)).toStrictEqual([]);
    expect(selectedRows(after('⇥', { rows, from: typed.state }).state)).toStrictEqual([1]);
    expect(selectedRows(after('key 199 ␣⏎', { rows }).state)).toStrictEqual([]);
    expect(selectedRows(after('k⌫␣', { rows }).state)).toStrictEqual([0]);
  });

  test('Ctrl-A toggles all that are shown', () => {
    const all: Key = { name: 'a', ctrl: true };
    const bobs = after([...Array.from('bob', keyOf), all]).state;
    expect(ids(selectedRows(bobs))).toStrictEqual([3, 4]);
    const and1 = after([keyOf('⎋'), keyOf('⇱'), keyOf('␣')], { from: bobs }).state;
    expect(ids(selectedRows(and1))).toStrictEqual([1, 3, 4]);
    expect(ids(selectedRows(after([all], { from: and1 }).state))).toStrictEqual([1, 2, 3, 4]);
    expect(ids(selectedRows(after([...Array.from('bob', keyOf), all], { from: and1 }).state))).toStrictEqual([1]);
  });

  test('is nothing where nothing is shown', () => {
    expect(selectedAfter('zzz⇥⏎')).toStrictEqual([]);
    expect(after('␣⇥↓⏎', { rows: [] })).toMatchObject({ ended: 'picked', state: { cursor: 0, top: 0 } });
  });

  test('of very many rows takes one key', () => {
    const rows = Array.from({ length: 100_000 }, (_, n) => [String(n + 1), `user${n % 100}@example.com`]);
    const { state } = after([...Array.from('user7@', keyOf), { name: 'a', ctrl: true }], { rows });
    expect(state.selected.size).toBe(1000);
  });
});

describe('the cursor', () => {
  test.each([
    ['↑', 0, 0],
    ['↓', 1, 0],
    ['↓↓↓', 3, 1],
    ['↓↓↓↓↓', 3, 1],
    ['↓↓↓↑', 2, 1],
    ['↓↓↓↑↑↑', 0, 0],
    ['⇟', 3, 1],
    ['⇟⇞', 0, 0],
    ['⇲', 3, 1],
    ['⇲⇱', 0, 0],
  ])('after %s is at %d, the screen beginning with %d', (keys, cursor, top) => {
    expect(after(keys).state).toMatchObject({ cursor, top });
  });

  test('Ctrl-N and Ctrl-P are arrows; other keys with Ctrl do nothing', () => {
    const ctrl = (name: string): Key => ({ name, ctrl: true });
    expect(after([ctrl('n'), ctrl('n'), ctrl('p'), ctrl('x')]).state).toMatchObject({ cursor: 1, searches: [{ text: '' }] });
  });

  test('stays on its row while that is shown', () => {
    expect(after('⇲bob').state).toMatchObject({ cursor: 1, top: 0 });
    expect(after('⇲bob⎋').state).toMatchObject({ cursor: 3, top: 1 });
    expect(after('⇲ada').state).toMatchObject({ cursor: 0, top: 0 });
  });
});
