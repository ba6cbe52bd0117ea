import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface More<E> {
  /** Reference to the list element. */
  readonly list: RefObject<E | null>;
  /** Number of entries shown. */
  readonly limit: number;
  /** Shows more entries, as pressing “Show more” does. */
  readonly more: () => void;
  /** Reduces the list to the number of entries shown at first. */
  readonly reset: () => void;
}

/**
 * Limits a list to a few entries, and shows more on demand. The focus then moves to the first new entry, because the button may disappear.
 */
export function useMore<E extends HTMLElement>(first: number, step: number): More<E> {
  const [limit, setLimit] = useState(first);
  const list = useRef<E>(null);
  const added = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    if (added.current === undefined) return;
    list.current?.children[added.current]?.querySelector('button')?.focus();
    added.current = undefined;
  }, [limit]);
  const more = () => {
    added.current = limit;
    setLimit(limit + step);
  };
  return { list, limit, more, reset: () => setLimit(first) };
}
