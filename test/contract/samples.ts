import { randomBytes } from 'node:crypto';
import type { LoginAccess, NewAccess } from '../../src/kernel/access.js';
import type { NewPasskey } from '../../src/relying-party/credential-record.js';
import type { Ceremony } from '../../src/relying-party/ports.js';
import type { AuditEntry } from '../../src/store/audit/entry.js';

export const START = Date.UTC(2026, 0, 15, 10, 30);

/** Bytes out of a pool, as `Buffer` gives them: a store must keep these few and not the pool. */
const someBytes = (length: number): Uint8Array => randomBytes(length);

/** What a store adds to a passkey that has never been used. */
export const NEVER_USED = {
  lastUsedAt: undefined,
  revokedAt: undefined,
  revokedReason: undefined,
  revokedChange: undefined,
  counterRegressions: 0,
  counterRegressedAt: undefined,
};

export function newPasskey(change: Partial<NewPasskey> = {}): NewPasskey {
  return {
    owner: { type: 'User', id: 1 },
    userHandle: someBytes(64),
    rpId: 'example.com',
    rpName: 'Example “✓”',
    origin: 'https://example.com',
    label: 'iCloud Keychain',
    credential: {
      id: someBytes(32),
      publicKey: someBytes(77),
      signCount: 0,
      uvInitialized: true,
      transports: ['internal', 'hybrid'],
      backupEligible: true,
      backupState: false,
      attestationObject: someBytes(200),
      attestationClientDataJSON: someBytes(120),
    },
    aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
    attestation: { format: 'packed', trust: 'untrusted' },
    authenticatorAttachment: 'platform',
    clientExtensionResults: { credProps: { rk: true }, prf: { enabled: false, list: [3, null, 'x'] } },
    challenge: someBytes(32),
    createdAt: START,
    ...change,
  };
}

/** A session that a login opens. */
export function newLogin(): LoginAccess {
  return { kind: 'session', hash: someBytes(32), label: undefined, createdAt: START, expiresAt: START + 3_600_000 };
}

export function newAccess(change: Partial<NewAccess> = {}): NewAccess {
  return { ...newLogin(), owner: { type: 'User', id: 1 }, passkeyId: undefined, ...change };
}

export function newOwner(change: Partial<{ type: string; id: number; email: string; name: string; userHandle: Uint8Array }> = {}) {
  return { type: 'User', email: `u${randomBytes(6).toString('hex')}@example.com`, name: 'Ada', createdAt: START, ...change };
}

export function newCeremony(change: Partial<Ceremony> = {}): Ceremony {
  return {
    kind: 'registration',
    challenge: someBytes(32),
    rpId: 'example.com',
    origins: ['https://example.com'],
    topOrigins: [],
    owner: { type: 'User', id: 1 },
    userHandle: someBytes(1),
    rpName: 'Example',
    credentialId: undefined,
    userVerification: 'preferred',
    algorithms: [-7, -257],
    options: { timeout: 60_000, rp: { name: 'Example as it was sent' } },
    issuedAt: START,
    expiresAt: START + 120_000,
    client: '127.0.0.1',
    ...change,
  };
}

export function newAuditEntry(change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: '2026-01-15T10:30:00.000000Z',
    action: 'revoke',
    outcome: 'done',
    code: null,
    via: 'command',
    source: 'passkey revoke',
    actor: null,
    os_user: 'ada',
    address: null,
    user_agent: null,
    request_id: null,
    subject: 'User:1',
    email: null,
    passkey_id: 1,
    credential_id: '++8B',
    rp_id: 'example.com',
    label: 'Phone “✓”\n',
    token_id: null,
    revoked_passkeys: null,
    counts: null,
    reason: 'lost',
    revoked_reason: null,
    change: null,
    ...change,
  };
}
