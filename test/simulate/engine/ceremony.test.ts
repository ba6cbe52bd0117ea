import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { systemKeyPairs } from '../../../src/authenticator/key-pair.js';
import { createClient } from '../../../src/client/client.js';
import { createBrowser, createPasskey } from '../../../src/simulate/engine/ceremony.js';
import { contextAt } from '../../../src/simulate/mutations/conditions.js';
import type { TargetCapabilities } from '../../../src/simulate/target/profile-schema.js';
import { creation } from '../../client/ceremony.js';

const ORIGIN = 'https://example.com';
const MODEL = Uint8Array.from({ length: 16 }, (_, index) => index);

/** What a page gets from a U2F authenticator, or one that attests nothing, at a target that insists on attestation, or not. */
async function create(
  has: TargetCapabilities,
  made: { readonly attestation: 'fido-u2f' | 'none'; readonly aaguid?: Uint8Array; readonly mustAttest?: boolean },
) {
  const { attestation, aaguid, mustAttest = true } = made;
  const base = contextAt({ origin: ORIGIN, topOrigin: undefined, newPrivateKey: systemKeyPairs, onRemark: undefined });
  const context = { ...base, driver: { ...base.driver, has } };
  const authenticator = createAuthenticator({ algorithms: [-7], attestation, ...(aaguid && { aaguid }) });
  const page = createClient({ authenticator, origin: ORIGIN });
  const browser = { ...createBrowser(context), mustAttest };
  return await createPasskey(context, browser, page, { publicKey: creation({ attestation: 'direct' }) }).then(
    ({ type }) => type,
    (error: { readonly verdict?: unknown }) => error.verdict,
  );
}

describe('a passkey for a target that insists on attestation', () => {
  const U2F = { formats: ['fido-u2f'] } as const satisfies TargetCapabilities;
  const WITH_AAGUID = 'the target accepts U2F attestation, but U2F authenticators have no AAGUID';
  const notApplicable = (reason: string) => ({ status: 'not_applicable', reason });

  test('may come from a U2F authenticator, which has no AAGUID', async () => {
    expect(await create(U2F, { attestation: 'fido-u2f' })).toBe('public-key');
    expect(await create(U2F, { attestation: 'fido-u2f', aaguid: MODEL })).toEqual(notApplicable(WITH_AAGUID));
  });

  test.each([
    ['which is known to accept an AAGUID', { decides: { 'register.fido-u2f-with-aaguid': 'accepted' } }, true],
    ['which is known to refuse one', { decides: { 'register.fido-u2f-with-aaguid': 'refused' } }, false],
  ] as const)('and from one with an AAGUID at a target %s', async (_, has, accepted) => {
    const made = await create({ ...U2F, ...has }, { attestation: 'fido-u2f', aaguid: MODEL });
    expect(made).toEqual(accepted ? 'public-key' : notApplicable(WITH_AAGUID));
  });

  test('is none without attestation, and is one where the target does not insist', async () => {
    expect(await create(U2F, { attestation: 'none' })).toMatchObject({ status: 'not_applicable' });
    expect(await create(U2F, { attestation: 'none', mustAttest: false })).toBe('public-key');
    expect(await create(U2F, { attestation: 'fido-u2f', aaguid: MODEL, mustAttest: false })).toBe('public-key');
  });
});
