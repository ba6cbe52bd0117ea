import { PasskeyError } from '../../errors.js';
import { nearest } from '../../kernel/nearest.js';

/**
 * Tests an ID against a pattern, in which `*` matches any text. Searches for each part of the pattern once, after the part before it, to
 * avoid the backtracking of a regular expression.
 */
export function matchesId(pattern: string, id: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return id === pattern;
  const end = id.length - last.length;
  if (!id.startsWith(first) || !id.endsWith(last)) return false;
  let at = first.length;
  for (const part of others) {
    const found = id.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= end;
}

/**
 * Makes the error for a value that selects no case.
 *
 * @param list the command that lists all possible values
 */
export function unknownSelection(
  what: string,
  name: string,
  { known, list }: { readonly known: readonly string[]; readonly list: string },
): PasskeyError {
  const meant = nearest(name, known);
  const advice = meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : `Run \`${list}\` to see them all.`;
  return new PasskeyError('usage', `There is no ${what} "${name}". ${advice}`);
}
