import { parseBody } from '../../../explain/annotate/har-entries.js';
import { isObject, type JsonObject } from '../../../kernel/json-value.js';

/** One step into a value: a member, an element of a list, or the JSON inside a text. */
export type Step = { readonly key: string } | { readonly index: number } | { readonly json: true };

/** A text, number or boolean inside a value, and the way there. */
export interface Leaf {
  readonly path: readonly Step[];
  readonly value: string | number | boolean;
}

/** JSON as text in JSON as text: deeper than real programs nest it. */
const MAX_LAYERS = 4;

/** Reads a text that is a JSON object or list; undefined for other texts. */
export function jsonInText(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parseBody(text) : undefined;
}

/** Every leaf of a value, including leaves of JSON inside texts; such a text is itself a leaf too, before those inside it. */
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

/** The value at the end of a path; undefined if there is none. */
export function valueAt(value: unknown, path: readonly Step[]): unknown {
  return path.reduce<unknown>((at, step) => {
    if ('json' in step) return typeof at === 'string' ? jsonInText(at) : undefined;
    if ('index' in step) return Array.isArray(at) ? at[step.index] : undefined;
    return isObject(at) ? at[step.key] : undefined;
  }, value);
}

/** The name of the innermost member on a path. */
export function lastKey(path: readonly Step[]): string {
  const step = path.findLast((each) => 'key' in each);
  return step !== undefined && 'key' in step ? step.key : '';
}

/**
 * The way to a value as sources write it after `json`: `ui.nodes[name=csrf_token].value | json | at publicKey`. Elements of a list are
 * selected by their name, if they have one: servers add and reorder elements.
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

/** Members that name an element of a list, the most telling first. */
const MARKS = ['name', 'key', 'attributes.name', 'type', 'kind', 'device_class', 'component', 'action', 'rel'];

/** `name=csrf_token`, if no other element has it. */
function findMark(list: readonly unknown[], index: number): string | undefined {
  for (const mark of MARKS) {
    const named = (element: unknown) => mark.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), element);
    const value = named(list[index]);
    if (typeof value !== 'string' || !/^[\w.-]{1,40}$/.test(value)) continue;
    if (list.filter((element) => named(element) === value).length === 1) return `${mark}=${value}`;
  }
  return undefined;
}

/** The innermost object on the way to a leaf, and the way to it. */
export function findParent(root: unknown, { path }: Leaf): { readonly path: readonly Step[]; readonly value: JsonObject } | undefined {
  for (let length = path.length - 1; length >= 0; length -= 1) {
    const parent = path.slice(0, length);
    const value = valueAt(root, parent);
    if (isObject(value)) return { path: parent, value };
  }
  return undefined;
}
