import { MAX_OWNER_ID } from '../../accounts/owners.js';
import { PasskeyError } from '../../errors.js';
import { MAX_OWNER_TYPE_BYTES } from '../../kernel/owner.js';
import { line } from '../ask.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer, text } from '../config/values.js';
import { userName } from '../emails.js';
import { type Io, ownCommand, print, printJson, say, word } from '../io.js';
import { printable } from '../output/printable.js';
import { toUserRow } from '../output/users.js';
import { withParties } from '../parties.js';
import { storeFlag } from '../store-flag.js';

const email = text({ placeholder: 'email', expects: 'an e-mail address', accept: (value) => /^[^\s@]+@[^\s@]+$/.test(value) });
const name = text({ placeholder: 'name' });
const id = integer({ min: 1, max: MAX_OWNER_ID, what: 'an id' });
const type = text({ placeholder: 'type', expects: `a type name of 1 to ${MAX_OWNER_TYPE_BYTES} bytes` });

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
    const owner = await accounts.addOwner({ email: address, name: called, ...options }, { via: 'passkey user add' }).catch(rethrowAsUsage);
    if (flags.json === true) return printJson(io, toUserRow(owner, 0));
    const user = `${owner.type}:${owner.id}`;
    print(io, printable(user));
    const store = storeFlag(flags.store);
    // An e-mail address is unique only within a type.
    const named = flags.type === undefined ? owner.email : user;
    const command = `${ownCommand(io)} token create --user ${word(named)}${store}`;
    say(io, printable(`Added ${owner.name} <${owner.email}>. \`${command}\` creates a bearer token.`));
  });
}

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

/** An invalid request is invalid usage of a flag here. */
function rethrowAsUsage(error: unknown): never {
  throw error instanceof PasskeyError && error.code === 'validation_failed'
    ? new PasskeyError('usage', error.message, { cause: error })
    : error;
}
