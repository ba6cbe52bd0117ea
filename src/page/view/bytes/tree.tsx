import type { JSX, LiHTMLAttributes } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Field } from '../../decode.js';
import { shownText } from '../../shown-text.js';
import { groundStyle } from '../monogram.js';

/** Path of the highlighted field: the one under the pointer or with the focus. */
export interface Light {
  readonly lit: string | undefined;
  readonly hover: (path: string | undefined) => void;
  readonly focus: (path: string | undefined) => void;
}

interface TreeProps {
  readonly fields: readonly Field[];
  /** Path of the structure that contains the fields; empty if they are at the top. */
  readonly parent?: string;
  readonly label: string;
  /** Paths that the failed step checks. */
  readonly failed: ReadonlySet<string>;
  /** Finds the colour of a path's bytes; absent if the page shows no bytes. */
  readonly toneOf?: (path: string) => number | undefined;
  readonly light?: Light;
}

/** Tree view of a decoded structure, one line per field. The arrow keys move the focus, and open and close lines. */
export function Tree({ fields, parent: root = '', label, failed, toneOf, light }: TreeProps): JSX.Element {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string>();
  const lines = listLines(fields, toggled, root);
  const index = Math.max(
    0,
    lines.findIndex(({ path }) => path === current),
  );
  const focusNext = useRef(false);
  const focused = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    if (focusNext.current) focused.current?.focus();
    focusNext.current = false;
  }, [current]);
  const toggle = ({ path, open }: Line) => {
    if (open === undefined) return;
    const next = new Set(toggled);
    if (!next.delete(path)) next.add(path);
    setToggled(next);
  };
  const press = (event: KeyboardEvent, line: Line) => {
    const parent = lines.findLastIndex((other, at) => at < index && other.level < line.level);
    const to =
      event.key === 'ArrowRight' && line.open === true
        ? index + 1
        : event.key === 'ArrowLeft' && line.open !== true
          ? Math.max(0, parent)
          : moved(event.key, index, lines.length);
    const toggles =
      (event.key === 'ArrowRight' && line.open === false) ||
      (event.key === 'ArrowLeft' && line.open === true) ||
      event.key === 'Enter' ||
      event.key === ' ';
    if (toggles) toggle(line);
    else if (to === undefined) return;
    else {
      focusNext.current = true;
      setCurrent(lines[to]?.path);
    }
    event.preventDefault();
  };
  return (
    <ul class="tree" role="tree" aria-label={label} onMouseLeave={() => light?.hover(undefined)}>
      {lines.map((line, at) => (
        <TreeLine
          key={line.path}
          line={line}
          failed={failed.has(line.path)}
          tone={toneOf?.(line.path)}
          placed={toneOf !== undefined}
          lit={light?.lit === line.path}
          attributes={{
            tabIndex: at === index ? 0 : -1,
            ...(at === index && { ref: focused }),
            onMouseEnter: () => light?.hover(line.path),
            onFocus: () => {
              setCurrent(line.path);
              light?.focus(line.path);
            },
            onBlur: () => light?.focus(undefined),
            onKeyDown: (event) => press(event, line),
            onClick: () => toggle(line),
          }}
        />
      ))}
    </ul>
  );
}

interface TreeLineProps {
  readonly line: Line;
  readonly failed: boolean;
  readonly tone: number | undefined;
  /** True if the page shows the bytes of the line, so that their offset is useful. */
  readonly placed: boolean;
  readonly lit: boolean;
  readonly attributes: LiHTMLAttributes<HTMLLIElement>;
}

function TreeLine({ line, failed, tone, placed, lit, attributes }: TreeLineProps): JSX.Element {
  const { field, level, position, siblings, open } = line;
  const { name, at, note } = field;
  const verdict = failed ? 'bad' : field.verdict;
  const value = placed ? shortValue(field) : field.value;
  return (
    <li
      {...attributes}
      class={['field', verdict, lit && 'lit', failed && 'failed'].filter(Boolean).join(' ')}
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={open}
      aria-selected={lit}
    >
      <span class="indent muted" style={{ '--depth': Math.min(level, 7) }} aria-hidden="true">
        {open === undefined ? '' : open ? '▾' : '▸'}
      </span>
      {tone !== undefined && <span class={tone === 0 ? 'swatch' : 'swatch ground'} style={groundStyle(tone)} aria-hidden="true" />}
      <span class="field-text">
        <b class="field-name">{shownText(name)}</b> {value !== undefined && <span class="field-value mono">{shownText(value)}</span>}{' '}
        {note !== undefined && <span class="muted">{shownText(note)}</span>}
        {failed && <strong class="unseen"> The failed step checks this.</strong>}
      </span>
      {at !== undefined && placed && (
        <span class="fact mono" title={`bytes ${at.offset} to ${at.offset + Math.max(0, at.length - 1)}`}>
          <span class="unseen">byte </span>
          {at.offset}
          <span aria-hidden="true">+</span>
          <span class="unseen">, length </span>
          {at.length}
        </span>
      )}
    </li>
  );
}

/** One line of the decoded tree. */
interface Line {
  readonly path: string;
  readonly field: Field;
  /** Depth of the line in the tree; 1 for the outermost lines. */
  readonly level: number;
  readonly position: number;
  readonly siblings: number;
  /** True if the line is open, so that its child lines are visible; undefined if it has no children. */
  readonly open: boolean | undefined;
}

/** Lists the visible lines. `toggled` are the paths that the user has opened or closed. */
export function listLines(fields: readonly Field[], toggled: ReadonlySet<string>, parent = '', level = 1): Line[] {
  return fields.flatMap((field, index) => {
    const path = parent === '' ? field.name : `${parent}/${field.name}`;
    const { children = [] } = field;
    const open = children.length === 0 ? undefined : startsOpen(field) !== toggled.has(path);
    const line: Line = { path, field, level, position: index + 1, siblings: fields.length, open };
    return [line, ...(open === true ? listLines(children, toggled, path, level + 1) : [])];
  });
}

/** Tests whether a line of the tree is open at first. Certificates are closed, because few people read them. */
function startsOpen({ name, collapsed }: Field): boolean {
  return collapsed !== true && !/^x5c\[\d+\]$/.test(name);
}

/** Finds the index to which a key moves the focus in a list of `length` entries; undefined for keys that do not move the focus. */
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

/** Formats a value that is shown next to its bytes. Shortens long hexadecimal, because the bytes show it in full. */
export function shortValue({ value, at }: Field): string | undefined {
  return value !== undefined && at !== undefined && value.length > SHOWN_DIGITS && /^[0-9a-f]+…?$/.test(value)
    ? `${value.slice(0, SHOWN_DIGITS)}…`
    : value;
}
