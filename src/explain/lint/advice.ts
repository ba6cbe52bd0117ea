/**
 * `error`: a browser refuses the value, or it is not safe. `warning`: it works, but is probably not intended. `note`: it works, but there
 * is a better way.
 */
type Severity = 'error' | 'warning' | 'note';

/** One problem of an options dictionary, with advice on how to fix it. */
export interface Advice {
  /** JSON Pointer (RFC 6901), e.g. `/rp/id`. */
  readonly pointer: string;
  readonly severity: Severity;
  readonly message: string;
}

export function advise(severity: Severity, pointer: string, message: string): Advice {
  return { pointer, severity, message };
}

/** Gives advice on a member that has a fixed set of values. Browsers ignore unknown values (WebAuthn L3 §5). */
export function* adviseWords(pointer: string, value: unknown, words: readonly string[], meaning: string): Generator<Advice> {
  if (value === undefined || (typeof value === 'string' && words.includes(value))) return;
  const known = words.map((word) => JSON.stringify(word)).join(', ');
  yield advise('error', pointer, `${JSON.stringify(value)} is none of ${known}; a browser ignores it and uses ${meaning}.`);
}

/**
 * Gives advice on members that no browser reads, since most are misspelt or in the wrong object.
 *
 * @param elsewhere advice on where a member belongs, by its name.
 */
export function* unknownMembers(
  pointer: string,
  object: object,
  known: readonly string[],
  elsewhere: ReadonlyMap<string, string> = new Map(),
): Generator<Advice> {
  for (const name of Object.keys(object)) {
    if (known.includes(name)) continue;
    const meant = known.find(
      (candidate) => candidate.toLowerCase() === name.toLowerCase() || candidate === `${name}s` || `${candidate}s` === name,
    );
    const remedy = elsewhere.get(name) ?? (meant && `Did you mean ${meant}?`);
    const message = 'The standard has no such member here; browsers ignore it.';
    yield advise('warning', `${pointer}/${name}`, remedy === undefined ? message : `${message} ${remedy}`);
  }
}
