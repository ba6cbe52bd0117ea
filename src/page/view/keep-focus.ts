import { useEffect } from 'preact/hooks';

/** Where the focus lands when what had it goes away, by the region that it was in; elsewhere at the ceremony. */
const LANDINGS = [
  { region: '.drawer', landing: '.drawer h2' },
  { region: '.list-pane', landing: '#list-heading' },
] as const;
const CEREMONY = '#subject';

/**
 * Keeps the focus off `body`. A button may go away by what it does, or by what happens at the server: keys and screen readers would begin
 * again at the top of the page. A view that knows a better place moves the focus there itself.
 */
export function useKeepFocus(): void {
  useEffect(() => {
    let last: { readonly element: Element; readonly landing: string } | undefined;
    const remember = () => {
      const element = document.activeElement;
      const { landing } = LANDINGS.find(({ region }) => element?.closest(region)) ?? { landing: CEREMONY };
      last = element === null || element === document.body ? undefined : { element, landing };
    };
    const observer = new MutationObserver(() => {
      if (last === undefined || last.element.isConnected || document.activeElement !== document.body) return;
      const { landing } = last;
      last = undefined;
      (document.querySelector<HTMLElement>(landing) ?? document.querySelector<HTMLElement>(CEREMONY))?.focus();
    });
    document.addEventListener('focusin', remember);
    // A press beside everything leaves the focus nowhere, as the user wished.
    document.addEventListener('click', remember, true);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('click', remember, true);
    };
  }, []);
}
