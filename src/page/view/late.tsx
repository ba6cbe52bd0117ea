import type { ComponentType, JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

type Later = typeof import('./later.js').LATER;

let loaded: Later | undefined;

/** Loads the code of the views that come later. */
export async function loadLater(): Promise<void> {
  loaded ??= (await import('./later.js')).LATER;
}

/** A view whose code comes when it is first shown: until then the page has less to read before it draws. */
export function late<P extends object>(pick: (later: Later) => ComponentType<P>): (props: P) => JSX.Element | null {
  return function Late(props) {
    const [, draw] = useState(0);
    useLayoutEffect(() => {
      let shown = true;
      if (loaded === undefined) {
        void loadLater().then(() => {
          if (shown) draw((count) => count + 1);
        });
      }
      return () => {
        shown = false;
      };
    }, []);
    const View = loaded && pick(loaded);
    return View === undefined ? null : <View {...props} />;
  };
}
