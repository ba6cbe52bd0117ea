import { describe, expect, test } from 'vitest';
import { createAuthenticator, type SoftwareAuthenticator } from '../../src/authenticator/authenticator.js';
import { credentialSourceFromJson, credentialSourceToJson } from '../../src/authenticator/credential-source.js';
import type { AuthenticatorOptions, CeremonyFlags } from '../../src/authenticator/settings.js';
import { createSignCounter } from '../../src/authenticator/sign-counter.js';
import { cooperativeUser, scriptedUser } from '../../src/authenticator/user-verifier.js';
import { createClient } from '../../src/client/client.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { creation, ORIGIN, request } from '../client/ceremony.js';
import { fc } from '../properties.js';
import { getRequest, granted, makeRequest, takeApart, user, withCredential } from './requests.js';

const MAX = 0xffffffff;

describe('the sign counter', () => {
  test.each<[AuthenticatorOptions['signCount'], readonly number[]]>([
    [{ kind: 'per-credential', start: 7, step: 0 }, [7, 7, 7, 7]],
    [{ kind: 'per-credential', start: 5, step: 3 }, [5, 8, 11, 14]],
    [{ kind: 'per-credential', start: 5, freezeAt: 6 }, [5, 6, 6, 6]],
    [{ kind: 'per-credential', start: 2, step: -1 }, [2, 1, 0, 0]],
    [{ kind: 'per-credential', start: 10, step: -4, freezeAt: 3 }, [10, 6, 3, 3]],
    [{ kind: 'per-credential', start: 2 ** 31 - 1 }, [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 31 + 2]],
    [{ kind: 'global', start: 5, step: -2 }, [3, 1, 0, 0]],
    [{ kind: 'global', start: MAX - 1 }, [MAX, MAX, MAX, MAX]],
    [{ kind: 'per-credential', start: 9, freezeAt: 4 }, [9, 9, 9, 9]],
  ])('%o', async (signCount, expected) => {
    const { authenticator, data } = await withCredential({ ...(signCount && { signCount }) });
    const counts = [data.signCount];
    for (let n = 0; n < 3; n++) {
      counts.push(decodeAuthenticatorData(granted(await authenticator.getAssertion(getRequest())).authenticatorData).signCount);
    }
    expect(counts).toEqual(expected);
  });

  test('as before counts for the credentials that counted, and a count of 0 moves neither way', () => {
    const counter = createSignCounter({ kind: 'as-before', start: 4, step: 2 });
    expect([counter.created(), counter.asserted(0), counter.asserted(1), counter.asserted(MAX - 1)]).toEqual([4, 0, 3, MAX]);
    const zero = createSignCounter({ kind: 'zero' });
    expect([zero.created(), zero.asserted(5)]).toEqual([0, 0]);
    const global = createSignCounter({ kind: 'global', start: 3 });
    expect([global.created(), global.asserted(9), global.asserted(1), global.created()]).toEqual([4, 10, 11, 12]);
    const falling = createSignCounter({ kind: 'global', start: 9, step: -1 });
    expect([falling.created(), falling.asserted(20), falling.asserted(1)]).toEqual([8, 7, 6]);
  });

  test.each([
    [{ start: MAX + 1 }, `Expected start of the sign counter to be 0 to ${MAX}; got ${MAX + 1}.`],
    [{ freezeAt: 1.5 }, `Expected freezeAt of the sign counter to be 0 to ${MAX}; got 1.5.`],
    [{ step: -MAX - 1 }, `Expected step of the sign counter to be -${MAX} to ${MAX}; got ${-MAX - 1}.`],
  ])('%o is refused', (options, message) => {
    expect(() => createSignCounter({ kind: 'global', ...options })).toThrow(new TypeError(message));
  });

  const uint32 = fc.oneof(fc.nat({ max: 5 }), fc.integer({ min: 0, max: MAX }), fc.constant(MAX));
  test('stays an unsigned integer of 32 bits, and moves one way only', () => {
    const step = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -MAX, max: MAX }));
    fc.assert(
      fc.property(uint32, step, fc.option(uint32, { nil: undefined }), (start, by, freezeAt) => {
        const counter = createSignCounter({ kind: 'per-credential', start, step: by, ...(freezeAt !== undefined && { freezeAt }) });
        let at = counter.created();
        for (let n = 0; n < 4; n++) {
          const next = counter.asserted(at);
          expect(Number.isInteger(next) && next >= 0 && next <= MAX).toBe(true);
          expect(by < 0 ? next <= at : next >= at).toBe(true);
          at = next;
        }
      }),
    );
  });
});

describe('flags', () => {
  const flagsOf = (data: Uint8Array) => {
    const { up, uv, be, bs } = decodeAuthenticatorData(data).flags;
    return { up, uv, be, bs };
  };

  test('any combination, another one for each ceremony', async () => {
    const flag = fc.boolean();
    const all = fc.record({ up: flag, uv: flag, be: flag, bs: flag });
    await fc.assert(
      fc.asyncProperty(all, all, async (atCreation, atAssertion) => {
        const wanted: Readonly<Record<string, CeremonyFlags>> = { create: atCreation, get: atAssertion };
        const { authenticator, data } = await withCredential({ flags: (proven, { operation }) => wanted[operation] ?? proven });
        const { authenticatorData } = granted(await authenticator.getAssertion(getRequest()));
        expect([data.flags, flagsOf(authenticatorData)]).toMatchObject([atCreation, atAssertion]);
      }),
      { numRuns: 20 },
    );
  });

  test('one of them changes, the others are what is true', async () => {
    const asked: string[] = [];
    const { authenticator, data, id } = await withCredential({
      backupEligible: true,
      flags(proven, { operation, rpId, credentialId }) {
        asked.push(`${operation} ${rpId} ${credentialId.length}`);
        return { ...proven, bs: operation === 'get' };
      },
    });
    expect(data.flags).toMatchObject({ up: true, uv: true, be: true, bs: false });
    expect(flagsOf(granted(await authenticator.getAssertion(getRequest())).authenticatorData)).toEqual({
      up: true,
      uv: true,
      be: true,
      bs: true,
    });
    expect(asked).toEqual(['create example.com 32', `get example.com ${id.length}`]);
  });
});

describe('the user', () => {
  test.each([
    ['denied', 'CTAP2_ERR_OPERATION_DENIED'],
    ['cancelled', 'CTAP2_ERR_KEEPALIVE_CANCEL'],
    ['timeout', 'CTAP2_ERR_USER_ACTION_TIMEOUT'],
    ['pin-invalid', 'CTAP2_ERR_PIN_INVALID'],
    ['pin-blocked', 'CTAP2_ERR_PIN_BLOCKED'],
    ['uv-invalid', 'CTAP2_ERR_UV_INVALID'],
    ['uv-blocked', 'CTAP2_ERR_UV_BLOCKED'],
  ] as const)('%s: %s, which a page sees as NotAllowedError', async (outcome, status) => {
    const { authenticator } = await withCredential({ userVerifier: scriptedUser('verified', outcome) });
    expect(await authenticator.getAssertion(getRequest())).toMatchObject({ ok: false, status });
    expect(await authenticator.makeCredential(makeRequest())).toMatchObject({ ok: false, status });
    const client = createClient({ authenticator, origin: ORIGIN });
    await expect(client.get({ publicKey: request() })).rejects.toMatchObject({ name: 'NotAllowedError' });
    await expect(client.create({ publicKey: creation() })).rejects.toMatchObject({ name: 'NotAllowedError' });
  });

  test('no PIN set: preferred verification goes without, required verification is refused', async () => {
    const { authenticator, data } = await withCredential(
      { userVerifier: cooperativeUser({ pinNotSet: true }) },
      { requireUserVerification: false },
    );
    expect([authenticator.info.userVerification, authenticator.info.pinNotSet, data.flags.uv]).toEqual([false, true, false]);
    const status = 'CTAP2_ERR_PIN_NOT_SET';
    expect(await authenticator.makeCredential(makeRequest())).toMatchObject({ ok: false, status });
    expect(await authenticator.getAssertion(getRequest())).toMatchObject({ ok: false, status });
    const client = createClient({ authenticator, origin: ORIGIN });
    await client.get({ publicKey: request({ userVerification: 'preferred' }) });
    const refused = { name: 'NotAllowedError', message: expect.stringContaining('no PIN yet') };
    await expect(client.get({ publicKey: request({ userVerification: 'required' }) })).rejects.toMatchObject(refused);
    const publicKey = creation({ authenticatorSelection: { userVerification: 'required' } });
    await expect(client.create({ publicKey })).rejects.toMatchObject(refused);
  });
});

describe('a signal', () => {
  const ids = async ({ store }: SoftwareAuthenticator) =>
    (await store.list()).map(({ user: { id, name, displayName }, hidden }) => [new TextDecoder().decode(id), name, displayName, hidden]);
  async function withUsers(signalled: 'hide' | 'remove') {
    const { authenticator, id } = await withCredential({ signalled });
    const second = takeApart(granted(await authenticator.makeCredential(makeRequest({ user: user('2') })))).id;
    const more = makeRequest({ requireResidentKey: false });
    const third = takeApart(granted(await authenticator.makeCredential(more))).id;
    return { authenticator, id, second, third };
  }
  const rows = (one: unknown, two: unknown, three: unknown) => [
    ['1', '1@example.com', '1', one],
    ['2', '2@example.com', '2', two],
    ['1', '1@example.com', '1', three],
  ];

  test('unknownCredential hides or removes that credential', async () => {
    const { authenticator, second } = await withUsers('hide');
    await authenticator.signal({ type: 'unknownCredential', rpId: 'other.example', credentialId: second });
    expect(await ids(authenticator)).toEqual(rows(undefined, undefined, undefined));
    await authenticator.signal({ type: 'unknownCredential', rpId: 'example.com', credentialId: second });
    expect(await ids(authenticator)).toEqual(rows(undefined, true, undefined));
    const removing = await withUsers('remove');
    await removing.authenticator.signal({ type: 'unknownCredential', rpId: 'example.com', credentialId: removing.second });
    expect(await ids(removing.authenticator)).toEqual(
      [rows(0, 0, undefined)[0], rows(0, 0, undefined)[2]].map((row) => row?.with(3, undefined)),
    );
  });

  test('allAcceptedCredentials hides the others of that user, and shows them again', async () => {
    const { authenticator, id, third } = await withUsers('hide');
    const signal = (...allAcceptedCredentialIds: readonly Uint8Array[]) =>
      authenticator.signal({ type: 'allAcceptedCredentials', rpId: 'example.com', userId: user('1').id, allAcceptedCredentialIds });
    await signal(third);
    expect(await ids(authenticator)).toEqual(rows(true, undefined, undefined));
    await signal(id, third);
    expect(await ids(authenticator)).toEqual(rows(false, undefined, undefined));
    await signal();
    expect(await ids(authenticator)).toEqual(rows(true, undefined, true));
  });

  test('currentUserDetails renames that user', async () => {
    const { authenticator } = await withUsers('hide');
    const details = { name: 'ada@example.org', displayName: 'Ada' };
    await authenticator.signal({ type: 'currentUserDetails', rpId: 'example.com', userId: user('1').id, ...details });
    expect(await ids(authenticator)).toEqual([
      ['1', 'ada@example.org', 'Ada', undefined],
      ['2', '2@example.com', '2', undefined],
      ['1', 'ada@example.org', 'Ada', undefined],
    ]);
  });
});

describe('what fits', () => {
  test('the same user of another RP needs room of its own', async () => {
    const { authenticator } = await withCredential({ maxDiscoverableCredentials: 1 });
    const elsewhere = makeRequest({ rp: { id: 'example.org', name: 'Other' } });
    expect(await authenticator.makeCredential(elsewhere)).toEqual({
      ok: false,
      status: 'CTAP2_ERR_KEY_STORE_FULL',
      message: 'This authenticator is full: it already holds 1 discoverable credentials.',
    });
    granted(await authenticator.makeCredential(makeRequest()));
  });

  test('a full key refuses one more account, not a new key for the same, nor a server-side credential', async () => {
    const { authenticator } = await withCredential({ maxDiscoverableCredentials: 2 });
    granted(await authenticator.makeCredential(makeRequest({ rp: { id: 'example.org', name: 'Other' } })));
    const full = await authenticator.makeCredential(makeRequest({ user: user('2') }));
    expect(full).toMatchObject({ ok: false, status: 'CTAP2_ERR_KEY_STORE_FULL', message: expect.stringContaining('holds 2 discoverable') });
    granted(await authenticator.makeCredential(makeRequest()));
    granted(await authenticator.makeCredential(makeRequest({ user: user('3'), requireResidentKey: false })));
    expect((await authenticator.store.list()).length).toBe(3);
    const client = createClient({ authenticator, origin: ORIGIN });
    const publicKey = creation({ user: { id: 'NA', name: 'd', displayName: 'D' }, authenticatorSelection: { residentKey: 'required' } });
    await expect(client.create({ publicKey })).rejects.toMatchObject({ name: 'NotAllowedError' });
  });

  test('IDs of 16 to 1023 bytes', async () => {
    const length = fc.oneof(fc.constantFrom(16, 1023), fc.integer({ min: 16, max: 1023 }));
    await fc.assert(
      fc.asyncProperty(length, async (credentialIdLength) => {
        const { authenticator, id } = await withCredential({ credentialIdLength });
        expect(id).toHaveLength(credentialIdLength);
        expect(
          granted(await authenticator.getAssertion(getRequest({ allowCredentials: [{ type: 'public-key', id }] }))).credentialId,
        ).toEqual(id);
      }),
      { numRuns: 15 },
    );
    for (const credentialIdLength of [15, 1024]) expect(() => createAuthenticator({ credentialIdLength })).toThrow(TypeError);
  });

  test.each<[AuthenticatorOptions, string]>([
    [{ minPinLength: 3 }, 'Expected a minPinLength of 4 to 63 code points; got 3.'],
    [{ minPinLength: 64 }, 'got 64.'],
    [{ maxDiscoverableCredentials: -1 }, 'Expected maxDiscoverableCredentials to be a whole number; got -1.'],
    [{ signCount: { kind: 'global', freezeAt: -1 } }, 'Expected freezeAt of the sign counter'],
  ])('%o is refused', (options, message) => {
    expect(() => createAuthenticator(options)).toThrow(message);
  });
});

test('what extensions and signals leave with a credential survives the disk', async () => {
  const { authenticator, made } = await withCredential({}, { extensions: { credBlob: Uint8Array.of(1, 2) } });
  expect(takeApart(made).data.extensions).toEqual(new Map([['credBlob', true]]));
  await authenticator.signal({ type: 'allAcceptedCredentials', rpId: 'example.com', userId: user('1').id, allAcceptedCredentialIds: [] });
  const [source] = await authenticator.store.list();
  if (source === undefined) throw new Error('Expected a credential.');
  expect(source).toMatchObject({ credBlob: Uint8Array.of(1, 2), hidden: true });
  expect(credentialSourceFromJson(JSON.parse(JSON.stringify(credentialSourceToJson(source))))).toEqual(source);
  await expect(authenticator.store.put({ ...source, credBlob: new Uint8Array(33) })).rejects.toThrow(
    /credBlob of a credential source to be at most 32 bytes/,
  );
});
