import { type Database, timeValue } from '../../src/store/postgres/database.js';
import { START } from '../contract/samples.js';

/** Labels of the passkeys, in turns. */
export const LABELS = ['iCloud Keychain', 'YubiKey 5 NFC', 'Google Password Manager'] as const;

/** That of the last one alone. */
export const RARE_AAGUID = 'cb69481e-8ff7-4039-93ec-0a2729a154a8';
const AAGUIDS = ['fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4', '00000000-0000-0000-0000-000000000000'];

/**
 * Fills an empty store with passkeys and as many users by SQL. Every 50th passkey is revoked, every fifth was never used, every tenth has an
 * RSA key; users with an even id have two, which e-mails in another order. The last one is the only one of its RP ID and AAGUID.
 */
export async function fillWithPasskeys({ change }: Database, count: number): Promise<void> {
  const start = `'${timeValue(START)}'::timestamptz`;
  await change(`INSERT INTO passkey_owner_types VALUES ('User', ${count})`);
  for (let first = 1; first <= count; first += PORTION) {
    await insertRows({ change }, { count, start, last: Math.min(count, first + PORTION - 1), first });
  }
  await change(`SELECT setval('passkeys_id_seq', ${count})`);
  await change('VACUUM ANALYZE');
}

/** Rows of one statement. */
const PORTION = 100_000;

async function insertRows(
  { change }: Pick<Database, 'change'>,
  { count, start, first, last }: { readonly count: number; readonly start: string; readonly first: number; readonly last: number },
): Promise<void> {
  const numbers = `generate_series(${first}, ${last}) AS n`;
  await change(`INSERT INTO passkey_owner_refs SELECT 'User', n FROM ${numbers}`);
  await change(`INSERT INTO passkey_owners (type, id, email, email_key, name, user_handle, created_at)
    SELECT 'User', n, email, email, 'User ' || n, int8send(n), ${start}
    FROM (SELECT n, reverse(n::text) || '@example.com' AS email FROM ${numbers}) AS numbered`);
  await change(`INSERT INTO passkeys (id, owner_type, owner_id, user_handle, rp_id, rp_name, origin, label, credential_id, public_key, sign_count,
      uv_initialized, transports, backup_eligible, backup_state, aaguid, attestation_format, attestation_trust, attestation_object,
      attestation_client_data_json, authenticator_attachment, client_extension_results, challenge, created_at, last_used_at, revoked_at,
      revoked_reason)
    OVERRIDING SYSTEM VALUE
    SELECT n, 'User', greatest(1, n - n % 2), int8send(n), CASE n WHEN ${count} THEN 'rare.example' ELSE 'example.com' END, 'Example',
      'https://example.com', (ARRAY['${LABELS.join("','")}'])[1 + n % ${LABELS.length}], sha256(int8send(n)),
      CASE WHEN n % 10 = 0 THEN '\\xa401030339010020590100' || substring(decode(repeat(md5(n::text), 16), 'hex') FOR 256) || '\\x2143010001'
        ELSE '\\xa5010203262001215820' || sha256(int8send(n)) || '\\x225820' || sha256(int8send(-n)) END, n % 7, n % 4 <> 0,
      '["internal"]', n % 3 <> 1, n % 6 = 0,
      CASE n WHEN ${count} THEN '${RARE_AAGUID}' ELSE (ARRAY['${AAGUIDS.join("','")}'])[1 + n % ${AAGUIDS.length}] END::uuid,
      'none', 'none', sha256(int8send(n)) || decode(repeat(md5(n::text), 10), 'hex'), decode(repeat(md5(n::text), 7), 'hex'), 'platform', '{}',
      sha256(int8send(n)), ${start} - (n % 700) * interval '1 day', CASE WHEN n % 5 <> 0 THEN ${start} - (n % 400) * interval '1 hour' END,
      CASE WHEN n % 50 = 0 THEN ${start} END, CASE WHEN n % 50 = 0 THEN 'lost' END
    FROM ${numbers}`);
}
