import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { acceptedSignal, detailsSignal, forget, readSignalled, sendFromRun, unknownSignal } from '../../src/page/flow/signals.js';
import type { PasskeyRow } from '../../src/page/state.js';
import { GONE, tab } from './tab.js';

const RANDOM_HANDLE = Buffer.alloc(32, 7).toString('base64url');

const PASSKEY: PasskeyRow = {
  id: 1,
  label: 'Laptop',
  credential_id: 'AQ',
  created_at: '2026-01-15T10:30:00.000000Z',
  rp_id: 'localhost',
  user_handle: RANDOM_HANDLE,
  revoked_at: null,
};
const ADA = { owner: 'User:1', name: 'Ada', email: 'ada@example.com' };

describe('signals that the page offers', () => {
  test('lists as accepted all passkeys with the same RP ID and user handle that are not revoked', () => {
    const revoked = { ...PASSKEY, credential_id: 'Ag', revoked_at: PASSKEY.created_at };
    const offer = acceptedSignal(revoked, [
      PASSKEY,
      revoked,
      { ...PASSKEY, credential_id: 'Aw' },
      { ...PASSKEY, credential_id: 'BA', rp_id: 'example.org' },
      { ...PASSKEY, credential_id: 'BQ', user_handle: 'MQ' },
    ]);
    expect(offer?.options).toStrictEqual({ rpId: 'localhost', userId: RANDOM_HANDLE, allAcceptedCredentialIds: ['AQ', 'Aw'] });
    expect(offer?.mayHide).toStrictEqual(['Ag']);
  });

  test.each([
    [
      unknownSignal('localhost', 'AQ'),
      /may permanently delete this passkey for RP ID localhost\. All projects on localhost share this RP ID/,
    ],
    [unknownSignal('example.org', 'AQ'), /for RP ID example\.org\. Every server with this RP ID shares it/],
    [acceptedSignal(PASSKEY, [PASSKEY]), /may permanently delete every passkey .* another store created with the same user handle\.$/],
    [detailsSignal(PASSKEY, ADA), /may change the names .* to ada@example\.com \(Ada\), including passkeys of another project\.$/],
    [
      acceptedSignal({ ...PASSKEY, user_handle: 'MQ' }, []),
      /The handle is short \(1 byte\)\. All projects on localhost share this RP ID and may/,
    ],
    [detailsSignal({ ...PASSKEY, user_handle: 'MTI' }, ADA), /The handle is short \(2 bytes\)\./],
  ])('warns what may be lost: %#', (offer, warning) => {
    expect(offer?.warning).toMatch(warning);
  });

  test('without rp.id or user handle, none refers to the user handle', () => {
    const { rp_id: _rpId, ...withoutRpId } = PASSKEY;
    const { user_handle: _handle, ...withoutHandle } = PASSKEY;
    expect(acceptedSignal(withoutRpId, [PASSKEY])).toBeUndefined();
    expect(detailsSignal(withoutHandle, ADA)).toBeUndefined();
  });
});

describe('passkeys that the browser was asked to hide', () => {
  const credential = { signalUnknownCredential: () => Promise.resolve() };
  beforeAll(() => {
    vi.stubGlobal('window', { PublicKeyCredential: credential });
    vi.stubGlobal('PublicKeyCredential', credential);
  });
  afterAll(() => void vi.unstubAllGlobals());

  test('are remembered once, newest last, up to 200', async () => {
    const signalledAfter = async (signalled: readonly string[], id: string) => {
      const { app } = tab({ answer: () => GONE, state: { signalled } });
      await sendFromRun(app, 1, unknownSignal('localhost', id));
      return app.store.get().signalled;
    };
    expect(await signalledAfter(['AQ', 'Ag'], 'AQ')).toStrictEqual(['Ag', 'AQ']);
    const many = Array.from({ length: 200 }, (_, index) => `id${index}`);
    expect(await signalledAfter(many, 'new')).toStrictEqual([...many.slice(1), 'new']);
  });

  test('are forgotten when they have answered', () => {
    expect(forget(['AQ', 'Ag'], 'AQ')).toStrictEqual(['Ag']);
  });

  test.each([
    ['["AQ"]', ['AQ']],
    [undefined, []],
    ['{', []],
    ['[1]', []],
    ['"AQ"', []],
  ])('are read from %s', (text, ids) => {
    expect(readSignalled(text)).toStrictEqual(ids);
  });
});
