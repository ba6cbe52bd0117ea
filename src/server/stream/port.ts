/**
 * Where the stream of a development server outlives it: lines of text, of which the oldest go when there are too many. The command line
 * gives it; without one the stream ends with the server.
 */
export interface StreamKeeper {
  /** Writes them as soon as may be, in the background. What cannot be written is lost. */
  append(lines: readonly string[]): void;
  /** Those that are whole, the oldest first. Rejects when they cannot be read. */
  read(): Promise<readonly string[]>;
  /** Removes all that were appended so far. Rejects when they cannot be removed. */
  clear(): Promise<void>;
  /** Resolves when everything so far has been written, or has failed to be. */
  settled(): Promise<void>;
}
