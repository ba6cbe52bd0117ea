import { isObject } from '../../kernel/json-value.js';
import { mistake, unquoted } from './scan.js';

/**
 * A step of a path: to a member, to the list element at an index (from the end if negative), or to the first list element in which a
 * certain member has a certain value.
 */
type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'element'; readonly index: number }
  | { readonly kind: 'search'; readonly path: Path; readonly value: string };

/** A path to a value inside JSON, such as `ui.nodes[attributes.name=csrf_token].attributes.value`. */
export type Path = readonly Step[];

/** Matches one step of a path: a member name or a part in brackets, in which quoted strings may contain brackets. */
const STEP = /(?:^|\.)([^.[\]\s"|{}?]+)|\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]/y;

/**
 * Parses a path with steps such as `a.b[0].c`, `[-1]`, `[name=value]`, `[name.sub="a value"]` and `["odd key"]`.
 *
 * @throws PasskeyError `configuration_invalid`
 */
export function parsePath(text: string): Path {
  const steps: Step[] = [];
  for (let at = 0; at < text.length; ) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null) throw mistake('a path such as a.b[0].c or list[name=value]', JSON.stringify(text));
    const [all, member, bracket = ''] = found;
    steps.push(member === undefined ? parseBracket(bracket.trim()) : { kind: 'member', name: member });
    at += all.length;
  }
  return steps;
}

function parseBracket(text: string): Step {
  if (/^-?\d+$/.test(text)) return { kind: 'element', index: Number(text) };
  const [, path, value] = /^([^="]+)=(.*)$/s.exec(text) ?? [];
  if (path !== undefined && value !== undefined) {
    return { kind: 'search', path: parsePath(path.trim()), value: unquoted(value.trim()) ?? value.trim() };
  }
  const name = unquoted(text);
  if (name === undefined) throw mistake('an index, name=value or a quoted key in brackets', `[${text}]`);
  return { kind: 'member', name };
}

/** Lists the names of the members at the start of a path, up to its first step into a list. */
export function listNames(path: Path): string[] {
  const end = path.findIndex(({ kind }) => kind !== 'member');
  return (end === -1 ? path : path.slice(0, end)).flatMap((step) => (step.kind === 'member' ? [step.name] : []));
}

/** Finds the value at a path. Undefined if there is none. Reads only own properties of objects. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const step of path) found = stepInto(found, step);
  return found;
}

function stepInto(value: unknown, step: Step): unknown {
  if (step.kind === 'member') return isObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  return step.kind === 'element' ? list.at(step.index) : list.find((element) => toText(valueAt(element, step.path)) === step.value);
}

/**
 * Converts a value to a string: strings stay as they are, numbers and booleans are written out, everything else becomes JSON. Returns
 * undefined for null and undefined.
 */
export function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
