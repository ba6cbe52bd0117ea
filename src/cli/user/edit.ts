import type { Command } from 'commander';
import * as Type from 'typebox';
import { PasskeyError } from '../../errors.js';
import { strict } from '../../kernel/schema-kit.js';
import { addStoreSettings } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { userName } from '../emails.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { withParties } from '../parties.js';
import { toUserRow, userRow, WHO } from './rows.js';
import { email, name, rethrowAsUsage } from './values.js';

export function define(command: Command): void {
  addFlags(command, { email: 'the new e-mail, unique within the type', name: 'the new name', json: true });
  addHelp(addStoreSettings(command), {
    examples: ['passkey user edit ada@example.com --email ada@example.org --name "Ada Lovelace"'],
    remarks: [WHO],
    common: ['--email', '--name', '--json'],
    page: 'admin.md',
  });
}

export const userEdited = Type.Object(userRow.properties, { ...strict, title: 'passkey user edit --json' });

/** Runs `passkey user edit USER`, which prints `TYPE:ID`. The user's passkeys, tokens and sessions stay unchanged. */
export async function run(io: Io, flags: Flags, [named = '']: readonly string[]): Promise<void> {
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
      return printJson(io, toUserRow({ owner, livePasskeys }));
    }
    const isSame = owner.email === before.email && owner.name === before.name;
    print(io, printable(userName(owner)));
    const was = `${before.name} <${before.email}>`;
    say(io, printable(isSame ? `${was} already has these values; nothing was changed.` : `${was} is now ${owner.name} <${owner.email}>.`));
  });
}
