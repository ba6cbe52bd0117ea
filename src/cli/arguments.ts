import { PasskeyError } from '../errors.js';
import type { Passkey } from '../relying-party/credential-record.js';
import type { RelyingParty } from '../relying-party/relying-party.js';

/** The ids of a command line, without duplicates. @throws PasskeyError `usage` for anything but a positive whole number. */
export function idsOf(what: string, texts: readonly string[]): readonly number[] {
  const ids = texts.map((text) => {
    const id = /^\d{1,15}$/.test(text) ? Number(text) : 0;
    if (id < 1) {
      throw new PasskeyError(
        'usage',
        `Expected a ${what} id, a positive whole number; got "${text}". Run \`passkey ${what === 'token' ? 'token ' : ''}list\` to see them.`,
      );
    }
    return id;
  });
  return [...new Set(ids)];
}

/** All of them or none. @throws PasskeyError `passkey_not_found` naming every missing id, then `otherwise`. */
export async function findPasskeys(relyingParty: RelyingParty, ids: readonly number[], otherwise = ''): Promise<readonly Passkey[]> {
  const found = await Promise.all(ids.map((id) => relyingParty.find(id)));
  const missing = ids.filter((_, index) => found[index] === undefined);
  if (missing.length > 0) {
    throw new PasskeyError(
      'passkey_not_found',
      `No passkey has the id ${missing.join(', ')}${otherwise}. Run \`passkey list --all\` to see them.`,
    );
  }
  return found.filter((passkey) => passkey !== undefined);
}

/** Added when one wrong id stops a command before it changes anything. */
export const NOTHING_CHANGED = '; nothing was changed';
