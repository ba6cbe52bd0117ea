import { PasskeyError } from '../errors.js';
import type { Passkey } from '../relying-party/credential-record.js';
import type { RelyingParty } from '../relying-party/relying-party.js';

/** Ids as they stand on a command line, each once. @throws PasskeyError `usage` for anything but a positive whole number. */
export function idsOf(what: string, texts: readonly string[]): readonly number[] {
  const ids = texts.map((text) => {
    const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (id < 1) {
      throw new PasskeyError(
        'usage',
        `A ${what} id is a positive whole number; got "${text}". \`passkey ${what === 'token' ? 'token ' : ''}list\` shows them.`,
      );
    }
    return id;
  });
  return [...new Set(ids)];
}

/** All of them or none. @throws PasskeyError `passkey_not_found` naming every id that is missing; `otherwise` says what that means. */
export async function findPasskeys(relyingParty: RelyingParty, ids: readonly number[], otherwise = ''): Promise<readonly Passkey[]> {
  const found = await Promise.all(ids.map((id) => relyingParty.find(id)));
  const missing = ids.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) {
    throw new PasskeyError(
      'passkey_not_found',
      `No passkey has the id ${missing.join(', ')}${otherwise}. \`passkey list --all\` shows what there is.`,
    );
  }
  return found.filter((passkey) => passkey !== undefined);
}

/** Said where one wrong id keeps a command from changing anything. */
export const NOTHING_CHANGED = '; nothing was changed';

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
