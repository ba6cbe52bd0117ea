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
  const { since, until, title } = waiting;
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    setNow(Date.now());
    const clock = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(clock);
  }, [since]);
  const { words, time } = waitingText(waiting, now);
  return (
    <p class="waiting-line">
      <span class="waiting-words" title={words}>
        {words}
      </span>
      <span class="waiting-time mono" aria-hidden="true">
        {time}
      </span>
      {until !== undefined && <progress aria-hidden="true" max={until - since} value={Math.min(now - since, until - since)} />}
      <button id={cancelId} type="button" aria-label={`Cancel: ${title}`} onClick={() => app.runs.cancel()}>
        Cancel
      </button>
    </p>
  );
}

/** For whom it waits; and the seconds that have passed and are left, at a time in milliseconds since the epoch. */
export function waitingText({ phase, since, until, silent }: Waiting, now: number): { readonly words: string; readonly time: string } {
  const passed = `${seconds(now - since)} s`;
  return { words: WORDS[phase](silent), time: until === undefined ? passed : `${passed}, ${seconds(until - now)} s left` };
}

/** Clocks may be set back meanwhile, and a browser may answer after its time. */
function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1_000));
}

const WORDS: Readonly<Record<Waiting['phase'], (silent: boolean) => string>> = {
  server: () => 'Waiting for the server',
  browser: (silent) =>
    silent
      ? 'Waiting for the browser, which answers only if a password manager has just signed you in here'
      : 'Waiting for you to answer the browser',
};
