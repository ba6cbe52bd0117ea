import { isDeepStrictEqual } from 'node:util';
import type { Answer } from './driver.js';
import { shorten } from './exchange.js';

/** Compares the user whom a login signed in with the owner of the passkey, by the names that `whoami` gives for both. */
export function matchSignedIn(answer: Answer, { user, owner }: { readonly user: unknown; readonly owner: unknown }): Answer {
  const { unmatched: _, ...login } = answer;
  if (isDeepStrictEqual(owner, user)) return { ...login, signedIn: { user: 'owner', known_by: 'whoami' } };
  const said = `The login signed in another user: whoami says ${shown(user)}, but ${owner === undefined ? 'another user' : shown(owner)} registered the passkey.`;
  return { ...login, outcome: 'failed', signedIn: { user: 'another', known_by: 'whoami' }, said, remarks: [said] };
}

const shown = (user: unknown): string => shorten(JSON.stringify(user), 200);
