import { MAX_OWNER_ID } from '../../accounts/owners.js';
import { PasskeyError } from '../../errors.js';
import { count } from '../../webauthn/wording.js';
import { confirm, line } from '../ask.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer, text } from '../config/values.js';
import { type Io, ownCommand, print, printJson, say, word } from '../io.js';
import { printable } from '../output/printable.js';
import { userRowOf } from '../output/users.js';
import { withParties } from '../parties.js';
import { storeFlag } from '../store-flag.js';

export const email = text({ placeholder: 'email', expects: 'an e-mail address', accept: (value) => /^[^\s@]+@[^\s@]+$/.test(value) });
export const name = text({ placeholder: 'name' });
const id = integer({ min: 1, max: MAX_OWNER_ID, what: 'an id' });
const type = text({ placeholder: 'type', expects: 'a type name of 1 to 40 bytes' });

/** `passkey user add`: prints `TYPE:ID`. The store is created if there is none yet. */
export async function add(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const options = {
    ...(flags.type === undefined ? {} : { type: readFlag(io, type, '--type', flags.type) }),
    ...(flags.id === undefined ? {} : { id: readFlag(io, id, '--id', flags.id) }),
  };
  const address = readFlag(io, email, '--email', flags.email ?? (await line(io, 'E-mail:', 'give --email and --name', email)));
  const called = readFlag(io, name, '--name', flags.name ?? (await line(io, 'Name:', 'give --email and --name', name)));

  await withParties(io, { settings, create: true }, async ({ accounts }) => {
    const owner = await accounts.addOwner({ email: address, name: called, ...options }, { via: 'passkey user add' }).catch(usageOf);
    if (flags.json === true) return printJson(io, userRowOf(owner, 0));
    const user = `${owner.type}:${owner.id}`;
    print(io, printable(user));
    const store = storeFlag(flags.store);
    // An e-mail address is unique only within a type.
    const named = flags.type === undefined ? owner.email : user;
    const command = `${ownCommand(io)} token create --user ${word(named)}${store}`;
    say(io, printable(`Added ${owner.name} <${owner.email}>. \`${command}\` creates a bearer token.`));
  });
}

/** An invalid request is invalid usage of a flag here. */
export function usageOf(error: unknown): never {
  throw error instanceof PasskeyError && error.code === 'validation_failed'
    ? new PasskeyError('usage', error.message, { cause: error })
    : error;
}

/** `passkey user remove USER`: the user goes, their passkeys are revoked, their tokens and sessions end. Returns the exit code. */
export async function remove(io: Io, flags: Flags, named: string | undefined): Promise<number> {
  const settings = await resolveStoreSettings(io, flags);
  const user = userOf(flags, named);
  const dryRun = flags.dryRun === true;

  return withParties(io, { settings, create: false }, async ({ accounts, relyingParty }) => {
    const owner = await accounts.resolveUser(user);
    const ref = { type: owner.type, id: owner.id };
    const passkeys = (await relyingParty.list({ owner: ref })).map(({ id }) => id);
    const who = printable(`${owner.name} <${owner.email}>, ${owner.type}:${owner.id}`);
    const consequence = passkeys.length === 0 ? 'no passkey is revoked' : `${count(passkeys.length, 'passkey')} will be revoked`;
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
    if (flags.yes !== true && !(await confirm(io, `Remove ${who}? (${consequence})`, 'add --yes to remove without a prompt'))) {
      say(io, 'Nothing was changed.');
      return 1;
    }
    const reason = typeof flags.reason === 'string' ? { reason: flags.reason } : {};
    const removed = await accounts.removeOwner(ref, reason, { via: 'passkey user remove' });
    if (flags.json === true) printJson(io, document(removed.revokedPasskeys));
    else print(io, printable(`${owner.type}:${owner.id}`));
    say(io, `Removed ${who}; revoked ${count(removed.revokedPasskeys.length, 'passkey')}.`);
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
