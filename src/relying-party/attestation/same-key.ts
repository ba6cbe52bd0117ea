import { equalBytes } from '../../kernel/bytes.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { encodeSubjectPublicKeyInfo } from '../../webauthn/subject-public-key-info.js';
import { describeKey, importCoseKey, importSubjectKey } from './signature.js';
import { readCredentialKey, type StatementInput } from './statement.js';
import { judge, type Requirement, type SubCheck } from './sub-check.js';

/** Checks that the public key of the certificate equals the credential public key (§8.4, §8.8). */
export function checkSameKey(input: StatementInput, certificate: Certificate, reference: string): SubCheck[] {
  const { check: readable, key } = readCredentialKey(input);
  const requirement: Requirement = {
    slug: 'public-key',
    reference,
    expected: 'the credential public key in the first certificate',
    hint: 'The certificate is for another key than that of the credential.',
  };
  if (key === undefined) {
    return [readable];
  }
  const ours = importCoseKey(key);
  const theirs = importSubjectKey(certificate.publicKey);
  if (ours === undefined || theirs === undefined) {
    // This version of Node does not take keys of this kind, so their encodings are compared, of which there is one only.
    const equal = equalBytes(encodeSubjectPublicKeyInfo(key), certificate.publicKey.bytes);
    return [readable, judge(requirement, equal, equal ? 'the same key' : 'another key')];
  }
  const same = ours.equals(theirs);
  return [readable, judge(requirement, same, same ? 'the same key' : `another key, of type ${describeKey(theirs)}`)];
}
