import type { Field } from '../../decode.js';

/** One line of the decoded tree. */
export interface Line {
  readonly path: string;
  readonly field: Field;
  /** 1 for the outermost. */
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  /** Undefined for a line without lines below it. */
  readonly open: boolean | undefined;
}

/** The lines that show. `toggled` are the paths that the user has opened or closed. */
export function linesOf(fields: readonly Field[], toggled: ReadonlySet<string>, parent = '', level = 1): Line[] {
  return fields.flatMap((field, index) => {
    const path = parent === '' ? field.name : `${parent}/${field.name}`;
    const { children = [] } = field;
    const open = children.length === 0 ? undefined : startsOpen(field) !== toggled.has(path);
    const line: Line = { path, field, level, position: index + 1, siblings: fields.length, open };
    return [line, ...(open === true ? linesOf(children, toggled, path, level + 1) : [])];
  });
}

/** Certificates are read by few. */
function startsOpen({ name, collapsed }: Field): boolean {
  return collapsed !== true && !/^x5c\[\d+\]$/.test(name);
}

/** A place to move the focus to, from `index` on a list of `length`; undefined for keys that do not move it. */
export function moved(key: string, index: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return Math.min(length - 1, index + 1);
    case 'ArrowUp':
      return Math.max(0, index - 1);
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return undefined;
  }
}

const SHOWN_DIGITS = 16;

/** A value beside its bytes: long hexadecimal is cut, since the bytes stand there. */
export function shortValue({ value, at }: Field): string | undefined {
  return value !== undefined && at !== undefined && value.length > SHOWN_DIGITS && /^[0-9a-f]+…?$/.test(value)
    ? `${value.slice(0, SHOWN_DIGITS)}…`
    : value;
}
