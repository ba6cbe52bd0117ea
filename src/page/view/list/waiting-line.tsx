import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Waiting } from '../../state.js';
import { useApp } from '../../use-app.js';

interface WaitingLineProps {
  readonly waiting: Waiting;
  readonly cancelId: string;
}

/** For whom a ceremony waits, for how long already and still, and the way out. */
export function WaitingLine({ waiting, cancelId }: WaitingLineProps): JSX.Element {
  const app = useApp();
  const { phase, since, until, title, silent } = waiting;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    const clock = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(clock);
  }, [since]);
  const words = WORDS[phase](silent);
  const passed = Math.max(0, Math.round((now - since) / 1_000));
  const left = until === undefined ? undefined : Math.max(0, Math.round((until - now) / 1_000));
  return (
    <p class="waiting-line">
      <span class="waiting-words" title={words}>
        {words}
      </span>
      <span class="waiting-time mono" aria-hidden="true">
        {passed} s{left !== undefined && `, ${left} s left`}
      </span>
      {until !== undefined && <progress aria-hidden="true" max={until - since} value={Math.min(now - since, until - since)} />}
      <button id={cancelId} type="button" aria-label={`Cancel: ${title}`} onClick={() => app.runs.cancel()}>
        Cancel
      </button>
    </p>
  );
}

const WORDS: Readonly<Record<Waiting['phase'], (silent: boolean) => string>> = {
  server: () => 'Waiting for the server',
  browser: (silent) =>
    silent
      ? 'Waiting for the browser, which answers only if a password manager has just signed you in here'
      : 'Waiting for you to answer the browser',
};
