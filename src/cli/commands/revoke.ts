import { PasskeyError } from '../../errors.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { passkeyRow } from '../../relying-party/passkey-document.js';
import { counted, findPasskeys, idsOf, NOTHING_CHANGED } from '../arguments.js';
import { confirm, pick } from '../ask.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { canAsk, type Io, print, say } from '../io.js';
import { printJson } from '../output/json.js';
import { passkeyTable } from '../output/passkeys.js';
import { printable } from '../output/printable.js';
import { shortTime } from '../output/time.js';
import { type Parties, withParties } from '../parties.js';

const INSTEAD = 'name the passkeys by id or --user, and add --yes';

/** `passkey revoke [ID…]`: all of them or, when one id is unknown, none. Answers the exit code. */
export async function run(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('passkey', idTexts);
  const user = typeof flags.user === 'string' ? flags.user : undefined;
  if (ids.length > 0 && user !== undefined)
    throw new PasskeyError('usage', 'Give either ids or --user, not both: --user revokes every passkey of that user.');
  if (ids.length === 0 && user === undefined && !canAsk(io))
    throw new PasskeyError('usage', `There is no terminal to pick on; ${INSTEAD}.`);
  const dryRun = flags.dryRun === true;
  const reason = typeof flags.reason === 'string' ? flags.reason : undefined;

  return withParties(io, { settings, create: false }, async (parties) => {
    const owners = await emails(parties);
    const chosen = await choose(io, parties, { ids, user, owners });
    if (chosen === undefined) {
      report(io, flags, { passkeys: [], dryRun });
      say(io, 'None selected; nothing was changed.');
      return 0;
    }
    const live = chosen.filter(({ revokedAt }) => revokedAt === undefined);
    for (const { id, revokedAt } of chosen) {
      if (revokedAt !== undefined) say(io, `Passkey ${id} has been revoked since ${shortTime(revokedAt)} UTC; it stays as it is.`);
    }
    if (dryRun || live.length === 0) {
      report(io, flags, { passkeys: chosen, dryRun });
      say(io, live.length === 0 ? 'Nothing to revoke.' : `${counted(live.length, 'passkey')} would be revoked; nothing was changed.`);
      return 0;
    }
    if (flags.yes !== true) {
      say(io, live.map((passkey) => oneLine(passkey, owners)).join('\n'));
      if (!(await confirm(io, `Revoke ${counted(live.length, 'passkey')}?`, 'add --yes to revoke without being asked'))) {
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
    say(io, `Revoked ${counted(live.length, 'passkey')}. \`passkey restore ID\` takes it back.`);
    return 0;
  });
}

/** E-mail addresses by TYPE:ID. */
type Emails = ReadonlyMap<string, string>;

async function emails({ accounts }: Parties): Promise<Emails> {
  return new Map((await accounts.listOwners()).map(({ type, id, email }) => [`${type}:${id}`, email]));
}

/** Undefined when somebody who could pick picked none. */
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
  return printable(`${id}  ${label}  ${[whose, owners.get(whose)].filter(Boolean).join(' ')}  ${rpId}  ${shortTime(createdAt)}`);
}

function report(io: Io, flags: Flags, o: { passkeys: readonly Passkey[]; dryRun: boolean }): void {
  if (flags.json === true) printJson(io, { dry_run: o.dryRun, passkeys: o.passkeys.map(passkeyRow) });
  else if (o.passkeys.length > 0) print(io, passkeyTable(io, o.passkeys));
}
