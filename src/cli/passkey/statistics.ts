import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { formatTimestamp } from '../../kernel/wording.js';
import type { Passkey } from '../../relying-party/credential-record.js';
import { readAlgorithm } from '../../relying-party/passkey-document.js';
import type { PasskeyFilter } from '../../relying-party/ports.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';
import { providerName } from '../../webauthn/aaguid.js';
import { userName } from '../emails.js';
import { listInPortions } from './portions.js';

const number = (description?: string) => Type.Integer({ minimum: 0, ...(description !== undefined && { description }) });
const ranking = (description: string) => Type.Array(Type.Object({ name: Type.String(), count: number() }, strict), { description });
const months = (description: string) =>
  Type.Array(Type.Object({ month: Type.String({ pattern: '^\\d{4}-\\d{2}$' }), count: number() }, strict), { description });

export const statistics = Type.Object(
  {
    store: Type.String(),
    store_bytes: orNull(number('Of a JSON file and its journal; null for a database.')),
    passkeys: Type.Object(
      { total: number('Of the state that is asked for: all that follows is about these.'), live: number(), revoked: number() },
      { ...strict, description: 'Those that the filters find, in either state.' },
    ),
    users: Type.Object({ total: number(), with_passkeys: number('Users who have one of those.'), without_passkeys: number() }, strict),
    rp_ids: ranking('The most frequent first; what --top leaves out is "other".'),
    providers: ranking('By AAGUID, "unknown" where it has no name; as rp_ids.'),
    algorithms: ranking('Of the public keys.'),
    attestation_formats: ranking('Of the registrations.'),
    backup: Type.Object(
      { synced: number('Backup eligible.'), device_bound: number('Not backup eligible.'), backed_up: number('Backed up at the last use.') },
      strict,
    ),
    user_verified: number('Passkeys that have verified their user.'),
    never_used: number(),
    unused: Type.Object(
      { days_30: number(), days_90: number(), days_365: number() },
      { ...strict, description: 'Not used for longer than that; one that was never used counts from its registration.' },
    ),
    registrations_by_month: months('In UTC, the oldest first.'),
    last_uses_by_month: months('When each passkey was last used; earlier logins are only in the audit log.'),
    live_tokens: number('Of all users, whatever the filters.'),
    live_sessions: number('Of all users, whatever the filters.'),
  },
  { ...strict, title: 'passkey stats --json' },
);
export type Statistics = Static<typeof statistics>;

type Counts = Map<string, number>;

const DAY = 86_400_000;

/**
 * Counts the passkeys that match a filter, a portion at a time. A passkey that changes meanwhile may be counted as before or as after the
 * change.
 *
 * @param o.top how many RP IDs and providers are named; the rest is counted as `other`.
 */
export async function countStatistics(
  { relyingParty, accounts }: { readonly relyingParty: RelyingParty; readonly accounts: Accounts },
  { filter, top, now }: { readonly filter: PasskeyFilter; readonly top: number; readonly now: number },
): Promise<Omit<Statistics, 'store' | 'store_bytes'>> {
  const tally = {
    rpIds: new Map() as Counts,
    providers: new Map() as Counts,
    algorithms: new Map() as Counts,
    formats: new Map() as Counts,
    registered: new Map() as Counts,
    used: new Map() as Counts,
    owners: new Set<string>(),
  };
  const n = { passkeys: 0, eligible: 0, backedUp: 0, verified: 0, neverUsed: 0, unused30: 0, unused90: 0, unused365: 0 };
  const unusedFor = (passkey: Passkey, days: number) => Number(now - (passkey.lastUsedAt ?? passkey.createdAt) > days * DAY);
  for await (const portion of listInPortions(relyingParty, filter)) {
    for (const passkey of portion) {
      const { credential, lastUsedAt, createdAt } = passkey;
      n.passkeys += 1;
      n.eligible += Number(credential.backupEligible);
      n.backedUp += Number(credential.backupState);
      n.verified += Number(credential.uvInitialized);
      n.neverUsed += Number(lastUsedAt === undefined);
      n.unused30 += unusedFor(passkey, 30);
      n.unused90 += unusedFor(passkey, 90);
      n.unused365 += unusedFor(passkey, 365);
      add(tally.rpIds, passkey.rpId);
      add(tally.providers, providerName(passkey.aaguid) ?? 'unknown');
      add(tally.algorithms, readAlgorithm(credential.publicKey) ?? 'unknown');
      add(tally.formats, passkey.attestation.format);
      add(tally.registered, formatMonth(createdAt));
      if (lastUsedAt !== undefined) add(tally.used, formatMonth(lastUsedAt));
      tally.owners.add(userName(passkey.owner));
    }
  }
  const users = await accounts.countOwners();
  // Revoked passkeys may be those of removed users.
  const owners = filter.revoked === false ? tally.owners.size : await existing(accounts, tally.owners);
  const live = await accounts.listLive();
  return {
    passkeys: {
      total: n.passkeys,
      live: await relyingParty.count({ ...filter, revoked: false }),
      revoked: await relyingParty.count({ ...filter, revoked: 'only' }),
    },
    users: { total: users, with_passkeys: owners, without_passkeys: users - owners },
    rp_ids: ranked(tally.rpIds, top),
    providers: ranked(tally.providers, top),
    algorithms: ranked(tally.algorithms),
    attestation_formats: ranked(tally.formats),
    backup: { synced: n.eligible, device_bound: n.passkeys - n.eligible, backed_up: n.backedUp },
    user_verified: n.verified,
    never_used: n.neverUsed,
    unused: { days_30: n.unused30, days_90: n.unused90, days_365: n.unused365 },
    registrations_by_month: byMonth(tally.registered),
    last_uses_by_month: byMonth(tally.used),
    live_tokens: live.filter(({ kind }) => kind === 'token').length,
    live_sessions: live.filter(({ kind }) => kind === 'session').length,
  };
}

const add = (counts: Counts, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);

async function existing(accounts: Accounts, names: ReadonlySet<string>): Promise<number> {
  return (await accounts.listOwners()).filter((owner) => names.has(userName(owner))).length;
}

/** `2026-01`, in UTC. */
const formatMonth = (at: number): string => formatTimestamp(at).slice(0, 7);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** The most frequent first. */
function ranked(counts: Counts, top = Infinity): Statistics['providers'] {
  const all = [...counts].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || compare(a.name, b.name));
  const rest = all.slice(top).reduce((sum, { count }) => sum + count, 0);
  return [...all.slice(0, top), ...(rest === 0 ? [] : [{ name: 'other', count: rest }])];
}

function byMonth(counts: Counts): Statistics['registrations_by_month'] {
  return [...counts].map(([month, count]) => ({ month, count })).sort((a, b) => compare(a.month, b.month));
}
