import { PasskeyError } from '../../errors.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { userName } from '../emails.js';
import { type Io, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { toUserRow } from '../output/users.js';
import { withParties } from '../parties.js';
import { email, name, rethrowAsUsage } from './user.js';

/** `passkey user edit USER`: prints `TYPE:ID`. Passkeys, tokens and sessions stay as they are. */
export async function edit(io: Io, flags: Flags, named: string): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  if (flags.email === undefined && flags.name === undefined) {
    throw new PasskeyError('usage', 'Say what to change: give --email, --name or both. A type and an id never change.');
  }
  const change = {
    ...(flags.email !== undefined && { email: readFlag(io, email, '--email', flags.email) }),
    ...(flags.name !== undefined && { name: readFlag(io, name, '--name', flags.name) }),
  };
  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const before = await accounts.resolveUser(named);
    const ref = { type: before.type, id: before.id };
    const owner = await accounts.editOwner(ref, change, { via: 'passkey user edit' }).catch(rethrowAsUsage);
    if (flags.json === true) {
      const [livePasskeys = 0] = await accounts.countPasskeysOf([ref]);
      return printJson(io, toUserRow(owner, livePasskeys));
    }
    const isSame = owner.email === before.email && owner.name === before.name;
    print(io, printable(userName(owner)));
    const was = `${before.name} <${before.email}>`;
    say(io, printable(isSame ? `${was} is that already; nothing was changed.` : `${was} is ${owner.name} <${owner.email}> now.`));
  });
}
