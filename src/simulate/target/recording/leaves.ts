import { parseBody } from '../../../explain/annotate/har-entries.js';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';

/** A step into a value: into a member, to an element of a list, or into JSON inside a string. */
export type Step = { readonly key: string } | { readonly index: number } | { readonly json: true };

/** A string, number or boolean inside a value, and the path to it. */
export interface Leaf {
  readonly path: readonly Step[];
  readonly value: string | number | boolean;
}

/** Maximum depth to which JSON strings may be nested inside JSON strings. Real programs nest them less deeply. */
const MAX_LAYERS = 4;

/** Parses a string that contains a JSON object or list. Undefined for any other string. */
export function jsonInText(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parseBody(text) : undefined;
}

/**
 * Lists every leaf of a value, including the leaves of JSON that is inside a string. The string itself is listed too, before the leaves
 * inside it.
 */
export function listLeaves(value: unknown, path: readonly Step[] = []): Leaf[] {
  if (typeof value === 'string') {
    const layers = path.filter((step) => 'json' in step).length;
    const inner = layers < MAX_LAYERS ? jsonInText(value) : undefined;
    return [{ path, value }, ...(inner === undefined ? [] : listLeaves(inner, [...path, { json: true }]))];
  }
  if (typeof value === 'number' || typeof value === 'boolean') return [{ path, value }];
  if (Array.isArray(value)) return value.flatMap((element: unknown, index) => listLeaves(element, [...path, { index }]));
  return isObject(value) ? Object.entries(value).flatMap(([key, member]) => listLeaves(member, [...path, { key }])) : [];
}

/** Finds the value at a path. Undefined if there is none. */
export function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>((at, step) => {
    if ('json' in step) return typeof at === 'string' ? jsonInText(at) : undefined;
    if ('index' in step) return Array.isArray(at) ? at[step.index] : undefined;
    return isObject(at) ? at[step.key] : undefined;
  }, value);
}

/** Finds the name of the innermost member on a path. */
export function lastKey(path: readonly Step[]): string {
  const step = path.findLast((each) => 'key' in each);
  return step !== undefined && 'key' in step ? step.key : '';
}

/**
 * Writes the path to a value in the form of a profile's `json` source: `ui.nodes[name=csrf_token].value | json | at publicKey`. Refers to
 * list elements by their name if they have one, because servers add and reorder elements.
 */
export function writePath(root: unknown, path: readonly Step[]): string {
  const parts: string[] = [''];
  let last = 0;
  let at = root;
  for (const step of path) {
    if ('json' in step) {
      parts.push('');
      last += 1;
    } else if ('key' in step) {
      const plain = /^[A-Za-z_$][\w$-]*$/.test(step.key);
      parts[last] += plain ? `${parts[last] === '' ? '' : '.'}${step.key}` : `[${JSON.stringify(step.key)}]`;
    } else {
      parts[last] += `[${Array.isArray(at) ? (findMark(at, step.index) ?? step.index) : step.index}]`;
    }
    at = valueAt(at, [step]);
  }
  const [first = '', ...inner] = parts;
  return [first, ...inner.flatMap((part) => (part === '' ? ['json'] : ['json', `at ${part}`]))].join(' | ');
}

/** Members whose value can identify an element of a list, the most specific first. */
const MARKS = ['name', 'key', 'attributes.name', 'type', 'kind', 'device_class', 'component', 'action', 'rel'];

/** Finds a member whose value identifies a list element, e.g. `name=csrf_token`. Undefined if other elements have the same values. */
function findMark(list: readonly unknown[], index: number): string | undefined {
  for (const mark of MARKS) {
    const named = (element: unknown) => mark.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), element);
    const value = named(list[index]);
    if (typeof value !== 'string' || !/^[\w.-]{1,40}$/.test(value)) continue;
    if (list.filter((element) => named(element) === value).length === 1) return `${mark}=${value}`;
  }
  return undefined;
}

/** Finds the innermost object that contains a leaf, and the path to that object. */
export function findParent(root: unknown, { path }: Leaf): { readonly path: readonly Step[]; readonly value: JsonObject } | undefined {
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const parent = path.slice(0, length);
    const value = valueAt(root, parent);
    if (isObject(value)) return { path: parent, value };
  }
  return undefined;
}
