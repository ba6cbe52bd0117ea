import type { Static } from 'typebox';
import * as Type from 'typebox';
import { orNull, strict } from '../../kernel/schema-kit.js';

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
