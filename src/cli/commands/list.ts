import type { Passkey } from '../../relying-party/credential-record.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import type { PasskeyFilter } from '../../relying-party/ports.js';
import { namesOf } from '../../webauthn/enumerations.js';
import { count } from '../../webauthn/wording.js';
import { SORT_KEYS, type SortKey } from '../arguments.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { integer, oneOf } from '../config/values.js';
import { type Io, printAll, printJsonArray, say } from '../io.js';
import { csvLines } from '../output/csv.js';
import { passkeyTable } from '../output/passkeys.js';
import { printable } from '../output/printable.js';
import { withParties } from '../parties.js';

const COLUMNS = namesOf(PasskeyRow.properties);

/** `passkey list` */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const limit = flags.limit === undefined ? undefined : readFlag(io, integer({ min: 1, max: 1_000_000_000 }), '--limit', flags.limit);
  const sort = sortOf(io, flags.sort);
  const { all, total, otherwise } = await withParties(io, { settings, create: false }, async ({ relyingParty, accounts }) => {
    const owner = typeof flags.user === 'string' ? await accounts.resolveUser(flags.user) : undefined;
    const filter: PasskeyFilter = {
      revoked: flags.revoked === true ? 'only' : flags.all === true,
      ...(owner ? { owner: { type: owner.type, id: owner.id } } : {}),
      ...(typeof flags.rpId === 'string' ? { rpId: flags.rpId } : {}),
    };
    // In the order in which they are stored, only those that are shown need be read.
    const first = sort.key === 'id' && !sort.descending && limit !== undefined;
    const found = await relyingParty.list({ ...filter, ...(first && { limit }) });
    return {
      all: found,
      total: first ? await relyingParty.count(filter) : found.length,
      otherwise: found.length > 0 ? '' : whyNone(flags, filter, await relyingParty.list({ revoked: true })),
    };
  });
  const passkeys = sorted(all, sort).slice(0, limit);

  if (flags.json === true) return printJsonArray(io, rowsOf(passkeys));
  if (flags.csv === true) {
    const lines = csvLines(COLUMNS, rowsOf(passkeys), (row) => COLUMNS.map((column) => row[column]));
    await printAll(io, lines);
    return;
  }
  if (passkeys.length === 0) return say(io, printable(otherwise));
  await printAll(io, passkeyTable(io, passkeys));
  if (passkeys.length < total) say(io, `Showing ${passkeys.length} of ${count(total, 'passkey')}.`);
}

function* rowsOf(passkeys: Iterable<Passkey>): Generator<PasskeyRow> {
  for (const passkey of passkeys) yield passkeyRow(passkey);
}

/** Names the filters that match nothing, each alone or only together. `stored` is every passkey, revoked ones included. */
function whyNone(flags: Flags, { owner, rpId, revoked }: PasskeyFilter, stored: readonly Passkey[]): string {
  const [state, other] = revoked === 'only' ? ['revoked', 'live'] : ['live', 'revoked'];
  const inState = stored.filter(({ revokedAt }) => revoked === true || (revokedAt !== undefined) === (revoked === 'only'));
  if (inState.length === 0) return stored.length === 0 ? 'No passkeys are stored here.' : `No passkeys are ${state} here.`;
  const filters = [
    { name: `--user ${String(flags.user)}`, fits: (of: Passkey) => !owner || (of.owner.type === owner.type && of.owner.id === owner.id) },
    { name: `--rp-id ${rpId}`, fits: (of: Passkey) => rpId === undefined || of.rpId === rpId },
  ];
  const alone = filters.filter(({ fits }) => !inState.some(fits));
  const names = (alone.length > 0 ? alone : filters).map(({ name }) => name);
  const blamed = alone.length > 0 ? names.join(' or ') : `both ${names.join(' and ')}`;
  const others = stored.filter((each) => filters.every(({ fits }) => fits(each))).length;
  const hint = others === 0 ? '' : ` ${count(others, `${other} passkey`)} ${others === 1 ? 'does' : 'do'}: add --all.`;
  return `No ${revoked === true ? '' : `${state} `}passkey matches ${blamed}.${hint}`;
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
  return passkeys
    .map((passkey) => ({ passkey, value: passkeyRow(passkey)[key] }))
    .toSorted(({ value: left }, { value: right }) => {
      if (left === null || right === null) return Number(left === null) - Number(right === null);
      const order = typeof left === 'number' && typeof right === 'number' ? left - right : compareText(String(left), String(right));
      return descending ? -order : order;
    })
    .map(({ passkey }) => passkey);
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
