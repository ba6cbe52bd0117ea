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
