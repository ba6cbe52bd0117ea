import { createHash, createPublicKey, verify } from 'node:crypto';
import { bench, describe } from 'vitest';
import { explainAuthentication } from '../../src/relying-party/explain.js';
import { readAuthentication } from '../../src/relying-party/response.js';
import { authenticationContext } from '../../src/relying-party/steps/context.js';
import { concatBytes } from '../../src/webauthn/bytes.js';
import { authenticationOf, key } from './diagnosis/explained.js';

/** `npx vitest bench`: explaining may cost at most 2.5 times the bare verification with its key import. */
describe('one ES256 authentication', () => {
  const { response, context } = authenticationOf({});
  const bytes = readAuthentication(response);
  const signed = concatBytes(bytes.authenticatorData, createHash('sha256').update(bytes.clientDataJSON).digest());
  const jwk = createPublicKey(key.privateKey).export({ format: 'jwk' });

  bench('crypto.verify and key import', () => {
    verify('sha256', signed, createPublicKey({ key: jwk, format: 'jwk' }), bytes.signature);
  });

  bench('all 25 steps', () => {
    explainAuthentication(authenticationContext(readAuthentication(response), context));
  });
});
