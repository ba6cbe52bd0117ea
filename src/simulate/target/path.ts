import { isObject } from '../../kernel/json-value.js';
import { mistake, unquoted } from './scan.js';

/** One step of a path: into a member, an element by its index (from the end if negative), or the first element with a certain member. */
type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'element'; readonly index: number }
  | { readonly kind: 'search'; readonly path: Path; readonly value: string };

/** A place in a JSON value, such as `ui.nodes[attributes.name=csrf_token].attributes.value`. */
export type Path = readonly Step[];

/** A member, or a text in brackets, in which quotes may contain brackets. */
const STEP = /(?:^|\.)([^.[\]\s"|{}?]+)|\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]/y;

/**
 * Reads `a.b[0].c`, `[-1]`, `[name=value]`, `[name.sub="a value"]` and `["odd key"]`.
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

/** The names of the members at the start of a path. */
export function listNames(path: Path): string[] {
  const end = path.findIndex(({ kind }) => kind !== 'member');
  return (end === -1 ? path : path.slice(0, end)).flatMap((step) => (step.kind === 'member' ? [step.name] : []));
}

/** The value at a path; undefined: there is none. Reads own members only. */
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

/** A value as text: texts as they are, numbers and booleans written out, everything else as JSON. Undefined for absent or null. */
export function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
