import type { JSX } from 'preact';
import { runKey } from '../flow/run-log.js';
import { shownText } from '../shown-text.js';
import { statusLine } from '../state.js';
import { useApp, useAppState } from '../use-app.js';

/**
 * Says what has just happened, to screen readers; where it has no place of its own on the page, to everybody. It names the newest run, which
 * need not be the one that is selected.
 */
export function StatusLine(): JSX.Element {
  const { store } = useApp();
  const status = useAppState((state) => state.status);
  const failed = useAppState((state) => state.statusFailed);
  const newest = useAppState((state) => state.runs[0]);
  return (
    <div class={failed ? 'status failed' : 'status unseen'}>
      <p id="status" role="status" data-run={newest && runKey(newest.id)} data-outcome={newest?.outcome}>
        {shownText(status)}
      </p>
      {failed && (
        <button type="button" class="quiet icon" aria-label="Dismiss the message" onClick={() => store.set(statusLine(''))}>
          ×
        </button>
      )}
    </div>
  );
}
