import { describe, expect, test } from 'vitest';
import { readCredential } from '../../../src/explain/annotate/read-credential.js';
import type { KnownAuthentication } from '../../../src/explain/report/known-ceremony.js';
import { reportAuthentication, reportRegistration } from '../../../src/explain/report/report.js';
import { concatBytes, encodeUtf8, fromHex } from '../../../src/kernel/bytes.js';
import { DIFFERENCES } from '../../../src/relying-party/differences.js';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';
import type { CborValue } from '../../../src/webauthn/cbor.js';
import type { AuthenticationResponseJSON } from '../../../src/webauthn/json.js';
import { type AuthenticationFields, authenticationResponse, registrationResponse } from '../../relying-party/ceremony.js';
import { challenge, FIELDS, key } from '../../relying-party/diagnosis/explained.js';
import { authenticated, knownAuthentication, knownCredential, knownRegistration, registered } from './reported.js';

test.each([
  ['malformed', [fromHex('30')]],
  ['too many', Array.from({ length: 17 }, () => fromHex('30'))],
])('the library is not given certificates that are %s', async (_, x5c) => {
  const attStmt = () => new Map<CborValue, CborValue>(Object.entries({ alg: -7, sig: fromHex('00'), x5c }));
  const report = await registered({ fmt: 'packed', attStmt });
  expect(report).toMatchObject({
    verdict: 'rejected',
    failed: { slug: 'attestation-statement' },
    library: { verdict: 'not-asked', reason: 'a certificate of the statement is malformed or too large' },
    decidedBy: 'steps',
  });
});

describe('a good ceremony', () => {
  test('of registration: every step, accepted by both', async () => {
    const report = await registered();
    expect(report).toMatchObject({ verdict: 'accepted', library: { verdict: 'accepted' }, difference: undefined, encoding: [] });
    expect(report.steps.map(({ number }) => number)).toEqual(REGISTRATION_STEPS.map(({ number }) => number));
  });

  test('of authentication: every step, accepted by both', async () => {
    const report = await authenticated();
    expect(report).toMatchObject({ verdict: 'accepted', library: { verdict: 'accepted' }, difference: undefined, encoding: [] });
    expect(report.steps).toHaveLength(AUTHENTICATION_STEPS.length);
  });
});

describe('what was not given is skipped, and leaves the verdict open where it decides', () => {
  test.each<[string, Partial<KnownAuthentication>, string]>([
    ['challenge', { challenge: undefined }, 'challenge'],
    ['origin', { origins: undefined }, 'origin'],
    ['RP ID', { rpId: undefined }, 'rp-id-hash'],
    ['credential', { credential: undefined }, 'signature'],
    [
      'sign count',
      {
        credential: {
          ...knownCredential,
          signCount: undefined,
          backupEligible: undefined,
          backupState: undefined,
          userHandle: undefined,
        },
      },
      'sign-count',
    ],
    ['backup eligibility', { credential: { ...knownCredential, backupEligible: undefined } }, 'backup-eligibility'],
  ])('%s', async (_, known, slug) => {
    const report = await authenticated({}, known);
    expect(report.verdict).toBe('undecided');
    expect(report.steps.find((step) => step.slug === slug)).toMatchObject({
      status: 'skip',
      reason: expect.stringContaining('was not given'),
    });
    expect(report.library.verdict).toBe(['sign-count', 'backup-eligibility'].includes(slug) ? 'accepted' : 'not-asked');
  });

  test('algorithms of a registration: one that could have been offered is left open, and no key is right without them', async () => {
    const open = await registered({}, { algorithms: undefined });
    expect(open).toMatchObject({ verdict: 'undecided', library: { verdict: 'accepted' } });
    expect(open.steps.find(({ slug }) => slug === 'algorithm')).toMatchObject({ reason: expect.stringContaining('--algorithms') });
    const broken = await registered({ publicKey: key.publicKey.slice(0, -1) }, { algorithms: undefined });
    expect(broken).toMatchObject({ verdict: 'rejected' });
  });

  test('the AppID that the client used', async () => {
    const used = { change: { json: (json: AuthenticationResponseJSON) => ({ ...json, clientExtensionResults: { appid: true } }) } };
    const appId = 'https://example.org/app-id.json';
    const report = await authenticated({ ...used, rpId: appId });
    expect(report).toMatchObject({ verdict: 'undecided', failed: undefined });
    expect(report.steps.find(({ slug }) => slug === 'rp-id-hash')).toMatchObject({ reason: expect.stringContaining('--app-id') });
    expect(await authenticated({ ...used, rpId: appId }, { appId })).toMatchObject({ verdict: 'accepted' });
    expect(await authenticated({ ...used, rpId: appId }, { appId: 'https://example.org/' })).toMatchObject({
      failed: { slug: 'rp-id-hash' },
    });
  });

  test('a step that fails rejects all the same', async () => {
    expect(await authenticated({ origin: 'https://else.example' }, { challenge: undefined })).toMatchObject({
      verdict: 'rejected',
      failed: { slug: 'origin' },
    });
  });
});

test('a credential that is not registered fails where the user is identified, with the call that ends it', async () => {
  const report = await authenticated({}, { credential: 'unregistered' });
  expect(report).toMatchObject({
    verdict: 'rejected',
    failed: { number: 6, slug: 'user-handle', code: 'passkey_not_found', hint: expect.stringContaining('signalUnknownCredential') },
    library: { verdict: 'not-asked' },
  });
});

describe('where the library accepts and a step fails, the report says why', () => {
  const be = { credential: { ...knownCredential, backupEligible: true } };
  const counting = { credential: { ...knownCredential, signCount: 9 } };
  test.each<[string, Partial<AuthenticationFields>, Partial<KnownAuthentication>]>([
    ['user-handle', { userHandle: encodeUtf8('2') }, {}],
    ['allow-credentials', {}, { allowCredentials: [Uint8Array.of(1)] }],
    ['cross-origin', { crossOrigin: true }, {}],
    ['backup-eligibility', {}, be],
    ['sign-count', {}, counting],
    ['challenge', {}, { challenge: { status: 'used', challenge } }],
    ['signature', { change: { signature: (bytes) => concatBytes(bytes, Uint8Array.of(0)) } }, {}],
  ])('%s', async (slug, fields, known) => {
    const report = await authenticated(fields, known);
    expect(report).toMatchObject({
      verdict: 'rejected',
      failed: { slug },
      library: { verdict: 'accepted' },
      difference: DIFFERENCES.find(({ where }) => where === slug)?.why,
    });
  });
});

describe('members that are encoded in another way', () => {
  const encoded = (change: (response: Record<string, string>) => Record<string, string>) => {
    const { response, ...rest } = authenticationResponse(FIELDS);
    return reportAuthentication(
      readCredential({ ...rest, response: change({ ...response, userHandle: response.userHandle ?? '' }) }),
      knownAuthentication,
    );
  };

  test.each([
    ['plain JSON', '{"type":"webauthn.get"}', /plain JSON/],
    ['a wrong character', 'AA.A', /"\." at position 2/],
  ])('%s is no credential', async (_, clientDataJSON, message) => {
    await expect(encoded((response) => ({ ...response, clientDataJSON }))).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringMatching(message),
      errors: [{ pointer: '/response/clientDataJSON' }],
    });
  });

  test.each(['id', 'rawId'] as const)(
    'without %s the response is refused at the step that takes it, and every other step runs',
    async (name) => {
      const without = (credential: object) =>
        readCredential(Object.fromEntries(Object.entries(credential).filter(([member]) => member !== name)));
      const reports = [
        await reportAuthentication(without(authenticationResponse(FIELDS)), knownAuthentication),
        await reportRegistration(without(registrationResponse(FIELDS)), knownRegistration),
      ];
      for (const { verdict, failed, steps } of reports) {
        expect({ verdict, failed }).toMatchObject({
          verdict: 'rejected',
          failed: { number: 3, slug: 'response', code: 'validation_failed', received: `one without ${name}` },
        });
        expect(steps.filter(({ status }) => status === 'fail')).toHaveLength(1);
      }
    },
  );
});
