import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { readFixture } from '../../../src/fixture/read.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { test } from '../service-test.js';

const challengeOf = (response: { readonly response: { readonly clientDataJSON: string } }) =>
  decodeClientData(decodeBase64url(response.response.clientDataJSON)).challenge;

test('a finished ceremony is there as a fixture that can be read, accepted or refused', async ({ service }) => {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-fixture-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'fixture.json');

  const attestation = await service.attest();
  await service.post('/api/passkeys/register', attestation);
  const registration = await service.inject({ url: `/dev/fixtures/${challengeOf(attestation)}` });
  expect(registration.statusCode).toBe(200);
  await writeFile(file, registration.body);
  expect(await readFixture(file)).toMatchObject({
    kind: 'registration',
    expected: { outcome: 'verified' },
    response: { id: attestation.id },
  });

  const assertion = await service.assert(attestation.id);
  const signature = `${assertion.response.signature.slice(0, -6)}AAAAAA`;
  await service.post('/api/passkeys/login', { ...assertion, response: { ...assertion.response, signature } }, { token: null });
  const login = await service.inject({ url: `/dev/fixtures/${challengeOf(assertion)}` });
  await writeFile(file, login.body);
  expect(await readFixture(file)).toMatchObject({
    kind: 'authentication',
    expected: { outcome: 'rejected', code: 'signature_invalid', status: 401 },
  });
});

test('a ceremony that is open or unknown has none', async ({ service }) => {
  const attestation = await service.attest();
  for (const challenge of [challengeOf(attestation), 'AAAA']) {
    const reply = await service.inject({ url: `/dev/fixtures/${challenge}` });
    expect([reply.statusCode, reply.json().code]).toStrictEqual([404, 'route_not_found']);
  }
});
