import { SettingsService } from '@simplewebauthn/server';
import { describe, expect, test, vi } from 'vitest';
import { concatBytes } from '../../../src/kernel/bytes.js';
import type { Policy } from '../../../src/relying-party/policy.js';
import type { CborMap } from '../../../src/webauthn/cbor.js';
import { der, sequence } from '../../../src/webauthn/der-writer.js';
import { AT, leafCertificate, rootCertificate, YEAR } from '../../relying-party/attestation/authority.js';
import { ecdsa, members } from '../../relying-party/attestation/statements.js';
import { AAGUID, es256Key, type RegistrationFields, registrationResponse } from '../../relying-party/ceremony.js';
import { toPem } from '../../relying-party/certificate.js';
import { EXTENSIONS, type Extension, ecKeyPair } from '../../webauthn/certificate-writer.js';
import { APP_ORIGIN, APP_URL, RP_ID, Service } from '../app.js';

const attestationKey = ecKeyPair();

/** A packed statement with a certificate that has this extension besides those that §8.2.1 asks for. */
function packed(extension: Extension) {
  const certificate = leafCertificate({
    publicKey: attestationKey.publicKey,
    extensions: [EXTENSIONS.basicConstraints(false), EXTENSIONS.aaguid(AAGUID), extension],
    // The library judges certificates by the clock of the machine.
    notAfter: AT + 100 * YEAR,
  });
  const attStmt = (authData: Uint8Array, clientDataHash: Uint8Array): CborMap =>
    members({ alg: -7, sig: ecdsa(concatBytes(authData, clientDataHash), attestationKey), x5c: [certificate] });
  return { fmt: 'packed', attStmt };
}

/** Extended key usage with an object identifier of so many bytes, each of them a number: the slowest to put down in dots. */
const purpose = (size: number): Extension => ({ oid: '2.5.29.37', value: sequence(der(0x06, new Uint8Array(size).fill(1))) });

async function register(fields: Partial<RegistrationFields>, policy: Partial<Policy> = {}) {
  await using service = await Service.start({ policy });
  const options = await service.post('/api/passkeys/register/options', { app_name: 'App', app_url: APP_URL });
  const { challenge } = options.json();
  const response = registrationResponse({ key: es256Key(), challenge, rpId: RP_ID, origin: APP_ORIGIN, ...fields });
  const { statusCode, json } = await service.post('/api/passkeys/register', response);
  return { statusCode, body: json() };
}

describe('with attestation roots', () => {
  const policy: Partial<Policy> = { attestation: 'direct', attestationRoots: [toPem(rootCertificate())] };

  test('a registration without attestation is a 422 that says how to get one', async () => {
    expect(await register({ fmt: 'none' }, policy)).toMatchObject({
      statusCode: 422,
      body: {
        code: 'attestation_untrusted',
        step: {
          section: '7.1',
          number: 24,
          slug: 'attestation-trust',
          received: 'no attestation (format "none")',
          hint: expect.stringContaining('Request attestation "direct"'),
        },
      },
    });
  });
});

describe('a certificate with a long object identifier', () => {
  /** The library looks for its roots before it reads the statement. */
  async function registerAndCount(size: number, policy?: Partial<Policy>) {
    const look = vi.spyOn(SettingsService, 'getRootCertificates');
    try {
      const { statusCode, body } = await register(packed(purpose(size)), policy);
      return { statusCode, body, askedLibrary: look.mock.calls.length > 0 };
    } finally {
      look.mockRestore();
    }
  }

  test('of 128 bytes is taken', async () => {
    expect(await registerAndCount(128)).toMatchObject({ statusCode: 200, askedLibrary: true });
  });

  test.each([
    [129, {}],
    [40_000, {}],
    [40_000, { attestation: 'direct', attestationRoots: [toPem(rootCertificate())] } as const],
  ])('of %i bytes is a 422, and the library never sees it (policy %j)', async (size, policy) => {
    expect(await registerAndCount(size, policy)).toMatchObject({
      statusCode: 422,
      body: {
        code: 'attestation_malformed',
        step: {
          number: 22,
          slug: 'attestation-statement',
          received: expect.stringContaining(`a key purpose of at most 128 bytes, got ${size}`),
        },
      },
      askedLibrary: false,
    });
  });
});
