import { describe, expect, test } from 'vitest';
import type { Ceremony } from '../../src/relying-party/ports.js';
import type { Store } from '../../src/store/store.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { adapters } from './adapters.js';
import { newCeremony, newOwner, newPasskey, START } from './samples.js';

/** A ceremony of a login that the store keeps. */
async function saved(store: Store, change: Partial<Ceremony>): Promise<Ceremony> {
  const ceremony = newCeremony({ kind: 'authentication', owner: undefined, ...change });
  await store.saveCeremony(ceremony);
  return ceremony;
}

describe.each(adapters())('CeremonyStore: $name', ({ open }) => {
  test('a ceremony is taken back whole, and once', async () => {
    const store = await open();
    const ceremony = newCeremony({ challenge: new Uint8Array(32).fill(7), userHandle: new Uint8Array([49]) });
    const login = newCeremony({
      kind: 'authentication',
      challenge: new Uint8Array(32).fill(8),
      owner: undefined,
      userHandle: undefined,
      rpName: undefined,
      credentialId: new Uint8Array([1, 2]),
    });
    await store.saveCeremony(ceremony);
    await store.saveCeremony(login);
    expect(await store.takeCeremony(login.challenge, START)).toStrictEqual({ status: 'open', ceremony: login });
    expect(await store.takeCeremony(ceremony.challenge, START)).toStrictEqual({ status: 'open', ceremony });
    expect(await store.takeCeremony(ceremony.challenge, START)).toStrictEqual({ status: 'used', ceremony });
    expect(await store.takeCeremony(new Uint8Array(32), START)).toStrictEqual({ status: 'unknown' });
  });

  test('takes the ceremony of a login with its passkey, once', async () => {
    const store = await open();
    const passkey = await store.insertPasskey(newPasskey());
    const own = { challenge: new Uint8Array(32).fill(6), credentialId: passkey.credential.id, userHandle: undefined };
    const ceremony = await saved(store, own);
    const answered = { challenge: ceremony.challenge, credentialId: passkey.credential.id, now: START };
    expect(await store.takeAuthentication(answered)).toStrictEqual({ passkey, taken: { status: 'open', ceremony } });
    expect(await store.takeAuthentication(answered)).toStrictEqual({ passkey, taken: { status: 'used', ceremony } });
    expect(await store.takeCeremony(ceremony.challenge, START)).toStrictEqual({ status: 'used', ceremony });
    const unknown = { ...answered, challenge: new Uint8Array(32) };
    expect(await store.takeAuthentication(unknown)).toStrictEqual({ passkey, taken: { status: 'unknown' } });
  });

  test.each([
    { at: 119_999, status: 'open' },
    { at: 120_000, status: 'expired' },
    { at: 240_000, status: 'unknown' },
  ])('$at ms after it was issued, a login is $status', async ({ at, status }) => {
    const store = await open();
    const { credential } = await store.insertPasskey(newPasskey());
    const { challenge } = await saved(store, { issuedAt: START, expiresAt: START + 120_000 });
    const { taken } = await store.takeAuthentication({ challenge, credentialId: credential.id, now: START + at });
    expect(taken).toMatchObject({ status });
  });

  test('without a live passkey no ceremony is spent', async () => {
    const store = await open();
    const { id, credential } = await store.insertPasskey(newPasskey());
    const { challenge } = await saved(store, {});
    const unknown = { challenge, credentialId: new Uint8Array([1]), now: START };
    expect(await store.takeAuthentication(unknown)).toStrictEqual({ passkey: undefined, taken: { status: 'unknown' } });
    await store.revokePasskeys([id], { at: START, reason: 'lost' });
    expect(await store.takeAuthentication({ ...unknown, credentialId: credential.id })).toMatchObject({
      passkey: { id, revokedAt: START, revokedReason: 'lost' },
      taken: { status: 'unknown' },
    });
    await store.restorePasskeys([id]);
    expect(await store.takeAuthentication({ ...unknown, credentialId: credential.id })).toMatchObject({
      passkey: { id, revokedAt: undefined },
      taken: { status: 'open' },
    });
  });

  test('of racing logins exactly one sees it open, whichever passkeys they name', async () => {
    const store = await open();
    const ids = await Promise.all([1, 2].map(async () => (await store.insertPasskey(newPasskey())).credential.id));
    const { challenge } = await saved(store, {});
    const racing = Array.from({ length: 10 }, () => ids).flat();
    const logins = racing.map((credentialId) => store.takeAuthentication({ challenge, credentialId, now: START }));
    const statuses = [...(await Promise.all(logins)).map(({ taken }) => taken.status), (await store.takeCeremony(challenge, START)).status];
    expect(statuses.sort()).toEqual(['open', ...Array.from({ length: 20 }, () => 'used')]);
  });

  test('says which challenges were taken, where several processes share them', async () => {
    const store = await open();
    const [taken, begun, unknown] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
    for (const challenge of [taken, begun]) await store.saveCeremony(newCeremony({ challenge: challenge ?? new Uint8Array() }));
    if (taken !== undefined) await store.takeCeremony(taken, START);
    const asked = [taken, begun, unknown].filter((challenge) => challenge !== undefined);
    expect(await store.spentChallenges?.(asked)).toEqual(store.location.startsWith('postgres') ? [taken] : undefined);
    expect(await store.spentChallenges?.([])).toEqual(store.location.startsWith('postgres') ? [] : undefined);
  });

  test('of racing takers exactly one sees it open', async () => {
    const store = await open();
    const ceremony = newCeremony();
    await store.saveCeremony(ceremony);
    const taken = await Promise.all(Array.from({ length: 20 }, () => store.takeCeremony(ceremony.challenge, START)));
    expect(taken.map(({ status }) => status).sort()).toEqual(['open', ...Array.from({ length: 19 }, () => 'used')]);
  });

  test.each([
    { at: 0, spentBefore: false, status: 'open' },
    { at: 119_999, spentBefore: false, status: 'open' },
    { at: 120_000, spentBefore: false, status: 'expired' },
    { at: 239_999, spentBefore: false, status: 'expired' },
    { at: 240_000, spentBefore: false, status: 'unknown' },
    { at: 119_999, spentBefore: true, status: 'used' },
    { at: 239_999, spentBefore: true, status: 'used' },
    { at: 240_000, spentBefore: true, status: 'unknown' },
    { at: -1_000, spentBefore: false, status: 'open' },
    // Two minutes at the least, however short the challenge lived.
    { at: 1_999, lifetime: 2_000, spentBefore: false, status: 'open' },
    { at: 2_000, lifetime: 2_000, spentBefore: false, status: 'expired' },
    { at: 121_999, lifetime: 2_000, spentBefore: false, status: 'expired' },
    { at: 121_999, lifetime: 2_000, spentBefore: true, status: 'used' },
    { at: 122_000, lifetime: 2_000, spentBefore: false, status: 'unknown' },
    { at: 1_199_999, lifetime: 600_000, spentBefore: false, status: 'expired' },
    { at: 1_200_000, lifetime: 600_000, spentBefore: false, status: 'unknown' },
  ])('$at ms after it was issued, spent before: $spentBefore, it is $status', async ({ at, lifetime = 120_000, spentBefore, status }) => {
    const store = await open();
    const ceremony = newCeremony({ issuedAt: START, expiresAt: START + lifetime });
    await store.saveCeremony(ceremony);
    if (spentBefore) await store.takeCeremony(ceremony.challenge, START);
    expect(await store.takeCeremony(ceremony.challenge, START + at)).toMatchObject({ status });
  });

  test('what goes in and what comes out is a copy', async () => {
    const store = await open();
    const ceremony = newCeremony();
    const before = structuredClone({ ...ceremony, challenge: new Uint8Array(ceremony.challenge), userHandle: undefined });
    await store.saveCeremony({ ...ceremony, userHandle: undefined });
    Object.assign(ceremony.options, { timeout: 1 });
    const first = await store.takeCeremony(before.challenge, START);
    expect(first).toStrictEqual({ status: 'open', ceremony: before });
    if (first.status !== 'unknown') first.ceremony.challenge.fill(0);
    expect(await store.takeCeremony(before.challenge, START)).toStrictEqual({ status: 'used', ceremony: before });
  });

  test('the ceremonies of a removed owner are of no use', async () => {
    const store = await open();
    const owner = await store.insertOwner(newOwner());
    const mine = newCeremony({ owner: { type: owner.type, id: owner.id } });
    const other = newCeremony({ owner: { type: owner.type, id: 2 } });
    await store.saveCeremony(mine);
    await store.saveCeremony(other);
    await store.removeOwner(owner, { at: START, reason: 'left' });
    expect(await store.takeCeremony(mine.challenge, START)).toEqual({ status: 'unknown' });
    expect(await store.takeCeremony(other.challenge, START)).toMatchObject({ status: 'open' });
  });

  test('a flood from one client crowds out its own ceremonies only, the oldest first', async () => {
    const store = await open({ ceremonyLimit: 10 });
    const others = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((client) => newCeremony({ client }));
    for (const ceremony of others) await store.saveCeremony(ceremony);
    const flood = Array.from({ length: 50 }, () => newCeremony({ client: '10.6.6.6' }));
    for (const ceremony of flood) await store.saveCeremony(ceremony);
    const statuses = await Promise.all(flood.map(({ challenge }) => store.takeCeremony(challenge, START)));
    expect(statuses.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 43 }, () => 'unknown'),
      ...Array.from({ length: 7 }, () => 'open'),
    ]);
    for (const { challenge } of others) expect(await store.takeCeremony(challenge, START)).toMatchObject({ status: 'open' });
  });

  test('of more clients than there is room for, those that asked last stay', async () => {
    const store = await open({ ceremonyLimit: 10 });
    const all = Array.from({ length: 15 }, (_, index) => newCeremony({ client: `10.0.1.${index}` }));
    for (const ceremony of all) await store.saveCeremony(ceremony);
    const taken = await Promise.all(all.map(({ challenge }) => store.takeCeremony(challenge, START)));
    expect(taken.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 5 }, () => 'unknown'),
      ...Array.from({ length: 10 }, () => 'open'),
    ]);
  });

  test('everything that options can hold comes back, in its order', async () => {
    const store = await open();
    const challenge = new Uint8Array(32).fill(9);
    const options = {
      rp: { id: 'example.com', name: '名' },
      user: { id: 'MQ', name: 'a', displayName: '' },
      challenge: encodeBase64url(challenge),
      pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      excludeCredentials: [{ id: 'AQ', type: 'public-key' }],
      extensions: { appid: 'https://example.com', nested: { user: null, challenge: 1 } },
      hints: null,
    };
    for (const each of [options, { ...options, user: null }, { ...options, challenge: 'another' }, { allowCredentials: [] }, {}]) {
      for (const mediation of ['conditional', undefined] as const) {
        const ceremony = newCeremony({ challenge, userHandle: undefined, options: each, ...(mediation && { mediation }) });
        await store.saveCeremony(ceremony);
        const taken = await store.takeCeremony(challenge, START);
        expect(taken).toStrictEqual({ status: 'open', ceremony });
        if (taken.status === 'open') expect(JSON.stringify(taken.ceremony.options)).toBe(JSON.stringify(each));
      }
    }
  });

  test('a challenge that is issued again begins anew', async () => {
    const store = await open();
    const ceremony = newCeremony();
    await store.saveCeremony(ceremony);
    await store.takeCeremony(ceremony.challenge, START);
    await store.saveCeremony({ ...ceremony, rpName: 'Again' });
    expect(await store.takeCeremony(ceremony.challenge, START)).toMatchObject({ status: 'open', ceremony: { rpName: 'Again' } });
  });
});
