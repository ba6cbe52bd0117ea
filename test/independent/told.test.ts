import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';
import { simulate } from '../../src/simulate/simulate.js';
import type { TargetProfile } from '../../src/simulate/target/profile-schema.js';
import { quick, share, thorough } from '../thorough.js';
import { connect, readIndependentProfile, reportFaults, runCatalogue, URL_OF_PARTY } from './catalogue.js';
import { FAULTS, type FaultId } from './faults.js';
import { createIndependentParty } from './server.js';
import { settingOf } from './settings.js';
import { readFirstFindings, readTold } from './told.js';

const RECORDED = fileURLToPath(new URL('../../fixtures/recorded', import.meta.url));

/** `test/independent/check.ts` tries all faults in these settings, and in further ones. */
const ONE_OF_EACH_FORMAT = ['packedSelf', 'fidoU2f', 'tpm', 'androidKey'] as const;

/** One of each kind and setting, of which `npm test` tries a fourth; `test/independent/check.ts` tries all faults. */
const SOME: readonly FaultId[] = [
  'type-by-prefix',
  'challenge-by-first-characters',
  'challenge-never-expires',
  'origin-from-header',
  'origin-of-parent-domain',
  'top-origin-by-prefix',
  'rp-id-hash-from-client-origin',
  'passkey-of-another-rp',
  'packed-empty-x5c',
  'excluded-none-accepted',
  'excluded-format-accepted',
  'model-from-certificate',
  'token-reusable',
  'token-of-any-user',
  'cookie-of-challenge-reusable',
  'signed-challenge-reusable',
  'signature-may-omit-client-data',
  'owner-of-latest-registration',
  'sessions-of-latest-login',
  'session-kept-at-login',
  'signed-out-is-latest-user',
  'others-passkey-removed',
  'client-data-bom-refused',
  'malformed-json-crashes',
  'refused-type-ends-process',
];

const told = await readTold();
const firstFindings = await readFirstFindings();

describe('told.json', () => {
  quick('has cases for every fault, of which there are enough of each kind', () => {
    expect([...told.keys()]).toEqual(FAULTS.map(({ id }) => id));
    expect(told.size).toBeGreaterThanOrEqual(120);
    expect(FAULTS.filter(({ kind }) => kind === 'strict').length).toBeGreaterThanOrEqual(20);
    const ids = new Set(ALL_CASES.map(({ id }) => id));
    expect([...told].filter(([, cases]) => cases.length === 0 || cases.some((id) => !ids.has(id)))).toEqual([]);
  });
});

quick('first-findings.json has every fault once', () => {
  expect([...firstFindings.keys()].toSorted()).toEqual(FAULTS.map(({ id }) => id).toSorted());
});

describe('the catalogue', () => {
  test.each(share(SOME, 4))('tells %s by its first finding, and raises no alarm without it', async (fault) => {
    const cases = told.get(fault) ?? [];
    const setting = settingOf(fault);
    const [correct, faulty] = [await runCatalogue([], { setting, cases }), await runCatalogue([fault], { setting, cases })];
    expect(correct).toEqual({ told: [], ran: cases.length });
    expect(faulty).toMatchObject({ told: cases, ran: cases.length, first: { cause: firstFindings.get(fault) } });
  });

  test.each(share(ONE_OF_EACH_FORMAT, 4))(
    'is silent at a correct party with one attestation format, and tells its faults (%s)',
    async (setting) => {
      const cases = [
        '*.challenge-*',
        'register.credential-known*',
        'login.counter-*',
        'register.same-id-at-once',
        '*.options-of-another-user',
      ];
      const faults = ['create-challenge-unchecked', 'known-credential-replaced', 'counter-unchecked'] as const;
      expect(await runCatalogue([], { setting, cases })).toMatchObject({ told: [] });
      for (const fault of faults) {
        expect(await runCatalogue([fault], { setting, cases: told.get(fault) ?? [] })).toMatchObject({ told: told.get(fault) });
      }
    },
  );

  test.each(share(ONE_OF_EACH_FORMAT, 4))('repeats recorded ceremonies at a party with one attestation format (%s)', async (setting) => {
    const { results } = await reportFaults([], { setting, fixtures: [RECORDED] });
    const statuses = (status: string) => results.filter((each) => each.status === status);
    expect(statuses('failed')).toEqual([]);
    expect(statuses('passed').filter(({ id }) => id.startsWith('login-')).length).toBeGreaterThan(4);
  });

  quick('runs at a party that takes some models with the first of them, and leaves out what needs another', async () => {
    const cases = ['register.default', 'register.aaguid-any', 'register.packed-honest', 'register.fido-u2f-honest', 'register.model-*'];
    const { results } = await reportFaults([], { setting: 'models', cases });
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ['register.default', 'passed'],
      ['register.packed-honest', 'passed'],
      ['register.fido-u2f-honest', 'not_applicable'],
      ['register.model-other', 'passed'],
      ['register.model-without-extension', 'passed'],
      ['register.model-unattested', 'passed'],
      ['register.model-in-copy', 'passed'],
      ['register.aaguid-any', 'not_applicable'],
    ]);
  });

  quick('takes no value that comes back, and that the target does without, for a token of the challenge', async () => {
    const { profile } = await readIndependentProfile();
    const taking = (requests: TargetProfile['register']) =>
      requests.map((each) => ({ ...each, take: { ...each.take, echo: 'json challenge' } }));
    const sending = (requests: TargetProfile['register']) =>
      requests.map((each) => ({ ...each, headers: { ...each.headers, 'x-echo': '{echo}' } }));
    const echoing = {
      registrationOptions: taking(profile.registrationOptions),
      register: sending(profile.register),
      authenticationOptions: taking(profile.authenticationOptions),
      authenticate: sending(profile.authenticate),
    };
    const { results } = await reportFaults([], {
      profile: echoing,
      cases: ['*.token-used-elsewhere', '*.token-forged', 'register.token-expired', 'login.token-expired'],
    });
    expect(results.map(({ id, status }) => [id, status])).toEqual([
      ['register.token-used-elsewhere', 'passed'],
      ['login.token-used-elsewhere', 'passed'],
      ['register.token-forged', 'not_applicable'],
      ['login.token-forged', 'not_applicable'],
      ['register.token-expired', 'not_applicable'],
      ['login.token-expired', 'not_applicable'],
    ]);
  });

  quick('is silent at a correct party that refuses authenticators which do not count', async () => {
    expect(await runCatalogue([], { setting: 'counting', cases: ['*.default', '*.counter-*', '*.counting'] })).toMatchObject({ told: [] });
  });

  thorough.each<[FaultId, expected: readonly (readonly [cause: string, severity: string])[]]>([
    ['user-handle-unchecked', [['user-handle-ignored', 'low']]],
    ['user-from-user-handle', [['another-user-signed-in', 'critical']]],
    ['allow-list-unenforced', [['credential-not-asked-for', 'low']]],
  ])('finds %s as serious whether users sign up before, by registering, or not at all', async (fault, expected) => {
    const cases = ['login.user-handle-of-another-user*', 'login.user-handle-foreign', 'login.credential-of-another-user'];
    for (const setting of ['plain', 'signedIn', 'single'] as const) {
      const { findings } = await reportFaults([fault], { setting, cases });
      expect([setting, findings.slice(0, 1).map(({ cause, severity }) => [cause, severity])]).toEqual([setting, expected]);
    }
  });

  thorough('raises no alarm at a server whose users have one passkey each, where the profile says so', async () => {
    const cases = [
      '*-passkeys',
      'session.others-*',
      '*every-offered-algorithm',
      '*.credential-not-allowed',
      '*of-another-passkey',
      'register.*-malformed',
    ];
    const [told, silent] = [
      await runCatalogue(['second-passkey-refused'], { cases }),
      await runCatalogue(['second-passkey-refused'], { setting: 'single', cases }),
    ];
    expect(told.told).toEqual(expect.arrayContaining(['login.each-of-three-passkeys', 'register.attachment-malformed']));
    expect(silent).toEqual({ told: [], ran: 14 });

    const party = createIndependentParty({ roots: [], faults: new Set(['second-passkey-refused']) });
    const target = { url: URL_OF_PARTY.href, connections: connect(party), tokens: party.tokens, profile: await readIndependentProfile() };
    const { results } = await simulate({ fixtures: [], version: '0.0.0', select: { ids: ['login.credential-not-allowed'] }, target });
    expect(results[0]?.remarks).toContainEqual(expect.stringContaining('put "has": { "passkeys": 1 } into the profile.'));
  });
});
