/** A text that the browser keeps: `sessionStorage` for this tab, `localStorage` for all tabs of the origin. */
export interface StoredText {
  read(): string | undefined;
  /** Undefined takes it away. */
  write(text: string | undefined): void;
}

/** Where storage is blocked or full, the text is only there until the page is left; the page itself works on. */
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
        // Nothing to tell: what was to be kept is still in the state of the page.
      }
    },
  };
}
