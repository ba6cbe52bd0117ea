/** An explanation of an error: its causes and the remedy. */
export interface Explanation {
  readonly title: string;
  /** Possible causes, most likely first. */
  readonly causes: readonly string[];
  readonly next: string;
}

/** An explanation of an error text. In `next`, `{option}` stands for the library's setting for the step; see `findFix`. */
export interface Meaning extends Explanation {
  /** Slug of the step at which the server refused. */
  readonly step?: string;
  /** The error says that user verification is required. */
  readonly requiresUv?: true;
}
