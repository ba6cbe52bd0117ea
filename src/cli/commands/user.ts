import { MAX_OWNER_ID } from '../../accounts/owners.js';
import { PasskeyError } from '../../errors.js';
import { MAX_OWNER_TYPE_BYTES } from '../../kernel/owner.js';
import { line } from '../ask.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer, text } from '../config/values.js';
import { type Io, ownCommand, print, printJson, say, word } from '../io.js';
import { printable } from '../output/printable.js';
import { toUserRow } from '../output/users.js';
import { withParties } from '../parties.js';
import { storeFlag } from '../store-flag.js';

export const email = text({ placeholder: 'email', expects: 'an e-mail address', accept: (value) => /^[^\s@]+@[^\s@]+$/.test(value) });
export const name = text({ placeholder: 'name' });
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

/** An invalid request is invalid usage of a flag here. */
export function rethrowAsUsage(error: unknown): never {
  throw error instanceof PasskeyError && error.code === 'validation_failed'
    ? new PasskeyError('usage', error.message, { cause: error })
    : error;
}
