import { join } from 'node:path';
import type { OwnerRef } from '../../src/kernel/owner.js';
import type { NewPasskey } from '../../src/relying-party/credential-record.js';
import { openStore } from '../../src/store/open-store.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

const CREATED = Date.UTC(2026, 0, 15, 10, 30);

/** The challenge of every passkey here, as no output may have it. */
export const CHALLENGE = new TextEncoder().encode('a challenge that nobody may see!');

export function passkeyOf(owner: OwnerRef, n: number, label: string, rpId: string): NewPasskey {
  return {
    owner,
    userHandle: new TextEncoder().encode(String(owner.id)),
    rpId,
    rpName: 'Example',
    origin: `https://${rpId}`,
    label,
    credential: {
      id: new Uint8Array([0xfb, 0xef, n]),
      publicKey: new Uint8Array([0xa0]),
      signCount: 10 - n,
      uvInitialized: true,
      transports: ['internal', 'hybrid'],
      backupEligible: true,
      backupState: false,
      attestationObject: new Uint8Array([n]),
      attestationClientDataJSON: new TextEncoder().encode(`client data ${n}, with the challenge that nobody may see!`),
    },
    aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
    attestation: { format: 'packed', trust: 'untrusted' },
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    challenge: CHALLENGE,
    createdAt: CREATED + n * 60_000,
  };
}

/**
 * `.passkey/passkeys.jsonl` in a folder. Users: User:1 ada@example.com, User:2 bob@example.com, Admin:1 bob@example.com.
 * Passkeys: 1 and 2 of Ada, 3 of Bob (revoked), 4 of the admin; labels that a terminal should not act on.
 */
export async function seedStore(folder: string): Promise<string> {
  const path = join(folder, '.passkey/passkeys.jsonl');
  const store = await openStore(path, { create: true });
  const ada = await store.insertOwner({ type: 'User', email: 'ada@example.com', name: 'Ada', createdAt: CREATED });
  const bob = await store.insertOwner({ type: 'User', email: 'bob@example.com', name: 'Bob', createdAt: CREATED });
  const admin = await store.insertOwner({ type: 'Admin', email: 'bob@example.com', name: 'Bob \u001b[2J', createdAt: CREATED });
  await store.insertPasskey(passkeyOf(ada, 1, 'Phone', 'example.com'));
  await store.insertPasskey(passkeyOf(ada, 2, '=1+1', 'login.example.com'));
  await store.insertPasskey(passkeyOf(bob, 3, 'Old "key", grey', 'example.com'));
  await store.insertPasskey(passkeyOf(admin, 4, '\u001b[31mKey\u009b\u202e', 'example.com'));
  const use = { expectedSignCount: 8, signCount: 99, backupState: true, uvInitialized: true, lastUsedAt: CREATED + 3_600_000 };
  await store.recordLogin({ passkeyId: 2, use });
  await store.revokePasskeys([3], { at: CREATED + 7_200_000, reason: 'lost' });
  await store.close();
  return path;
}

/** A folder of its own with that store, and the command line in it. */
export async function seeded() {
  const cwd = await tempFolder();
  const store = await seedStore(cwd);
  return { cwd, store, passkey: (...argv: string[]) => runIn(cwd, argv) };
}
