import { formatTimestamp } from '../kernel/wording.js';
import type { PasskeyFilter, PasskeySummary } from '../relying-party/ports.js';
import { idsMatching } from './passkeys.js';
import { ownerKey, type State } from './state.js';

/** Formats the month of a time in UTC, such as `2026-01`. */
const formatMonth = (at: number): string => formatTimestamp(at).slice(0, 7);

/**
 * Returns, in hexadecimal, the first bytes of a COSE_Key, which contain its algorithm if the key begins with `kty` and `alg`, as most do.
 * Otherwise returns all bytes.
 */
const keyKind = (key: Uint8Array): string => Buffer.from(key[1] === 1 && key[3] === 3 ? key.subarray(0, 7) : key).toString('hex');

export function summarizePasskeys(state: State, filter: PasskeyFilter, unusedSince: readonly number[]): PasskeySummary {
  const n = { passkeys: 0, backupEligible: 0, backedUp: 0, uvInitialized: 0, neverUsed: 0 };
  const counts = () => new Map<string, number>();
  const by = { rpIds: counts(), aaguids: counts(), attestationFormats: counts(), registrations: counts(), lastUses: counts() };
  const add = (name: keyof typeof by, value: string) => void by[name].set(value, (by[name].get(value) ?? 0) + 1);
  const unused = unusedSince.map(() => 0);
  const owners = new Set<string>();
  const keys = new Map<string, { readonly publicKey: Uint8Array; count: number }>();
  for (const id of idsMatching(state, filter)) {
    const passkey = state.passkeys.get(id);
    if (passkey === undefined) continue;
    const { credential, createdAt, lastUsedAt, owner } = passkey;
    n.passkeys += 1;
    n.backupEligible += Number(credential.backupEligible);
    n.backedUp += Number(credential.backupState);
    n.uvInitialized += Number(credential.uvInitialized);
    n.neverUsed += Number(lastUsedAt === undefined);
    for (const [index, time] of unusedSince.entries()) unused[index] = (unused[index] ?? 0) + Number((lastUsedAt ?? createdAt) < time);
    add('rpIds', passkey.rpId);
    add('aaguids', passkey.aaguid);
    add('attestationFormats', passkey.attestation.format);
    add('registrations', formatMonth(createdAt));
    if (lastUsedAt !== undefined) add('lastUses', formatMonth(lastUsedAt));
    if (state.owners.has(ownerKey(owner))) owners.add(ownerKey(owner));
    const kind = keyKind(credential.publicKey);
    const known = keys.get(kind);
    if (known === undefined) keys.set(kind, { publicKey: new Uint8Array(credential.publicKey), count: 1 });
    else known.count += 1;
  }
  return { ...n, unused, owners: owners.size, ...by, publicKeys: [...keys.values()] };
}
