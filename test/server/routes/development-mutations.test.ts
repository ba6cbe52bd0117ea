import { describe, expect, onTestFinished } from 'vitest';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { createClient } from '../../../src/client/client.js';
import { listMutations } from '../../../src/simulate/mutations/mutation.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service } from '../app.js';
import { test } from '../service-test.js';

const local = { token: null };
const KINDS = [
  ['register', 'registration'],
  ['login', 'authentication'],
] as const;
type Part = (typeof KINDS)[number][0];

/** A server with a registered passkey, of which the client and the software authenticator have one each. */
async function begun() {
  const service = await Service.start();
  onTestFinished(() => service.app.close());
  const { credentialId } = await service.register();
  const options = await creation(service);
  const { response } = (await service.post('/dev/answer', { options, origin: APP_ORIGIN }, local)).json();
  expect((await service.post('/api/passkeys/register', response)).statusCode).toBe(200);
  return { service, credentialId, softwareId: String(response.id) };
}

async function creation(service: Service, options: object = {}) {
  const body = { app_name: 'App', app_url: APP_URL, options: { excludeCredentials: [], ...options } };
  return (await service.post('/dev/register/options', body)).json();
}

async function request(service: Service, id: string, options: object = {}) {
  return { ...(await service.post('/dev/verify/options', { credential_id: id, options }, local)).json(), rpId: RP_ID };
}

type Begun = Awaited<ReturnType<typeof begun>>;

const optionsFor = async ({ service, softwareId }: Begun, part: Part, more: object = {}) =>
  await (part === 'register' ? creation(service, more) : request(service, softwareId, more));

/** How the ceremony of a broken response ends: made by the software authenticator, or of the client and then tampered with. */
async function endOf(world: Begun, part: Part, how: { readonly id: string; readonly by: 'answer' | 'tamper' }) {
  const { service, credentialId } = world;
  const { id, by } = how;
  const options = by === 'answer' || part === 'register' ? await optionsFor(world, part) : await request(service, credentialId);
  const honest =
    by === 'answer'
      ? undefined
      : part === 'register'
        ? await fresh().create({ publicKey: options })
        : await service.client.get({ publicKey: options });
  const broken =
    by === 'answer'
      ? await service.post('/dev/answer', { options, origin: APP_ORIGIN, tamper: id }, local)
      : await service.post('/dev/tamper', { options, id, response: honest }, local);
  if (broken.statusCode !== 200) return { status: broken.statusCode, ...broken.json() };
  const { response, tamper } = broken.json();
  const ended = await service.post(`/api/passkeys/${part}`, response);
  return { tamper: tamper.id, ended: ended.json() };
}

/** Another device of the same user: a second passkey would replace the first. */
const fresh = () => createClient({ authenticator: createAuthenticator(), origin: APP_ORIGIN });

const BY = ['answer', 'tamper'] as const;
const ROWS = KINDS.flatMap(([part, kind]) => BY.map((by) => ({ part, kind, by })));

describe('mutations that take another challenge of the server', () => {
  test.each(ROWS)('a used challenge at $part, by /dev/$by', async ({ part, by }) => {
    const world = await begun();
    if (part === 'login') {
      const { ended } = await endOf(world, part, { id: 'signature-bit', by });
      expect(ended.code).toBe('signature_invalid');
    }
    const { tamper, ended } = await endOf(world, part, { id: 'challenge-used', by });
    expect([tamper, ended.code, ended.step?.slug]).toEqual([`${part}.challenge-used`, 'challenge_used', 'challenge']);
  });

  test.each(ROWS)('an expired challenge at $part, by /dev/$by, of options with a short timeout', async ({ part, by }) => {
    const world = await begun();
    const { service } = world;
    const early = await endOf(world, part, { id: `${part}.challenge-expired`, by });
    expect([early.status, early.code]).toEqual([422, 'not_applicable']);
    expect(early.detail).toContain('"timeout": 1000');
    const own = by === 'answer' ? world.softwareId : world.credentialId;
    await (part === 'register' ? creation(service, { timeout: 1_000 }) : request(service, own, { timeout: 1_000 }));
    // Far past twice the two seconds that the challenge lived.
    service.clock.now += 100_000;
    const { ended } = await endOf(world, part, { id: `${part}.challenge-expired`, by });
    expect([ended.code, ended.step?.slug]).toEqual(['challenge_expired', 'challenge']);
    // It is spent now, and no other has expired.
    expect(await endOf(world, part, { id: `${part}.challenge-expired`, by })).toMatchObject({ code: 'not_applicable' });
  });

  test.each(BY)('a challenge of the other kind, by /dev/%s', async (by) => {
    const world = await begun();
    const { service } = world;
    await request(service, world.credentialId);
    for (const [part, other] of [
      ['register', 'login'],
      ['login', 'registration'],
    ] as const) {
      const { ended } = await endOf(world, part, { id: `challenge-of-${other}`, by });
      expect([part, ended.code]).toEqual([part, 'challenge_unknown']);
    }
  });

  test('the credential of a registration that will be refused is not the newest afterwards', async () => {
    const world = await begun();
    const { service } = world;
    await endOf(world, 'register', { id: 'challenge-used', by: 'answer' });
    const login = (await service.post('/api/passkeys/login/options', { app_url: APP_URL }, local)).json();
    const { credential } = (await service.post('/dev/answer', { options: login, origin: APP_ORIGIN }, local)).json();
    expect(credential.id).toBe(world.softwareId);
  });

  test('a broken registration that a server accepts leaves the passkey that was there', async () => {
    const world = await begun();
    const { service, softwareId } = world;
    expect((await endOf(world, 'register', { id: 'members-reordered', by: 'answer' })).ended.passkey).toBeDefined();
    const options = await request(service, softwareId);
    const { credential } = (await service.post('/dev/answer', { options, origin: APP_ORIGIN, credential_id: softwareId }, local)).json();
    expect(credential?.id).toBe(softwareId);
  });

  test('GET /dev/mutations lists them beside the catalogue, with who can make each', async ({ service }) => {
    const rows: { id: string; signed_again: boolean; in_browser: boolean; requires: string[]; unfit?: string }[] = (
      await service.inject({ url: '/dev/mutations' })
    ).json();
    expect(rows).toHaveLength(listMutations().length + 6);
    expect(rows.filter(({ signed_again: signed, in_browser: browser }) => signed === browser)).toEqual([]);
    const known = new Map(rows.map((row) => [row.id, row]));
    const made = [
      'login.origin-other-port',
      'login.signature-bit',
      'login.user-handle-foreign',
      'login.challenge-used',
      'register.rp-id-hash',
    ];
    expect(made.map((id) => [id, known.get(id)?.in_browser])).toEqual(made.map((id) => [id, true]));
    const signed = ['login.client-data-further-members', 'verify.counter-zero', 'register.packed-self-signature', 'login.embedded'];
    expect(signed.map((id) => [id, known.get(id)?.signed_again])).toEqual(signed.map((id) => [id, true]));
    const unfit = ['register.packed-intermediate-missing', 'login.origin-parent-domain', 'login.top-origin-other', 'login.signature-bit'];
    expect(unfit.map((id) => known.get(id)?.unfit)).toEqual([
      'it trusts no root; start it with --attestation-roots and what `passkey attestation-root` prints',
      'its RP ID is not a subdomain',
      'it needs a page in a frame of another origin',
      undefined,
    ]);
    expect(known.get('login.challenge-expired')?.requires).toEqual([expect.stringContaining('expired unanswered')]);
  });
});

describe('POST /dev/tamper refuses', () => {
  async function refusal(id: string, change: (sent: { options: unknown; response: object }) => object = (sent) => sent) {
    const world = await begun();
    const { service } = world;
    const options = await request(service, world.credentialId);
    const response = await service.client.get({ publicKey: options });
    const reply = await service.post('/dev/tamper', { id, ...change({ options, response: { ...response } }) }, local);
    return [reply.statusCode, reply.json().code, reply.json().detail] as const;
  }

  test.each<readonly [id: string, code: string, detail: string]>([
    ['login.signature-bits', 'validation_failed', 'Did you mean login.signature-bit'],
    ['challenge-usd', 'validation_failed', 'challenge-used'],
    ['register.rp-id-hash', 'validation_failed', 'Expected a mutation of an authentication'],
    ['login.client-data-bom', 'not_applicable', 'POST /dev/answer with "tamper": "login.client-data-bom"'],
    ['login.user-handle-longer', 'not_applicable', 'the options name a credential'],
    ['login.user-not-verified', 'not_applicable', '"required" is needed'],
    ['login.eddsa-cut', 'not_applicable', 'it needs a credential of EdDSA, and this one is of ES256'],
    ['login.backup-eligibility-lost', 'not_applicable', 'it needs a credential that is eligible for backup'],
  ])('%s', async (id, code, detail) => {
    expect(await refusal(id)).toEqual([422, code, expect.stringContaining(detail)]);
  });

  test('what is no response, options of the other ceremony, and credentials of others', async () => {
    expect(await refusal('login.signature-bit', ({ options }) => ({ options, response: { id: 'AAAA' } }))).toEqual([
      422,
      'validation_failed',
      expect.stringContaining('Expected RegistrationResponseJSON or AuthenticationResponseJSON'),
    ]);
    const rp = { name: 'App' };
    const options = { rp, user: { id: 'AAAA', name: 'a', displayName: 'a' }, challenge: 'AAAA', pubKeyCredParams: [] };
    expect(await refusal('login.signature-bit', ({ response }) => ({ options, response }))).toEqual([
      422,
      'validation_failed',
      expect.stringContaining('the options of the other ceremony'),
    ]);
    expect(await refusal('login.signature-bit', (sent) => ({ ...sent, response: { ...sent.response, id: 'AAAA' } }))).toEqual([
      404,
      'passkey_not_found',
      expect.stringContaining('no passkey with the credential ID'),
    ]);
  });

  test('a change of what an attestation statement has signed, unless an earlier step refuses it', async ({ service }) => {
    const options = await creation(service, { attestation: 'direct' });
    const answered = await service.post('/dev/answer', { options, origin: APP_ORIGIN, persona: 'yubikey-5' }, local);
    const tampered = async (id: string) =>
      (await service.post('/dev/tamper', { id, options, response: answered.json().response }, local)).json();
    expect((await tampered('register.client-data-further-members')).detail).toContain('request attestation "none"');
    const ended = await service.post('/api/passkeys/register', (await tampered('register.origin-other-port')).response);
    expect(ended.json().code).toBe('origin_mismatch');
  });
});
