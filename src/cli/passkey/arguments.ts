import { PasskeyError } from '../../errors.js';
import { groupedCount } from '../../kernel/wording.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';
import { isEncoded, readBase64, readHex } from '../../webauthn/text-encoding.js';

/**
 * Finds the ids of the passkeys that arguments name. The ids are in the order of the arguments, without repetitions. An argument is an id
 * (`3`), a range of ids (`3-17`, which skips absent ids), or a credential ID in base64url, base64 or hexadecimal. An argument of digits
 * alone is always an id.
 *
 * @throws PasskeyError `usage` for an argument of any other form; `passkey_not_found` naming all passkeys that do not exist.
 */
export async function findPasskeyIds(
  relyingParty: RelyingParty,
  texts: readonly string[],
  { otherwise = '', onGap }: NamingOptions,
): Promise<readonly number[]> {
  const wanted = texts.map(readArgument);
  const found = new Set<number>();
  const missing: string[] = [];
  const gaps = new Set<string>();
  const ids = wanted.flatMap((one) => (one.kind === 'id' ? [one.id] : []));
  const existing = new Set(ids.length === 0 ? [] : await relyingParty.listIds({ ids, revoked: true }));
  for (const [index, one] of wanted.entries()) {
    const named = one.kind === 'id' ? [one.id].filter((id) => existing.has(id)) : await namedBy(relyingParty, one);
    if (named.length === 0) missing.push(MISSING[one.kind](texts[index] ?? ''));
    for (const id of named) found.add(id);
    if (one.kind === 'range' && named.length > 0) {
      const gap = one.lastId - one.firstId + 1 - named.length;
      if (gap > 0) gaps.add(`Skipped ${groupedCount(gap, 'id')} of ${texts[index] ?? ''} that no passkey has.`);
    }
  }
  if (missing.length > 0) {
    throw new PasskeyError('passkey_not_found', `No passkey has ${listed(missing)}${otherwise}. Run \`passkey list --all\` to see them.`);
  }
  for (const gap of gaps) onGap(gap);
  return [...found];
}

interface NamingOptions {
  /** Text appended to the error message, just before the final full stop. */
  readonly otherwise?: string;
  /** Called with a sentence about each range that contains ids without a passkey. Not called if the function throws an error. */
  readonly onGap: (sentence: string) => void;
}

type Argument =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'range'; readonly firstId: number; readonly lastId: number }
  /** An argument that is a credential ID. `ids` has its bytes in each encoding that the argument may be in. */
  | { readonly kind: 'credential'; readonly ids: readonly Uint8Array[] };

const MISSING: Readonly<Record<Argument['kind'], (text: string) => string>> = {
  id: (text) => `the id ${text}`,
  range: (text) => `an id from ${text.replace('-', ' to ')}`,
  credential: (text) => `the credential ID ${text}`,
};

/** Lists the arguments that name no passkey: `the id 3, 4 or the credential ID AQID`. */
function listed(missing: readonly string[]): string {
  const ids = missing.filter((each) => each.startsWith('the id ')).map((each) => each.slice('the id '.length));
  const others = missing.filter((each) => !each.startsWith('the id '));
  return [...(ids.length === 0 ? [] : [`the id ${ids.join(', ')}`]), ...others].join(' or ');
}

function readArgument(text: string): Argument {
  const [, first, last] = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(text) ?? [];
  const [firstId, lastId] = [Number(first), Number(last)];
  if (first !== undefined && last === undefined && firstId >= 1) return { kind: 'id', id: firstId };
  if (last !== undefined && firstId >= 1 && lastId >= firstId) return { kind: 'range', firstId, lastId };
  const base64 = first === undefined ? readBase64(text) : undefined;
  const hex = first === undefined ? readHex(text)?.bytes : undefined;
  const ids = [base64 && isEncoded(base64) && base64.canonical ? base64.bytes : undefined, hex].filter((bytes) => bytes !== undefined);
  if (ids.some(({ length }) => length > 0)) return { kind: 'credential', ids };
  throw new PasskeyError(
    'usage',
    `Expected a passkey id such as 3, a range such as 3-17, or a credential ID in base64url, base64 or hexadecimal; got "${text}". Run \`passkey list\` to see them.`,
  );
}

async function namedBy(relyingParty: RelyingParty, argument: Exclude<Argument, { kind: 'id' }>): Promise<readonly number[]> {
  if (argument.kind === 'range') return relyingParty.listIds({ firstId: argument.firstId, lastId: argument.lastId, revoked: true });
  const found = await Promise.all(argument.ids.map((id) => relyingParty.findByCredentialId(id)));
  return found.flatMap((passkey) => passkey?.id ?? []);
}

/** End of the error message about a wrong id. The command stopped before it changed anything. */
export const NOTHING_CHANGED = '; nothing was changed';
