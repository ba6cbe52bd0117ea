import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ES384, ecAttestationKey, RS1, RS256 } from '../../../src/authenticator/attestation/attestation-key.js';
import { createAttestationAuthority, keyIdentifier } from '../../../src/authenticator/attestation/authority.js';
import { toHex } from '../../../src/kernel/bytes.js';
import { decodeCertificate } from '../../../src/webauthn/certificate.js';
import { CERTIFIED_FORMATS, type CertifiedFormatId } from '../../../src/webauthn/enumerations.js';
import { fc } from '../../properties.js';
import { sha256 } from '../../webauthn/w3c-vectors.js';

const authority = createAttestationAuthority();
const subject = Uint8Array.of(7);

function certified(line: CertifiedFormatId, from = authority): readonly Uint8Array[] {
  return from.certify(line, { publicKey: from.key(line, subject).publicKey, subject });
}

describe('the attestation authority', () => {
  test('the root of the public seed never changes: users have it in their configuration', () => {
    expect(toHex(sha256(authority.root))).toBe('0577f126cae8ffa20d9dbaf9d640bb4832425cb80eb9489446fc5815da4b9cdf');
  });

  test.each(CERTIFIED_FORMATS)('%s: every certificate names a country that ISO 3166-1 assigns', (line) => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    for (const der of [...certified(line), authority.root]) {
      const { subject: name, issuer } = new X509Certificate(der);
      for (const text of [name, issuer]) expect(names.of(/^C=(.*)$/m.exec(text)?.[1] ?? '')).toEqual(expect.any(String));
    }
  });

  test.each(CERTIFIED_FORMATS)('%s: Node verifies the chain from the certificate to the root', (line) => {
    const x5c = certified(line).map((der) => new X509Certificate(der));
    const root = new X509Certificate(authority.root);
    const chain = x5c.at(-1)?.raw.equals(root.raw) ? x5c : [...x5c, root];
    for (const [index, certificate] of chain.entries()) {
      const issuer = chain[index + 1] ?? root;
      expect(certificate.checkIssued(issuer)).toBe(true);
      expect(certificate.verify(issuer.publicKey)).toBe(true);
      expect(certificate.ca).toBe(index > 0);
    }
    expect(root.subject).toContain('do not trust');
  });

  const lengths = { packed: 1, 'fido-u2f': 1, tpm: 2, apple: 2, 'android-safetynet': 2, 'android-key': 3 } as const;
  test.each(CERTIFIED_FORMATS)('%s: as many certificates as those of real vendors', (line) => {
    expect(certified(line)).toHaveLength(lengths[line]);
  });

  test('certificates are good from 2020 to 2049, have serial numbers of their own and name their keys', () => {
    const all = CERTIFIED_FORMATS.flatMap((line) => certified(line).map(decodeCertificate));
    for (const { notBefore, notAfter, publicKey, extensions } of all) {
      expect([notBefore, notAfter]).toEqual([Date.UTC(2020, 0, 1), Date.UTC(2049, 11, 31, 23, 59, 59)]);
      expect(extensions.subjectKeyIdentifier).toEqual(keyIdentifier(publicKey.bytes));
    }
    const bySerial = new Map(all.map((certificate) => [certificate.serialNumber, toHex(certificate.bytes)]));
    expect(bySerial.size).toBe(new Set(all.map(({ bytes }) => toHex(bytes))).size);
  });

  test('repeats itself for a seed, and makes others of another', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), fc.constantFrom(...CERTIFIED_FORMATS), (seed, line) => {
        const [one, same] = [createAttestationAuthority({ seed }), createAttestationAuthority({ seed })];
        const other = createAttestationAuthority({ seed: Uint8Array.of(...seed, 1) });
        expect(certified(line, one)).toEqual(certified(line, same));
        expect(one.root).toEqual(same.root);
        expect(other.root).not.toEqual(one.root);
        expect(certified(line, other)[0]).not.toEqual(certified(line, one)[0]);
      }),
      { numRuns: 20 },
    );
  });

  test('RSA keys repeat too, and sign with the hash of their algorithm', async () => {
    const [one, same, sha1] = await Promise.all(
      [RS256, RS256, RS1].map((alg) => authority.rsaKey('tpm', subject, alg === RS1 ? RS1 : RS256)),
    );
    expect(one?.sign(subject)).toEqual(same?.sign(subject));
    expect(one?.publicKey).toEqual(sha1?.publicKey);
    expect(one?.sign(subject)).not.toEqual(sha1?.sign(subject));
    for (const [key, hash, algorithm, oid] of [
      [one, 'sha256', RS256, '2a864886f70d01010b'],
      [sha1, 'sha1', RS1, '2a864886f70d010105'],
    ] as const) {
      const spki = createPublicKey({ key: Buffer.from(key?.publicKey ?? []), format: 'der', type: 'spki' });
      expect(spki.asymmetricKeyDetails).toEqual({ modulusLength: 2048, publicExponent: 65537n });
      expect(verify(hash, subject, spki, key?.sign(subject) ?? new Uint8Array())).toBe(true);
      expect(key?.signJws(subject)).toEqual(key?.sign(subject));
      // RFC 8017 appendix A.2.4: the identifier and the parameters NULL.
      expect([key?.algorithm, toHex(key?.certificateAlgorithm ?? subject)]).toEqual([algorithm, `300d0609${oid}0500`]);
    }
  });

  test('an EC key signs the same for JWS as for statements, in another form', () => {
    const key = ecAttestationKey(new Uint8Array(32).fill(1));
    const publicKey = createPublicKey({ key: Buffer.from(key.publicKey), format: 'der', type: 'spki' });
    const [jws, statement] = [key.signJws(subject), key.sign(subject)];
    expect(verify('sha256', subject, { key: publicKey, dsaEncoding: 'ieee-p1363' }, jws)).toBe(true);
    expect(verify('sha256', subject, { key: publicKey, dsaEncoding: 'der' }, statement)).toBe(true);
    for (const half of [jws.slice(0, 32), jws.slice(32)]) expect(toHex(statement)).toContain(toHex(half));
    const p384 = ecAttestationKey(new Uint8Array(48).fill(1), ES384);
    // RFC 5758 §3.2: the identifiers alone.
    expect([key, p384].map(({ algorithm, certificateAlgorithm }) => [algorithm, toHex(certificateAlgorithm)])).toEqual([
      [-7, '300a06082a8648ce3d040302'],
      [-35, '300a06082a8648ce3d040303'],
    ]);
    const { namedCurve } = createPublicKey({ key: Buffer.from(p384.publicKey), format: 'der', type: 'spki' }).asymmetricKeyDetails ?? {};
    expect(namedCurve).toBe('secp384r1');
  });
});
