import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useApp } from '../use-app.js';

interface DrawerProps {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
}

/**
 * Pane that opens next to the ceremony. Escape closes it, wherever the focus is. On closing, the focus returns to where it was, unless the
 * user has moved it.
 */
export function Drawer({ id, title, children }: DrawerProps): JSX.Element {
  const { store } = useApp();
  const root = useRef<HTMLElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const close = () => store.set({ drawer: undefined });
  useLayoutEffect(() => {
    const before = document.activeElement;
    const drawer = root.current;
    heading.current?.focus();
    return () => {
      // Effects end later than the drawer goes away: the focus may have gone elsewhere by then.
      const lost = document.activeElement === document.body || drawer?.contains(document.activeElement) === true;
      if (lost && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <aside id={id} ref={root} class="drawer" aria-labelledby={`${id}-heading`}>
      <div class="line pane-head">
        <h2 id={`${id}-heading`} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="quiet icon" aria-label={`Close ${title}`} onClick={close}>
          ×
        </button>
      </div>
      {/* It may scroll with nothing in it that takes the focus. */}
      <div class="pane-body" tabIndex={0} role="group" aria-labelledby={`${id}-heading`}>
        {children}
      </div>
    </aside>
  );
}
