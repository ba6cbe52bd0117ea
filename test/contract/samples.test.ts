import { expect, test } from 'vitest';
import { passkeyOf } from '../cli/seeded-store.js';
import { newAccess, newAuditEntry, newCeremony, newLogin, newOwner, newPasskey } from './samples.js';

/** The values in a sample, by type. */
function listValues(sample: unknown, found: Record<string, unknown[]> = {}): Record<string, unknown[]> {
  if (sample instanceof Uint8Array) (found['bytes'] ??= []).push(Buffer.from(sample).toString('hex'));
  else if (typeof sample === 'object' && sample !== null) for (const value of Object.values(sample)) listValues(value, found);
  else if (sample !== undefined && sample !== null) (found[typeof sample] ??= []).push(sample);
  return found;
}

test.each([
  ['passkey', newPasskey()],
  ['passkey of a seeded store', passkeyOf({ type: 'User', id: 7 }, 2, 'Phone', 'example.com')],
  ['login', newLogin()],
  ['access', newAccess()],
  ['user', newOwner()],
  ['ceremony', newCeremony()],
  ['entry of the audit log', newAuditEntry()],
])('no two members of a sample %s that have one type have one value, and switches stand both ways', (_, sample) => {
  const { boolean: switches = [], ...values } = listValues(sample);
  for (const all of Object.values(values)) expect(new Set(all).size, JSON.stringify(all)).toBe(all.length);
  if (switches.length > 1) expect(new Set(switches)).toEqual(new Set([true, false]));
});
