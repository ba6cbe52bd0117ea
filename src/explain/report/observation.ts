/** Something about a ceremony that fails no step, and that people take for a mistake, or overlook. */
export interface Observation {
  /** Stable key of ours. */
  readonly slug: string;
  /** One sentence. */
  readonly message: string;
}
