import type { Command } from 'commander';
import * as Type from 'typebox';
import { addCredentialSettings } from '../command.js';
import { type Flags, resolveCredentialSettings } from '../config/resolve.js';
import { credentialRow, credentialTable, toCredentialRow } from '../credential-rows.js';
import { readCredentials } from '../credentials-file.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, printAll, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';

export function define(command: Command): void {
  addFlags(command, { rpId: 'only credentials of this RP ID', json: true });
  addHelp(addCredentialSettings(command), {
    examples: ['passkey credential list', 'passkey credential list --rp-id localhost --json'],
    common: ['--rp-id', '--json'],
    page: 'any-language.md',
  });
}

export const credentialList = Type.Array(credentialRow, { title: 'passkey credential list --json' });

/** Runs `passkey credential list`. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const { credentials: path } = await resolveCredentialSettings(io, flags);
  const all = await readCredentials(path);
  const shown = all.filter(({ rpId }) => flags.rpId === undefined || rpId === flags.rpId);
  if (flags.json === true) return printJson(io, shown.map(toCredentialRow));
  if (shown.length === 0) {
    const none = all.length === 0 ? `No credentials in ${path}.` : `No credential matches --rp-id ${String(flags.rpId)}.`;
    return say(io, printable(none));
  }
  await printAll(io, credentialTable(io, shown));
}
