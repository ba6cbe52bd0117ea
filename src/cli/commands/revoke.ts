import { PasskeyError } from '../../errors.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { passkeyRow } from '../../relying-party/passkey-document.js';
import { count, formatMinute } from '../../webauthn/wording.js';
import { findPasskeys, idsOf, NOTHING_CHANGED } from '../arguments.js';
import { confirm, pick } from '../ask.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { canAsk, type Io, print, printJson, say } from '../io.js';
import { passkeyTable } from '../output/passkeys.js';
import { printable } from '../output/printable.js';
import { type Parties, withParties } from '../parties.js';

const INSTEAD = 'name the passkeys by id or --user, and add --yes';

/** `passkey revoke [ID…]`: all of them or, when one id is unknown, none. Returns the exit code. */
export async function revoke(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('passkey', idTexts);
  const user = typeof flags.user === 'string' ? flags.user : undefined;
  if (ids.length > 0 && user !== undefined) {
    throw new PasskeyError('usage', 'Give ids or --user, not both: --user revokes every passkey of that user.');
  }
  if (ids.length === 0 && user === undefined && !canAsk(io)) {
    throw new PasskeyError('usage', `There is no terminal to prompt on; ${INSTEAD}.`);
  }
  const dryRun = flags.dryRun === true;
  const reason = typeof flags.reason === 'string' ? flags.reason : undefined;

  return withParties(io, { settings, create: false }, async (parties) => {
    const owners = await emails(parties);
    const chosen = await choose(io, parties, { ids, user, owners });
    if (chosen === undefined) {
      report(io, flags, { passkeys: [], dryRun });
      say(io, 'Nothing was selected; nothing was changed.');
      return 0;
    }
    const live = chosen.filter(({ revokedAt }) => revokedAt === undefined);
    for (const { id, revokedAt } of chosen) {
      if (revokedAt !== undefined) say(io, `Passkey ${id} has been revoked since ${formatMinute(revokedAt)} UTC; left unchanged.`);
    }
    if (dryRun || live.length === 0) {
      report(io, flags, { passkeys: chosen, dryRun });
      say(io, live.length === 0 ? 'Nothing to revoke.' : `${count(live.length, 'passkey')} would be revoked; nothing was changed.`);
      return 0;
    }
    if (flags.yes !== true) {
      say(io, live.map((passkey) => oneLine(passkey, owners)).join('\n'));
      if (!(await confirm(io, `Revoke ${count(live.length, 'passkey')}?`, 'add --yes to revoke without a prompt'))) {
        say(io, 'Nothing was revoked.');
        return 1;
      }
    }
    for (const { id } of live) await parties.relyingParty.revoke(id, { reason }, { via: 'passkey revoke' });
    report(io, flags, {
      passkeys: await findPasskeys(
        parties.relyingParty,
        chosen.map(({ id }) => id),
      ),
      dryRun,
    });
    say(io, `Revoked ${count(live.length, 'passkey')}. \`passkey restore ID\` undoes it.`);
    return 0;
  });
}

/** E-mail addresses by TYPE:ID. */
type Emails = ReadonlyMap<string, string>;

async function emails({ accounts }: Parties): Promise<Emails> {
  return new Map((await accounts.listOwners()).map(({ type, id, email }) => [`${type}:${id}`, email]));
}

/** Undefined when nothing was picked from the list. */
async function choose(
  io: Io,
  { relyingParty, accounts }: Parties,
  o: { ids: readonly number[]; user: string | undefined; owners: Emails },
): Promise<readonly Passkey[] | undefined> {
  if (o.ids.length > 0) return findPasskeys(relyingParty, o.ids, NOTHING_CHANGED);
  if (o.user !== undefined) {
    const { type, id } = await accounts.resolveUser(o.user);
    return relyingParty.list({ owner: { type, id } });
  }
  const all = await relyingParty.list();
  if (all.length === 0) return [];
  const choices = all.map((value) => ({ name: oneLine(value, o.owners), value }));
  const picked = await pick(io, { message: 'Passkeys to revoke', choices, instead: INSTEAD });
  return picked.length === 0 ? undefined : picked;
}

function oneLine(passkey: Passkey, owners: Emails): string {
  const { id, label, owner, rpId, createdAt } = passkey;
  const whose = `${owner.type}:${owner.id}`;
  return printable(`${id}  ${label}  ${[whose, owners.get(whose)].filter(Boolean).join(' ')}  ${rpId}  ${formatMinute(createdAt)}`);
}

function report(io: Io, flags: Flags, o: { passkeys: readonly Passkey[]; dryRun: boolean }): void {
  if (flags.json === true) printJson(io, { dry_run: o.dryRun, passkeys: o.passkeys.map(passkeyRow) });
  else if (o.passkeys.length > 0) print(io, passkeyTable(io, o.passkeys));
}

/** `passkey restore ID…`: revoked passkeys work again; ended sessions and tokens stay ended. All or none. */
export async function restore(io: Io, flags: Flags, idTexts: readonly string[]): Promise<void> {
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
    say(io, revoked.length === 0 ? 'Nothing to restore: no passkey was revoked.' : `Restored ${count(revoked.length, 'passkey')}.`);
  });
}
