import { expect, test } from 'vitest';
import { examine } from '../../../src/simulate/doctor/doctor.js';
import { readProfile } from '../../../src/simulate/target/read-profile.js';
import type { Settings } from '../../targets/relying-party.js';
import { startSimpleWebAuthn } from '../../targets/simplewebauthn.js';
import { simpleWebAuthn, type Verifier } from '../../targets/verifier.js';
import { startWebauthnIo } from '../../targets/webauthn-io.js';
import { ANDROID, openSite, ROOT } from './site.js';

/** Examines the good site, whose server expects these origins; its files name https://shop.test and an app besides. */
async function prove(origins: readonly string[], settings: Pick<Settings, 'policy' | 'verifier'> = {}) {
  const server = await startSimpleWebAuthn('', { rpId: 'shop.example', origins, ...settings });
  const site = await openSite({}, undefined, server.url);
  try {
    const url = new URL('https://shop.example/');
    const reach = { ca: ROOT, addresses: { 'shop.example': site.address } };
    const target = { ...reach, url: url.origin, profile: await readProfile('simplewebauthn', '.'), allowHosts: ['shop.example'] };
    return await examine({ ...reach, url, target, now: () => Date.UTC(2026, 0, 1), version: '0' });
  } finally {
    await Promise.all([site.close(), server.close()]);
  }
}

const OWN = 'https://shop.example';
const SITE_FILE = 'https://shop.example/.well-known/webauthn';
const APP_FILE = 'https://shop.example/.well-known/assetlinks.json';

test('a server that expects every origin of its files passes', async () => {
  const report = await prove([OWN, 'https://shop.test', ANDROID]);
  expect(report.checks.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(report.origins).toEqual([
    { origin: 'https://shop.test', named_by: SITE_FILE, registration: 'accepted', login: 'accepted' },
    { origin: ANDROID, named_by: APP_FILE, registration: 'accepted', login: 'accepted' },
  ]);
  expect(report.requests.filter(({ method }) => method === 'OPTIONS')).toHaveLength(4);
  expect(report.requests.length).toBeLessThanOrEqual(30);
});

test('a server that does not expect the app contradicts its file', async () => {
  const { checks, origins } = await prove([OWN, 'https://shop.test']);
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([
    expect.objectContaining({ id: 'named-origins', found: expect.stringContaining(`${ANDROID}, registration: `) }),
  ]);
  expect(origins?.map(({ origin, login }) => [origin, login === 'accepted'])).toEqual([
    ['https://shop.test', true],
    [ANDROID, false],
  ]);
});

test('a server that refuses its own page shows nothing about other origins', async () => {
  const { checks, origins } = await prove(['https://shop.test']);
  expect(checks.filter(({ status }) => status === 'fail').map(({ id }) => id)).toEqual(['ceremonies']);
  expect(checks.find(({ id }) => id === 'named-origins')).toMatchObject({ status: 'skip' });
  expect(origins).toEqual([]);
});

test('options that browsers take in another way are named, and cookies of the endpoints', async () => {
  const { checks } = await prove([OWN, 'https://shop.test', ANDROID], { policy: { algorithms: [-7, -257, -7] } });
  expect(checks.filter(({ status }) => status === 'warn' || status === 'fail').map(({ id, found }) => [id, found])).toEqual([
    ['cookies', 'connect.sid is not Secure'],
    ['options', 'registration /pubKeyCredParams/2/alg: ES256 (-7) is listed twice; once is enough'],
  ]);
});

/** Verification of users that the options of the test server only prefer. */
const demanding: Verifier = {
  registration: (response, expected) => simpleWebAuthn.registration(response, { ...expected, requireUserVerification: true }),
  authentication: (response, expected) => simpleWebAuthn.authentication(response, { ...expected, requireUserVerification: true }),
};

test.each([
  ['registrations and logins', demanding],
  ['logins only', { ...demanding, registration: simpleWebAuthn.registration }],
])('a server that requires more user verification than its options say, of %s, contradicts itself', async (_, verifier) => {
  const { checks } = await prove([OWN, 'https://shop.test', ANDROID], { verifier });
  const found = expect.stringMatching(/^the options say "preferred", but the server refuses a user who was not verified \(refused: 400 /);
  expect(checks.filter(({ status }) => status === 'fail')).toEqual([expect.objectContaining({ id: 'user-verification', found })]);
});

test('a server whose options ask for what it requires does not', async () => {
  const settings = { verifier: demanding, policy: { userVerification: 'required' } } as const;
  const { checks } = await prove([OWN, 'https://shop.test', ANDROID], settings);
  const found = 'the target requires user verification';
  expect(checks.find(({ id }) => id === 'user-verification')).toMatchObject({ status: 'skip', found });
});

test('a server that tells unknown users apart is warned of', async () => {
  const { url, close } = await startWebauthnIo();
  try {
    const target = { url, profile: await readProfile('webauthn.io', '.') };
    const { checks } = await examine({ url: new URL(url), target, now: () => Date.UTC(2026, 0, 1), version: '0' });
    const found = expect.stringContaining('not the same: options for a user who does not exist: the number of credentials');
    expect(checks.filter(({ status }) => status === 'warn')).toEqual([expect.objectContaining({ id: 'unknown-users', found })]);
  } finally {
    await close();
  }
});
