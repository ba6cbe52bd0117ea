import type { Shape } from '../kernel/shape.js';

/** A file is not that of a valid store. `place` is a line, `line:column`, a JSON Pointer, or empty for the whole file. */
export class FileDamage extends Error {
  readonly place: string;
  /** The file, if not that of the store itself. */
  readonly file: string | undefined;

  constructor(place: string, detail: string, cause?: unknown, file?: string) {
    super(detail, cause === undefined ? undefined : { cause });
    this.place = place;
    this.file = file;
  }

  /** The same damage, once its place is known. */
  at(place: string, file?: string): FileDamage {
    return new FileDamage(place, this.message, this.cause, file);
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
  /** The file, if not that of the store itself. */
  readonly file: string | undefined;

  constructor(version: number, expected: number, file?: string) {
    super(`schema version ${version}`);
    this.version = version;
    this.expected = expected;
    this.file = file;
  }
}
