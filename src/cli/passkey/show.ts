import type { Command } from 'commander';
import { PasskeyError } from '../../errors.js';
import { addStoreLocation } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson, say } from '../io.js';
import { withParties } from '../parties.js';
import { findPasskeyIds } from './arguments.js';
import { describeInFull, passkeyLines } from './in-full.js';
import { IDS_HELP } from './rows.js';

export function define(command: Command): void {
  addHelp(addStoreLocation(addFlags(command, { json: true })), {
    examples: ['passkey show 3', "passkey show 3 --json | jq -r '.key.pem'"],
    remarks: [IDS_HELP],
    common: ['--json'],
    page: 'admin.md',
  });
}

/** Runs `passkey show ID`, which prints everything about a passkey except the challenge of its registration. */
export async function run(io: Io, flags: Flags, [text = '']: readonly string[]): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const document = await withParties(io, { settings, create: false }, async ({ relyingParty, accounts }) => {
    const ids = await findPasskeyIds(relyingParty, [text], { onGap: (sentence) => say(io, sentence) });
    const [passkey] = await relyingParty.list({ ids: ids.slice(0, 1), revoked: true });
    if (passkey === undefined || ids.length > 1) {
      throw new PasskeyError('usage', `Name one passkey; "${text}" names several. \`passkey list\` shows many.`);
    }
    const owner = await accounts.findOwner(passkey.owner);
    return describeInFull(passkey, { email: owner?.email, live: await accounts.listLive({ passkeyId: passkey.id }) });
  });
  if (flags.json === true) return printJson(io, document);
  print(io, passkeyLines(document));
}
