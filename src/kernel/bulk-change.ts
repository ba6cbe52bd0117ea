/** Lets a caller follow the progress of a change to many things, or stop it. Both ports of the store accept these options. */
export interface BulkOptions {
  /**
   * Cancels the whole change if it is aborted before the change is made: the operation then throws the signal's reason. Later it has no
   * effect.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called from time to time with the number of things changed so far. The count is final only when the operation resolves, and starts over
   * after a retry.
   */
  readonly onProgress?: ((done: number) => void) | undefined;
}

const STEP = 500;

/** Yields the things in parts, in order. Checks `signal` before each part, and reports progress after each. */
export function* inSteps<T>(things: readonly T[], { signal, onProgress }: BulkOptions): Generator<readonly T[]> {
  signal?.throwIfAborted();
  for (let done = 0; done < things.length; done += STEP) {
    yield things.slice(done, done + STEP);
    onProgress?.(Math.min(done + STEP, things.length));
    signal?.throwIfAborted();
  }
}
