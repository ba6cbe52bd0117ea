import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Accounts } from '../../accounts/accounts.js';
import { orNull, strict } from '../../kernel/schema-kit.js';
import { readAlgorithm } from '../../relying-party/passkey-document.js';
import type { Counts, PasskeyFilter } from '../../relying-party/ports.js';
import type { RelyingParty } from '../../relying-party/relying-party.js';
import { providerName } from '../../webauthn/aaguid.js';

const number = (description?: string) => Type.Integer({ minimum: 0, ...(description !== undefined && { description }) });
const ranking = (description: string) => Type.Array(Type.Object({ name: Type.String(), count: number() }, strict), { description });
const months = (description: string) =>
  Type.Array(Type.Object({ month: Type.String({ pattern: '^\\d{4}-\\d{2}$' }), count: number() }, strict), { description });

export const statistics = Type.Object(
  {
    store: Type.String(),
    store_bytes: orNull(number('Bytes of the file of the store; null for a database.')),
    passkeys: Type.Object(
      { total: number('Number of passkeys in the requested state. All counts below are about these.'), live: number(), revoked: number() },
      { ...strict, description: 'Numbers of passkeys that the filters find, by state.' },
    ),
    users: Type.Object(
      { total: number(), with_passkeys: number('Number of users who have one of these passkeys.'), without_passkeys: number() },
      strict,
    ),
    rp_ids: ranking('The most frequent RP IDs first; those that --top leaves out are "other".'),
    providers: ranking('Providers by AAGUID, "unknown" if it has no name; ordered like rp_ids.'),
    algorithms: ranking('Algorithms of the public keys.'),
    attestation_formats: ranking('Attestation formats of the registrations.'),
    backup: Type.Object(
      {
        synced: number('Backup eligible.'),
        device_bound: number('Passkeys that are not backup eligible.'),
        backed_up: number('Passkeys that were backed up at their last use.'),
      },
      strict,
    ),
    user_verified: number('Passkeys that have verified their user.'),
    never_used: number(),
    unused: Type.Object(
      { days_30: number(), days_90: number(), days_365: number() },
      { ...strict, description: 'Passkeys not used for longer than that; if never used, the time of registration counts.' },
    ),
    registrations_by_month: months('Months in UTC, the oldest first.'),
    last_uses_by_month: months('Months in which passkeys were last used; earlier logins are only in the audit log.'),
    live_tokens: number('Count over all users, regardless of the filters.'),
    live_sessions: number('Count over all users, regardless of the filters.'),
  },
  { ...strict, title: 'passkey stats --json' },
);
export type Statistics = Static<typeof statistics>;

const DAY = 86_400_000;

/**
 * Counts the passkeys that a filter finds. If a passkey changes meanwhile, either its old or its new state is counted.
 *
 * @param o.top maximum number of RP IDs, and of providers, that are named. The others are counted together as `other`.
 */
export async function countStatistics(
  { relyingParty, accounts }: { readonly relyingParty: RelyingParty; readonly accounts: Accounts },
  { filter, top, now }: { readonly filter: PasskeyFilter; readonly top: number; readonly now: number },
): Promise<Omit<Statistics, 'store' | 'store_bytes'>> {
  const days = [30, 90, 365].map((number) => now - number * DAY);
  const o = await relyingParty.summarize(filter, days);
  const [days30 = 0, days90 = 0, days365 = 0] = o.unused;
  const users = await accounts.countOwners();
  return {
    passkeys: {
      total: o.passkeys,
      live: await relyingParty.count({ ...filter, revoked: false }),
      revoked: await relyingParty.count({ ...filter, revoked: 'only' }),
    },
    users: { total: users, with_passkeys: o.owners, without_passkeys: users - o.owners },
    rp_ids: ranked(o.rpIds, top),
    providers: ranked(
      Array.from(o.aaguids, ([aaguid, count]) => [providerName(aaguid) ?? 'unknown', count]),
      top,
    ),
    algorithms: ranked(o.publicKeys.map(({ publicKey, count }) => [readAlgorithm(publicKey) ?? 'unknown', count])),
    attestation_formats: ranked(o.attestationFormats),
    backup: { synced: o.backupEligible, device_bound: o.passkeys - o.backupEligible, backed_up: o.backedUp },
    user_verified: o.uvInitialized,
    never_used: o.neverUsed,
    unused: { days_30: days30, days_90: days90, days_365: days365 },
    registrations_by_month: byMonth(o.registrations),
    last_uses_by_month: byMonth(o.lastUses),
    live_tokens: await accounts.countLive('token'),
    live_sessions: await accounts.countLive('session'),
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

/** Adds up the counts of each name, and sorts the names by frequency. */
function ranked(counts: Iterable<readonly [name: string, count: number]>, top = Infinity): Statistics['providers'] {
  const sums = new Map<string, number>();
  for (const [name, count] of counts) sums.set(name, (sums.get(name) ?? 0) + count);
  const all = [...sums].map(([name, count]) => ({ name, count })).sort((a, b) => b.count - a.count || compare(a.name, b.name));
  const rest = all.slice(top).reduce((sum, { count }) => sum + count, 0);
  return [...all.slice(0, top), ...(rest === 0 ? [] : [{ name: 'other', count: rest }])];
}

function byMonth(counts: Counts): Statistics['registrations_by_month'] {
  return [...counts].map(([month, count]) => ({ month, count })).sort((a, b) => compare(a.month, b.month));
}
