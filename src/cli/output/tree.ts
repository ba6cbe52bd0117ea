import type { AnnotatedNode } from '../../explain/annotate/node.js';
import { printable } from './printable.js';
import { type Paint, wrap } from './wrap.js';

const OFFSET_WIDTH = 12;

/** An annotated structure as people read it: where, what, and what it means; no line is longer than `width`. */
export function renderTree(node: AnnotatedNode, { width, paint }: { readonly width: number; readonly paint: Paint }): string {
  const lines: string[] = [];
  add(node, '', '');
  return lines.join('\n');

  function add(current: AnnotatedNode, lead: string, below: string): void {
    const label = printable(current.label);
    const value = current.value === undefined ? undefined : printable(current.value);
    const note = current.note === undefined ? undefined : printable(current.note);
    const room = width - OFFSET_WIDTH - lead.length;
    const [valueRows, noteRows] = layOut({ label, value, note, room });
    const [first = '', ...others] = valueRows;
    const head = `${paint.bold(label)}${first === '' ? '' : ` ${first}`}`;
    const tail =
      noteRows.length === 1 && others.length === 0 && length(label, first, noteRows[0]) <= room ? `  ${paint.dim(noteRows[0] ?? '')}` : '';
    lines.push(`${paint.dim(place(current))}${paint.dim(lead)}${head}${tail}`.trimEnd());
    const indent = `${' '.repeat(OFFSET_WIDTH)}${below}${(current.children?.length ?? 0) > 0 ? '│ ' : '  '}`;
    const add1 = (row: string, colour: (text: string) => string) => lines.push(`${paint.dim(indent)}${colour(row)}`.trimEnd());
    for (const row of others) add1(row, (text) => text);
    if (tail === '') for (const row of noteRows) add1(row, paint.dim);
    if (current.error !== undefined) for (const row of wrap(`✗ ${printable(current.error)}`, width - indent.length)) add1(row, paint.red);
    const children = current.children ?? [];
    for (const [index, child] of children.entries()) {
      const last = index === children.length - 1;
      add(child, `${below}${last ? '└ ' : '├ '}`, `${below}${last ? '  ' : '│ '}`);
    }
  }
}

/** Label and value on the first line, what does not fit below it. */
function layOut(o: { label: string; value: string | undefined; note: string | undefined; room: number }): readonly [string[], string[]] {
  const { label, value, note, room } = o;
  const beside = room - label.length - 1;
  const shown = value === undefined ? undefined : cutHex(value, beside - (note === undefined ? 0 : note.length + 2));
  const valueRows = shown === undefined ? [''] : shown.length <= beside ? [shown] : ['', ...wrap(shown, room - 2)];
  return [
    valueRows,
    note === undefined ? [] : length(label, valueRows[0], note) <= room && valueRows.length === 1 ? [note] : wrap(note, room - 2),
  ];
}

const LEAST_DIGITS = 16;

/** Of long byte strings the beginning says enough; offset and length say where the rest is. */
function cutHex(value: string, room: number): string {
  if (value.length <= room || !/^[0-9a-f]{16,}…?$/.test(value)) return value;
  const digits = Math.max(LEAST_DIGITS, room - 1) & ~1;
  return value.length <= digits ? value : `${value.slice(0, digits)}…`;
}

function length(label: string, value = '', note = ''): number {
  return label.length + (value === '' ? 0 : value.length + 1) + (note === '' ? 0 : note.length + 2);
}

/** `  37+16  `: sixteen bytes from byte 37 on. */
function place({ offset, length: bytes }: AnnotatedNode): string {
  const text = offset === undefined ? '' : `${String(offset).padStart(5)}${bytes === undefined ? '' : `+${bytes}`}`;
  return text.padEnd(OFFSET_WIDTH);
}
