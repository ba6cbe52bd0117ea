import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS } from '../../src/authenticator/algorithms.js';
import { systemKeyPairs } from '../../src/authenticator/key-pair.js';
import { openSigningKey } from '../../src/authenticator/signing-key.js';
import { toHex } from '../../src/kernel/bytes.js';
import { decodeCoseKey, encodeCoseKey } from '../../src/webauthn/cose-key.js';
import { verifyRaw } from '../client/independent.js';
import { systemRandom } from './requests.js';

/** Of all kinds together; `npm run test:release` tries 10,000. */
const KEYS = Number(process.env.PASSKEY_RANDOM_KEYS ?? 30);
/** RSA keys take too long, and have no parts that could begin with a zero byte. */
const KINDS = SIGNING_ALGORITHMS.filter(
  ({ key }, index) => key.type !== 'rsa' && SIGNING_ALGORITHMS.findIndex((other) => other.key.name === key.name) === index,
);
const PER_KIND = Math.ceil(KEYS / KINDS.length);

describe('random keys', () => {
  test.each(KINDS)(`${PER_KIND} of $key.name are written, read anew, and verified by others`, async (algorithm) => {
    for (let made = 0; made < PER_KIND; made++) {
      const pkcs8 = await systemKeyPairs(algorithm);
      const key = await openSigningKey(algorithm, pkcs8);
      // Bytes that come from a file are not remembered.
      const read = await openSigningKey(algorithm, pkcs8.slice());
      const cose = encodeCoseKey(key.coseKey);
      const data = systemRandom(69);
      const signature = read.sign(data);
      const whole = decodeCoseKey(cose);
      // The public key names the case that fails.
      expect([toHex(cose), await verifyRaw(cose, signature, data)]).toEqual([toHex(cose), true]);
      expect([whole, read.coseKey]).toEqual([key.coseKey, key.coseKey]);
    }
  });
});
