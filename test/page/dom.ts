import { type ComponentChild, h, render } from 'preact';
import { act } from 'preact/test-utils';
import { onTestFinished, vi } from 'vitest';
import type { App } from '../../src/page/flow/app.js';
import { AppContext } from '../../src/page/use-app.js';
import { loadLater } from '../../src/page/view/late.js';

// As much of a document as the page draws on: elements, texts, events that bubble, the focus, and simple selectors. No layout, no style.

type Listener = (event: PageEvent) => void;

/** Members of an event that the page reads. */
export interface PageEvent {
  readonly type: string;
  readonly key?: string;
  readonly detail?: number;
  target: PageNode;
  currentTarget: PageNode | undefined;
  defaultPrevented: boolean;
  preventDefault(): void;
  stopPropagation(): void;
}

class PageNode {
  readonly childNodes: PageNode[] = [];
  parentNode: PageNode | null = null;
  readonly #listeners = new Map<string, Set<Listener>>();

  get firstChild(): PageNode | null {
    return this.childNodes[0] ?? null;
  }
  get nextSibling(): PageNode | null {
    const siblings = this.parentNode?.childNodes ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }
  get isConnected(): boolean {
    return this.parentNode?.isConnected ?? false;
  }
  /** Tells the document that something was added or removed below it. */
  changed(): void {
    this.parentNode?.changed();
  }
  get textContent(): string {
    return this.childNodes.map((child) => child.textContent).join('');
  }
  insertBefore(node: PageNode, before: PageNode | null): PageNode {
    node.remove();
    this.childNodes.splice(before === null ? this.childNodes.length : this.childNodes.indexOf(before), 0, node);
    node.parentNode = this;
    this.changed();
    return node;
  }
  appendChild(node: PageNode): PageNode {
    return this.insertBefore(node, null);
  }
  removeChild(node: PageNode): PageNode {
    this.childNodes.splice(this.childNodes.indexOf(node), 1);
    node.parentNode = null;
    this.changed();
    return node;
  }
  remove(): void {
    this.parentNode?.removeChild(this);
  }
  contains(node: PageNode | null): boolean {
    return node !== null && (node === this || this.contains(node.parentNode));
  }
  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener));
  }
  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }
  /** Lets an event bubble from here. */
  fire(type: string, members: object = {}): PageEvent {
    let stopped = false;
    const event: PageEvent = {
      type,
      target: this,
      currentTarget: undefined,
      defaultPrevented: false,
      preventDefault() {
        event.defaultPrevented = true;
      },
      stopPropagation() {
        stopped = true;
      },
      ...members,
    };
    const path: PageNode[] = [this];
    for (let above = this.parentNode; above !== null; above = above.parentNode) path.push(above);
    for (const node of path) {
      if (stopped) break;
      event.currentTarget = node;
      for (const listener of Array.from(node.#listeners.get(type) ?? [])) listener.call(node, event);
    }
    return event;
  }
}

class PageText extends PageNode {
  readonly nodeType = 3;
  readonly localName = null;
  data: unknown;
  constructor(data: unknown) {
    super();
    this.data = data;
  }
  override get textContent(): string {
    return String(this.data);
  }
}

export class PageElement extends PageNode {
  readonly nodeType = 1;
  readonly namespaceURI: string;
  readonly localName: string;
  readonly attributes = new Map<string, string>();
  readonly style: Record<string, unknown> = { setProperty: (name: string, value: unknown) => Reflect.set(this.style, name, value) };
  constructor(localName: string, namespace = 'http://www.w3.org/1999/xhtml') {
    super();
    this.localName = localName;
    this.namespaceURI = namespace;
    if (['input', 'textarea', 'select'].includes(localName)) Object.assign(this, { value: '', checked: false });
  }
  get ownerDocument() {
    return page;
  }
  get id(): string {
    return this.attributes.get('id') ?? '';
  }
  get children(): PageElement[] {
    return this.childNodes.filter((child) => child instanceof PageElement);
  }
  get parentElement(): PageElement | null {
    return this.parentNode instanceof PageElement ? this.parentNode : null;
  }
  get dataset(): Record<string, string | undefined> {
    const data = [...this.attributes].filter(([name]) => name.startsWith('data-'));
    return Object.fromEntries(
      data.map(([name, value]) => [name.slice(5).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()), value]),
    );
  }
  get tabIndex(): number {
    return Number(this.attributes.get('tabindex') ?? (this.matches('button, input, textarea, select, a') ? 0 : -1));
  }
  setAttribute(name: string, value: unknown): void {
    this.attributes.set(name.toLowerCase(), String(value));
  }
  removeAttribute(name: string): void {
    this.attributes.delete(name.toLowerCase());
  }
  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }
  focus(): void {
    if (!this.isConnected) return;
    page.activeElement?.fire('blur');
    page.activeElement = this;
    this.fire('focus');
    this.fire('focusin');
  }
  select(): void {
    this.focus();
  }
  /** A link that is not in the page: it saves a file. */
  click(): void {
    page.saved.push(Reflect.get(this, 'download'));
  }
  scrollIntoView(): void {}
  matches(selectors: string): boolean {
    return selectors.split(',').some((selector) => matchesAll(this, selector.trim().split(/\s+/)));
  }
  closest(selectors: string): PageElement | null {
    return this.matches(selectors) ? this : (this.parentElement?.closest(selectors) ?? null);
  }
  querySelectorAll(selectors: string): PageElement[] {
    return this.children.flatMap((child) => [...(child.matches(selectors) ? [child] : []), ...child.querySelectorAll(selectors)]);
  }
  querySelector(selectors: string): PageElement | null {
    return this.querySelectorAll(selectors)[0] ?? null;
  }
}

/** Whether an element is the last of some parts of a selector, below those before it. */
function matchesAll(element: PageElement | null, parts: readonly string[]): boolean {
  const last = parts.at(-1);
  if (element === null || last === undefined || !matchesOne(element, last)) return false;
  const before = parts.slice(0, -1);
  if (before.at(-1) === '>') return matchesAll(element.parentElement, before.slice(0, -1));
  if (before.length === 0) return true;
  for (let above = element.parentElement; above !== null; above = above.parentElement) if (matchesAll(above, before)) return true;
  return false;
}

function matchesOne(element: PageElement, part: string): boolean {
  return (part.match(/[#.]?[\w-]+|\[[^\]]+\]|\*/g) ?? []).every((piece) => {
    if (piece === '*') return true;
    if (piece.startsWith('#')) return element.id === piece.slice(1);
    if (piece.startsWith('.')) return (element.getAttribute('class') ?? '').split(' ').includes(piece.slice(1));
    const [, name, value] = /^\[([\w-]+)(?:="?([^"\]]*)"?)?\]$/.exec(piece) ?? [];
    if (name !== undefined) return element.attributes.has(name) && (value === undefined || element.getAttribute(name) === value);
    return element.localName === piece;
  });
}

class PageDocument extends PageNode {
  readonly body = new PageElement('body');
  readonly documentElement = new PageElement('html');
  readonly visibilityState = 'visible';
  /** Names of the files that were saved. */
  readonly saved: unknown[] = [];
  /** What was copied. */
  readonly copied: string[] = [];
  title = '';
  activeElement: PageElement | undefined = this.body;
  readonly observers = new Set<() => void>();
  #told = false;
  constructor() {
    super();
    this.appendChild(this.documentElement);
    this.documentElement.appendChild(this.body);
  }
  override get isConnected(): boolean {
    return true;
  }
  /** Tells those who observe the document, once for all changes of a task. */
  override changed(): void {
    if (this.activeElement?.isConnected === false) this.activeElement = this.body;
    if (this.#told) return;
    this.#told = true;
    queueMicrotask(() => {
      this.#told = false;
      for (const tell of this.observers) tell();
    });
  }
  createElement(name: string) {
    return new PageElement(name);
  }
  createElementNS(namespace: string, name: string) {
    return new PageElement(name, namespace);
  }
  createTextNode(text: unknown) {
    return new PageText(text);
  }
  getElementById(id: string) {
    return this.documentElement.querySelectorAll('[id]').find((element) => element.id === id) ?? null;
  }
  querySelector(selectors: string) {
    return this.documentElement.querySelector(selectors);
  }
}

let page = new PageDocument();

/** What a page finds around its document. */
function surroundings(rest: object) {
  const nothing = class {
    observe() {}
    disconnect() {}
  };
  return {
    document: page,
    Node: PageNode,
    Element: PageElement,
    HTMLElement: PageElement,
    MutationObserver: class {
      readonly #tell: () => void;
      constructor(tell: () => void) {
        this.#tell = tell;
      }
      observe() {
        page.observers.add(this.#tell);
      }
      disconnect() {
        page.observers.delete(this.#tell);
      }
    },
    ResizeObserver: nothing,
    location: new URL('http://localhost:7277/'),
    navigator: { userAgent: 'Test/1.0', clipboard: { writeText: async (text: string) => void page.copied.push(text) } },
    window: {},
    matchMedia: () => ({ matches: false }),
    getComputedStyle: () => ({ position: 'static' }),
    ...rest,
  };
}

/** Opens an empty document until the test ends, and what a test does in it. `around` replaces globals of the page. */
export function openDocument(around: object = {}) {
  const own = new PageDocument();
  page = own;
  const globals = Object.entries(surroundings(around));
  const enter = () => {
    page = own;
    for (const [name, value] of globals) vi.stubGlobal(name, value);
  };
  enter();
  const { body } = own;
  const root: Parameters<typeof render>[1] = Object(body);
  onTestFinished(async () => {
    // Another one may have been opened meanwhile.
    enter();
    await act(() => render(null, root));
    vi.unstubAllGlobals();
  });
  const find = (selectors: string): PageElement => {
    const found = body.querySelector(selectors);
    if (found === null) throw new Error(`Expected ${selectors} in the page:\n${outline(body, undefined)}`);
    return found;
  };
  /** Lets something happen, and draws what follows. */
  const happen = async (event: () => unknown) => {
    await act(async () => void event());
    // What waits for the next frame finds what has been drawn.
    await act(async () => await new Promise((resolve) => setImmediate(() => setImmediate(resolve))));
  };
  /** The button with this text or name. */
  const button = (name: string): PageElement => {
    const all = body.querySelectorAll('button');
    const found = all.find((each) => each.getAttribute('aria-label') === name || each.textContent.trim() === name);
    if (found === undefined) throw new Error(`Expected the button ${name} among ${all.map((each) => each.textContent).join(' | ')}`);
    return found;
  };
  return {
    body,
    root,
    find,
    button,
    happen,
    /** What is there, but for some elements. */
    outline: (selectors?: string, without?: string) => outline(selectors === undefined ? body : find(selectors), without),
    focused: () => page.activeElement,
    page: own,
    press: async (name: string) => await happen(() => button(name).fire('click', { detail: 1 })),
    click: async (selectors: string, detail = 1) => await happen(() => find(selectors).fire('click', { detail })),
    key: async (selectors: string, key: string, more: object = {}) => {
      let event: PageEvent | undefined;
      await happen(() => {
        event = find(selectors).fire('keydown', { key, ...more });
      });
      return event;
    },
    /** Types into a field, or chooses of a list. */
    enter: async (selectors: string, value: string | boolean, type = 'input') => {
      await happen(() => {
        const field = find(selectors);
        Object.assign(field, typeof value === 'boolean' ? { checked: value } : { value });
        field.fire(type);
      });
    },
  };
}

/** Draws a view until the test ends. `around` replaces globals of the page. */
export async function draw(app: App, view: ComponentChild, around: object = {}) {
  const opened = openDocument(around);
  await loadLater();
  await act(() => render(h(AppContext.Provider, { value: app }, view), opened.root));
  return opened;
}

/** A document as indented lines: each element with its attributes and, where it has nothing else, its text. */
function outline(element: PageElement, without: string | undefined, indent = ''): string {
  const styles = Object.entries(element.style).filter(([, value]) => typeof value !== 'function');
  const state = ['value', 'checked'].flatMap((name) => (Reflect.get(element, name) ? [[name, String(Reflect.get(element, name))]] : []));
  const attributes = [...element.attributes, ...styles, ...state].map(([name, value]) =>
    value === 'true' || value === '' ? name : `${name}=${String(value)}`,
  );
  const head = `${indent}${element.localName}${attributes.length === 0 ? '' : ` [${attributes.join(' | ')}]`}`;
  const shown = element.childNodes.filter((child) => !(child instanceof PageElement && without !== undefined && child.matches(without)));
  const children = shown.filter((child) => child instanceof PageElement || child.textContent.trim() !== '');
  if (children.every((child) => child instanceof PageText)) {
    const text = children.map((child) => child.textContent).join('');
    return text === '' ? head : `${head} ${text.replaceAll('\u202F', ' ')}`;
  }
  const lines = children.map((child) =>
    child instanceof PageElement ? outline(child, without, `${indent}  `) : `${indent}  “${child.textContent}”`,
  );
  return [head, ...lines].join('\n');
}
