import { grouped } from '../../kernel/wording.js';
import { type Column, cut, displayWidth, GAP, headLine, tableLine } from '../output/table.js';
import type { Paint } from '../output/wrap.js';
import { currentSearch, hiddenSelected, type PickerState } from './state.js';

export interface Screen {
  /** Width of the screen in characters. */
  readonly width: number;
  readonly height: number;
  readonly paint: Pick<Paint, 'bold' | 'dim'>;
}

export interface Picture {
  readonly message: string;
  readonly columns: readonly Column[];
  /** The text of each cell, by row. */
  readonly rows: readonly (readonly string[])[];
  /** The width that each column needs, as `widest` returns it. */
  readonly wanted: readonly number[];
}

/** Number of screen lines that are not rows: the search, the titles, the count, the keys, and an empty last line. */
const OTHER_LINES = 5;
const MOST_ROWS = 15;

/** Calculates for how many rows the screen has room. */
export function countVisibleRows({ height }: Pick<Screen, 'height'>): number {
  return Math.min(Math.max(height - OTHER_LINES, 1), MOST_ROWS);
}

/** Alternative descriptions of the keys, from long to short. The first one that fits on the screen is shown. */
const KEYS = [
  'type to search (a,b: both) · tab select · ctrl-a all shown · enter done · esc cancel',
  'type to search · tab select · ctrl-a all · enter done · esc cancel',
  'tab select · ctrl-a all · enter done · esc back',
  'tab · ctrl-a all · enter · esc',
];

/** Draws the search line, with the cursor at its end, and the lines below the search line. Every line is narrower than the screen. */
export function draw(picture: Picture, state: PickerState, screen: Screen): readonly [search: string, below: string] {
  const { paint, width } = screen;
  const room = width - 1;
  const { text, shown } = currentSearch(state);
  const { columns, widths, shown: places } = columnsFor(picture, room - MARK_WIDTH);
  const rows = shown.slice(state.top, state.top + countVisibleRows(screen)).map((index, place) => {
    const mark = `${state.top + place === state.cursor ? '>' : ' '} [${state.selected.has(index) ? 'x' : ' '}] `;
    const line = shortened(mark + tableLine(columns, widths, pick(picture.rows[index] ?? [], places)), room);
    return state.top + place === state.cursor ? paint.bold(line) : line;
  });
  const head = shortened(' '.repeat(MARK_WIDTH) + headLine(columns, widths, (title) => title), room);
  const keys = KEYS.find((line) => displayWidth(line) <= room) ?? '';
  const below = [
    paint.dim(head),
    ...(rows.length === 0 ? [shortened('  Nothing matches.', room)] : rows),
    shortened(status(state, picture.rows.length), room),
    ...(keys === '' ? [] : [paint.dim(keys)]),
  ];
  return [searchLine(picture.message, text, room), below.join('\n')];
}

/** Width of the mark before each row: `> [x] `. */
const MARK_WIDTH = 6;

const shortened = (line: string, room: number): string => (displayWidth(line) <= room ? line : cut(line, room));

/** Renders the search line. If the search is long, only its end is shown. */
function searchLine(message: string, search: string, room: number): string {
  const question = shortened(`? ${message}: `, Math.max(room - 8, 0));
  const end = Array.from(search);
  while (end.length > 0 && displayWidth(question) + displayWidth(end.join('')) > room) end.shift();
  return question + end.join('');
}

function status(state: PickerState, rows: number): string {
  const { shown } = currentSearch(state);
  const hidden = hiddenSelected(state);
  const selected = `${grouped(state.selected.size)} selected${hidden === 0 ? '' : ` (${grouped(hidden)} not shown)`}`;
  return `${selected} · ${shown.length === rows ? `${grouped(rows)} in all` : `${grouped(shown.length)} of ${grouped(rows)} shown`}`;
}

/** Minimum useful width of a text, in terminal columns. */
const READABLE = 10;

/**
 * Chooses as many columns as are readable side by side. Leaves out first the columns that are `spare`, and then the last ones; the search
 * still covers columns that are left out. `shown` holds the indexes of the chosen columns.
 */
function columnsFor({ columns, wanted }: Pick<Picture, 'columns' | 'wanted'>, room: number) {
  const least = columns.map(({ yields = 0 }, index) => Math.min(wanted[index] ?? 0, yields > 0 ? READABLE : Number.POSITIVE_INFINITY));
  const total = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length);
  let shown = [...columns.keys()];
  while (shown.length > 2 && total(pick(least, shown)) > room) {
    const goes = shown.findLast((place) => columns[place]?.spare === true) ?? shown.at(-1);
    shown = shown.filter((place) => place !== goes);
  }
  const widths = pick(wanted, shown);
  const floors = pick(least, shown);
  for (let excess = total(widths) - room; excess > 0; excess -= 1) {
    const spare = widths.map((width, index) => width - (floors[index] ?? 0));
    const widest = spare.indexOf(Math.max(...spare));
    if ((spare[widest] ?? 0) > 0) widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return { columns: pick(columns, shown), widths, shown };
}

const pick = <T>(all: readonly T[], places: readonly number[]): T[] => all.filter((_, place) => places.includes(place));
