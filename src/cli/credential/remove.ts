import type { Command } from 'commander';
import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import { count } from '../../kernel/wording.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { confirm } from '../ask.js';
import { addCredentialSettings } from '../command.js';
import { type Flags, resolveCredentialSettings } from '../config/resolve.js';
import { chooseByIds, credentialRow, credentialTable, toCredentialRow } from '../credential-rows.js';
import { changeCredentials, readCredentials } from '../credentials-file.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, say, warn } from '../io.js';
import { printable } from '../output/printable.js';

export function define(command: Command): void {
  addFlags(command, { yes: true, dryRun: 'only show what would be removed', json: true });
  addHelp(addCredentialSettings(command), {
    examples: ['passkey credential remove 3q2-7w --dry-run', 'passkey credential remove 3q2-7w --yes'],
    remarks: ['ID is a credential ID, or the beginning of one if no other credential ID begins with it.'],
    common: ['--yes', '--dry-run', '--json'],
    page: 'any-language.md',
  });
}

export const credentialRemoval = Type.Object(
  { dry_run: Type.Boolean(), credentials: Type.Array(credentialRow) },
  { ...strict, title: 'passkey credential remove --json' },
);

/** Runs `passkey credential remove ID…`. If an ID matches no credential or several, removes nothing. Returns the exit code. */
export async function run(io: Io, flags: Flags, ids: readonly string[]): Promise<number> {
  const { credentials: path } = await resolveCredentialSettings(io, flags);
  const chosen = chooseByIds(await readCredentials(path), ids);
  const dryRun = flags.dryRun === true;
  const what = count(chosen.length, 'credential');
  const report = () => {
    if (flags.json === true) printJson(io, { dry_run: dryRun, credentials: chosen.map(toCredentialRow) });
    else print(io, chosen.map(({ id }) => encodeBase64url(id)).join('\n'));
  };
  if (dryRun) {
    report();
    say(io, `Would remove ${what}; nothing was changed.`);
    return 0;
  }
  if (flags.yes !== true) {
    for (const line of credentialTable(io, chosen)) warn(io, line);
    if (!(await confirm(io, `Remove ${what}? Their private keys are lost.`, 'add --yes to remove without a prompt'))) {
      say(io, 'Nothing was changed.');
      return 1;
    }
  }
  await changeCredentials(path, { create: false }, async (store) => {
    for (const { rpId, id } of chosen) await store.remove(rpId, id);
  });
  report();
  say(io, printable(`Removed ${what} from ${path}.`));
  return 0;
}
