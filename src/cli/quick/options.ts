/** What an option is given as: a text, one of several texts, or the value that naming it alone stands for. */
export type Given = 'text' | 'texts' | boolean;

/** What may follow the words of a command, as its definition has it. */
export interface QuickOptions {
  /** By flag, such as `--no-open`: the member of the flags, and what it is given as. */
  readonly flags: Readonly<Record<string, readonly [key: string, given: Given]>>;
  /** Members that it cannot do without. */
  readonly required: readonly string[];
  /** Members that exclude each other. */
  readonly conflicts: readonly (readonly [string, string])[];
  /** How many arguments it takes; null for any number. */
  readonly least: number;
  readonly most: number | null;
}
