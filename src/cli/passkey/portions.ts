import type { Passkey } from '../../relying-party/credential-record.js';
import type { PasskeyQuery } from '../../relying-party/ports.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';

/** Number of passkeys that are in memory at once. */
const PORTION = 200;

/** Lists the results of a query in batches. If a passkey changes meanwhile, the list may show its old or its new state. */
export async function* listInPortions(relyingParty: RelyingParty, query: PasskeyQuery): AsyncGenerator<readonly Passkey[]> {
  const all = await relyingParty.listIds(query);
  for (let start = 0; start < all.length; start += PORTION) {
    const ids = all.slice(start, start + PORTION);
    const found = new Map((await relyingParty.list({ ids, revoked: true })).map((passkey) => [passkey.id, passkey]));
    yield ids.flatMap((id) => found.get(id) ?? []);
  }
}
