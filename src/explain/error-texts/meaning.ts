/** An explanation of an error: its causes, and how to fix it. */
export interface Explanation {
  readonly title: string;
  /** Possible causes, most likely first. */
  readonly causes: readonly string[];
  readonly next: string;
}

/**
 * An explanation of an error message. In `next`, `{option}` stands for the library's option that controls the failed step; see `findFix`.
 */
export interface Meaning extends Explanation {
  /** Slug of the step at which the server refused. */
  readonly step?: string;
  /** Whether the error message says that user verification is required. */
  readonly requiresUv?: true;
}
