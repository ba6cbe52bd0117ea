import { createContext } from 'preact';
import { useContext, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { App } from './flow/app.js';
import { type Item, listItems } from './items.js';
import type { AppState } from './state.js';

export const AppContext = createContext<App | undefined>(undefined);

/** Returns the application that the views share. */
export function useApp(): App {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('A view was drawn outside AppContext.');
  return app;
}

/** Selects a part of the state. The component is drawn again only when that part is a different value (by identity). */
export function useAppState<S>(select: (state: AppState) => S): S {
  const { store } = useApp();
  const selected = select(store.get());
  const [, draw] = useState<S>(selected);
  const latest = useRef(select);
  latest.current = select;
  useLayoutEffect(() => {
    const redraw = () => draw(() => latest.current(store.get()));
    // The state may have changed between drawing and here.
    redraw();
    return store.watch(redraw);
  }, [store]);
  return selected;
}

/** Selects several members of the state. The names must be the same in every call. */
export function useMembers<K extends keyof AppState>(...members: readonly K[]): Pick<AppState, K> {
  for (const member of members) useAppState((state) => state[member]);
  return useApp().store.get();
}

/** Lists all items of the list, newest first. */
export function useItems(): readonly Item[] {
  const { runs, stream, pasted, titles } = useMembers('runs', 'stream', 'pasted', 'titles');
  return useMemo(() => listItems({ runs, stream, pasted, titles }), [runs, stream, pasted, titles]);
}
