/** `error`: a browser refuses it, or it is not safe. `warning`: works, and is probably not meant. `note`: works; there is a better way. */
type Severity = 'error' | 'warning' | 'note';

/** One thing about an options dictionary, with what to do about it. */
export interface Advice {
  /** RFC 6901, e.g. `/rp/id`. */
  readonly pointer: string;
  readonly severity: Severity;
  readonly message: string;
}

export function advise(severity: Severity, pointer: string, message: string): Advice {
  return { pointer, severity, message };
}

/** A member that takes one of few words: others count as absent (WebAuthn L3 §5: unknown values are ignored). */
export function adviseWords(pointer: string, value: unknown, words: readonly string[], meaning: string): Advice[] {
  return value === undefined || (typeof value === 'string' && words.includes(value))
    ? []
    : [
        advise(
          'error',
          pointer,
          `${JSON.stringify(value)} is none of ${words.map((word) => JSON.stringify(word)).join(', ')}; a browser ignores it and takes ${meaning}.`,
        ),
      ];
}

/**
 * Members that nobody reads are mostly misspelt, or belong elsewhere.
 *
 * @param elsewhere where members belong that people put here.
 */
export function unknownMembers(
  pointer: string,
  object: object,
  known: readonly string[],
  elsewhere: ReadonlyMap<string, string> = new Map(),
): Advice[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = known.find(
        (candidate) => candidate.toLowerCase() === name.toLowerCase() || candidate === `${name}s` || `${candidate}s` === name,
      );
      return advise(
        'warning',
        `${pointer}/${name}`,
        `There is no such member here in the standard; browsers ignore it.${remedy(elsewhere.get(name), meant)}`,
      );
    });
}

function remedy(elsewhere: string | undefined, meant: string | undefined): string {
  if (elsewhere !== undefined) {
    return ` ${elsewhere}`;
  }
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
