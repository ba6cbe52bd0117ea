import { describe, expect, test } from 'vitest';
import { agoText, describeBackup, describeFacts, findProvider, isOwn, searchPasskeys } from '../../src/page/passkey-facts.js';
import type { PasskeyRow } from '../../src/page/state.js';

const KEY: PasskeyRow = {
  id: 3,
  label: 'Blue key',
  credential_id: 'QUJD',
  created_at: '2026-01-15T10:30:00.000000Z',
  passkeeable_type: 'User',
  passkeeable_id: 1,
  rp_id: 'localhost',
  aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
  provider: 'Apple Passwords',
  sign_count: 7,
  last_used_at: null,
  revoked_at: null,
  backup_eligible: true,
  backup_state: true,
  transports: ['internal', 'hybrid'],
};

const NOW = Date.parse('2026-01-20T12:00:00Z');

test.each([
  ['2026-01-20T11:59:30Z', 'now'],
  ['2026-01-20T11:59:00.001Z', 'now'],
  ['2026-01-20T11:59:00Z', '1 min'],
  ['2026-01-20T11:55:00Z', '5 min'],
  ['2026-01-20T11:00:00.001Z', '59 min'],
  ['2026-01-20T11:00:00Z', '1 h'],
  ['2026-01-20T09:30:00Z', '2 h'],
  ['2026-01-19T12:00:00.001Z', '23 h'],
  ['2026-01-19T12:00:00Z', '1 d'],
  ['2026-01-08T12:00:00Z', '12 d'],
  ['2025-10-12T12:00:00.001Z', '99 d'],
  ['2025-10-12T12:00:00.000Z', '2025-10-12'],
  ['2025-03-01T12:00:00.000000Z', '2025-03-01'],
  // A clock that is ahead of this one.
  ['2026-01-20T12:00:10Z', 'now'],
  ['no time', 'no time'],
])('%s was %s ago', (time, text) => {
  expect(agoText(time, NOW)).toBe(text);
});

test('the provider by name, by AAGUID, or as nobody; unknown where the server does not tell', () => {
  expect(findProvider(KEY)).toBe('Apple Passwords');
  expect(findProvider({ ...KEY, provider: null })).toBe('AAGUID fbfc3007…');
  expect(findProvider({ ...KEY, provider: null, aaguid: '00000000-0000-0000-0000-000000000000' })).toBe('no AAGUID');
  const { aaguid: _, ...untold } = KEY;
  expect(findProvider(untold)).toBeUndefined();
});

test.each([
  [true, true, 'synced'],
  [true, false, 'not synced yet'],
  [false, false, 'this device only'],
])('backup eligible %s and backed up %s: %s', (backup_eligible, backup_state, text) => {
  expect(describeBackup({ ...KEY, backup_eligible, backup_state })).toBe(text);
});

test('the facts name the owner of a foreign passkey, and why it was revoked', () => {
  expect(describeFacts(KEY, true)).toMatch(/^localhost · created .* · never used · counter 7 · internal, hybrid$/);
  const revoked = { ...KEY, revoked_at: '2026-01-16T10:30:00Z', revoked_reason: 'lost phone' };
  expect(describeFacts(revoked, false)).toMatch(/^User:1 · localhost · .* · revoked .* \(lost phone\)$/);
});

test('whose it is', () => {
  const user = { owner: 'User:1', name: 'ada', email: '' };
  expect(isOwn({ user }, KEY)).toBe(true);
  expect(isOwn({ user: { ...user, owner: 'User:2' } }, KEY)).toBe(false);
  expect(isOwn({ user: undefined }, KEY)).toBe(false);
});

describe('the list', () => {
  const revoked = { ...KEY, id: 4, label: 'Red key', provider: '1Password', credential_id: 'WFla', revoked_at: '2026-01-16T10:30:00Z' };
  const state = { passkeys: [KEY, revoked], showRevoked: true, revokedHere: [] };
  const found = (wanted: string, more = {}) => searchPasskeys({ ...state, ...more }, wanted).map(({ id }) => id);

  test('is newest first, without the revoked ones unless wanted or just revoked', () => {
    expect(found('')).toStrictEqual([4, 3]);
    expect(found('', { showRevoked: false })).toStrictEqual([3]);
    expect(found('', { showRevoked: false, revokedHere: [4] })).toStrictEqual([4, 3]);
  });

  test.each([
    ['apple blue', [3]],
    ['#4', [4]],
    ['QUJ', [3]],
    // Only from its beginning.
    ['UJD', []],
    ['key', [4, 3]],
  ])('“%s”', (wanted, ids) => {
    expect(found(wanted)).toStrictEqual(ids);
  });
});
