import type { Shape } from '../kernel/shape.js';

/**
 * Error for a damaged file of a store, or a damaged export. `place` is the number of a line, or a JSON Pointer while the line number is not
 * yet known.
 */
export class FileDamage extends Error {
  readonly place: string;

  constructor(place: string, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.place = place;
  }

  /** Returns the same damage with the number of its line. */
  inLine(number: number): FileDamage {
    return new FileDamage(String(number), `${this.place} ${this.message}`.trim(), this.cause);
  }
}

/**
 * Checks that a value has the given shape, and returns it.
 *
 * @throws FileDamage naming the first member of another shape.
 */
export function requireShape<T>(shape: Shape<T>, value: unknown): T {
  if (shape.fits(value)) return value;
  const [misfit] = shape.findMisfits(value);
  throw new FileDamage(misfit?.place ?? '', misfit?.message ?? 'has another shape');
}

/** Error for an intact file that a later version of this program wrote. */
export class NewerVersion extends Error {
  readonly version: number;
  readonly expected: number;

  constructor(version: number, expected: number) {
    super(`version ${version}`);
    this.version = version;
    this.expected = expected;
  }
}
