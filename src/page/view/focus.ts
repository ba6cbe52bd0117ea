import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { runKey } from '../flow/run-log.js';
import { useApp, useAppState } from '../use-app.js';

/**
 * Elements to focus when the focused element disappears, listed by the region that contained it, innermost region first. If none of these
 * is in the page, or in all other regions, the ceremony gets the focus.
 */
const LANDINGS = [
  { region: '.popup-panel', landing: '.popup-button[aria-expanded=true]' },
  { region: '.drawer', landing: '.drawer h2' },
  { region: '.list-pane', landing: '#list-heading' },
  { region: '*', landing: '#subject' },
] as const;

/**
 * Gives the focus to the element that the state names, as soon as it is drawn. Also keeps the focus from falling back to `body`. A button
 * may disappear through its own action or an event from the server, and keyboard and screen reader users would then start again at the top
 * of the page. A view that knows a better target moves the focus there itself.
 */
export function useFocus(): void {
  const { store } = useApp();
  useEffect(() => {
    let last: { readonly element: Element; readonly landings: readonly string[] } | undefined;
    const remember = () => {
      const element = document.activeElement;
      last = undefined;
      if (element === null || element === document.body) return;
      last = { element, landings: LANDINGS.filter(({ region }) => element.closest(region)).map(({ landing }) => landing) };
    };
    const give = () => {
      const { toFocus } = store.get();
      const element = toFocus === undefined ? null : document.getElementById(toFocus);
      if (element === null) return;
      store.set({ toFocus: undefined });
      element.focus();
    };
    const observer = new MutationObserver(() => {
      give();
      if (last === undefined || last.element.isConnected) return;
      if (document.activeElement !== document.body) return;
      const { landings } = last;
      last = undefined;
      landings
        .map((landing) => document.querySelector<HTMLElement>(landing))
        .find((element) => element !== null)
        ?.focus();
    });
    document.addEventListener('focusin', remember);
    // A press beside everything leaves the focus nowhere, as the user wished.
    document.addEventListener('click', remember, true);
    observer.observe(document.body, { childList: true, subtree: true });
    const end = store.watch(give, ['toFocus']);
    give();
    return () => {
      end();
      observer.disconnect();
      document.removeEventListener('focusin', remember);
      document.removeEventListener('click', remember, true);
    };
  }, [store]);
}

/**
 * Moves the focus to the result when a ceremony has ended, unless the user has moved it, because the button that started the ceremony is
 * far from the result. If that button has disappeared, as on the first visit, the focus waits at the result from the beginning. Closes a
 * drawer that covers the ceremony.
 */
export function useResultFocus(): void {
  const { store } = useApp();
  const waiting = useAppState((state) => state.waiting?.run);
  const began = useRef<Element | null>(null);
  const run = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const focusOn = (result: number) => {
      const key = runKey(result);
      if (store.get().selected === key) store.set({ toFocus: `${key}-heading` });
    };
    if (waiting !== undefined) {
      run.current = waiting;
      const covered = isCovered();
      if (covered || isLost(document.activeElement)) focusOn(waiting);
      if (covered) store.set({ drawer: undefined });
      began.current = document.activeElement;
      return;
    }
    if (run.current === undefined) return;
    const { activeElement } = document;
    if (waitedAt(activeElement, began.current)) focusOn(run.current);
    run.current = undefined;
  }, [store, waiting]);
}

/**
 * Tests whether the focus may move to the result. It may if it is still where the ceremony began, if nothing has the focus, or if it is at
 * the waiting line, whose Cancel button disappears.
 */
function waitedAt(focused: Element | null, began: Element | null): boolean {
  return focused === null || focused.matches('body, #subject, .waiting-line *') || focused === began;
}

function isLost(focused: Element | null): boolean {
  return focused === null || focused === document.body;
}

/** Tests whether a drawer covers the ceremony. On a wide page the drawer stands next to it instead. */
function isCovered(): boolean {
  const drawer = document.querySelector('.panes > .drawer');
  return drawer !== null && getComputedStyle(drawer).position !== 'static';
}
