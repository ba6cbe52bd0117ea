import type { ComponentType, JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

type Later = typeof import('./later.js').LATER;

let loaded: Later | undefined;

/** Loads the code of views that are not shown at first. */
export async function loadLater(): Promise<void> {
  loaded ??= (await import('./later.js')).LATER;
}

/** Makes a view that loads its code when it is first shown, so that the page itself loads less code before it is drawn. */
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
