/** Lets a caller follow the progress of a change to many things, or cancel the change. The ports of the store accept these options. */
export interface BulkOptions {
  /**
   * If aborted before the change is made, cancels the whole change: the operation throws the signal's reason. An abort after the change has
   * no effect.
   */
  readonly signal?: AbortSignal | undefined;
  /**
   * Called from time to time with the number of things changed so far. The count starts over after a retry, and is final only when the
   * operation resolves.
   */
  readonly onProgress?: ((done: number) => void) | undefined;
}

const STEP = 500;

/** Splits the things into parts and yields the parts in order. Checks `signal` before each part, and reports progress after each. */
export function* inSteps<T>(things: readonly T[], { signal, onProgress }: BulkOptions): Generator<readonly T[]> {
  signal?.throwIfAborted();
  for (let done = 0; done < things.length; done += STEP) {
    yield things.slice(done, done + STEP);
    onProgress?.(Math.min(done + STEP, things.length));
    signal?.throwIfAborted();
  }
}
