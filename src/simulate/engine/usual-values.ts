import type { SigningAlgorithm } from '../../authenticator/algorithms.js';
import { readNumber } from '../../authenticator/big-number.js';
import { type KeyPairSource, type RandomSource, systemRandom } from '../../authenticator/key-pair.js';
import { type KeyOpener, openSigningKey, type SigningKey } from '../../authenticator/signing-key.js';
import { decodeBase64url, encodeBase64url } from '../../webauthn/base64url.js';
import { contents } from '../../webauthn/der.js';
import { ecdsaSignatureParts } from '../../webauthn/der-values.js';

/**
 * The functions below make random values without rare properties, so that a case never fails for a reason that another case tests. For
 * example, a case about the origin must not fail in one run of 128 because the server cannot read a short signature.
 */

/** Makes credential IDs that contain neither "-" nor "_" in base64url; half of all random IDs contain one of these characters. */
export const usualCredentialId: RandomSource = (length) =>
  decodeBase64url(encodeBase64url(systemRandom(length)).replaceAll('-', 'm').replaceAll('_', 'M'));

/** Makes key pairs whose public key has no coordinate that begins with a zero byte. */
export function usualKeyPairs(source: KeyPairSource): KeyPairSource {
  return async (algorithm) => {
    for (;;) {
      const pkcs8 = await source(algorithm);
      if (algorithm.key.type !== 'ec' || !hasShortCoordinate(algorithm, await openSigningKey(algorithm, pkcs8))) return pkcs8;
    }
  };
}

/** Number of leading bytes of a coordinate that are usually zero: one for P-521, whose coordinates fill only one bit of the first byte. */
const spareBytes = (algorithm: SigningAlgorithm): number => (algorithm.key.name === 'P-521' ? 1 : 0);

function hasShortCoordinate(algorithm: SigningAlgorithm, { coseKey }: SigningKey): boolean {
  if (coseKey.kty !== 2) return false;
  const first = spareBytes(algorithm);
  return coseKey.x[first] === 0 || coseKey.y[first] === 0;
}

/** Opens a key that signs as Node does, but repeats an ECDSA signature if one of its numbers is unusually short. */
export const openUsualKey: KeyOpener = async (algorithm, pkcs8) => {
  const opened = await openSigningKey(algorithm, pkcs8);
  const order = algorithm.key.type === 'ec' ? (algorithm.key.curve.weierstrass?.n ?? 0n) : 0n;
  if (order === 0n) return opened;
  return {
    ...opened,
    sign(data) {
      for (;;) {
        const signature = opened.sign(data);
        const parts = ecdsaSignatureParts(signature);
        const isShort = [parts?.r, parts?.s].some((part) => part !== undefined && readNumber(contents(part)) < order >> 8n);
        if (!isShort) return signature;
      }
    },
  };
};
