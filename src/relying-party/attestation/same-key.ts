import { KEY_TYPES } from '../../webauthn/algorithms.js';
import { equalBytes } from '../../webauthn/bytes.js';
import type { Certificate } from '../../webauthn/certificate.js';
import { showAlgorithm } from '../show.js';
import { mlDsaKey } from './ml-dsa.js';
import { describeKey, importCoseKey, importSubjectKey } from './signature.js';
import { readCredentialKey, type StatementInput } from './statement.js';
import { decide, judge, type Requirement, type SubCheck } from './sub-check.js';

/** §8.4, §8.8: the certificate is one for the credential public key. */
export function checkSameKey(input: StatementInput, certificate: Certificate, reference: string): SubCheck[] {
  const { check: readable, key } = readCredentialKey(input);
  const requirement: Requirement = {
    slug: 'public-key',
    reference,
    expected: 'the credential public key in the first certificate',
    hint: 'The certificate is one for another key than that of the credential.',
  };
  if (key === undefined) {
    return [readable];
  }
  const other = mlDsaKey(certificate.publicKey, input.mlDsa);
  if (key.kty === KEY_TYPES.AKP && other !== undefined) {
    const same = key.alg === other.alg && equalBytes(key.pub, certificate.publicKey.key);
    return [readable, judge(requirement, same, same ? 'the same key' : `another key, of ${showAlgorithm(other.alg)}`)];
  }
  const ours = importCoseKey(key);
  const theirs = importSubjectKey(certificate.publicKey);
  if (ours === undefined || theirs === undefined) {
    return [readable, decide(requirement, 'skip', 'this version of Node does not take keys of this kind')];
  }
  const same = ours.equals(theirs);
  return [readable, judge(requirement, same, same ? 'the same key' : `another key, of type ${describeKey(theirs)}`)];
}
