import { PasskeyError } from '../../errors.js';
import { findPasskeys } from '../arguments.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, printJson } from '../io.js';
import { passkeyInFull, passkeyLines } from '../output/passkey-in-full.js';
import { withParties } from '../parties.js';

/** `passkey show ID`: everything but what holds the registration's challenge. */
export async function run(io: Io, flags: Flags, text: string): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const document = await withParties(io, { settings, create: false }, async ({ relyingParty, accounts }) => {
    const [passkey, another] = await findPasskeys(relyingParty, [text]);
    if (passkey === undefined || another !== undefined) {
      throw new PasskeyError('usage', `Name one passkey; "${text}" names several. \`passkey list\` shows many.`);
    }
    const owner = await accounts.findOwner(passkey.owner);
    return passkeyInFull(passkey, { email: owner?.email, live: await accounts.listLive({ passkeyId: passkey.id }) });
  });
  if (flags.json === true) return printJson(io, document);
  print(io, passkeyLines(document));
}
