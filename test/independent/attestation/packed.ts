import type { KeyObject } from 'node:crypto';
import { type Certificate, OID } from '../certificate.js';
import { importKey, keyFits, signatureFits } from '../cose.js';
import {
  algorithmOf,
  bytesOf,
  chainOf,
  checkAaguidExtension,
  demand,
  type StatementInput,
  signedData,
  type Verified,
} from './statement.js';

/** §8.2. */
export function verifyPacked(input: StatementInput): Verified {
  const { statement, attested, party } = input;
  const { faults } = party;
  const alg = algorithmOf(statement);
  const signature = bytesOf(statement, 'sig');
  if (faults.has('packed-ecdaa-unverified') && statement.has('ecdaaKeyId')) return { type: 'self' };
  const x5c = statement.get('x5c');
  const empty = faults.has('packed-empty-x5c') && Array.isArray(x5c) && x5c.length === 0;
  if (x5c === undefined || empty) return verifySelf(input, alg, signature);

  const chain = chainOf(statement);
  const [leaf] = chain;
  const signedBy = (key: KeyObject, data: Buffer) =>
    signatureFits({ alg: faults.has('packed-algorithm-ignored') ? algorithmFor(key, alg) : alg, key, data, signature }, party);
  demand(keyFits(alg, leaf.publicKey) || faults.has('packed-algorithm-ignored'), "alg is not for the certificate's key");
  const signed =
    signedBy(leaf.publicKey, signedData(input)) ||
    (faults.has('packed-signed-by-credential') && signedBy(importKey(attested.key, party), signedData(input))) ||
    (faults.has('packed-may-omit-client-data') && signedBy(leaf.publicKey, Buffer.from(input.data.bytes)));
  demand(signed || faults.has('packed-signature-unchecked'), 'sig is not by the certificate');
  checkCertificate(leaf, input);
  return { type: 'certificate', x5c: chain };
}

/** What a verifier takes that looks at the key alone. */
function algorithmFor(key: KeyObject, alg: number): number {
  return [alg, -7, -257, -8].find((one) => keyFits(one, key)) ?? alg;
}

function verifySelf(input: StatementInput, alg: number, signature: Uint8Array): Verified {
  const { attested, party } = input;
  const named = alg === attested.key.alg || party.faults.has('packed-self-algorithm-unchecked');
  demand(named, 'alg is not that of the credential public key');
  const signed = { alg: attested.key.alg, key: importKey(attested.key, party), data: signedData(input), signature };
  const unchecked = party.faults.has('packed-self-signature-unchecked');
  demand(unchecked || signatureFits(signed, party), 'sig is not by the credential');
  return { type: 'self' };
}

/** §8.2.1. */
function checkCertificate(certificate: Certificate, { attested, party: { faults } }: StatementInput): void {
  const { subject, extensions, basicConstraints } = certificate;
  const text = (oid: string) => subject.get(oid) ?? '';
  demand(faults.has('packed-certificate-version') || certificate.version === 3, 'the certificate is not of version 3');
  demand(faults.has('packed-subject-country') || /^[A-Z]{2}$/.test(text(OID.country)), 'the subject has no country');
  demand(faults.has('packed-subject-organization') || text(OID.organization) !== '', 'the subject has no organization');
  const unit = text(OID.organizationalUnit) === 'Authenticator Attestation';
  demand(faults.has('packed-subject-unit') || unit, 'the subject is of another unit than "Authenticator Attestation"');
  demand(faults.has('packed-subject-common-name') || text(OID.commonName) !== '', 'the subject has no common name');
  demand(faults.has('packed-certificate-ca') || basicConstraints?.ca === false, 'the certificate is that of a CA');
  const extension = extensions.get(OID.aaguid);
  if (faults.has('packed-aaguid-extension-required')) demand(extension !== undefined, 'the certificate names no AAGUID');
  checkAaguidExtension(certificate, attested.aaguid, faults.has('packed-aaguid-extension'));
  const critical = extension?.critical === true && !faults.has('packed-aaguid-extension-critical');
  demand(!critical, 'the extension with the AAGUID is critical');
}
