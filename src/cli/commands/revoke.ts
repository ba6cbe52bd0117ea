import { PasskeyError } from '../../errors.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { passkeyRow } from '../../relying-party/passkey-document.js';
import { count, formatMinute } from '../../webauthn/wording.js';
import { findPasskeys, idsOf, NOTHING_CHANGED } from '../arguments.js';
import { confirm, pick } from '../ask.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { canAsk, type Io, interruptible, printAll, printJson, progressLine, say } from '../io.js';
import { passkeyTable } from '../output/passkeys.js';
import { printable } from '../output/printable.js';
import { type Parties, withParties } from '../parties.js';

const INSTEAD = 'name the passkeys by id or --user, and add --yes';

/** `passkey revoke [ID…]`: all of them or, when one id is unknown or a signal comes first, none. Returns the exit code. */
export function revoke(io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  return interruptible(io, (signal) => revokeUnless(signal, io, flags, idTexts));
}

async function revokeUnless(signal: AbortSignal, io: Io, flags: Flags, idTexts: readonly string[]): Promise<number> {
  const settings = await resolveStoreSettings(io, flags);
  const named = idsOf('passkey', idTexts);
  const user = typeof flags.user === 'string' ? flags.user : undefined;
  if (named.length > 0 && user !== undefined) {
    throw new PasskeyError('usage', 'Give ids or --user, not both: --user revokes every passkey of that user.');
  }
  if (named.length === 0 && user === undefined && !canAsk(io)) {
    throw new PasskeyError('usage', `There is no terminal to prompt on; ${INSTEAD}.`);
  }
  const dryRun = flags.dryRun === true;
  const reason = typeof flags.reason === 'string' ? flags.reason : undefined;

  return withParties(io, { settings, create: false }, async (parties) => {
    const owners = await emails(parties);
    const chosen = await choose(io, parties, { ids: named, user, owners });
    if (chosen === undefined) {
      await report(io, flags, { passkeys: [], dryRun });
      say(io, 'Nothing was selected; nothing was changed.');
      return 0;
    }
    const live = chosen.filter(({ revokedAt }) => revokedAt === undefined);
    sayUnchanged(io, chosen);
    if (dryRun || live.length === 0) {
      await report(io, flags, { passkeys: chosen, dryRun });
      const none = user === undefined ? 'Nothing to revoke.' : `Nothing to revoke: no live passkey matches --user ${printable(user)}.`;
      say(io, live.length === 0 ? none : `${count(live.length, 'passkey')} would be revoked; nothing was changed.`);
      return 0;
    }
    if (flags.yes !== true) {
      say(io, live.map((passkey) => oneLine(passkey, owners)).join('\n'));
      if (!(await confirm(io, `Revoke ${count(live.length, 'passkey')}?`, 'add --yes to revoke without a prompt'))) {
        say(io, 'Nothing was revoked.');
        return 1;
      }
    }
    const ids = chosen.map(({ id }) => id);
    const passkeys = await withProgress(io, `Revoking ${count(live.length, 'passkey')} …`, () =>
      parties.relyingParty.revokeAll(ids, { reason, signal }, { via: 'passkey revoke' }),
    );
    await report(io, flags, { passkeys, dryRun });
    say(io, `Revoked ${count(live.length, 'passkey')}. \`passkey restore ID\` undoes it.`);
    return 0;
  });
}

const NAMED_UNCHANGED = 10;

/** Names those that were revoked before, unless they are too many to read. */
function sayUnchanged(io: Io, passkeys: readonly Passkey[]): void {
  const lines = passkeys.flatMap(({ id, revokedAt }) =>
    revokedAt === undefined ? [] : [`Passkey ${id} has been revoked since ${formatMinute(revokedAt)} UTC; left unchanged.`],
  );
  if (lines.length > NAMED_UNCHANGED) say(io, `${count(lines.length, 'passkey')} had been revoked before; left unchanged.`);
  else for (const each of lines) say(io, each);
}

async function withProgress<T>(io: Io, text: string, work: () => Promise<T>): Promise<T> {
  const progress = progressLine(io);
  progress.show(text);
  try {
    return await work();
  } finally {
    progress.clear();
  }
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
  const picked = await pick(io, {
    message: 'Passkeys to revoke',
    columns: [
      { title: 'ID', align: 'right' },
      { title: 'LABEL', yields: 3, max: 40 },
      { title: 'USER', yields: 2 },
      { title: 'RP ID', yields: 1 },
    ],
    rows: all,
    cellsOf: (passkey) => [
      String(passkey.id),
      passkey.label,
      [`${passkey.owner.type}:${passkey.owner.id}`, o.owners.get(`${passkey.owner.type}:${passkey.owner.id}`)].filter(Boolean).join(' '),
      passkey.rpId,
    ],
    instead: INSTEAD,
  });
  return picked.length === 0 ? undefined : picked;
}

function oneLine(passkey: Passkey, owners: Emails): string {
  const { id, label, owner, rpId, createdAt } = passkey;
  const whose = `${owner.type}:${owner.id}`;
  return printable(`${id}  ${label}  ${[whose, owners.get(whose)].filter(Boolean).join(' ')}  ${rpId}  ${formatMinute(createdAt)}`);
}

async function report(io: Io, flags: Flags, o: { passkeys: readonly Passkey[]; dryRun: boolean }): Promise<void> {
  if (flags.json === true) printJson(io, { dry_run: o.dryRun, passkeys: o.passkeys.map(passkeyRow) });
  else await printAll(io, o.passkeys.length === 0 ? [] : passkeyTable(io, o.passkeys));
}

/** `passkey restore ID…`: revoked passkeys work again; ended sessions and tokens stay ended. All or none. */
export async function restore(io: Io, flags: Flags, idTexts: readonly string[]): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('passkey', idTexts);
  await interruptible(io, (signal) =>
    withParties(io, { settings, create: false }, async ({ relyingParty }) => {
      const before = await findPasskeys(relyingParty, ids, NOTHING_CHANGED);
      const revoked = before.filter(({ revokedAt }) => revokedAt !== undefined);
      const after = await withProgress(io, `Restoring ${count(revoked.length, 'passkey')} …`, () =>
        relyingParty.restoreAll(ids, { signal }, { via: 'passkey restore' }),
      );
      await report(io, flags, { passkeys: after, dryRun: false });
      say(io, revoked.length === 0 ? 'Nothing to restore: no passkey was revoked.' : `Restored ${count(revoked.length, 'passkey')}.`);
    }),
  );
}
