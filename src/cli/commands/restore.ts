import { PasskeyError } from '../../errors.js';
import { passkeyRow } from '../../relying-party/passkey-document.js';
import { counted, findPasskeys, idsOf, NOTHING_CHANGED } from '../arguments.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, say } from '../io.js';
import { printJson } from '../output/json.js';
import { passkeyTable } from '../output/passkeys.js';
import { withParties } from '../parties.js';

/** `passkey restore ID…`: revoked passkeys are good again; sessions and tokens that ended stay ended. All or none. */
export async function run(io: Io, flags: Flags, idTexts: readonly string[]): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('passkey', idTexts);
  await withParties(io, { settings, create: false }, async ({ relyingParty, accounts }) => {
    const before = await findPasskeys(relyingParty, ids, NOTHING_CHANGED);
    for (const { id, owner } of before) {
      if ((await accounts.findOwner(owner)) === undefined) {
        throw new PasskeyError(
          'passkey_not_restorable',
          `Passkey ${id} belongs to ${owner.type}:${owner.id}, who was removed; nothing was changed.`,
        );
      }
    }
    const revoked = before.filter(({ revokedAt }) => revokedAt !== undefined);
    for (const { id } of revoked) await relyingParty.restore(id, { via: 'passkey restore' });
    const after = await findPasskeys(relyingParty, ids);
    if (flags.json === true) printJson(io, { dry_run: false, passkeys: after.map(passkeyRow) });
    else print(io, passkeyTable(io, after));
    say(io, revoked.length === 0 ? 'Nothing to restore: not revoked.' : `Restored ${counted(revoked.length, 'passkey')}.`);
  });
}
