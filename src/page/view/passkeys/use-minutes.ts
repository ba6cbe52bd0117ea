import { useEffect, useState } from 'preact/hooks';

const MINUTE = 60_000;

/** The time in milliseconds since the epoch, again each minute while the view is shown. */
export function useMinutes(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), MINUTE);
    return () => clearInterval(timer);
  }, []);
  return now;
}
