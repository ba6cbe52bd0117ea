import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface More<E> {
  /** Reference to the list. */
  readonly list: RefObject<E | null>;
  /** How many are shown. */
  readonly limit: number;
  /** Shows as many more as a press of the button does. */
  readonly more: () => void;
  /** Shows as many as at first. */
  readonly reset: () => void;
}

/** A list that first shows a few entries, then more on demand. The focus moves to the first new entry, since the button may disappear. */
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
