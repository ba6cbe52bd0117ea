import { PasskeyError } from '../../errors.js';
import { counted } from '../arguments.js';
import { confirm } from '../ask.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, say } from '../io.js';
import { printJson } from '../output/json.js';
import { printable } from '../output/printable.js';
import { userRowOf } from '../output/users.js';
import { withParties } from '../parties.js';

/** `passkey user remove USER`: the user goes, their passkeys are revoked, their tokens and sessions end. Answers the exit code. */
export async function run(io: Io, flags: Flags, named: string | undefined): Promise<number> {
  const settings = await resolveStoreSettings(io, flags);
  const user = userOf(flags, named);
  const dryRun = flags.dryRun === true;

  return withParties(io, { settings, create: false }, async ({ accounts, relyingParty }) => {
    const owner = await accounts.resolveUser(user);
    const ref = { type: owner.type, id: owner.id };
    const passkeys = (await relyingParty.list({ owner: ref })).map(({ id }) => id);
    const who = printable(`${owner.name} <${owner.email}>, ${owner.type}:${owner.id}`);
    const consequence = passkeys.length === 0 ? 'no passkey is revoked' : `${counted(passkeys.length, 'passkey')} will be revoked`;
    const document = (revoked: readonly number[]) => ({
      dry_run: dryRun,
      user: userRowOf(owner, passkeys.length),
      revoked_passkeys: [...revoked],
    });

    if (dryRun) {
      if (flags.json === true) printJson(io, document(passkeys));
      else print(io, printable(`${owner.type}:${owner.id}`));
      say(io, `Would remove ${who}; ${consequence}; nothing was changed.`);
      return 0;
    }
    if (flags.yes !== true && !(await confirm(io, `Remove ${who}? (${consequence})`, 'add --yes to remove without being asked'))) {
      say(io, 'Nobody was removed.');
      return 1;
    }
    const reason = typeof flags.reason === 'string' ? { reason: flags.reason } : {};
    const removed = await accounts.removeOwner(ref, reason);
    if (flags.json === true) printJson(io, document(removed.revokedPasskeys));
    else print(io, printable(`${owner.type}:${owner.id}`));
    say(io, `Removed ${who}; revoked ${counted(removed.revokedPasskeys.length, 'passkey')}.`);
    return 0;
  });
}

function userOf(flags: Flags, named: string | undefined): string {
  const flag = typeof flags.user === 'string' ? flags.user : undefined;
  const user = named ?? flag;
  if (user === undefined) throw new PasskeyError('usage', 'Name the user to remove by e-mail or TYPE:ID: `passkey user remove USER`.');
  if (named !== undefined && flag !== undefined) {
    throw new PasskeyError('usage', 'Name the user either as the argument or with --user, not both.');
  }
  return user;
}
