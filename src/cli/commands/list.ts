import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import type { PasskeyFilter } from '../../relying-party/ports.js';
import { namesOf } from '../../webauthn/enumerations.js';
import { count } from '../../webauthn/wording.js';
import { SORT_KEYS, type SortKey } from '../arguments.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer, oneOf } from '../config/values.js';
import { type Io, print, printJson, say } from '../io.js';
import { passkeyTable } from '../output/passkeys.js';
import { toCsv } from '../output/table.js';
import { withParties } from '../parties.js';

const COLUMNS = namesOf(PasskeyRow.properties);

/** `passkey list` */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const limit = flags.limit === undefined ? undefined : readFlag(io, integer({ min: 1, max: 1_000_000_000 }), '--limit', flags.limit);
  const sort = sortOf(io, flags.sort);
  const all = await withParties(io, { settings, create: false }, async ({ relyingParty, accounts }) => {
    const owner = typeof flags.user === 'string' ? await accounts.resolveUser(flags.user) : undefined;
    const filter: PasskeyFilter = {
      revoked: flags.revoked === true ? 'only' : flags.all === true,
      ...(owner ? { owner: { type: owner.type, id: owner.id } } : {}),
      ...(typeof flags.rpId === 'string' ? { rpId: flags.rpId } : {}),
    };
    return relyingParty.list(filter);
  });
  const passkeys = sorted(all, sort).slice(0, limit);

  if (flags.json === true) return printJson(io, passkeys.map(passkeyRow));
  if (flags.csv === true) {
    io.stdout.write(
      toCsv(
        COLUMNS,
        passkeys.map(passkeyRow).map((row) => COLUMNS.map((column) => row[column])),
      ),
    );
    return;
  }
  if (passkeys.length === 0) {
    return say(io, `No passkeys${flags.all === true ? '' : flags.revoked === true ? ' are revoked' : ' are live'} here.`);
  }
  print(io, passkeyTable(io, passkeys));
  if (passkeys.length < all.length) say(io, `Showing ${passkeys.length} of ${count(all.length, 'passkey')}.`);
}

interface Sort {
  readonly key: SortKey;
  readonly descending: boolean;
}

function sortOf(io: Io, raw: unknown): Sort {
  const text = typeof raw === 'string' ? raw : 'id';
  const descending = text.startsWith('-');
  return { key: readFlag(io, oneOf(SORT_KEYS), '--sort', descending ? text.slice(1) : text), descending };
}

/** Stable; what has no value (never used, not revoked) comes last either way. */
function sorted(passkeys: readonly Passkey[], { key, descending }: Sort): readonly Passkey[] {
  const value = (passkey: Passkey): string | number | null => passkeyRow(passkey)[key];
  return passkeys.toSorted((a, b) => {
    const [left, right] = [value(a), value(b)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    const order = typeof left === 'number' && typeof right === 'number' ? left - right : compareText(String(left), String(right));
    return descending ? -order : order;
  });
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
