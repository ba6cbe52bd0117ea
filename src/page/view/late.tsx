import type { ComponentType, JSX } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** A view whose code comes when it is first shown: until then the page has less to read before it draws. */
export function late<P extends object>(load: () => Promise<ComponentType<P>>): (props: P) => JSX.Element | null {
  let View: ComponentType<P> | undefined;
  return function Late(props) {
    const [, draw] = useState(0);
    useLayoutEffect(() => {
      let shown = true;
      if (View === undefined) {
        void load().then((view) => {
          View = view;
          if (shown) draw((count) => count + 1);
        });
      }
      return () => {
        shown = false;
      };
    }, []);
    return View === undefined ? null : <View {...props} />;
  };
}
