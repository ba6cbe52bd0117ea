/** Queue of the scenario numbers that are still to run, counted from 0. Each number goes to one thread only. */
export interface Queue {
  /** Shared memory of this queue. Another thread passes it to `openQueue` to open the same queue. */
  readonly shared: SharedArrayBuffer;
  /** Takes the next scenario number from the queue. Undefined if none is left. */
  take(): number | undefined;
  /** Empties the queue and returns how many numbers had been taken before. A second call returns the length of the queue. */
  stop(): number;
}

/**
 * Opens a queue with the numbers from 0 to `length` - 1.
 *
 * @param shared a queue of the same length that another thread has opened; default: a new one.
 */
export function openQueue(length: number, shared: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)): Queue {
  const next = new Int32Array(shared);
  return {
    shared,
    take() {
      const number = Atomics.add(next, 0, 1);
      return number < length ? number : undefined;
    },
    stop: () => Math.min(Atomics.exchange(next, 0, length), length),
  };
}
