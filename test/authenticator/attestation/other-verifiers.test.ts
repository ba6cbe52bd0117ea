import { AttestationStatementFormat, COSEPublicKey, parseAttestationObject } from '@oslojs/webauthn';
import { Fido2Lib } from 'fido2-lib';
import { describe, expect, test } from 'vitest';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import type { RegistrationResponseJSON } from '../../../src/webauthn/json.js';
import { share } from '../../thorough.js';
import { sha256 } from '../../webauthn/w3c-vectors.js';
import { challengeText, ORIGIN, type Registration, RP_ID, registerAtOurs } from './registration.js';
import { attestable, WAYS } from './ways.js';

/** Two more verifiers, of other hands: fido2-lib verifies statements, @oslojs/webauthn takes them apart. */

/** Credentials that fido2-lib can import: ES256, ES384, ES512 and RSASSA-PKCS1-v1_5. */
const FIDO2_LIB = [-7, -35, -36, -257, -258, -259];

/** What fido2-lib has no code for. */
function unknownToFido2Lib(fmt: string, algorithm: number): boolean {
  if (!FIDO2_LIB.includes(algorithm) || fmt === 'android-key' || fmt === 'compound') return true;
  return (fmt === 'tpm' && algorithm > -257) || (fmt === 'apple' && [-35, -36].includes(algorithm));
}

function fido2Lib({ id, response }: RegistrationResponseJSON, challenge = challengeText) {
  const buffer = (text: string): ArrayBuffer => Uint8Array.from(decodeBase64url(text)).buffer;
  const { clientDataJSON, attestationObject } = response;
  return new Fido2Lib({ rpId: RP_ID }).attestationResult(
    { id: buffer(id), rawId: buffer(id), response: { clientDataJSON, attestationObject } },
    { challenge, origin: ORIGIN, factor: 'either' },
  );
}

/**
 * fido2-lib takes the nonce of Apple's extension apart where its 32 bytes happen to be DER by themselves, and then finds another nonce.
 * Such a registration is made anew.
 */
async function registrationForFido2Lib(registration: Registration): Promise<RegistrationResponseJSON> {
  for (;;) {
    const { response } = await registerAtOurs(registration);
    const { fmt, authData } = decodeAttestationObject(decodeBase64url(response.response.attestationObject));
    const [tag = 0, length = 0] = sha256(Uint8Array.of(...authData, ...sha256(decodeBase64url(response.response.clientDataJSON))));
    // Not one whole value: a tag of one byte, and a length of one byte that is not that of the rest.
    if (fmt !== 'apple' || ((tag & 0x1f) !== 0x1f && length < 0x80 && length !== 30)) return response;
  }
}

const OSLO = {
  packed: AttestationStatementFormat.Packed,
  tpm: AttestationStatementFormat.TPM,
  'android-key': AttestationStatementFormat.AndroidKey,
  'android-safetynet': AttestationStatementFormat.AndroidSafetyNet,
  'fido-u2f': AttestationStatementFormat.FIDOU2F,
  apple: AttestationStatementFormat.AppleAnonymous,
} as const;

describe.each(WAYS.filter(({ fmt }) => fmt !== 'compound'))('$name', ({ attestation, fmt }) => {
  const known = attestable(attestation).filter(({ id }) => !unknownToFido2Lib(fmt, id));
  test.skipIf(known.length === 0).each(share(known, 6))('of a $name credential, by fido2-lib', async ({ id: algorithm }) => {
    const response = await registrationForFido2Lib({ authenticator: { attestation }, algorithm });
    const { audit, authnrData } = await fido2Lib(response);
    expect([audit.validExpectations, audit.validRequest, audit.complete]).toEqual([true, true, true]);
    expect(authnrData.get('fmt')).toBe(fmt);
    await expect(fido2Lib(response, 'AAAA')).rejects.toThrow(Error);
  });

  test.each(share(attestable(attestation), 6))(
    'of a $name credential: @oslojs/webauthn finds the same members',
    async ({ id: algorithm }) => {
      const { response } = await registerAtOurs({ authenticator: { attestation }, algorithm });
      const bytes = decodeBase64url(response.response.attestationObject);
      const { attestationStatement, authenticatorData } = parseAttestationObject(bytes);
      const { attStmt } = decodeAttestationObject(bytes);
      expect(attestationStatement.format).toBe(OSLO[fmt as keyof typeof OSLO]);
      expect(authenticatorData.credential?.publicKey).toBeInstanceOf(COSEPublicKey);
      expect(membersByOslo(attestationStatement, fmt)).toEqual(membersByUs(attStmt));
    },
  );
});

type Statement = ReturnType<typeof parseAttestationObject>['attestationStatement'];

function membersByOslo(statement: Statement, fmt: string): object {
  switch (fmt) {
    case 'packed': {
      const { algorithm, signature, certificates } = statement.packed();
      return { alg: algorithm, sig: signature, x5c: certificates };
    }
    case 'tpm': {
      const { algorithm, signature, certificates, attestation, publicKey } = statement.tpm();
      return { ver: '2.0', alg: algorithm, sig: signature, x5c: certificates, certInfo: attestation, pubArea: publicKey };
    }
    case 'android-key': {
      const { algorithm, signature, certificates } = statement.androidKey();
      return { alg: algorithm, sig: signature, x5c: certificates };
    }
    case 'android-safetynet':
      // Version 1.0.0 looks for another format in androidSafetyNet(), and so always throws.
      return { ...statement.decoded };
    case 'fido-u2f': {
      const { signature, certificate } = statement.fidoU2F();
      return { sig: signature, x5c: [certificate] };
    }
    default:
      return { x5c: statement.appleAnonymous().certificates };
  }
}

function membersByUs(statement: ReadonlyMap<unknown, unknown>): object {
  return Object.fromEntries([...statement].map(([name, value]) => [String(name), value]));
}
