import { type HTMLElement, parse } from 'node-html-parser';
import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { outOfTime, WORK_WITHIN_MS, withinTime } from './within-time.js';

/**
 * Finds the first element that matches a CSS selector, and returns its text or the value of one of its attributes, with entities decoded.
 *
 * @returns undefined if there is no such element or attribute.
 * @throws PasskeyError `configuration_invalid` for an invalid selector, `payload_too_large` for HTML that takes too long to read.
 */
export function selectHtml(html: string, selector: string, attribute: string | undefined): string | undefined {
  const found = readHtml(html, (document) => {
    const element = find(document, selector);
    return attribute === undefined ? element?.textContent.trim() : element?.getAttribute(attribute);
  });
  if (found !== outOfTime) return found;
  const message = `Expected HTML that can be parsed within ${WORK_WITHIN_MS / 1000} s; got ${count(html.length, 'character')}, which take longer.`;
  throw new PasskeyError('payload_too_large', message);
}

function readHtml<T>(html: string, read: (document: HTMLElement) => T): T | typeof outOfTime {
  // Comments are no elements, and the texts of scripts are theirs.
  const found = withinTime(() => read(parse(html, { comment: false })));
  // The parser keeps its place in a pattern of its own, and would go on there.
  if (found === outOfTime) parse('<p>');
  return found;
}

function find(document: HTMLElement, selector: string): HTMLElement | null {
  try {
    return document.querySelector(selector);
  } catch (cause) {
    if (cause instanceof RangeError) throw new PasskeyError('payload_too_large', 'Expected HTML with fewer levels of elements.', { cause });
    const message = `Expected a CSS selector after html, such as form#login input[name=csrf]; got ${JSON.stringify(selector)}.`;
    throw new PasskeyError('configuration_invalid', message, { cause });
  }
}

/** An attribute of an element on a page, with a selector from which {@link selectHtml} finds that element again. */
interface PageAttribute {
  /** CSS selector whose first match on the page is this element. */
  readonly selector: string;
  readonly attribute: string;
  /** Value of the attribute, with entities decoded. */
  readonly value: string;
  /** Name for the value: the value of the element's `name` attribute, otherwise the name of the attribute that holds the value. */
  readonly name: string;
}

/** Attributes that identify or style an element and never hold a value that the server made for one session. */
const NAMING = new Set(['name', 'id', 'class', 'type', 'http-equiv', 'rel', 'for', 'charset', 'lang', 'style']);

/**
 * Lists the attributes of a page's elements that may hold a value from the server. The list is empty if the HTML takes too long to read.
 */
export function listAttributes(html: string): readonly PageAttribute[] {
  return listFromElements(html, ({ tag, attributes, finds }) =>
    Object.entries(attributes).flatMap(([attribute, value]) => {
      const selector = selectByName(tag, attributes) ?? (isPlain(attribute) ? `${tag}[${attribute}]` : undefined);
      if (NAMING.has(attribute) || value === '' || selector === undefined || !finds(selector)) return [];
      const name = attribute.startsWith('data-') ? attribute.slice('data-'.length) : (attributes['name'] ?? attribute);
      return [{ selector, attribute, value, name }];
    }),
  );
}

/**
 * Lists the scripts of a page, each with a selector if its ID or type identifies it. The list is empty if the HTML takes too long to read.
 */
export function listScripts(html: string): readonly { readonly selector: string | undefined; readonly text: string }[] {
  return listFromElements(html, ({ tag, attributes, element, finds }) => {
    if (tag !== 'script') return [];
    const { type } = attributes;
    const selector = selectByName(tag, attributes) ?? (type === undefined ? undefined : selectByValue(tag, 'type', type));
    return [{ selector: selector !== undefined && finds(selector) ? selector : undefined, text: element.textContent }];
  });
}

interface Seen {
  readonly element: HTMLElement;
  /** Tag name in lower case. */
  readonly tag: string;
  /** Attribute values by lower-case name, with entities decoded. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether this element is the first match of a selector on its page. */
  finds(selector: string): boolean;
}

function listFromElements<T>(html: string, read: (seen: Seen) => readonly T[]): readonly T[] {
  const found = readHtml(html, (document) => {
    const first = new Map<string, HTMLElement>();
    const listed: T[] = [];
    // Without recursion: a page may have any depth.
    const left = document.children.toReversed();
    for (let element = left.pop(); element !== undefined; element = left.pop()) {
      left.push(...element.children.toReversed());
      const own = element;
      const { attrs: attributes } = own;
      const tag = own.rawTagName.toLowerCase();
      for (const [name, value] of Object.entries(attributes)) {
        for (const selector of [...(name === 'id' ? [`${tag}#${value}`] : []), `${tag}[${name}]`, selectByValue(tag, name, value)]) {
          if (!first.has(selector)) first.set(selector, own);
        }
      }
      listed.push(...read({ element: own, tag, attributes, finds: (selector) => first.get(selector) === own }));
    }
    return listed;
  });
  return found === outOfTime ? [] : found;
}

const isPlain = (name: string): boolean => /^[A-Za-z][\w-]*$/.test(name);

/** Makes a selector from an element's ID or name; undefined if it has neither. */
function selectByName(tag: string, { id, name }: Readonly<Record<string, string>>): string | undefined {
  if (id !== undefined && isPlain(id)) return `${tag}#${id}`;
  return name === undefined ? undefined : selectByValue(tag, 'name', name);
}

const selectByValue = (tag: string, attribute: string, value: string): string =>
  `${tag}[${attribute}="${value.replaceAll(/["\\]/g, String.raw`\$&`)}"]`;
