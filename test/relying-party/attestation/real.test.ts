import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { verifyAttestation } from '../../../src/relying-party/attestation/verify-attestation.js';
import { decodeAttestationObject } from '../../../src/webauthn/attestation-object.js';
import { decodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { slugs } from './outcome.js';
import { flipped, sha256 } from './statements.js';

/** Recorded from real devices, verified as of their time: `real/*.json` says where each comes from. */
interface Recorded {
  readonly description: string;
  /** ISO 8601. */
  readonly at: string;
  readonly expected: {
    readonly verdict: string;
    readonly attestationType: string;
    readonly certificates: number;
    readonly fails: readonly string[];
    readonly warns: readonly string[];
  };
  /** base64url. */
  readonly attestationObject: string;
  readonly clientDataJSON: string;
}

const folder = new URL('real/', import.meta.url);
const recorded = readdirSync(folder).map((file) => ({ file, ...(JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recorded) }));

describe.each(recorded)('$file: $description', ({ at, attestationObject, clientDataJSON, expected }) => {
  const input = {
    attestationObject: decodeAttestationObject(decodeBase64url(attestationObject)),
    clientDataHash: sha256(decodeBase64url(clientDataJSON)),
    at: Date.parse(at),
  };

  it('comes to the right verdict', () => {
    const report = verifyAttestation(input);
    expect({
      verdict: report.verdict,
      attestationType: report.attestationType,
      certificates: report.trustPath.length,
      fails: slugs(report, 'fail'),
      warns: slugs(report, 'warn'),
    }).toEqual(expected);
  });

  it('leads to each of its own certificates', () => {
    for (const root of verifyAttestation(input).trustPath) {
      expect(verifyAttestation({ ...input, roots: [decodeCertificate(root)] }).trust.status).toBe('trusted');
    }
  });

  it('is rejected for another client data hash, after its time, and with other authenticator data', () => {
    const { authData } = input.attestationObject;
    const variants = [
      { ...input, clientDataHash: new Uint8Array(32) },
      { ...input, at: Date.UTC(2100, 0) },
      // A coordinate, or the modulus, of the public key.
      { ...input, attestationObject: { ...input.attestationObject, authData: flipped(authData, authData.length - 6) } },
    ];
    for (const variant of variants) {
      expect(verifyAttestation(variant).verdict).toBe('rejected');
    }
  });
});
