import { PasskeyError } from '../../errors.js';
import { type PasskeyDocument, passkeyDocument } from '../../relying-party/passkey-document.js';
import { findPasskeys, idsOf } from '../arguments.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { type Io, print, printJson } from '../io.js';
import { printable } from '../output/printable.js';
import { withParties } from '../parties.js';

/** `passkey show ID`: everything but what holds the registration's challenge. */
export async function run(io: Io, flags: Flags, idText: string): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const ids = idsOf('passkey', [idText]);
  const document = await withParties(io, { settings, create: false }, async ({ relyingParty, accounts }) => {
    const [passkey] = await findPasskeys(relyingParty, ids);
    if (passkey === undefined) throw new PasskeyError('passkey_not_found', `No passkey has the id ${idText}.`);
    const owner = await accounts.findOwner(passkey.owner);
    return passkeyDocument(passkey, owner?.email);
  });
  if (flags.json === true) return printJson(io, document);
  print(io, lines(document));
}

function lines(document: PasskeyDocument): string {
  const entries = Object.entries(document).map(([name, value]): [string, string] => [name.replaceAll('_', ' '), shown(value)]);
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function shown(value: PasskeyDocument[keyof PasskeyDocument]): string {
  if (value === null) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map((each) => printable(each)).join(', ');
  return printable(String(value));
}
