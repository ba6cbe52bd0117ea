import { createHash } from 'node:crypto';
import { sameBytes } from '../bytes.js';
import { type Certificate, OID, readName } from '../certificate.js';
import { hashOf, importKey, keyFits, signatureFits } from '../cose.js';
import { children, onlyDer, toOid } from '../der.js';
import {
  algorithmOf,
  bytesOf,
  chainOf,
  checkAaguidExtension,
  demand,
  malformed,
  type StatementInput,
  sameKey,
  signedData,
  type Verified,
} from './statement.js';
import { readCertifyInfo, readPublicArea } from './tpm-structures.js';

const TPM_GENERATED_VALUE = 0xff544347;
const TPM_ST_ATTEST_CERTIFY = 0x8017;
const RS1 = -65535;

/** §8.3. */
export function verifyTpm(input: StatementInput): Verified {
  const { statement, attested, party } = input;
  const { faults } = party;
  demand(statement.get('ver') === '2.0' || faults.has('tpm-version-unchecked'), 'ver is not "2.0"');
  const alg = algorithmOf(statement);
  if (faults.has('tpm-rs1-refused')) demand(alg !== RS1, 'RS1 is out of date');
  const publicAreaBytes = bytesOf(statement, 'pubArea');
  const certInfoBytes = bytesOf(statement, 'certInfo');

  const publicArea = readPublicArea(publicAreaBytes);
  const same = sameKey(publicArea.key, importKey(attested.key, party));
  demand(same || faults.has('tpm-public-area-unchecked'), 'pubArea holds another key than the credential');

  const certInfo = readCertifyInfo(certInfoBytes);
  demand(certInfo.magic === TPM_GENERATED_VALUE || faults.has('tpm-magic-unchecked'), 'certInfo was not made by a TPM');
  demand(certInfo.type === TPM_ST_ATTEST_CERTIFY || faults.has('tpm-type-unchecked'), 'certInfo certifies no key');
  const hash = hashOf(alg) ?? malformed('alg has no hash');
  const extraData = createHash(hash).update(signedData(input)).digest();
  demand(sameBytes(certInfo.extraData, extraData) || faults.has('tpm-extra-data-unchecked'), 'certInfo is of another registration');
  const digest = createHash(publicArea.nameHash).update(publicAreaBytes).digest();
  const name = Buffer.concat([Buffer.from([publicArea.nameAlgorithm >> 8, publicArea.nameAlgorithm & 0xff]), digest]);
  demand(sameBytes(certInfo.name, name) || faults.has('tpm-name-unchecked'), 'certInfo names another key than pubArea');

  const chain = chainOf(statement);
  const [leaf] = chain;
  const signed = { alg, key: leaf.publicKey, data: certInfoBytes, signature: bytesOf(statement, 'sig') };
  const signs = keyFits(alg, leaf.publicKey) && signatureFits(signed, party);
  demand(signs || faults.has('tpm-signature-unchecked'), 'sig is not by the certificate');
  checkCertificate(leaf, input);
  return { type: 'certificate', x5c: chain };
}

/** §8.3.1. */
function checkCertificate(certificate: Certificate, { attested, party: { faults } }: StatementInput): void {
  const { version, subject, basicConstraints } = certificate;
  demand(version === 3 || faults.has('tpm-certificate-version'), 'the certificate is not of version 3');
  demand(subject.size === 0 || faults.has('tpm-subject-unchecked'), 'the certificate has a subject');
  demand(namesTpm(certificate) || faults.has('tpm-san-unchecked'), 'the certificate does not name the TPM');
  const usage = certificate.extensions.get(OID.extendedKeyUsage);
  const purposes = usage === undefined ? [] : children(onlyDer(usage.value)).map(toOid);
  demand(purposes.includes(OID.tpmAikCertificate) || faults.has('tpm-eku-unchecked'), 'the certificate is not that of an attestation key');
  demand(basicConstraints?.ca === false || faults.has('tpm-certificate-ca'), 'the certificate is that of a CA');
  checkAaguidExtension(certificate, attested.aaguid, faults.has('tpm-aaguid-extension'));
}

/** TPM manufacturer, model and version in a directoryName (TPMv2-EK-Profile §3.2.9). */
function namesTpm({ extensions }: Certificate): boolean {
  const extension = extensions.get(OID.subjectAlternativeName);
  if (extension === undefined) return false;
  const directoryNames = children(onlyDer(extension.value)).filter(({ tagClass, tag }) => tagClass === 2 && tag === 4);
  const names = directoryNames.map(({ content }) => readName(onlyDer(content)));
  return names.some((name) => name.has(OID.tpmManufacturer) && name.has(OID.tpmModel) && name.has(OID.tpmVersion));
}
