import { printable } from '../output/printable.js';

// The picker without its screen: what a key makes of a state. Rows are named by their index.

/** A search, with the rows that match it. */
interface Search {
  readonly text: string;
  readonly shown: readonly number[];
}

export interface PickerState {
  /** The searches so far; the last one is the current search. Each search extends the one before, and narrows its results. */
  readonly searches: readonly [Search, ...Search[]];
  readonly selected: ReadonlySet<number>;
  /** Position of the cursor, counted among the rows that match. */
  readonly cursor: number;
  /** Position of the first row on the screen, counted among the rows that match. */
  readonly top: number;
}

/** A key press as readline reports it. `text` is the text that the key types, if any. */
interface Key {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly text?: string | undefined;
}

type Step = { readonly state: PickerState; readonly ended?: 'picked' | 'cancelled' };

/** The data around the state that a key press needs: the texts to search, and the number of rows that fit on the screen. */
interface Surroundings {
  /** The {@link searchText} of each row. */
  readonly texts: readonly string[];
  readonly page: number;
}

/** Separates the terms of a search; a row must match every term. Spaces do not separate terms, since labels contain spaces. */
const SEPARATOR = ',';
const LONGEST_SEARCH = 200;

const ACCENTS = /[\u0300-\u036f]/g;

/** Removes case and accents from a string before a search. If the user types more letters of a word, the search never finds more rows. */
const fold = (text: string): string => text.normalize('NFD').replace(ACCENTS, '').toLowerCase();

/** Makes the text of a row in the form with which a search is compared. */
export function searchText(cells: readonly string[]): string {
  return cells.map((cell) => fold(printable(cell))).join('\n');
}

export function firstState(rows: number): PickerState {
  const shown = Array.from({ length: rows }, (_, index) => index);
  return { searches: [{ text: '', shown }], selected: new Set(), cursor: 0, top: 0 };
}

export function currentSearch({ searches }: PickerState): Search {
  return searches.at(-1) ?? searches[0];
}

/** Lists the indexes of the selected rows, in order. */
export function selectedRows({ selected }: PickerState): readonly number[] {
  return [...selected].sort((a, b) => a - b);
}

/** Counts selected rows that do not match the current search. */
export function hiddenSelected(state: PickerState): number {
  if (state.selected.size === 0 || state.searches.length === 1) return 0;
  let seen = 0;
  for (const row of currentSearch(state).shown) seen += Number(state.selected.has(row));
  return state.selected.size - seen;
}

/** Calculates the state of the picker after a key press, and whether the picker ends. */
export function press(state: PickerState, key: Key, around: Surroundings): Step {
  const to = (cursor: number): Step => ({ state: moved(state, cursor, around.page) });
  const command = key.ctrl === true ? CONTROLS[key.name ?? ''] : key.name;
  switch (command) {
    case 'return':
    case 'enter':
      return { state, ended: 'picked' };
    case 'escape':
      return currentSearch(state).text === '' ? { state, ended: 'cancelled' } : { state: searched(state, [state.searches[0]], around) };
    case 'up':
      return to(state.cursor - 1);
    case 'down':
      return to(state.cursor + 1);
    case 'pageup':
      return to(state.cursor - around.page);
    case 'pagedown':
      return to(state.cursor + around.page);
    case 'home':
      return to(0);
    case 'end':
      return to(Number.POSITIVE_INFINITY);
    case 'space':
      // A search may have spaces of its own.
      return { state: currentSearch(state).text === '' ? toggled(state) : typed(state, ' ', around) };
    case 'tab':
      return { state: toggled(state) };
    case 'all':
      return { state: toggledAll(state) };
    case 'clear':
      return { state: searched(state, [state.searches[0]], around) };
    case 'backspace': {
      const [first, ...later] = state.searches;
      return { state: searched(state, [first, ...later.slice(0, -1)], around) };
    }
    default:
      return { state: key.ctrl === true ? state : typed(state, key.text ?? '', around) };
  }
}

/** The function of each key when it is pressed together with Ctrl. */
const CONTROLS: Readonly<Record<string, string>> = { a: 'all', p: 'up', n: 'down', u: 'clear', h: 'backspace' };

function moved(state: PickerState, to: number, page: number): PickerState {
  const last = Math.max(0, currentSearch(state).shown.length - 1);
  const cursor = Math.min(Math.max(to, 0), last);
  const lowestTop = Math.max(0, last + 1 - page);
  const top = Math.min(Math.max(Math.min(state.top, cursor), cursor - page + 1, 0), lowestTop);
  return cursor === state.cursor && top === state.top ? state : { ...state, cursor, top };
}

function toggled(state: PickerState): PickerState {
  const row = currentSearch(state).shown[state.cursor];
  if (row === undefined) return state;
  const selected = new Set(state.selected);
  if (!selected.delete(row)) selected.add(row);
  return { ...state, selected };
}

/** Selects all rows that match the search. If all of them are selected, deselects them. Other rows keep their state. */
function toggledAll(state: PickerState): PickerState {
  const { shown } = currentSearch(state);
  const selected = new Set(state.selected);
  const all = shown.every((row) => selected.has(row));
  for (const row of shown) {
    if (all) selected.delete(row);
    else selected.add(row);
  }
  return { ...state, selected };
}

function typed(state: PickerState, text: string, around: Surroundings): PickerState {
  let searches = state.searches;
  for (const character of printable(text) === text ? text : '') {
    const before = searches.at(-1) ?? searches[0];
    if (before.text.length >= LONGEST_SEARCH) break;
    const longer = before.text + character;
    searches = [...searches, { text: longer, shown: narrowed(before.shown, longer, around.texts) }];
  }
  return searches === state.searches ? state : searched(state, searches, around);
}

/** Filters the rows by a search. If all rows match, returns the same array, so that many searches use little memory. */
function narrowed(shown: readonly number[], search: string, texts: readonly string[]): readonly number[] {
  const parts = fold(search)
    .split(SEPARATOR)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const left = shown.filter((row) => parts.every((part) => texts[row]?.includes(part)));
  return left.length === shown.length ? shown : left;
}

/** Changes the search. The cursor stays on its row if that row still matches. */
function searched(state: PickerState, searches: PickerState['searches'], { page }: Surroundings): PickerState {
  const row = currentSearch(state).shown[state.cursor];
  const next = { ...state, searches };
  const cursor = row === undefined ? 0 : Math.max(0, currentSearch(next).shown.indexOf(row));
  return moved({ ...next, top: Math.min(state.top, cursor) }, cursor, page);
}
