import { expect } from 'vitest';
import { explain } from '../../../src/explain/library.js';
import { encodeUtf8 } from '../../../src/kernel/bytes.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '../../../src/webauthn/json.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service } from '../app.js';
import { test } from '../service-test.js';

const twice = (text: string) => encodeBase64url(encodeUtf8(text));
const hex = (text: string) => Buffer.from(text, 'base64url').toString('hex');
const changed = (made: RegistrationResponseJSON, member: 'clientDataJSON' | 'attestationObject', write: (text: string) => string) => ({
  ...made,
  response: { ...made.response, [member]: write(made.response[member]) },
});

type Answer = (service: Service, options: PublicKeyCredentialCreationOptionsJSON) => Promise<RegistrationResponseJSON>;
const create: Answer = (service, options) => service.client.create({ publicKey: options });
const withMember =
  (member: 'clientDataJSON' | 'attestationObject', write: (text: string) => string): Answer =>
  async (service, options) =>
    changed(await create(service, options), member, write);

const ROWS: [what: string, answer: Answer, step: string, hint: RegExp][] = [
  [
    'a challenge encoded twice',
    (service, options) => create(service, { ...options, challenge: twice(options.challenge) }),
    'challenge',
    /^The challenge was encoded twice/,
  ],
  ['client data encoded twice', withMember('clientDataJSON', twice), 'client-data', /clientDataJSON is encoded twice/],
  ['hexadecimal client data', withMember('clientDataJSON', hex), 'client-data', /clientDataJSON is hexadecimal/],
  ['a hexadecimal attestation object', withMember('attestationObject', hex), 'attestation-object', /attestationObject is hexadecimal/],
  [
    'an attestation object encoded twice',
    withMember('attestationObject', twice),
    'attestation-object',
    /attestationObject is encoded twice/,
  ],
];

test.each(ROWS)('%s: the server and explain name it', async (_, answer, step, hint) => {
  await using service = await Service.start();
  const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const response = await answer(service, options);
  const reply = await service.post('/api/passkeys/register', response);
  expect(reply.json()).toMatchObject({ status: 422, step: { slug: step, hint: expect.stringMatching(hint) } });
  const { verdict, steps } = await explain(response, { rpId: RP_ID, origin: APP_ORIGIN, challenge: options.challenge });
  expect(verdict).toBe('rejected');
  expect(steps.find(({ slug }) => slug === step)).toMatchObject({ status: 'fail', hint: expect.stringMatching(hint) });
});

test('a challenge of another place is not taken for one that was encoded twice', async ({ service }) => {
  const options = (await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL })).json();
  const reply = await service.post('/api/passkeys/register', await create(service, { ...options, challenge: 'AAECAwQFBgcICQoLDA0ODw' }));
  expect(reply.json().step.hint).toMatch(/^This server does not know the challenge, or no longer does/);
});
