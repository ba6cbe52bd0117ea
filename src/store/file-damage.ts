import type { Shape } from '../kernel/shape.js';

/** The file of a store, or an export, cannot be read as one. `place` is the number of a line, or a JSON Pointer as long as that is unknown. */
export class FileDamage extends Error {
  readonly place: string;

  constructor(place: string, detail: string, cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.place = place;
  }

  /** The same damage, once the number of its line is known. */
  inLine(number: number): FileDamage {
    return new FileDamage(String(number), `${this.place} ${this.message}`.trim(), this.cause);
  }
}

/** @throws FileDamage at the first place where a value has another shape. */
export function requireShape<T>(shape: Shape<T>, value: unknown): T {
  if (shape.fits(value)) return value;
  const [misfit] = shape.findMisfits(value);
  throw new FileDamage(misfit?.place ?? '', misfit?.message ?? 'has another shape');
}

/** A file is intact, but a later version of this program wrote it. */
export class NewerVersion extends Error {
  readonly version: number;
  readonly expected: number;

  constructor(version: number, expected: number) {
    super(`version ${version}`);
    this.version = version;
    this.expected = expected;
  }
}
