import type { Command } from 'commander';
import * as Type from 'typebox';
import { MAX_OWNER_ID } from '../../accounts/owners.js';
import { MAX_OWNER_TYPE_BYTES } from '../../kernel/owner.js';
import { strict } from '../../kernel/schema-kit.js';
import { line } from '../ask.js';
import { addStoreSettings } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer, text } from '../config/values.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { ownCommand, quoteWord } from '../own-command.js';
import { withParties } from '../parties.js';
import { storeFlag } from '../store-flag.js';
import { toUserRow, userRow } from './rows.js';
import { email, name, rethrowAsUsage } from './values.js';

export function define(command: Command): void {
  addFlags(command, {
    email: 'e-mail, unique within the type (prompted for on a terminal)',
    name: 'name (prompted for on a terminal)',
    type: 'type name (default: that of --owner-type)',
    id: { about: 'numeric id (default: the next free one of the type)', value: 'number' },
    json: true,
  });
  addHelp(addStoreSettings(command), {
    examples: [
      'passkey user add --email ada@example.com --name "Ada Lovelace"',
      "passkey user add --email bob@example.com --name Bob --type 'App\\Models\\User' --id 42",
    ],
    common: ['--email', '--name', '--type', '--id', '--json'],
    page: 'serve.md',
  });
}

export const userAdded = Type.Object(userRow.properties, { ...strict, title: 'passkey user add --json' });

const id = integer({ min: 1, max: MAX_OWNER_ID, what: 'an id' });
const type = text({ placeholder: 'type', expects: `a type name of 1 to ${MAX_OWNER_TYPE_BYTES} bytes` });

/** Runs `passkey user add`, which prints `TYPE:ID` of the new user. Creates the store if it does not exist. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const options = {
    ...(flags.type === undefined ? {} : { type: readFlag(io, type, '--type', flags.type) }),
    ...(flags.id === undefined ? {} : { id: readFlag(io, id, '--id', flags.id) }),
  };
  const address = readFlag(io, email, '--email', flags.email ?? (await line(io, 'E-mail:', 'give --email and --name', email)));
  const called = readFlag(io, name, '--name', flags.name ?? (await line(io, 'Name:', 'give --email and --name', name)));

  await withParties(io, { settings, create: true }, async ({ accounts }) => {
    const owner = await accounts.addOwner({ email: address, name: called, ...options }, { via: 'passkey user add' }).catch(rethrowAsUsage);
    if (flags.json === true) return printJson(io, toUserRow({ owner, livePasskeys: 0 }));
    const user = `${owner.type}:${owner.id}`;
    print(io, printable(user));
    const store = storeFlag(flags.store);
    // An e-mail address is unique only within a type.
    const named = flags.type === undefined ? owner.email : user;
    const command = `${ownCommand(io)} token create --user ${quoteWord(named)}${store}`;
    say(io, printable(`Added ${owner.name} <${owner.email}>. \`${command}\` creates a bearer token.`));
  });
}
