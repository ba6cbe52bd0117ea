import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { createClient } from '../../../src/client/client.js';
import { explainAll } from '../../../src/explain/library.js';
import { asObject } from '../../../src/kernel/json-value.js';
import { AUTHENTICATION_STEPS } from '../../../src/relying-party/steps/authentication.js';
import { REGISTRATION_STEPS } from '../../../src/relying-party/steps/registration.js';
import type { DevExplainDocument } from '../../../src/server/schemas/explain.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service } from '../app.js';
import { test } from '../service-test.js';

const local = { token: null };

async function explained(service: Service, input: unknown, more: object = {}): Promise<DevExplainDocument[]> {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  const reply = await service.post('/dev/explain', { input: text, ...more }, local);
  expect([reply.statusCode, reply.body.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return reply.json().documents;
}

async function one(service: Service, input: unknown, more: object = {}): Promise<DevExplainDocument> {
  const [document, ...others] = await explained(service, input, more);
  expect(others).toEqual([]);
  if (document === undefined) throw new Error('Expected a document.');
  return document;
}

const sources = ({ known_from: from }: DevExplainDocument) => from.map(({ source }) => source);
const statusOf = ({ steps }: DevExplainDocument, slug: string) => steps.find((step) => step.slug === slug)?.status;

describe('POST /dev/explain', () => {
  test('says what the library says, with the response and the options of the input', async ({ service }) => {
    const input = await readFile('fixtures/invalid/authentication-signature-bit.json', 'utf8');
    const document = await one(service, input, { name: 'mine.json' });
    const { response, options, kind_name: kind, known_from: from, ...rest } = document;
    expect([rest]).toEqual(JSON.parse(JSON.stringify(await explainAll(input, {}, { source: 'mine.json' }))));
    const fixture = JSON.parse(input);
    expect([response, options, from, kind]).toEqual([fixture.response, fixture.ceremony.options, [], 'passkey fixture']);
    expect(document.tree?.children.length).toBeGreaterThan(0);
  });

  test('takes the expectations of passkey-cli/explain, and names the one that is wrong', async ({ service }) => {
    const { rpId, origin, ceremony, response } = JSON.parse(await readFile('fixtures/recorded/registration-user-verified.json', 'utf8'));
    const expectations = { rpId, origin, challenge: ceremony.challenge, algorithms: ['ES256', -257], at: ceremony.answeredAt };
    expect(await one(service, response, { expectations })).toMatchObject({ verdict: 'accepted' });
    const { algorithms: _, ...rest } = expectations;
    expect(await one(service, response, { expectations: rest })).toMatchObject({ verdict: 'undecided' });
    const wrong = await service.post('/dev/explain', { input: '{}', expectations: { challenge: 'a*b' } }, local);
    expect([wrong.statusCode, wrong.json().errors]).toMatchObject([422, [{ pointer: '/expectations/challenge' }]]);
    const unknown = await service.post('/dev/explain', { input: '{}', expectations: { rp_id: 'example.org' } }, local);
    expect(unknown.statusCode).toBe(422);
  });

  test('explains a registration that was not sent yet by the ceremony that has its challenge', async ({ service }) => {
    const response = await service.attest();
    const document = await one(service, response);
    expect([document.verdict, sources(document), document.library?.verdict]).toEqual(['accepted', ['ceremony'], 'accepted']);
    expect(document.steps).toHaveLength(REGISTRATION_STEPS.length);
    expect(asObject(document.options)['challenge']).toEqual(expect.any(String));
    // Explaining spends nothing.
    expect((await service.post('/api/passkeys/register', response)).statusCode).toBe(200);
  });

  test('explains a finished login as it was when it was answered', async ({ service }) => {
    const { credentialId } = await service.register();
    const response = await service.assert(credentialId);
    expect((await service.post('/api/passkeys/login', response, local)).statusCode).toBe(200);
    const document = await one(service, response);
    expect([document.verdict, sources(document)]).toEqual(['accepted', ['ceremony', 'passkey']]);
    expect(document.steps).toHaveLength(AUTHENTICATION_STEPS.length);
    expect(document.observations.map(({ slug }) => slug)).toContain('challenge-answered');
    expect(document.known_from[1]).toMatchObject({ facts: expect.arrayContaining(['public_key']) });
  });

  test('gives the verdict and the step that the server gave', async ({ service }) => {
    const { credentialId } = await service.register();
    const login = (await service.post('/api/passkeys/login/options', { app_url: APP_URL }, local)).json();
    const elsewhere = createClient({ authenticator: service.authenticator, origin: 'https://www.app.example.com' });
    const response = await elsewhere.get({ publicKey: login });
    expect(response.id).toBe(credentialId);
    const problem = (await service.post('/api/passkeys/login', response, local)).json();
    const { verdict, steps } = await one(service, response);
    const failed = steps.find(({ status }) => status === 'fail');
    expect([verdict, failed?.slug, failed?.code]).toEqual(['rejected', problem.step.slug, problem.code]);
    expect(failed).toMatchObject({ expected: APP_ORIGIN, hint: problem.step.hint });
  });

  test('has a refused login as an example', async ({ service }) => {
    const { documents } = (await service.inject({ url: '/dev/example' })).json();
    expect(documents).toMatchObject([{ ceremony: 'authentication', verdict: 'rejected', response: { type: 'public-key' } }]);
    expect(documents[0].steps.filter(({ status }: { readonly status: string }) => status === 'fail')).toMatchObject([
      { code: 'origin_mismatch' },
    ]);
    const afar = await service.inject({ url: '/dev/example', remoteAddress: '192.168.1.9' });
    expect(afar.json().code).toBe('development_only');
  });

  test('calls a challenge expired that has expired unanswered', async ({ service }) => {
    const response = await service.attest();
    service.clock.now += service.relyingParty.policy.challengeTtl;
    const { steps } = await one(service, response);
    expect(steps.find(({ slug }) => slug === 'challenge')).toMatchObject({ status: 'fail', code: 'challenge_expired' });
  });

  test('knows the credential record where it never saw the challenge, and leaves the challenge open', async ({ service }) => {
    const { credentialId } = await service.register();
    const id = { id: credentialId, type: 'public-key' as const };
    const response = await service.client.get({ publicKey: { challenge: 'b3RoZXItb3RoZXItb3RoZXI', rpId: RP_ID, allowCredentials: [id] } });
    const document = await one(service, response);
    expect([document.verdict, sources(document)]).toEqual(['undecided', ['passkey']]);
    expect(['signature', 'rp-id-hash', 'origin', 'challenge'].map((slug) => statusOf(document, slug))).toEqual([
      'pass',
      'pass',
      'pass',
      'skip',
    ]);
  });

  test('says of a revoked passkey that it is none', async ({ service }) => {
    const { credentialId, passkey } = await service.register();
    const response = await service.assert(credentialId);
    await service.relyingParty.revoke(passkey.id, {});
    const document = await one(service, response);
    expect(document.steps.find(({ status }) => status === 'fail')).toMatchObject({ code: 'passkey_not_found' });
  });

  test('explains options, bytes and files', async ({ service }) => {
    const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
    const ofOptions = await one(service, { publicKey: options });
    expect([ofOptions.input?.kind, ofOptions.options, ofOptions.response]).toEqual(['creation-options', options, null]);
    const response = await service.attest();
    const { attestationObject } = response.response;
    expect((await one(service, attestationObject)).input?.kind).toBe('attestation-object');
    const file = await one(service, attestationObject, { encoding: 'base64', name: 'a.bin' });
    expect([file.source, file.input?.encodings]).toEqual(['a.bin', []]);
  });

  const rows: [what: string, body: object, code: string, detail: string][] = [
    ['nothing', {}, 'validation_failed', '/input is missing'],
    ['an empty text', { input: '' }, 'validation_failed', '/input must have at least 1 character,'],
    ['what is nothing of WebAuthn', { input: '{"a":1}' }, 'validation_failed', 'The JSON is none of'],
    ['what is no JSON', { input: '{"a":', name: 'x.json' }, 'validation_failed', 'x.json looks like JSON, but at 1:6'],
    ['a fixture that is none', { input: '{"format":"passkey-fixture"}' }, 'validation_failed', 'The input'],
    ['a file that is not base64', { input: 'a!', encoding: 'base64' }, 'validation_failed', '/input must be base64'],
  ];
  test.each(rows)('refuses %s', async (_, body, code, detail) => {
    await using service = await Service.start();
    const reply = await service.post('/dev/explain', body, local);
    expect([reply.statusCode, reply.json().code, reply.json().detail]).toEqual([422, code, expect.stringContaining(detail)]);
  });

  test('takes an archive with as many ceremonies as it says, and no more', async ({ service }) => {
    const response = await service.attest();
    const body = JSON.stringify(response);
    const entry = { request: { method: 'POST', url: `${APP_ORIGIN}/register`, headers: [], postData: { text: body } }, response: {} };
    const archive = (entries: number) => ({ log: { entries: Array.from({ length: entries }, () => entry) } });
    const documents = await explained(service, archive(20));
    expect(new Set(documents.map(({ verdict, response: found, tree }) => JSON.stringify([verdict, found?.['id'], tree])))).toEqual(
      new Set([JSON.stringify(['accepted', response.id, null])]),
    );
    const refused = await service.post('/dev/explain', { input: JSON.stringify(archive(1_001)) }, local);
    expect([refused.statusCode, refused.json().detail]).toEqual([422, expect.stringContaining('at most 1000 ceremonies; got 1001')]);
  });

  test('tells a bearer token nothing of other users', async ({ service }) => {
    const { credentialId } = await service.register();
    const response = await service.assert(credentialId);
    await service.post('/api/passkeys/login', response, local);
    const other = await service.accounts.addOwner({ email: 'eve@example.com', name: 'Eve' });
    const { token } = await service.accounts.createToken({ owner: other });
    const afar = (authorization: string) =>
      service.inject({
        method: 'POST',
        url: '/dev/explain',
        payload: { input: JSON.stringify(response) },
        headers: { authorization },
        remoteAddress: '192.168.1.9',
      });
    const reply = await afar(`Bearer ${token}`);
    expect([reply.statusCode, reply.json().documents?.[0]?.known_from]).toEqual([200, []]);
    const own = await afar(`Bearer ${service.token}`);
    expect(sources(own.json().documents[0])).toEqual(['ceremony', 'passkey']);
  });

  test('is not there in production', async () => {
    await using service = await Service.start({ settings: { mode: 'production' } });
    expect((await service.post('/dev/explain', { input: 'AAAA' }, local)).statusCode).toBe(404);
  });
});
