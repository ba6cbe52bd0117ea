import { describe, expect, test } from 'vitest';
import {
  androidKeyAttestation,
  IN_TRUSTED_ENVIRONMENT,
  keyDescriptionExtension,
} from '../../../src/authenticator/attestation/android-key.js';
import { type SafetyNetOptions, safetyNetAttestation } from '../../../src/authenticator/attestation/android-safetynet.js';
import { createAttestationAuthority } from '../../../src/authenticator/attestation/authority.js';
import { compoundAttestation } from '../../../src/authenticator/attestation/compound.js';
import { fidoU2fAttestation } from '../../../src/authenticator/attestation/fido-u2f.js';
import { ATTESTATION_NAMES, attestationFormats } from '../../../src/authenticator/attestation/named-formats.js';
import { packedAttestation, packedSelfAttestation } from '../../../src/authenticator/attestation/packed.js';
import { tpmAttestation } from '../../../src/authenticator/attestation/tpm.js';
import { writeAttest, writeName, writePublicArea } from '../../../src/authenticator/attestation/tpm-writer.js';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import type { MakeCredentialRequest } from '../../../src/authenticator/ports.js';
import type { AuthenticatorOptions } from '../../../src/authenticator/settings.js';
import { concatBytes, fromHex, toHex } from '../../../src/kernel/bytes.js';
import { readAttest, readPublicArea } from '../../../src/relying-party/attestation/tpm-structures.js';
import { KEY_ORIGINS, KEY_PURPOSES, keyDescription, SECURITY_LEVELS } from '../../../src/webauthn/android-key-description.js';
import { aaguidExtension, serialNumberExtension } from '../../../src/webauthn/attestation-extensions.js';
import { encodeBase64 } from '../../../src/webauthn/base64url.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { fc } from '../../properties.js';
import { sha256 } from '../../webauthn/w3c-vectors.js';
import { granted, makeRequest, quickKeys, RP_ID, takeApart } from '../requests.js';

const authority = createAttestationAuthority();
const AAGUID = fromHex('f8a011f38c0a4d15800617111f9edc7d');

async function attested(options: AuthenticatorOptions, request: Partial<MakeCredentialRequest> = {}) {
  const authenticator = createAuthenticator({ ...(options.seed === undefined && { newPrivateKey: quickKeys }), ...options });
  return takeApart(granted(await authenticator.makeCredential(makeRequest(request))));
}

function firstCertificate(attStmt: ReadonlyMap<unknown, unknown>) {
  const x5c: unknown = attStmt.get('x5c');
  const first: unknown = Array.isArray(x5c) ? x5c[0] : undefined;
  if (!(first instanceof Uint8Array)) throw new Error('Expected a certificate in x5c.');
  return decodeCertificate(first);
}

describe('the choice of a format', () => {
  const rows = [
    { attestation: ['tpm', 'packed-x5c'], asked: [], fmt: 'tpm' },
    { attestation: ['tpm', 'packed-x5c'], asked: ['packed'], fmt: 'packed' },
    { attestation: ['tpm', 'packed-x5c'], asked: ['apple', 'packed', 'tpm'], fmt: 'packed' },
    { attestation: ['tpm', 'packed-x5c'], asked: ['none'], fmt: 'none' },
    { attestation: ['tpm', 'packed-x5c'], asked: ['apple'], fmt: 'tpm' },
    { attestation: [], asked: ['tpm'], fmt: 'none' },
  ] as const;
  test.each(rows)('has $attestation, asked for $asked: $fmt', async ({ attestation, asked, fmt }) => {
    expect((await attested({ attestation }, { attestationFormats: asked })).fmt).toBe(fmt);
  });

  test('takes the next that can attest the credential', async () => {
    const pubKeyCredParams = [{ type: 'public-key', alg: -8 }] as const;
    const of = async (attestation: AuthenticatorOptions['attestation']) =>
      (await attested({ ...(attestation && { attestation }) }, { pubKeyCredParams })).fmt;
    expect(await Promise.all([of(['fido-u2f', 'tpm', 'apple']), of('fido-u2f'), of('tpm'), of('packed-x5c')])).toEqual([
      'apple',
      'none',
      'none',
      'packed',
    ]);
  });

  test('refuses a name that is none', () => {
    const name: string = 'toString';
    expect(() => attestationFormats({ attestation: name as 'none' })).toThrow(
      new TypeError(`Expected an attestation to be one of ${ATTESTATION_NAMES.join(', ')} or your own format; got "toString".`),
    );
  });
});

describe('the same seed and clock give the same statement', () => {
  test.each(ATTESTATION_NAMES)('%s', async (attestation) => {
    const make = async () => (await attested({ attestation, seed: 'a seed', now: () => 1_700_000_000_000 })).attStmt;
    expect(await make()).toEqual(await make());
  });
});

describe('packed with certificates', () => {
  test('the certificate names the AAGUID, and no device', async () => {
    const { attStmt } = await attested({ attestation: 'packed-x5c', aaguid: AAGUID });
    const certificate = firstCertificate(attStmt);
    expect(aaguidExtension(certificate)).toEqual({ aaguid: AAGUID, critical: false });
    expect(serialNumberExtension(certificate)).toBeUndefined();
  });

  test('two models have two keys, two credentials of a model one', async () => {
    const keyOf = async (aaguid: Uint8Array) =>
      firstCertificate((await attested({ attestation: 'packed-x5c', aaguid })).attStmt).publicKey.bytes;
    expect(await keyOf(AAGUID)).toEqual(await keyOf(AAGUID));
    expect(await keyOf(AAGUID)).not.toEqual(await keyOf(new Uint8Array(16)));
  });

  const serialNumber = Uint8Array.of(1, 2, 3);
  const enterprise = [
    { name: 'vendor-facilitated, the RP in the list', asked: true, rpIds: ['other.example', RP_ID], identified: true },
    { name: 'vendor-facilitated, the RP not in the list', asked: true, rpIds: ['other.example'], identified: false },
    { name: 'vendor-facilitated, not asked for', asked: false, rpIds: [RP_ID], identified: false },
    { name: 'platform-managed', asked: true, rpIds: undefined, identified: true },
    { name: 'platform-managed, not asked for', asked: false, rpIds: undefined, identified: false },
  ];
  test.each(enterprise)('enterprise attestation, $name: identified $identified', async ({ asked, rpIds, identified }) => {
    const options = { attestation: 'packed-x5c', aaguid: AAGUID, enterprise: { serialNumber, ...(rpIds && { rpIds }) } } as const;
    const { attStmt } = await attested(options, { enterpriseAttestationPossible: asked });
    expect(serialNumberExtension(firstCertificate(attStmt))).toEqual(identified ? serialNumber : undefined);
  });

  test('enterprise attestation that is not configured is the ordinary one', async () => {
    const options = { attestation: 'packed-x5c', aaguid: AAGUID } as const;
    const { attStmt } = await attested(options, { enterpriseAttestationPossible: true });
    expect(serialNumberExtension(firstCertificate(attStmt))).toBeUndefined();
  });
});

describe('compound', () => {
  const packed = packedAttestation(authority);
  test('has the statements of its formats, in order', async () => {
    const { statements } = await attested({ attestation: compoundAttestation([packed, tpmAttestation(authority), packedSelfAttestation]) });
    expect(statements?.map(({ fmt }) => fmt)).toEqual(['packed', 'tpm', 'packed']);
  });

  test.each([
    { formats: [packed], got: 'packed' },
    { formats: [], got: 'none' },
    { formats: [packed, compoundAttestation([packed, packed])], got: 'packed, compound' },
  ])('refuses $got', ({ formats, got }) => {
    expect(() => compoundAttestation(formats)).toThrow(
      new TypeError(`Expected two or more formats for compound, none of them compound; got ${got}.`),
    );
  });

  test('attests what all of its formats can', () => {
    const format = compoundAttestation([packed, tpmAttestation(authority)]);
    expect([-7, -257, -8].map((alg) => format.attests?.(alg))).toEqual([true, true, false]);
  });

  test('is deterministic if each of its formats is', () => {
    const other = { ...packed, deterministic: false };
    const { deterministic: _, ...unknown } = packed;
    const formats = [
      [packed, packed],
      [packed, other],
      [other, other],
      [packed, unknown],
    ];
    expect(formats.map((each) => compoundAttestation(each).deterministic)).toEqual([true, false, false, false]);
  });

  test('refuses a format that makes several statements', async () => {
    const several = { fmt: 'several', statement: () => [] };
    await expect(attested({ attestation: compoundAttestation([packed, several]) })).rejects.toThrow(
      new TypeError('Expected each format inside compound to have only one statement.'),
    );
  });
});

describe('structures, for any content', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
  const uint32 = fc.integer({ min: 0, max: 0xffffffff });

  test('a TPM’s attestation reads back', () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, bytes, uint32, (name, extraData, signer, object, count) => {
        const clock = { clock: BigInt(count) << 20n, resetCount: count, restartCount: count, safe: 1, firmwareVersion: BigInt(count) };
        const about = { magic: 0xff544347, type: 0x8017, name, extraData, qualifiedSigner: signer, qualifiedName: object };
        expect(readAttest(writeAttest({ ...about, ...clock }))).toEqual({
          magic: 0xff544347,
          type: 0x8017,
          extraData,
          name,
        });
      }),
    );
  });

  test('a TPM’s public area of EC and RSA keys reads back', () => {
    const rsa = fc.record({
      n: fc.uint8Array({ minLength: 256, maxLength: 256 }),
      e: fc.constantFrom(fromHex('010001'), Uint8Array.of(3)),
    });
    const point = fc.record({ x: fc.uint8Array({ minLength: 32, maxLength: 32 }), y: fc.uint8Array({ minLength: 32, maxLength: 32 }) });
    const policy = fc.record({ attributes: uint32, authPolicy: fc.uint8Array({ maxLength: 32 }) });
    fc.assert(
      fc.property(rsa, point, policy, ({ n, e }, { x, y }, attributes) => {
        const ofRsa = readPublicArea(writePublicArea({ kty: 3, alg: -257, n, e }, attributes));
        expect(ofRsa).toEqual({ type: 1, nameAlg: 0x000b, detailed: false, key: { kty: 3, n, e: e.length === 1 ? 3 : 65537 } });
        const ofEc = readPublicArea(writePublicArea({ kty: 2, alg: -7, crv: 1, x, y }, attributes));
        expect(ofEc).toEqual({ type: 0x23, nameAlg: 0x000b, detailed: false, key: { kty: 2, curve: 3, crv: 1, x, y } });
      }),
    );
  });

  test('a TPM has RSA keys and those on NIST curves', () => {
    const { attests } = tpmAttestation(authority);
    const algorithms = [-7, -35, -36, -257, -37, -8, -47, -48, -53, -65535, 0];
    expect(algorithms.filter((alg) => attests?.(alg))).toEqual([-7, -35, -36, -257, -37, -65535]);
    expect(fidoU2fAttestation(authority).attests?.(-35)).toBe(false);
  });

  test('a TPM has no Edwards keys', () => {
    const key = { kty: 1, alg: -8, crv: 6, x: new Uint8Array(32) } as const;
    const refused = new TypeError('Expected an RSA key or one on P-256, P-384 or P-521 for a TPM; got another.');
    const none = { attributes: 0, authPolicy: new Uint8Array() };
    expect(() => writePublicArea(key, none)).toThrow(refused);
    expect(() => writePublicArea({ ...key, kty: 2, alg: -47, crv: 8, y: new Uint8Array(32) }, none)).toThrow(refused);
  });

  test('the name of a TPM key is the hash of its public area, after the number of the hash', () => {
    const area = Uint8Array.of(1, 2, 3);
    expect(writeName(area)).toEqual(concatBytes(fromHex('000b'), sha256(area)));
  });

  test('an Android key description reads back', async () => {
    const list = fc.record(
      { purpose: fc.uniqueArray(fc.constantFrom(...KEY_PURPOSES), { maxLength: 8 }), origin: fc.constantFrom(...KEY_ORIGINS) },
      { requiredKeys: [] },
    );
    const level = fc.constantFrom(...SECURITY_LEVELS);
    const version = fc.integer({ min: 0, max: 1000 });
    const description = fc.record({
      attestationVersion: version,
      attestationSecurityLevel: level,
      keyMintVersion: version,
      keyMintSecurityLevel: level,
      softwareEnforced: list,
      teeEnforced: list,
    });
    await fc.assert(
      fc.asyncProperty(description, async (fields) => {
        const { attStmt } = await attested({ attestation: androidKeyAttestation(authority, fields) });
        const read = keyDescription(firstCertificate(attStmt));
        expect(read).toMatchObject({
          attestationVersion: fields.attestationVersion,
          attestationSecurityLevel: SECURITY_LEVELS.indexOf(fields.attestationSecurityLevel),
          keyMintVersion: fields.keyMintVersion,
          attestationChallenge: makeRequest().clientDataHash,
        });
        for (const name of ['softwareEnforced', 'teeEnforced'] as const) {
          const { purpose, origin } = fields[name];
          expect(read?.[name].origin).toBe(origin && KEY_ORIGINS.indexOf(origin));
          expect(read?.[name].purpose).toEqual(purpose?.map((entry) => KEY_PURPOSES.indexOf(entry)).toSorted((a, b) => a - b));
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('SafetyNet says of a device what its options say, and without them that it passed', async () => {
  const payloadOf = async (options?: SafetyNetOptions) => {
    const { authData, attStmt } = await attested({ attestation: safetyNetAttestation(authority, options), now: () => 1_700_000_000_000 });
    const response = attStmt.get('response');
    const jws = response instanceof Uint8Array ? Buffer.from(response).toString() : '';
    const payload: unknown = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString());
    const nonce = encodeBase64(sha256(concatBytes(authData, makeRequest().clientDataHash)));
    return [attStmt.get('ver'), payload, nonce];
  };
  const zeros = encodeBase64(new Uint8Array(32));
  const app = { apkPackageName: 'com.google.android.gms', apkDigestSha256: zeros, apkCertificateDigestSha256: [zeros] };
  const rows: [SafetyNetOptions | undefined, string, boolean, boolean][] = [
    [undefined, '240913037', true, true],
    [{ version: '1' }, '1', true, true],
    [{ ctsProfileMatch: false }, '240913037', false, true],
    [{ basicIntegrity: false }, '240913037', true, false],
  ];
  for (const [options, version, ctsProfileMatch, basicIntegrity] of rows) {
    const [ver, payload, nonce] = await payloadOf(options);
    expect(ver).toBe(version);
    const verdict = { ctsProfileMatch, basicIntegrity, evaluationType: 'BASIC,HARDWARE_BACKED' };
    expect(payload).toEqual({ nonce, timestampMs: 1_700_000_000_000, ...app, ...verdict });
  }
});

test('an Android key that every application may use says so', () => {
  const write = (allApplications?: true) => {
    const list = allApplications ? { allApplications } : {};
    const { value } = keyDescriptionExtension({ ...IN_TRUSTED_ENVIRONMENT, teeEnforced: list }, Uint8Array.of(7));
    return toHex(value);
  };
  // The versions 300, the levels 1, the challenge, an empty unique ID, an empty list, and one that is empty or has the tag 600.
  const head = '0202012c0a01010202012c0a010104010704003000';
  expect(write()).toBe(`3017${head}3000`);
  expect(write(true)).toBe(`301d${head}3006bf8458020500`);
});
