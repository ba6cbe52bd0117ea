/** Meaning of an error: its cause and its remedy. */
export interface Explanation {
  readonly title: string;
  /** Most likely first. */
  readonly causes: readonly string[];
  readonly next: string;
}

/** In `next`, `{option}` stands for the setting of the library that checks the step; see `findFix`. */
export interface Meaning extends Explanation {
  /** Slug of the step that the server refused at. */
  readonly step?: string;
  /** User verification is required, as the error says. */
  readonly requiresUv?: true;
}
