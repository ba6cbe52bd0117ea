import { sameBytes, sha256 } from '../bytes.js';
import { OID } from '../certificate.js';
import { importKey } from '../cose.js';
import { child, onlyDer } from '../der.js';
import { chainOf, demand, type StatementInput, sameKey, signedData, type Verified, wrong } from './statement.js';

/** §8.8. */
export function verifyApple(input: StatementInput): Verified {
  const { statement, attested, party } = input;
  const chain = chainOf(statement);
  const [leaf] = chain;
  const extension = leaf.extensions.get(OID.appleNonce) ?? wrong('the certificate has no nonce');
  // SEQUENCE { [1] { OCTET STRING } }
  const nonce = child(child(onlyDer(extension.value), 0), 0);
  const fits = sameBytes(nonce.content, sha256(signedData(input)));
  demand(fits || party.faults.has('apple-nonce-unchecked'), 'the nonce is of another registration');
  const same = sameKey(leaf.publicKey, importKey(attested.key, party));
  demand(same || party.faults.has('apple-public-key-unchecked'), 'the certificate is of another key than the credential');
  return { type: 'certificate', x5c: chain };
}
