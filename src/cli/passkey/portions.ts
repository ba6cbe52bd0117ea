import type { Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyQuery } from '../../relying-party/ports.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';

/** Number of passkeys that are in memory at the same time. */
const PORTION = 200;

/** Lists the results of a query in batches. If a passkey changes while the list is read, the list may show its old or its new state. */
export async function* listInPortions(relyingParty: RelyingParty, query: PasskeyQuery): AsyncGenerator<readonly Passkey[]> {
  const all = await relyingParty.listIds(query);
  for (let start = 0; start < all.length; start += PORTION) yield await listByIds(relyingParty, all.slice(start, start + PORTION));
}

/** Lists passkeys in the order of `ids`, including revoked ones. Leaves out passkeys that no longer exist. */
export async function listByIds(relyingParty: RelyingParty, ids: readonly number[]): Promise<readonly Passkey[]> {
  const found = new Map((await relyingParty.list({ ids, revoked: true })).map((passkey) => [passkey.id, passkey]));
  return ids.flatMap((id) => found.get(id) ?? []);
}
