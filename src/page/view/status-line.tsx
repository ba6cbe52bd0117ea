import type { JSX } from 'preact';
import { statusLine } from '../state.js';
import { useApp, useAppState } from '../use-app.js';

/** Says what has just happened, to screen readers; where it has no place of its own on the page, to everybody. */
export function StatusLine(): JSX.Element {
  const { store } = useApp();
  const status = useAppState((state) => state.status);
  const failed = useAppState((state) => state.statusFailed);
  return (
    <div class={failed ? 'status failed' : 'status unseen'}>
      <p id="status" role="status">
        {status}
      </p>
      {failed && (
        <button type="button" class="quiet icon" aria-label="Dismiss the message" onClick={() => store.set(statusLine(''))}>
          ×
        </button>
      )}
    </div>
  );
}
