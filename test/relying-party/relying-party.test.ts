import { describe, expect, test } from 'vitest';
import { PasskeyError } from '../../src/errors.js';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { createRelyingParty } from '../../src/relying-party/relying-party.js';
import { createMemoryStore } from '../../src/store/memory.js';
import { decodeBase64url, encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { newPasskey } from '../contract/samples.js';
import { authenticationResponse, CREDENTIAL_ID, FLAGS, ORIGIN, RP_ID, registrationResponse, USER_HANDLE } from './ceremony.js';
import { createWorld, OTHER_OWNER, OWNER, START } from './world.js';

describe('options', () => {
  test('exclude live passkeys of the same user and RP ID only', async () => {
    const world = createWorld();
    const passkey = await world.register();
    const entry = { id: encodeBase64url(CREDENTIAL_ID), type: 'public-key', transports: ['internal', 'hybrid'] };
    expect((await world.beginRegistration()).excludeCredentials).toEqual([entry]);
    expect((await world.beginRegistration({ rpId: 'other.example' })).excludeCredentials).toBeUndefined();
    const other = { owner: OTHER_OWNER, id: encodeUtf8('2'), name: 'bob@example.org', displayName: 'Bob' };
    expect((await world.beginRegistration({ user: other })).excludeCredentials).toBeUndefined();
    await world.relyingParty.revoke(passkey.id, { reason: 'lost' });
    expect((await world.beginRegistration()).excludeCredentials).toBeUndefined();
  });

  test('exclude at most 64, the last used first; one that was never used counts from its registration', async () => {
    const world = createWorld();
    // Registered in this order, a millisecond apart; the third and the first are then used, and the 11th twice.
    const ids: string[] = [];
    for (let index = 0; index < 70; index += 1) {
      world.clock.now += 1;
      const credentialId = Uint8Array.of(index, 0, 0, 1);
      await world.register({ credentialId });
      ids.push(encodeBase64url(credentialId));
    }
    for (const index of [2, 10, 0, 10]) {
      world.clock.now += 1;
      const credentialId = Uint8Array.of(index, 0, 0, 1);
      const { challenge } = await world.relyingParty.beginAuthentication({ credentialId, client: 'test' });
      await world.relyingParty.authenticate({ response: authenticationResponse({ key: world.key, challenge, credentialId }) });
    }
    const used = [10, 0, 2].map((index) => ids[index]);
    const unused = ids.filter((id) => !used.includes(id)).toReversed();
    const { excludeCredentials = [] } = await world.beginRegistration();
    expect(excludeCredentials.map(({ id }) => id)).toEqual([...used, ...unused].slice(0, 64));
  });

  test('of a known credential name it, with the transports that the registration gave', async () => {
    const world = createWorld();
    await world.register();
    const begin = () => world.relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'test' });
    expect(await begin()).toEqual({
      challenge: encodeBase64url(encodeUtf8('challenge-2'.padEnd(32, '.'))),
      allowCredentials: [{ id: encodeBase64url(CREDENTIAL_ID), type: 'public-key', transports: ['internal', 'hybrid'] }],
      timeout: 60_000,
      userVerification: 'preferred',
    });
    const without = createWorld();
    await without.register({ transports: [] });
    const options = await without.relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'test' });
    expect(options.allowCredentials).toEqual([{ id: encodeBase64url(CREDENTIAL_ID), type: 'public-key' }]);
  });

  test('can be added to, but challenge, rp and user stay; what they ask for is checked later', async () => {
    const world = createWorld();
    const options = await world.beginRegistration({
      options: {
        challenge: 'AAAA',
        user: { id: 'AAAA', name: 'x', displayName: 'x' },
        hints: ['security-key'],
        authenticatorSelection: { userVerification: 'required' },
        pubKeyCredParams: [{ type: 'public-key', alg: -8 }],
      },
    });
    expect(options).toMatchObject({ hints: ['security-key'], user: { id: 'MQ' } });
    expect(options.challenge).not.toBe('AAAA');
    expect(world.events[0]).toMatchObject({ type: 'ceremony-begun', ceremony: { userVerification: 'required', algorithms: [-8] } });
  });

  test('of an unknown or revoked credential are refused', async () => {
    const world = createWorld();
    const begin = () => world.relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'test' });
    await expect(begin()).rejects.toMatchObject({ code: 'passkey_not_found' });
    const { id } = await world.register();
    await world.relyingParty.revoke(id, { reason: 'lost' });
    const since = new Date(START).toISOString().slice(0, 16).replace('T', ' ');
    await expect(begin()).rejects.toMatchObject({
      code: 'passkey_not_found',
      message: `Expected a live passkey; passkey ${id} was revoked ${since} UTC (lost). \`passkey restore ${id}\` restores it.`,
    });
  });

  test('make a challenge good for twice a timeout that is given alone', async () => {
    const world = createWorld();
    await world.beginRegistration({ policy: { timeout: 5_000 } });
    expect(world.events[0]).toMatchObject({ ceremony: { issuedAt: START, expiresAt: START + 10_000 } });
  });
});

describe('a registration', () => {
  test('makes a passkey with everything that was learnt', async () => {
    const world = createWorld();
    const response = await world.registration({ flags: FLAGS.up | FLAGS.uv | FLAGS.be | FLAGS.bs, signCount: 7 });
    const passkey = await world.relyingParty.register({ owner: OWNER, response, label: 'Laptop' });
    expect(passkey).toMatchObject({
      id: 1,
      owner: OWNER,
      userHandle: USER_HANDLE,
      rpId: RP_ID,
      rpName: 'Example',
      origin: ORIGIN,
      label: 'Laptop',
      aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
      attestation: { format: 'none', trust: 'none' },
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      createdAt: START,
      lastUsedAt: undefined,
      revokedAt: undefined,
      counterRegressions: 0,
      credential: {
        id: CREDENTIAL_ID,
        publicKey: world.key.publicKey,
        signCount: 7,
        uvInitialized: true,
        transports: ['internal', 'hybrid'],
        backupEligible: true,
        backupState: true,
      },
    });
  });

  test.each([
    ['absent', undefined, 'iCloud Keychain'],
    ['null', null, 'iCloud Keychain'],
    ['empty', '', 'iCloud Keychain'],
    ['blank', ' \u00a0', 'iCloud Keychain'],
    ['given', ' My key ', ' My key '],
  ])('with a label that is %s', async (_, label, expected) => {
    const world = createWorld();
    const passkey = await world.relyingParty.register({ owner: OWNER, response: await world.registration(), label });
    expect(passkey.label).toBe(expected);
  });

  test('of an unknown provider is labelled Passkey', async () => {
    expect((await createWorld().register({ aaguid: new Uint8Array(16) })).label).toBe('Passkey');
  });

  test('takes padded base64 as well as base64url, and leaves out what a client may leave out', async () => {
    const world = createWorld();
    const { id, type, response } = await world.registration();
    const recode = (text: string) => encodeBase64(decodeBase64url(text));
    const passkey = await world.relyingParty.register({
      owner: OWNER,
      response: {
        id: recode(id),
        rawId: id,
        type,
        response: {
          clientDataJSON: recode(response.clientDataJSON),
          attestationObject: recode(response.attestationObject),
          transports: null,
        },
        authenticatorAttachment: null,
        clientExtensionResults: null,
      },
    });
    expect(passkey).toMatchObject({ authenticatorAttachment: undefined, clientExtensionResults: {}, credential: { transports: [] } });
  });

  test('keeps transports once each, unknown ones too, and no flood of them', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `future-${index}`);
    const passkey = await createWorld().register({ transports: ['usb', 'usb', 'x'.repeat(33), ...many] });
    expect(passkey.credential.transports).toEqual(['usb', ...many.slice(0, 15)]);
  });

  test.each([
    [32, true],
    [33, false],
    [30_000, false],
  ])('takes extension outputs of %i levels: %s', async (levels, accepted) => {
    const world = createWorld();
    // The object itself is the first level.
    const clientExtensionResults = { x: JSON.parse('['.repeat(levels - 1) + ']'.repeat(levels - 1)) };
    const response = await world.registration();
    const result = world.relyingParty.register({ owner: OWNER, response: { ...response, clientExtensionResults } });
    if (accepted) {
      await expect(result).resolves.toMatchObject({ clientExtensionResults });
    } else {
      await expect(result).rejects.toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/clientExtensionResults' }] });
      // The challenge is not spent.
      await expect(world.relyingParty.register({ owner: OWNER, response })).resolves.toMatchObject({ id: 1 });
    }
  });
});

describe('an authentication', () => {
  test('answers with the passkey as it stands afterwards', async () => {
    const world = createWorld();
    await world.register({ flags: FLAGS.up | FLAGS.be, signCount: 1 });
    world.clock.now += 1000;
    const { passkey, userVerified } = await world.authenticate({ flags: FLAGS.up | FLAGS.uv | FLAGS.be | FLAGS.bs, signCount: 5 });
    expect(userVerified).toBe(true);
    // UV alone does not raise uvInitialized: that would want a second factor (§7.2 step 24).
    expect(passkey).toMatchObject({
      lastUsedAt: START + 1000,
      credential: { signCount: 5, backupState: true, backupEligible: true, uvInitialized: false },
    });
    expect(await world.relyingParty.find(passkey.id)).toEqual(passkey);
  });

  test('may leave the user handle out where the credential was named, be it absent, null or empty', async () => {
    const world = createWorld();
    await world.register();
    await world.authenticate({ userHandle: null });
    for (const userHandle of [null, '']) {
      const sent = await world.authentication();
      const response = { ...sent, response: { ...sent.response, userHandle } };
      await expect(world.relyingParty.authenticate({ response })).resolves.toMatchObject({ userVerified: true });
    }
  });

  test('by a discoverable credential needs no name', async () => {
    const world = createWorld();
    await world.register();
    const { passkey } = await world.relyingParty.authenticate({ response: await world.discoverable() });
    expect(passkey.owner).toEqual(OWNER);
  });

  test('needs no user handle where options were changed by hand to name credentials', async () => {
    const world = createWorld();
    await world.register();
    const allowCredentials = [{ id: encodeBase64url(CREDENTIAL_ID), type: 'public-key' }];
    const begin = (options: object) => world.relyingParty.beginAuthentication({ rpId: RP_ID, origins: [ORIGIN], client: 'test', options });
    const { challenge } = await begin({ allowCredentials });
    const response = authenticationResponse({ key: world.key, challenge, userHandle: null });
    await expect(world.relyingParty.authenticate({ response })).resolves.toMatchObject({ userVerified: true });
  });

  test.each([
    ['https://www.example.org', true],
    ['http://example.org:8080', true],
    ['https://example.com', false],
    ['https://notexample.org', false],
  ])('under the further origin %s: %s', async (origin, accepted) => {
    const world = createWorld({ origins: [origin] });
    await world.register();
    const result = world.authenticate({ origin });
    await (accepted ? expect(result).resolves.toBeDefined() : expect(result).rejects.toMatchObject({ code: 'origin_mismatch' }));
  });

  test('under no further origin below an RP ID that is a public suffix', async () => {
    const [rpId, origin, below] = ['github.io', 'https://github.io', 'https://ada.github.io'];
    const world = createWorld({ origins: [origin, below] });
    const { challenge } = await world.beginRegistration({ rpId, origins: [origin] });
    await world.relyingParty.register({
      owner: OWNER,
      response: registrationResponse({ key: world.key, challenge, rpId, origin }),
    });
    await expect(world.authenticate({ rpId, origin: below })).rejects.toMatchObject({ code: 'origin_mismatch' });
    await expect(world.authenticate({ rpId, origin })).resolves.toBeDefined();
  });
});

describe('many passkeys', () => {
  const changes = (world: ReturnType<typeof createWorld>) =>
    world.events.flatMap((event) =>
      event.type === 'passkey-revoked' || event.type === 'passkey-restored'
        ? [`${event.type} ${event.passkey.id} ${event.context.via}`]
        : [],
    );

  test('are revoked and restored together; each that changes has its event', async () => {
    const store = createMemoryStore();
    const world = createWorld({ store });
    for (let n = 0; n < 3; n += 1) await store.insertPasskey(newPasskey());
    await world.relyingParty.revoke(2, {}, { via: 'one' });
    const revoked = await world.relyingParty.revokeAll([3, 2, 1], { reason: 'lost' }, { via: 'many' });
    expect(revoked.map(({ id, revokedReason }) => [id, revokedReason])).toEqual([
      [3, 'lost'],
      [2, undefined],
      [1, 'lost'],
    ]);
    const restored = await world.relyingParty.restoreAll([1, 2], { reason: 'found' }, { via: 'many' });
    expect(restored).toMatchObject([
      { id: 1, revokedAt: undefined },
      { id: 2, revokedAt: undefined },
    ]);
    expect(changes(world)).toEqual([
      'passkey-revoked 2 one',
      'passkey-revoked 3 many',
      'passkey-revoked 1 many',
      'passkey-restored 1 many',
      'passkey-restored 2 many',
    ]);
    expect(world.events.filter(({ type }) => type === 'passkey-restored')).toMatchObject([
      { reason: 'found', revokedReason: 'lost' },
      { reason: 'found', revokedReason: undefined },
    ]);
    expect(world.events.filter(({ type }) => type === 'passkey-revoked').at(-1)).toMatchObject({ reason: 'lost' });
  });

  test('stay as they are, without an event, when one does not exist or the signal is aborted', async () => {
    const store = createMemoryStore();
    const world = createWorld({ store });
    await store.insertPasskey(newPasskey());
    const missing = { code: 'passkey_not_found', message: expect.stringContaining('the id 8, 9') };
    await expect(world.relyingParty.revokeAll([1, 8, 9], {})).rejects.toMatchObject(missing);
    await expect(world.relyingParty.restoreAll([1, 8, 9], {})).rejects.toMatchObject(missing);
    const reason = new Error('stop');
    await expect(world.relyingParty.revokeAll([1], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(await world.relyingParty.list()).toHaveLength(1);
    expect(changes(world)).toEqual([]);
  });
});

describe('a revoked passkey', () => {
  test('matches nothing, keeps its credential ID taken, and can be restored', async () => {
    const world = createWorld();
    const { id } = await world.register();
    const response = await world.authentication();
    await world.relyingParty.revoke(id, { reason: 'lost' }, { via: 'test' });
    await expect(world.relyingParty.authenticate({ response })).rejects.toMatchObject({ code: 'passkey_not_found' });
    await expect(world.register()).rejects.toMatchObject({
      code: 'credential_already_registered',
      step: { section: '7.1', number: 26, slug: 'credential-id-unused' },
    });
    await expect(world.relyingParty.rename(id, 'x')).rejects.toMatchObject({ code: 'passkey_not_found' });
    expect(await world.relyingParty.list()).toEqual([]);
    expect(await world.relyingParty.list({ revoked: 'only' })).toMatchObject([{ id, revokedReason: 'lost', revokedAt: START }]);
    await world.relyingParty.restore(id);
    // The refused response did not reach the challenge, so the challenge is still good.
    await expect(world.relyingParty.authenticate({ response })).resolves.toBeDefined();
  });

  test('is told of once', async () => {
    const world = createWorld();
    const { id } = await world.register();
    for (const change of [() => world.relyingParty.revoke(id, {}), () => world.relyingParty.restore(id)]) {
      world.events.length = 0;
      await change();
      await change();
      expect(world.events).toHaveLength(1);
    }
    await world.relyingParty.rename(id, 'New', { via: 'test' });
    expect(world.events.at(-1)).toMatchObject({ type: 'passkey-renamed', at: START, context: { via: 'test' }, passkey: { label: 'New' } });
    for (const change of [
      () => world.relyingParty.revoke(9, {}),
      () => world.relyingParty.restore(9),
      () => world.relyingParty.rename(9, 'x'),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'passkey_not_found' });
    }
  });
});

test.each([undefined, null, 7, {}, { id: 'AA', rawId: 'AA', type: 'public-key' }])(
  'a response that is %j is a validation error',
  async (response) => {
    const { relyingParty } = createWorld();
    const refused = { code: 'validation_failed', message: expect.stringMatching(/^Expected the response of a .* as JSON; got /) };
    // As from plain JavaScript, where no compiler looks.
    await expect(Reflect.apply(relyingParty.register, relyingParty, [{ owner: OWNER, response }])).rejects.toMatchObject(refused);
    await expect(Reflect.apply(relyingParty.authenticate, relyingParty, [{ response }])).rejects.toMatchObject(refused);
  },
);

describe('a response that only the library refuses', () => {
  // A member of older clients, reserved since Level 3: the library takes three of its values, the standard any.
  const extra = { tokenBinding: { status: 'unused' } };
  const finished = { outcome: 'verified', decidedBy: 'steps', difference: expect.stringContaining('tokenBinding') };

  test('is accepted where the table of differences has the reason, and the event says so', async () => {
    const world = createWorld();
    await world.register({ extra });
    expect(world.events.at(-1)).toMatchObject({ kind: 'registration', ...finished });
    await world.authenticate({ extra });
    expect(world.events.at(-1)).toMatchObject({ kind: 'authentication', ...finished });
  });
});

describe('listeners', () => {
  test('learn how a ceremony began and ended', async () => {
    const world = createWorld();
    const response = await world.registration();
    const passkey = await world.relyingParty.register({ owner: OWNER, response, context: { requestId: 'r1' } });
    expect(world.events.map(({ type }) => type)).toEqual(['ceremony-begun', 'ceremony-finished']);
    expect(world.events[1]).toMatchObject({
      kind: 'registration',
      outcome: 'verified',
      at: START,
      context: { requestId: 'r1' },
      ceremony: { rpId: RP_ID, challenge: passkey.challenge },
      response,
      passkey,
      owner: OWNER,
      error: undefined,
      policy: { algorithms: [-7, -257] },
    });
    const failed = await world.authentication({ signCount: 0, origin: 'https://evil.example' });
    const error = await world.relyingParty.authenticate({ response: failed }).catch((thrown: unknown) => thrown);
    expect(world.events.at(-1)).toMatchObject({ kind: 'authentication', outcome: 'rejected', passkey, response: failed });
    expect(world.events.at(-1)).toHaveProperty('error', error);
  });

  test('cannot change an outcome, and can go', async () => {
    const world = createWorld();
    const seen: string[] = [];
    world.relyingParty.on(() => {
      throw new Error('a listener in trouble');
    });
    const off = world.relyingParty.on(({ type }) => seen.push(type));
    await world.register();
    off();
    await world.authenticate();
    expect(seen).toEqual(['ceremony-begun', 'ceremony-finished']);
  });

  test('in trouble are told of where somebody asked', async () => {
    const heard: unknown[] = [];
    const relyingParty = createRelyingParty({
      store: createMemoryStore(),
      policy: DEFAULT_POLICY,
      origins: [],
      now: () => START,
      newChallenge: () => new Uint8Array(32),
      onListenerError: (error, { type }) => {
        heard.push([error, type]);
        throw new Error('no better');
      },
    });
    await relyingParty.prepare();
    const trouble = new Error('a listener in trouble');
    relyingParty.on(() => {
      throw trouble;
    });
    await relyingParty.beginAuthentication({ rpId: RP_ID, origins: [ORIGIN], client: 'test' });
    expect(heard).toEqual([[trouble, 'ceremony-begun']]);
  });

  test('hear nothing of a store in trouble, which is no outcome', async () => {
    const world = createWorld();
    const response = await world.registration();
    const trouble = new PasskeyError('store_unavailable', 'The disk is full.');
    world.store.insertPasskey = () => Promise.reject(trouble);
    await expect(world.relyingParty.register({ owner: OWNER, response })).rejects.toBe(trouble);
    expect(world.events.map(({ type }) => type)).toEqual(['ceremony-begun']);
  });
});

describe('a challenge', () => {
  test('is spent by the first response that names it, verified or not', async () => {
    const world = createWorld();
    const { challenge } = await world.beginRegistration();
    const register = (fields: object) =>
      world.relyingParty.register({ owner: OWNER, response: registrationResponse({ key: world.key, challenge, ...fields }) });
    await expect(register({ flags: 0 })).rejects.toMatchObject({ code: 'user_not_present' });
    await expect(register({})).rejects.toMatchObject({ code: 'challenge_used', step: { section: '7.1', number: 8, slug: 'challenge' } });
  });

  test('ends, and is then remembered as expired until twice its lifetime', async () => {
    const world = createWorld();
    const codes: unknown[] = [];
    for (const wait of [119_999, 120_000, 239_999, 240_000]) {
      const response = await world.registration({ flags: 0 });
      world.clock.now += wait;
      codes.push(await world.relyingParty.register({ owner: OWNER, response }).catch((error: PasskeyError) => error.code));
    }
    expect(codes).toEqual(['user_not_present', 'challenge_expired', 'challenge_expired', 'challenge_unknown']);
  });

  test('of two racing responses lets one win', async () => {
    const world = createWorld();
    await world.register();
    const response = await world.authentication();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => world.relyingParty.authenticate({ response })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      expect(outcome.status === 'fulfilled' || outcome.reason.code === 'challenge_used').toBe(true);
    }
  });
});
