import { importKey, keyFits, signatureFits } from '../cose.js';
import { bytesOf, chainOf, demand, type StatementInput, type Verified } from './statement.js';

/** §8.6. */
export function verifyFidoU2f(input: StatementInput): Verified {
  const { statement, data, attested, client, party } = input;
  const { faults } = party;
  const chain = chainOf(statement);
  const [leaf] = chain;
  demand(chain.length === 1 || faults.has('u2f-several-certificates'), 'x5c has more than one certificate');
  const onP256 = keyFits(-7, leaf.publicKey) || faults.has('u2f-certificate-curve');
  demand(onP256, "the certificate's key is not on P-256");
  if (faults.has('u2f-nonzero-aaguid-refused')) {
    demand(
      attested.aaguid.every((byte) => byte === 0),
      'U2F authenticators have no AAGUID',
    );
  }

  const { x = '', y = '' } = importKey(attested.key, party).export({ format: 'jwk' });
  const [xBytes, yBytes] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  demand(xBytes.length === 32 && yBytes.length === 32, 'the credential public key is not on P-256');
  const bound = Buffer.concat([Buffer.from([0x00]), data.rpIdHash, client.hash, attested.id]);
  const whole = Buffer.concat([bound, Buffer.from([0x04]), xBytes, yBytes]);
  const signed = (over: Buffer) =>
    signatureFits({ alg: -7, key: leaf.publicKey, data: over, signature: bytesOf(statement, 'sig') }, party) ||
    faults.has('u2f-signature-unchecked');
  demand(signed(whole) || (faults.has('u2f-may-omit-public-key') && signed(bound)), 'sig is not by the certificate');
  return { type: 'certificate', x5c: chain };
}
