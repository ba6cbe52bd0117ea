import { describe, expect, test } from 'vitest';
import type { AccessQuery, OwnerQuery } from '../../src/accounts/ports.js';
import type { PasskeyFilter, PasskeyQuery } from '../../src/relying-party/ports.js';
import type { FilterTable } from '../../src/store/queries.js';
import type { Store } from '../../src/store/store.js';
import { adapters, sharedJsonFile } from './adapters.js';
import { newAccess, newOwner, newPasskey, START } from './samples.js';

const DAY = 86_400_000;
const TYPE = 'App\\Models\\User';
const YUBIKEY = '2fc0579f-8113-47ea-b116-bb5a8db9202a';
const ICLOUD = 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd';

/**
 * Owners: User:1 ada, User:2 Bob, App\Models\User:1 ÉMILE, User:3 zoe without passkeys. Passkeys: 1 and 2 of Ada, 3 of Bob (revoked), 4 of
 * Émile, 5 of User:9, who is in no table. Accesses: 1 a token of Ada, 2 and 3 sessions that passkeys 1 and 4 opened, 4 an expired token, 5 a
 * revoked one.
 */
async function fill(store: Store): Promise<Store> {
  await store.insertOwner({ ...newOwner({ email: 'ada@example.com', name: 'Ada' }), createdAt: START });
  await store.insertOwner({ ...newOwner({ email: 'Bob@example.com', name: 'Bob_50%' }), createdAt: START + 2 * DAY });
  await store.insertOwner({ ...newOwner({ email: 'emile@other.example', name: 'ÉMILE \u{1d53c}', type: TYPE }), createdAt: START + DAY });
  await store.insertOwner({
    ...newOwner({ email: 'zoe@example.com', name: '\uff5aoe', userHandle: new Uint8Array([1, 2]) }),
    createdAt: START + 3 * DAY,
  });
  const passkey = (change: Parameters<typeof newPasskey>[0], id: number) => {
    const given = newPasskey(change);
    return store.insertPasskey({ ...given, credential: { ...given.credential, id: new Uint8Array([id, 1, 2]), signCount: id } });
  };
  const [ada, bob, emile] = [
    { type: 'User', id: 1 },
    { type: 'User', id: 2 },
    { type: TYPE, id: 1 },
  ];
  await passkey({ owner: ada, label: 'Ada’s Café', aaguid: ICLOUD }, 200);
  await passkey({ owner: ada, label: '100% \\_key', aaguid: YUBIKEY, rpId: 'other.example', createdAt: START + DAY }, 7);
  await passkey({ owner: bob, label: '\u{1f511} key', aaguid: YUBIKEY, createdAt: START + 2 * DAY }, 9);
  await passkey({ owner: emile, label: 'CAFE\u0301', aaguid: ICLOUD, createdAt: START + 3 * DAY }, 100);
  await passkey({ owner: { type: 'User', id: 9 }, label: '\uff5e', aaguid: YUBIKEY, createdAt: START + 4 * DAY + 0.25 }, 8);
  const use = { backupState: true, uvInitialized: true };
  await store.recordLogin({ passkeyId: 1, use: { ...use, expectedSignCount: 200, signCount: 201, lastUsedAt: START + 10 * DAY } });
  const fourth = { expectedSignCount: 100, signCount: 101, lastUsedAt: START + 5 * DAY };
  await store.recordLogin({ passkeyId: 4, use: { ...use, ...fourth, backupState: false } });
  await store.revokePasskeys([3], { at: START + 6 * DAY, reason: 'Lost phone', change: 'c1' });
  const token = { kind: 'token', expiresAt: undefined } as const;
  await store.insertAccess(newAccess({ ...token, owner: ada, label: 'CI é' }));
  await store.insertAccess(newAccess({ owner: ada, passkeyId: 1, createdAt: START + DAY, expiresAt: START + 20 * DAY }));
  await store.insertAccess(newAccess({ owner: emile, passkeyId: 4, createdAt: START + 2 * DAY, expiresAt: START + 20 * DAY }));
  await store.insertAccess(newAccess({ ...token, owner: bob, label: 'ci_2', expiresAt: START + DAY }));
  await store.insertAccess(newAccess({ ...token, owner: bob, label: 'Login' }));
  await store.touchAccess(2, START + 9 * DAY);
  await store.revokeAccess(5, START + DAY);
  return store;
}

const passkeyRows: [PasskeyQuery, number[]][] = [
  [{}, [1, 2, 4, 5]],
  [{ revoked: false }, [1, 2, 4, 5]],
  [{ owner: { type: 'User', id: 1 } }, [1, 2]],
  [{ ids: [4, 3, 1, 99, 1] }, [1, 4]],
  [{ ids: [4, 3, 1], revoked: true, owner: { type: 'User', id: 2 } }, [3]],
  [{ ids: [] }, []],
  [{ firstId: 2, lastId: 4 }, [2, 4]],
  [{ type: TYPE }, [4]],
  [{ type: 'User', revoked: true }, [1, 2, 3, 5]],
  [{ type: 'user' }, []],
  [{ label: 'CAFÉ' }, [1, 4]],
  [{ label: 'cafe\u0301' }, [1, 4]],
  [{ label: '%' }, [2]],
  [{ label: '_' }, [2]],
  [{ label: '\\' }, [2]],
  [{ label: 'KEY', revoked: true }, [2, 3]],
  // The Kelvin sign is a k in lower case.
  [{ label: '\u212aEY', revoked: true }, [2, 3]],
  [{ label: 'ADA’' }, [1]],
  [{ label: "'; DROP TABLE passkeys; --" }, []],
  [{ aaguids: [YUBIKEY] }, [2, 5]],
  [{ aaguids: [YUBIKEY, ICLOUD], revoked: 'only' }, [3]],
  [{ aaguids: [] }, []],
  [{ unusedSince: START + 5 * DAY }, [2, 5]],
  [{ unusedSince: START + 5 * DAY + 1 }, [2, 4, 5]],
  [{ unusedSince: START + DAY }, []],
  [{ revoked: true, revokedSince: START + 6 * DAY }, [3]],
  [{ revoked: true, revokedSince: START + 6 * DAY + 1 }, []],
  [{ revoked: true, revokedBefore: START + 6 * DAY }, []],
  [{ revoked: true, revokedBefore: START + 6 * DAY + 1 }, [3]],
  [{ revoked: true, revokedReason: 'lost' }, [3]],
  [{ revoked: 'only', revokedReason: 'stolen' }, []],
  [{ revoked: 'only', revokedChange: 'c1' }, [3]],
  [{ revoked: 'only', revokedChange: 'c' }, []],
  [{ createdBefore: START + 3 * DAY }, [1, 2]],
  [{ createdBefore: START + 3 * DAY + 1 }, [1, 2, 4]],
  [{ backedUp: true }, [1]],
  [{ backedUp: false, revoked: true }, [2, 3, 4, 5]],
  [{ rpId: 'other.example', label: 'key', aaguids: [YUBIKEY], owner: { type: 'User', id: 1 } }, [2]],
  [{ offset: 1 }, [2, 4, 5]],
  [{ offset: 1, limit: 2 }, [2, 4]],
  [{ offset: 9 }, []],
  [{ limit: 0 }, []],
  [{ sort: { by: 'id', descending: true }, limit: 3, offset: 1 }, [4, 2, 1]],
  // The keys lie beyond U+FFFF, the tilde within: by UTF-16 unit it would be behind them.
  [{ sort: { by: 'label' }, revoked: true }, [2, 1, 4, 5, 3]],
  [{ sort: { by: 'label', descending: true }, revoked: true }, [3, 5, 4, 1, 2]],
  [{ sort: { by: 'credentialId' }, revoked: true }, [2, 5, 3, 4, 1]],
  [{ sort: { by: 'ownerId' } }, [1, 2, 4, 5]],
  [{ sort: { by: 'ownerId', descending: true }, limit: 2 }, [5, 1]],
  [{ sort: { by: 'ownerType' } }, [4, 1, 2, 5]],
  [{ sort: { by: 'email' }, revoked: true }, [1, 2, 3, 4, 5]],
  [{ sort: { by: 'email', descending: true }, revoked: true }, [4, 3, 1, 2, 5]],
  [{ sort: { by: 'rpId' } }, [1, 4, 5, 2]],
  [{ sort: { by: 'aaguid' } }, [2, 5, 1, 4]],
  [{ sort: { by: 'signCount' } }, [2, 5, 4, 1]],
  [{ sort: { by: 'backupState', descending: true } }, [1, 2, 4, 5]],
  [{ sort: { by: 'createdAt', descending: true } }, [5, 4, 2, 1]],
  [{ sort: { by: 'lastUsedAt' } }, [4, 1, 2, 5]],
  [{ sort: { by: 'lastUsedAt', descending: true }, limit: 1 }, [1]],
  [{ sort: { by: 'revokedAt' }, revoked: true }, [3, 1, 2, 4, 5]],
];

const ownerRows: [OwnerQuery, string[]][] = [
  [{}, [`${TYPE}:1`, 'User:1', 'User:2', 'User:3']],
  [{ owner: { type: 'User', id: 2 } }, ['User:2']],
  [{ owner: { type: 'User', id: 2 }, type: TYPE }, []],
  [
    {
      owners: [
        { type: 'User', id: 9 },
        { type: 'User', id: 3 },
        { type: TYPE, id: 1 },
        { type: 'User', id: 3 },
      ],
    },
    [`${TYPE}:1`, 'User:3'],
  ],
  [
    {
      owners: [
        { type: 'User', id: 3 },
        { type: 'User', id: 1 },
      ],
      label: 'ada',
    },
    ['User:1'],
  ],
  [{ owners: [] }, []],
  [{ owner: { type: 'User', id: 9 } }, []],
  [{ type: 'User', email: 'BOB@EXAMPLE.com' }, ['User:2']],
  [{ userHandle: new Uint8Array([1, 2]) }, ['User:3']],
  [{ label: 'EXAMPLE.COM' }, ['User:1', 'User:2', 'User:3']],
  [{ label: 'émile' }, [`${TYPE}:1`]],
  [{ label: '0%' }, ['User:2']],
  [{ label: 'b_5' }, ['User:2']],
  [{ createdBefore: START + 2 * DAY }, [`${TYPE}:1`, 'User:1']],
  [{ unusedSince: START + 5 * DAY }, ['User:2', 'User:3']],
  [{ unusedSince: START + 2 * DAY + 1 }, ['User:2']],
  [{ owning: {} }, [`${TYPE}:1`, 'User:1']],
  [{ owning: { revoked: 'only' } }, ['User:2']],
  [{ owning: { rpId: 'other.example', aaguids: [YUBIKEY], backedUp: false } }, ['User:1']],
  [{ owning: { rpId: 'other.example', aaguids: [ICLOUD] } }, []],
  [{ owning: { backedUp: true } }, ['User:1']],
  [{ lacking: {} }, ['User:2', 'User:3']],
  [{ lacking: { revoked: 'only' } }, [`${TYPE}:1`, 'User:1', 'User:3']],
  [{ lacking: {}, owning: { revoked: 'only' } }, ['User:2']],
  [{ lacking: { rpId: 'other.example' }, type: 'User' }, ['User:2', 'User:3']],
  [{ lacking: { revoked: true } }, ['User:3']],
  [{ offset: 1, limit: 2 }, ['User:1', 'User:2']],
  [{ sort: { by: 'id', descending: true } }, ['User:3', 'User:2', `${TYPE}:1`, 'User:1']],
  [{ sort: { by: 'type', descending: true }, limit: 1 }, ['User:1']],
  [{ sort: { by: 'email', descending: true } }, ['User:3', `${TYPE}:1`, 'User:2', 'User:1']],
  [{ sort: { by: 'name' } }, ['User:1', 'User:2', `${TYPE}:1`, 'User:3']],
  [{ sort: { by: 'createdAt' } }, ['User:1', `${TYPE}:1`, 'User:2', 'User:3']],
  [{ sort: { by: 'passkeys', descending: true } }, ['User:1', `${TYPE}:1`, 'User:2', 'User:3']],
];

const accessRows: [AccessQuery, number[]][] = [
  [{}, [1, 2, 3, 4, 5]],
  [{ ids: [5, 1] }, [1, 5]],
  [{ firstId: 2, lastId: 4 }, [2, 3, 4]],
  [{ kind: 'token' }, [1, 4, 5]],
  [{ owner: { type: TYPE, id: 1 } }, [3]],
  [{ type: 'User', kind: 'session' }, [2]],
  [{ label: 'CI' }, [1, 4]],
  [{ label: 'É' }, [1]],
  [{ label: '_' }, [4]],
  [{ revoked: false }, [1, 2, 3, 4]],
  [{ revoked: 'only' }, [5]],
  [{ liveAt: START + DAY }, [1, 2, 3]],
  [{ liveAt: START + DAY - 1 }, [1, 2, 3, 4]],
  [{ endedBefore: START + DAY }, []],
  [{ endedBefore: START + DAY + 1 }, [4, 5]],
  [{ createdBefore: START + 2 * DAY }, [1, 2, 4, 5]],
  [{ unusedSince: START + 2 * DAY + 1, kind: 'session' }, [3]],
  [{ passkeyId: 4 }, [3]],
  [{ openedWith: {} }, [2, 3]],
  [{ openedWith: { backedUp: true } }, [2]],
  [{ openedWith: { rpId: 'other.example' } }, []],
  [{ offset: 1, limit: 1 }, [2]],
  [{ sort: { by: 'id', descending: true }, limit: 2 }, [5, 4]],
  [{ sort: { by: 'label' } }, [1, 5, 4, 2, 3]],
  [{ sort: { by: 'ownerId', descending: true } }, [4, 5, 1, 2, 3]],
  [{ sort: { by: 'ownerType' } }, [3, 1, 2, 4, 5]],
  [{ sort: { by: 'email' } }, [1, 2, 4, 5, 3]],
  [{ sort: { by: 'passkeyId', descending: true } }, [3, 2, 1, 4, 5]],
  [{ sort: { by: 'createdAt', descending: true } }, [3, 2, 1, 4, 5]],
  [{ sort: { by: 'expiresAt' } }, [4, 2, 3, 1, 5]],
  [{ sort: { by: 'lastUsedAt' } }, [2, 1, 3, 4, 5]],
  [{ sort: { by: 'revokedAt' } }, [5, 1, 2, 3, 4]],
];

// @ts-expect-error a member of a filter that a store does not answer does not compile
const incomplete: FilterTable<PasskeyFilter, string> = { ids: () => 'found' };

test('a table that lacks a member compiles nowhere', () => expect(Object.keys(incomplete)).toEqual(['ids']));

describe.each(adapters(sharedJsonFile))('queries: $name', ({ open }) => {
  test('find, sort and page passkeys, and count what they find', async () => {
    const store = await fill(await open());
    for (const [query, ids] of passkeyRows) {
      const about = JSON.stringify(query);
      expect(
        (await store.listPasskeys(query)).map(({ id }) => id),
        about,
      ).toStrictEqual(ids);
      expect(await store.listPasskeyIds(query), about).toStrictEqual(ids);
      const { sort: _, offset, limit, ...filter } = query;
      if (limit === undefined && offset === undefined) expect(await store.countPasskeys(filter), about).toBe(ids.length);
    }
  });

  test('find, sort and page owners, and count what they find', async () => {
    const store = await fill(await open());
    for (const [query, owners] of ownerRows) {
      const about = JSON.stringify(query);
      expect(
        (await store.listOwners(query)).map(({ type, id }) => `${type}:${id}`),
        about,
      ).toStrictEqual(owners);
      const { sort: _, offset, limit, ...filter } = query;
      if (limit === undefined && offset === undefined) expect(await store.countOwners(filter), about).toBe(owners.length);
    }
  });

  test('find, sort and page tokens and sessions, and count what they find', async () => {
    const store = await fill(await open());
    for (const [query, ids] of accessRows) {
      const about = JSON.stringify(query);
      expect(
        (await store.listAccess(query)).map(({ id }) => id),
        about,
      ).toStrictEqual(ids);
      const { sort: _, offset, limit, ...filter } = query;
      if (limit === undefined && offset === undefined) expect(await store.countAccess(filter), about).toBe(ids.length);
    }
  });

  test('go on behind any row, in every order', async () => {
    const store = await fill(await open());
    for (const [query, ids] of passkeyRows.filter(([each]) => each.limit === undefined && each.offset === undefined)) {
      for (const [place, after] of ids.entries()) {
        const about = `${JSON.stringify(query)} behind ${after}`;
        expect(await store.listPasskeyIds({ ...query, after }), about).toStrictEqual(ids.slice(place + 1));
        expect(await store.listPasskeyIds({ ...query, after, limit: 1, offset: 1 }), about).toStrictEqual(ids.slice(place + 2, place + 3));
      }
    }
    for (const [query, ids] of accessRows.filter(([each]) => each.limit === undefined && each.offset === undefined)) {
      for (const [place, after] of ids.entries()) {
        const found = await store.listAccess({ ...query, after, limit: 2 });
        expect(
          found.map(({ id }) => id),
          `${JSON.stringify(query)} behind ${after}`,
        ).toStrictEqual(ids.slice(place + 1, place + 3));
      }
    }
    for (const [query, names] of ownerRows.filter(([each]) => each.limit === undefined && each.offset === undefined)) {
      for (const [place, name] of names.entries()) {
        const [type = '', id] = name.split(':');
        const found = await store.listOwners({ ...query, after: { type, id: Number(id) } });
        expect(
          found.map((owner) => `${owner.type}:${owner.id}`),
          `${JSON.stringify(query)} behind ${name}`,
        ).toStrictEqual(names.slice(place + 1));
      }
    }
  });

  test('go on behind a row that the filter does not find', async () => {
    const store = await fill(await open());
    for (const by of ['id', 'label', 'credentialId', 'email', 'aaguid', 'createdAt', 'lastUsedAt', 'revokedAt'] as const) {
      for (const descending of [false, true]) {
        const sort = { by, descending };
        const all = await store.listPasskeyIds({ sort, revoked: true });
        const behind = all.slice(all.indexOf(3) + 1);
        expect(await store.listPasskeyIds({ sort, after: 3 }), JSON.stringify(sort)).toStrictEqual(behind);
      }
    }
    const users = await store.listOwners({ owning: {}, sort: { by: 'email' }, after: { type: 'User', id: 2 } });
    expect(users.map(({ email }) => email)).toEqual(['emile@other.example']);
    expect((await store.listAccess({ kind: 'token', after: 2 })).map(({ id }) => id)).toEqual([4, 5]);
  });

  test('counts of passkeys agree with what is found', async () => {
    const store = await fill(await open());
    const [early, late] = [START + 5 * DAY, START + 5 * DAY + 1];
    const summary = await store.summarizePasskeys({ revoked: true }, [late, early]);
    const byKey = new Map(summary.publicKeys.map(({ publicKey, count }) => [publicKey.length, count]));
    expect({ ...summary, publicKeys: byKey.size }).toStrictEqual({
      passkeys: 5,
      backupEligible: 5,
      backedUp: 1,
      uvInitialized: 5,
      neverUsed: 3,
      unused: [4, 3],
      owners: 3,
      rpIds: new Map([
        ['example.com', 4],
        ['other.example', 1],
      ]),
      aaguids: new Map([
        [YUBIKEY, 3],
        [ICLOUD, 2],
      ]),
      attestationFormats: new Map([['packed', 5]]),
      registrations: new Map([['2026-01', 5]]),
      lastUses: new Map([['2026-01', 2]]),
      publicKeys: 1,
    });
    expect(await store.summarizePasskeys({ revoked: 'only', label: 'KEY' }, [])).toMatchObject({ passkeys: 1, owners: 1, unused: [] });
    expect(await store.summarizePasskeys({ ids: [] }, [START])).toMatchObject({ passkeys: 0, owners: 0, unused: [0], publicKeys: [] });
  });

  test('keys that begin alike are of one kind, and any others each of their own', async () => {
    const store = await open();
    const key = (...head: number[]) => Uint8Array.from([...head, ...newPasskey().credential.publicKey]);
    const ES256 = [0xa5, 1, 2, 3, 0x26, 0x20, 1];
    const RS256 = [0xa4, 1, 3, 3, 0x39, 1, 0];
    const heads = [ES256, RS256, ES256, [0xa5, 3, 0x26, 1, 2], [0xa5, 3, 0x26, 1, 2]];
    for (const head of heads) {
      const given = newPasskey();
      await store.insertPasskey({ ...given, credential: { ...given.credential, publicKey: key(...head) } });
    }
    const { publicKeys } = await store.summarizePasskeys({}, []);
    const found = publicKeys.map(({ publicKey, count }) => `${Buffer.from(publicKey.subarray(0, 5)).toString('hex')} ${count}`);
    expect(found.sort()).toEqual(['a401030339 1', 'a501020326 2', 'a503260102 1', 'a503260102 1']);
  });

  test('refuse a filter that the store does not know, instead of finding more than was asked for', async () => {
    const store = await fill(await open());
    const unknown = { type: 'User', ...JSON.parse('{"colour":"red"}') };
    for (const find of [
      () => store.listPasskeys(unknown),
      () => store.countPasskeys(unknown),
      () => store.listOwners(unknown),
      () => store.listOwners({ owning: unknown }),
      () => store.listAccess(unknown),
    ]) {
      await expect(find()).rejects.toMatchObject({
        code: 'internal_error',
        message: 'This store cannot filter by colour. Nothing was changed. Leave it out, or use another.',
      });
    }
  });

  test('the live passkeys of owners are counted in their order', async () => {
    const store = await fill(await open());
    const owners = [
      { type: 'User', id: 2 },
      { type: 'User', id: 1 },
      { type: TYPE, id: 1 },
      { type: 'User', id: 77 },
    ];
    expect(await store.countPasskeysOf(owners)).toStrictEqual([0, 2, 1, 0]);
    expect(await store.countPasskeysOf([])).toStrictEqual([]);
  });
});
