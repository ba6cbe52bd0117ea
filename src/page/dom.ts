type Child = Node | string | undefined | false | null;
type Attribute = string | number | boolean | undefined | ((event: Event) => void);

/**
 * An element with attributes and children. A function becomes an event listener (`onClick`), `true` an empty attribute; `false` and
 * `undefined` are left out. Strings only become text nodes: nothing here parses HTML.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2).toLowerCase(), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((child): child is Node | string => child !== undefined && child !== false && child !== null));
  return element;
}

/** A paragraph in small, muted type. */
export function hint(text: string): HTMLParagraphElement {
  return h('p', { class: 'hint' }, text);
}

/** Focuses the element with this id, if there is one. */
export function focus(id: string): void {
  document.getElementById(id)?.focus();
}

/** The element of index.html with this id. A missing one is a bug in the page. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) {
    throw new Error(`index.html has no ${type.name} with id "${id}"`);
  }
  return element;
}

/** Replaces the children of `parent`. If the focus was inside, it returns to the element with the same id. */
export function replace(parent: Element, ...children: readonly Child[]): void {
  const focused = parent.contains(document.activeElement) ? document.activeElement?.id : undefined;
  parent.replaceChildren(...children.filter((child): child is Node | string => child !== undefined && child !== false && child !== null));
  if (focused !== undefined && focused !== '') {
    focus(focused);
  }
}

/** A string that the browser stores: `sessionStorage` for this tab, `localStorage` for all tabs of the origin. */
export interface StoredText {
  read(): string | undefined;
  /** Undefined removes it. */
  write(text: string | undefined): void;
}

/** Where storage is blocked or full, nothing is stored, and the page works without. */
export function storedText(area: 'localStorage' | 'sessionStorage', key: string): StoredText {
  return {
    read() {
      try {
        return window[area].getItem(key) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(text) {
      try {
        if (text === undefined) {
          window[area].removeItem(key);
        } else {
          window[area].setItem(key, text);
        }
      } catch {
        // The page still has the value in its state.
      }
    },
  };
}
