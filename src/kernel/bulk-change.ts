/** How those who asked for a change of many things follow it, or stop it. Both ports of the store take it. */
export interface BulkOptions {
  /** Aborted before the change is made, it prevents all of it: the operation throws its reason. Afterwards it has no effect. */
  readonly signal?: AbortSignal | undefined;
  /** Called now and then with the number done so far. Final only when the operation resolves; a retry starts over. */
  readonly onProgress?: ((done: number) => void) | undefined;
}

const STEP = 500;

/** Yields the things in parts, in order. Before each part `signal` is checked, after each the progress is reported. */
export function* inSteps<T>(things: readonly T[], { signal, onProgress }: BulkOptions): Generator<readonly T[]> {
  signal?.throwIfAborted();
  for (let done = 0; done < things.length; done += STEP) {
    yield things.slice(done, done + STEP);
    onProgress?.(Math.min(done + STEP, things.length));
    signal?.throwIfAborted();
  }
}
