/** One line of a decoded structure. */
export interface Field {
  readonly name: string;
  readonly value?: string | undefined;
  /** What the value means, in words. */
  readonly note?: string | undefined;
  /** First byte and length within the structure that is shown. */
  readonly at?: { readonly offset: number; readonly length: number } | undefined;
  readonly verdict?: 'good' | 'bad' | 'neutral' | undefined;
  /** Shown folded at first. */
  readonly collapsed?: boolean;
  readonly children?: readonly Field[] | undefined;
}
