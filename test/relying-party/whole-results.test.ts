import { describe, expect, test } from 'vitest';
import { encodeUtf8 } from '../../src/kernel/bytes.js';
import { judge, refusal, runSteps } from '../../src/relying-party/judge.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import { verifyAuthentication, verifyRegistration } from '../../src/relying-party/simplewebauthn.js';
import { AUTHENTICATION_STEPS } from '../../src/relying-party/steps/authentication.js';
import type { LibraryVerdict } from '../../src/relying-party/steps/context.js';
import { REGISTRATION_STEPS } from '../../src/relying-party/steps/registration.js';
import { encodeBase64url } from '../../src/webauthn/base64url.js';
import { authenticationResponse, CREDENTIAL_ID, FLAGS, ORIGIN, RP_ID, USER_HANDLE } from './ceremony.js';
import { authenticationOf, challenge, FIELDS, registrationOf } from './diagnosis/explained.js';
import { createWorld, OTHER_OWNER, OWNER, START } from './world.js';

const POLICY = {
  timeout: 77_000,
  challengeTtl: 88_000,
  attestation: 'direct',
  residentKey: 'discouraged',
  userVerification: 'required',
  algorithms: [-7, -257],
  topOrigins: ['https://top.example'],
} as const;
const STANDING = { ...DEFAULT_POLICY, ...POLICY };
const challengeOf = (number: number) => encodeUtf8(`challenge-${number}`.padEnd(32, '.'));
const PARAMETERS = [-7, -257].map((alg) => ({ type: 'public-key', alg }));
const DESCRIPTOR = { id: encodeBase64url(CREDENTIAL_ID), type: 'public-key', transports: ['internal', 'hybrid'] };

describe('a registration and a login, whole', () => {
  const bound = (number: number) => ({
    challenge: encodeBase64url(challengeOf(number)),
    rp: { name: 'Example', id: RP_ID },
    user: { id: encodeBase64url(USER_HANDLE), name: 'ada@example.org', displayName: 'Ada' },
  });
  const requested = {
    pubKeyCredParams: PARAMETERS,
    timeout: 77_000,
    attestation: 'direct',
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'required' },
  };
  const ceremony = (number: number) => ({
    kind: 'registration',
    challenge: challengeOf(number),
    rpId: RP_ID,
    origins: [ORIGIN],
    topOrigins: POLICY.topOrigins,
    owner: OWNER,
    userHandle: USER_HANDLE,
    rpName: 'Example',
    credentialId: undefined,
    userVerification: 'required',
    algorithms: [-7, -257],
    options: { ...bound(number), ...requested },
    issuedAt: START,
    expiresAt: START + 88_000,
    client: 'test',
  });

  test('options, ceremonies and events', async () => {
    const world = createWorld({ policy: POLICY, origins: ['https://www.example.org', 'https://else.example', ORIGIN] });
    const { relyingParty, events } = world;
    const policy = STANDING;

    const options = await world.beginRegistration({ context: { via: 'begin' } });
    expect(options).toEqual({ ...bound(1), ...requested });
    expect(events).toEqual([{ type: 'ceremony-begun', at: START, context: { via: 'begin' }, ceremony: ceremony(1), standing: requested }]);

    world.clock.now += 1000;
    const registration = await world.registration({ challenge: options.challenge, signCount: 5 });
    const passkey = await relyingParty.register({ owner: OWNER, label: ' My key ', response: registration, context: { via: 'end' } });
    const at = START + 1000;
    expect(passkey).toEqual({
      id: 1,
      owner: OWNER,
      userHandle: USER_HANDLE,
      rpId: RP_ID,
      rpName: 'Example',
      origin: ORIGIN,
      label: ' My key ',
      credential: {
        id: CREDENTIAL_ID,
        publicKey: world.key.publicKey,
        transports: ['internal', 'hybrid'],
        signCount: 5,
        backupEligible: false,
        backupState: false,
        uvInitialized: true,
        attestationObject: Uint8Array.from(Buffer.from(registration.response.attestationObject, 'base64url')),
        attestationClientDataJSON: Uint8Array.from(Buffer.from(registration.response.clientDataJSON, 'base64url')),
      },
      aaguid: 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd',
      attestation: { format: 'none', trust: 'none' },
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      challenge: challengeOf(1),
      createdAt: at,
      counterRegressions: 0,
    });
    const finished = { type: 'ceremony-finished', at, challenge: { status: 'open', challenge: challengeOf(1) }, difference: undefined };
    // The world began a second ceremony for the response, which nothing answers.
    expect(events.splice(0).at(-1)).toEqual({
      ...finished,
      context: { via: 'end' },
      kind: 'registration',
      outcome: 'verified',
      ceremony: ceremony(1),
      credentialKnown: false,
      response: registration,
      passkey,
      owner: OWNER,
      error: undefined,
      decidedBy: 'both',
      policy,
    });

    const again = await world.beginRegistration();
    expect(again).toEqual({ ...bound(3), ...requested, excludeCredentials: [DESCRIPTOR] });
    expect(events.splice(0)[0]).toMatchObject({ context: {}, standing: { ...requested, excludeCredentials: [DESCRIPTOR] } });

    const request = await relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'me', context: { via: 'login' } });
    const scope = { allowCredentials: [DESCRIPTOR], timeout: 77_000, userVerification: 'required' };
    expect(request).toEqual({ challenge: encodeBase64url(challengeOf(4)), ...scope });
    const login = {
      kind: 'authentication',
      challenge: challengeOf(4),
      rpId: RP_ID,
      origins: [ORIGIN, 'https://www.example.org'],
      topOrigins: POLICY.topOrigins,
      owner: undefined,
      userHandle: undefined,
      rpName: undefined,
      credentialId: CREDENTIAL_ID,
      userVerification: 'required',
      algorithms: [-7, -257],
      options: request,
      issuedAt: at,
      expiresAt: at + 88_000,
      client: 'me',
    };
    expect(events.splice(0)).toEqual([{ type: 'ceremony-begun', at, context: { via: 'login' }, ceremony: login, standing: scope }]);

    const response = await world.authentication({ challenge: request.challenge, signCount: 9 });
    events.length = 0;
    world.clock.now += 500;
    const result = await relyingParty.authenticate({ response, context: { via: 'answer' } });
    const used = { ...passkey, credential: { ...passkey.credential, signCount: 9 }, lastUsedAt: at + 500 };
    expect(result).toEqual({ passkey: used, userVerified: true, opened: undefined });
    const answered = {
      ...finished,
      at: at + 500,
      kind: 'authentication',
      ceremony: login,
      challenge: { status: 'open', challenge: challengeOf(4) },
      credentialKnown: undefined,
      response,
      owner: undefined,
      policy,
    };
    expect(events.splice(0)).toEqual([
      { ...answered, context: { via: 'answer' }, outcome: 'verified', passkey, error: undefined, decidedBy: 'both' },
    ]);

    const error: unknown = await relyingParty.authenticate({ response }).catch((cause: unknown) => cause);
    expect(events.splice(0)).toEqual([
      {
        ...answered,
        context: {},
        outcome: 'rejected',
        challenge: { status: 'used', challenge: challengeOf(4) },
        passkey: used,
        error,
        decidedBy: 'steps',
      },
    ]);
    expect(error).toMatchObject({ code: 'challenge_used' });

    const discoverable = await relyingParty.beginAuthentication({ rpId: RP_ID, origins: [ORIGIN], client: 'me' });
    expect(discoverable).toEqual({ challenge: discoverable.challenge, rpId: RP_ID, timeout: 77_000, userVerification: 'required' });
    expect(events.splice(0)[0]).toMatchObject({ context: {}, ceremony: { rpId: RP_ID, origins: [ORIGIN], credentialId: undefined } });
  });

  test('a challenge that no ceremony has, and a response that cannot be read', async () => {
    const world = createWorld({ policy: POLICY });
    await world.register();
    world.events.length = 0;
    const response = await world.authentication({ challenge: 'AAAA' });
    world.events.length = 0;
    const rejected = async () => {
      const error: unknown = await world.relyingParty.authenticate({ response }).catch((cause: unknown) => cause);
      return { error, event: world.events.splice(0).at(-1) };
    };
    const { error, event } = await rejected();
    expect(event).toMatchObject({ ceremony: undefined, challenge: { status: 'unknown' }, policy: STANDING, error, decidedBy: 'steps' });
    const broken = { ...response, rawId: 'AAAA' };
    await world.relyingParty.authenticate({ response: broken, context: { via: 'x' } }).catch(() => undefined);
    expect(world.events.at(-1)).toMatchObject({
      context: { via: 'x' },
      ceremony: undefined,
      challenge: undefined,
      response: broken,
      passkey: { id: 1 },
      error: { code: 'validation_failed' },
      decidedBy: undefined,
    });
  });

  test.each(['register', 'authenticate'] as const)('what is no response at all is named (%s)', async (operation) => {
    const { relyingParty } = createWorld();
    const call = operation === 'register' ? 'create()' : 'get()';
    const ceremonyName = operation === 'register' ? 'registration' : 'authentication';
    for (const [response, got] of [
      [undefined, 'nothing'],
      [5, 'something else'],
      [{ id: 'AAAA' }, 'one without its member response'],
    ] as const) {
      await expect(relyingParty[operation]({ owner: OWNER, response: response as never })).rejects.toMatchObject({
        code: 'validation_failed',
        message: `Expected the response of a ${ceremonyName} as JSON; got ${got}. Pass what toJSON() of the credential of navigator.credentials.${call} gives as \`response\`.`,
      });
    }
  });

  test('a member that is no base64 is named with its detail', async () => {
    const { relyingParty } = createWorld();
    const detail = 'Expected base64url (or base64) text; got something else. Encode the bytes that the browser gave.';
    const response = { id: '%', rawId: 'AA', type: 'public-key', response: { clientDataJSON: '', attestationObject: '' } };
    await expect(relyingParty.register({ owner: OWNER, response })).rejects.toMatchObject({
      message: `/id: ${detail}`,
      errors: [{ pointer: '/id', detail }],
    });
  });
});

describe('changes of passkeys, whole', () => {
  test('their events and results', async () => {
    const world = createWorld();
    const { relyingParty, events, store } = world;
    const passkey = await world.register();
    const other = await relyingParty.register({
      owner: OWNER,
      response: await world.registration({ credentialId: encodeUtf8('second credential') }),
    });
    events.length = 0;
    const context = { via: 'test', change: 'a change' };
    world.clock.now += 5;
    const at = world.clock.now;
    const renamed = await relyingParty.rename(1, 'New', context);
    expect(renamed).toEqual({ ...passkey, label: 'New' });
    expect(events.splice(0)).toEqual([{ type: 'passkey-renamed', at, context, passkey: renamed }]);

    const revoked = await relyingParty.revoke(1, { reason: 'lost' }, context);
    expect(revoked).toEqual({ ...renamed, revokedAt: at, revokedReason: 'lost', revokedChange: 'a change' });
    expect(events.splice(0)).toEqual([{ type: 'passkey-revoked', at, context, passkey: revoked, reason: 'lost' }]);
    expect(await relyingParty.revokeAll([2, 1], { reason: 'again' }, context)).toMatchObject([{ id: 2 }, { id: 1 }]);
    expect(events.splice(0)).toMatchObject([{ type: 'passkey-revoked', at, context, passkey: { id: 2 }, reason: 'again' }]);
    await expect(relyingParty.rename(1, 'X', undefined)).rejects.toMatchObject({
      code: 'passkey_not_found',
      message: 'Expected a live passkey; there is none with the id 1. Register one, or name another.',
    });
    await expect(world.relyingParty.beginAuthentication({ credentialId: CREDENTIAL_ID, client: 'x' })).rejects.toMatchObject({
      code: 'passkey_not_found',
      message: 'Expected a live passkey; passkey 1 was revoked 2026-01-15 10:30 UTC (lost). `passkey restore 1` restores it.',
    });

    const restored = await relyingParty.restore(2, { reason: 'found' }, context);
    expect(restored).toEqual(other);
    expect(events.splice(0)).toEqual([
      { type: 'passkey-restored', at, context, passkey: restored, reason: 'found', revokedReason: 'again' },
    ]);
    await relyingParty.revoke(2, {}, undefined);
    await expect(world.relyingParty.beginAuthentication({ credentialId: other.credential.id, client: 'x' })).rejects.toThrow(
      'passkey 2 was revoked 2026-01-15 10:30 UTC. `passkey restore 2`',
    );
    events.length = 0;

    const kept = { passkeys: [1], accesses: [] };
    await expect(relyingParty.purge(kept, { endedBefore: at }, context)).rejects.toMatchObject({
      code: 'passkey_not_found',
      message:
        'Expected tokens and sessions that ended before 2026-01-15 10:30 UTC; passkey 1 did not, or no longer exists. Nothing was changed; list them again.',
    });
    expect(await relyingParty.purge(kept, { endedBefore: at + 1 }, context)).toEqual({ passkeys: [revoked], accesses: [] });
    expect(events.splice(0)).toEqual([{ type: 'passkey-purged', at, context, passkey: revoked }]);
    expect(await store.findPasskey(1)).toBeUndefined();
  });

  test('of passkeys the most recently used is first, then the newest', async () => {
    const world = createWorld();
    const ids = [1, 2, 3, 4].map((number) => new Uint8Array(16).fill(number));
    for (const [index, credentialId] of ids.entries()) {
      if (index === 3) world.clock.now += 1000;
      const transports = index === 1 ? [] : ['usb'];
      await relyingPartyRegister(world, credentialId, transports);
    }
    world.clock.now += 1000;
    const [first = new Uint8Array()] = ids;
    const { challenge: issued } = await world.relyingParty.beginAuthentication({ credentialId: first, client: 'x' });
    const response = authenticationResponse({ key: world.key, credentialId: first, challenge: issued });
    await world.relyingParty.authenticate({ response });
    const { excludeCredentials } = await world.beginRegistration();
    const entry = (number: number) => ({
      id: encodeBase64url(new Uint8Array(16).fill(number)),
      type: 'public-key',
      ...(number !== 2 && { transports: ['usb'] }),
    });
    expect(excludeCredentials).toEqual([entry(1), entry(4), entry(3), entry(2)]);
    expect((await world.beginRegistration({ rpId: 'other.example' })).excludeCredentials).toBeUndefined();
    const user = { owner: OTHER_OWNER, id: encodeUtf8('2'), name: 'bob', displayName: 'Bob' };
    expect((await world.beginRegistration({ user })).excludeCredentials).toBeUndefined();
  });

  test('options that are nested too deeply are refused at their member', async () => {
    const world = createWorld();
    const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
    const detail = 'Expected at most 32 levels of objects and arrays; got more. Send fewer.';
    const refused = { code: 'validation_failed', message: `/options/a~1b: ${detail}`, errors: [{ pointer: '/options/a~1b', detail }] };
    const options = { 'a/b': deep(33) } as object;
    await expect(world.beginRegistration({ options })).rejects.toMatchObject(refused);
    const login = { rpId: RP_ID, origins: [ORIGIN], client: 'x' };
    await expect(world.relyingParty.beginAuthentication({ ...login, options })).rejects.toMatchObject(refused);
    await expect(world.relyingParty.beginAuthentication({ ...login, options: { 'a/b': deep(32) } as object })).resolves.toBeDefined();
  });
});

async function relyingPartyRegister(world: ReturnType<typeof createWorld>, credentialId: Uint8Array, transports: readonly string[]) {
  return world.relyingParty.register({ owner: OWNER, response: await world.registration({ credentialId, transports }) });
}

const VERIFIED: LibraryVerdict = { verdict: 'verified' };
const refused: LibraryVerdict = { verdict: 'rejected', reason: 'because', cause: 'why', at: START };

describe('a judgement, whole', () => {
  const { context } = registrationOf({}, { credentialKnown: false });
  const steps = runSteps(REGISTRATION_STEPS, context);
  const skipped = steps.map((step) => {
    const { section, number, slug, title, failure } = step;
    const reason = 'done if every earlier step passes';
    return slug === 'credential-record' ? { section, number, slug, title, failure, status: 'skip', reason } : step;
  });

  test('of a good registration, with and without the library', () => {
    const common = { steps, failed: undefined, disagreement: undefined, difference: undefined };
    expect(judge(steps, context, VERIFIED)).toEqual({ ...common, verdict: 'accepted', library: VERIFIED, decidedBy: 'both' });
    expect(judge(steps, context, undefined)).toEqual({ ...common, verdict: 'undecided', library: undefined, decidedBy: 'steps' });
    const statement = steps.find(({ slug }) => slug === 'attestation-statement');
    const { section, number, slug, title, failure } = statement ?? {};
    const disagreement = {
      section,
      number,
      slug,
      title,
      failure,
      status: 'fail',
      code: 'verifiers_disagree',
      expected: 'a response that the verification library accepts',
      received: 'because',
      hint: 'Every step of the standard passes, and no known difference explains why the library refuses. Please report the response.',
    };
    const judgement = judge(steps, context, refused);
    expect(judgement).toEqual({ ...common, steps: skipped, verdict: 'undecided', disagreement, library: refused, decidedBy: 'library' });
    expect(refusal(judgement)).toMatchObject({ code: 'verifiers_disagree', cause: 'why' });
    expect(refusal(judge(steps, context, undefined))).toMatchObject({
      code: 'attestation_malformed',
      step: {
        slug: 'attestation-statement',
        expected: 'a response that can be verified here',
        received: 'a response that the verification library did not see',
        hint: 'A newer version of Node may support the algorithm. Until then, use an authenticator with another one.',
      },
    });
  });

  test('of a bad login, with and without the library', () => {
    const bad = authenticationOf({ origin: 'https://evil.example', flags: FLAGS.uv }).context;
    const reports = runSteps(AUTHENTICATION_STEPS, bad);
    const failed = reports.find(({ slug }) => slug === 'origin');
    const common = { verdict: 'rejected', failed, disagreement: undefined };
    const expected = reports.map((step) => (step.slug === 'credential-record' ? expect.objectContaining({ status: 'skip' }) : step));
    expect(judge(reports, bad, undefined)).toEqual({
      ...common,
      steps: expected,
      library: undefined,
      difference: undefined,
      decidedBy: 'steps',
    });
    expect(judge(reports, bad, refused)).toEqual({
      ...common,
      steps: expected,
      library: refused,
      difference: undefined,
      decidedBy: 'both',
    });
    const difference = 'The library does not check step 12 (origin) as the standard words it.';
    expect(judge(reports, bad, VERIFIED)).toEqual({ ...common, steps: expected, library: VERIFIED, difference, decidedBy: 'steps' });
  });

  test.each(['client-data-text', 'client-data', 'challenge'])('names %s before any other failure', (slug) => {
    const failing = { status: 'fail', code: 'origin_mismatch', expected: 'a', received: 'b', hint: 'c' } as const;
    const { section, title, failure } = steps[0] ?? {};
    const report = (name: string, number: number) => ({ section, number, slug: name, title, failure, ...failing }) as never;
    const judgement = judge([report('type', 1), report(slug, 2)], context, undefined);
    expect(judgement.failed).toMatchObject({ slug, number: 2 });
  });
});

describe('the verdict of the library', () => {
  const EXPECTED = { challenge, origins: [ORIGIN], topOrigins: [], rpId: RP_ID, userVerification: 'preferred' } as const;
  const registered = (fields: object = {}) => registrationOf({ ...FIELDS, ...fields }).context;
  const ask = (context = registered(), change: object = {}) => verifyRegistration(context, { ...EXPECTED, algorithms: [-7], ...change });

  test('on a registration', async () => {
    expect(await ask()).toEqual({ verdict: 'verified' });
    const before = Date.now();
    const other = await ask(registered(), { algorithms: [-257] });
    expect(other).toEqual({
      verdict: 'rejected',
      reason: expect.stringMatching(/^Unexpected public key alg "-7"/),
      cause: expect.any(Error),
      at: expect.any(Number),
    });
    if (other.verdict === 'rejected') expect(other.at >= before && other.at <= Date.now()).toBe(true);
    expect(await ask(registered({ origin: `https://${'x'.repeat(300)}.example` }))).toMatchObject({
      verdict: 'rejected',
      reason: expect.stringMatching(/^.{160}$/),
    });
    for (const [change, verdict] of [
      [{ rpId: 'other.example' }, 'rejected'],
      [{ challenge: challengeOf(1) }, 'rejected'],
      [{ userVerification: 'required' }, 'verified'],
    ] as const) {
      expect((await ask(registered(), change)).verdict).toBe(verdict);
    }
    const present = registered({ flags: 0 });
    expect((await ask(present)).verdict).toBe('rejected');
    expect((await ask(present, { mediation: 'conditional' })).verdict).toBe('verified');
    expect((await ask(registered({ flags: FLAGS.up }), { userVerification: 'required' })).verdict).toBe('rejected');
  });

  test('on a login', async () => {
    const { context } = authenticationOf({ ...FIELDS, signCount: 3 });
    const received = { ...context, authenticatorData: context.authenticatorDataBytes };
    const verify = (change: object = {}) =>
      verifyAuthentication(received, { ...EXPECTED, ...change }, { ...context.credential, id: CREDENTIAL_ID, transports: [] } as never);
    expect(await verify()).toEqual({ verdict: 'verified' });
    expect(await verify({ rpId: 'other.example' })).toEqual({
      verdict: 'rejected',
      reason: expect.stringContaining('RP ID'),
      cause: expect.any(Error),
      at: expect.any(Number),
    });
  });
});
