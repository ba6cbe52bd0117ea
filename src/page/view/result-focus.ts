import { useEffect, useRef } from 'preact/hooks';
import { runKey } from '../flow/run-log.js';
import { useAppState } from '../use-app.js';

/**
 * Moves the focus to the result when a ceremony has ended, unless the user has gone elsewhere meanwhile: its button was pressed far from
 * where the result is. Where the button has gone away, as that of the first visit does, the focus waits there from the beginning.
 */
export function useResultFocus(): void {
  const waiting = useAppState((state) => state.waiting?.run);
  const began = useRef<Element | null>(null);
  const run = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (waiting !== undefined) {
      run.current = waiting;
      if (isLost(document.activeElement)) document.getElementById(`${runKey(waiting)}-heading`)?.focus();
      began.current = document.activeElement;
      return;
    }
    const { activeElement } = document;
    if (run.current === undefined) return;
    if (isLost(activeElement) || activeElement === began.current) document.getElementById(`${runKey(run.current)}-heading`)?.focus();
    run.current = undefined;
  }, [waiting]);
}

function isLost(focused: Element | null): boolean {
  return focused === null || focused === document.body;
}
