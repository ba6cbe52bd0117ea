import type { AccountsEvent, AccountsListener } from '../../accounts/events.js';
import type { RelyingPartyEvent, RelyingPartyListener } from '../../relying-party/events.js';
import type { AuditLog } from './entry.js';
import { entryOfEvent } from './entry-of-event.js';

export interface AuditSources {
  readonly relyingParty: { on(listener: RelyingPartyListener): () => void };
  readonly accounts: { on(listener: AccountsListener): () => void };
  /** Of this process: who runs its commands. Asked for with the first event. */
  readonly systemUser: () => string | undefined;
}

/** Notes in the log what the two tell from now on. Returns a function that ends it. */
export function recordAudit(log: AuditLog, { relyingParty, accounts, systemUser }: AuditSources): () => void {
  let user: { readonly name: string | undefined } | undefined;
  const note = (event: RelyingPartyEvent | AccountsEvent): void => {
    user ??= { name: systemUser() };
    const entry = entryOfEvent(event, user.name);
    if (entry !== undefined) log.append(entry);
  };
  const stops = [relyingParty.on(note), accounts.on(note)];
  return () => {
    for (const stop of stops) stop();
  };
}
