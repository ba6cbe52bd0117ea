import type { JSX } from 'preact';
import { useAppState } from '../use-app.js';

/** Says what has just happened, to screen readers; where it has no place of its own on the page, to everybody. */
export function StatusLine(): JSX.Element {
  const status = useAppState((state) => state.status);
  const failed = useAppState((state) => state.statusFailed);
  return (
    <p id="status" role="status" class={failed ? 'status failed' : 'status unseen'}>
      {status}
    </p>
  );
}
