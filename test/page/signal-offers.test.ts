import { describe, expect, test } from 'vitest';
import { acceptedSignal, detailsSignal, unknownSignal } from '../../src/page/signal-offers.js';
import type { PasskeyRow } from '../../src/page/state.js';

const RANDOM_HANDLE = Buffer.alloc(32, 7).toString('base64url');

const PASSKEY: PasskeyRow = {
  id: 1,
  label: 'Laptop',
  credentialId: 'AQ',
  createdAt: '2026-01-15T10:30:00.000000Z',
  owner: 'User:1',
  rpId: 'localhost',
  aaguid: undefined,
  provider: undefined,
  signCount: 0,
  backupEligible: true,
  backupState: true,
  uvInitialized: true,
  transports: [],
  attestationFormat: 'none',
  userHandle: RANDOM_HANDLE,
  publicKey: undefined,
  lastUsedAt: undefined,
  revokedAt: undefined,
  revokedReason: undefined,
};
const ADA = { owner: 'User:1', name: 'Ada', email: 'ada@example.com' };

describe('signals that the page offers', () => {
  test('the accepted ones are all of the same RP ID and user handle that are not revoked', () => {
    const revoked = { ...PASSKEY, credentialId: 'Ag', revokedAt: PASSKEY.createdAt };
    const offer = acceptedSignal(revoked, [
      PASSKEY,
      revoked,
      { ...PASSKEY, credentialId: 'Aw' },
      { ...PASSKEY, credentialId: 'BA', rpId: 'example.org' },
      { ...PASSKEY, credentialId: 'BQ', userHandle: 'MQ' },
    ]);
    expect(offer?.options).toStrictEqual({ rpId: 'localhost', userId: RANDOM_HANDLE, allAcceptedCredentialIds: ['AQ', 'Aw'] });
    expect(offer?.mayHide).toStrictEqual(['Ag']);
  });

  test.each([
    [unknownSignal('localhost', 'AQ'), /may delete this passkey for RP ID localhost for good\. All projects on localhost share this RP ID/],
    [unknownSignal('example.org', 'AQ'), /for RP ID example\.org for good\. Every server with this RP ID shares it/],
    [acceptedSignal(PASSKEY, [PASSKEY]), /may delete for good every passkey .* another store made with the same user handle\.$/],
    [detailsSignal(PASSKEY, ADA), /may change the names .* to ada@example\.com \(Ada\), also on those of another project\.$/],
    [
      acceptedSignal({ ...PASSKEY, userHandle: 'MQ' }, []),
      /The handle is short \(1 byte\)\. All projects on localhost share this RP ID and may/,
    ],
    [detailsSignal({ ...PASSKEY, userHandle: 'MTI' }, ADA), /The handle is short \(2 bytes\)\./],
  ])('says what may be lost: %#', (offer, warning) => {
    expect(offer?.warning).toMatch(warning);
  });

  test('without rp.id or user handle there is none by user handle', () => {
    expect(acceptedSignal({ ...PASSKEY, rpId: undefined }, [PASSKEY])).toBeUndefined();
    expect(detailsSignal({ ...PASSKEY, userHandle: undefined }, ADA)).toBeUndefined();
  });
});
