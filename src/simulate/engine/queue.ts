/** The numbers of the scenarios still to run, from 0; each goes to one thread only. */
export interface Queue {
  /** The same queue, for `openQueue` on another thread. */
  readonly shared: SharedArrayBuffer;
  /** Undefined: none is left. */
  take(): number | undefined;
  /** From now on there are no more. Returns how many were given out; when called again, all of them. */
  stop(): number;
}

/** @param shared a queue of the same length that another thread has opened; default: a new one. */
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
