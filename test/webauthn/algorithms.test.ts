import { createECDH, generateKeyPairSync, getCurves, getHashes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  ALGORITHMS,
  algorithmName,
  CURVES,
  findAlgorithm,
  findCurve,
  isOnCurve,
  KEY_TYPES,
  keyTypeName,
  opensslHash,
} from '../../src/webauthn/algorithms.js';

describe('the table of curves', () => {
  const weierstrass = CURVES.flatMap((curve) => (curve.weierstrass ? [{ ...curve, parameters: curve.weierstrass }] : []));

  test('has the curves of EC2 with parameters, those of OKP without', () => {
    expect(weierstrass.map(({ name }) => name)).toEqual(CURVES.filter(({ kty }) => kty === KEY_TYPES.EC2).map(({ name }) => name));
    expect(weierstrass).toHaveLength(4);
  });

  test.each(weierstrass)('OpenSSL knows $name as $openssl: n - 1 is a private key, n is none, and points are on the curve', (curve) => {
    expect(getCurves()).toContain(curve.openssl);
    const { n } = curve.parameters;
    const key = (scalar: bigint) => Buffer.from(scalar.toString(16).padStart(2 * curve.size, '0'), 'hex');
    const ecdh = createECDH(curve.openssl);
    expect(() => ecdh.setPrivateKey(key(n))).toThrow('Private key is not valid for specified curve');
    ecdh.setPrivateKey(key(n - 1n));
    const point = ecdh.getPublicKey().toString('hex').slice(2);
    const [x, y] = [point.slice(0, 2 * curve.size), point.slice(2 * curve.size)];
    expect(y).toHaveLength(2 * curve.size);
    expect(isOnCurve(curve.parameters, x, y)).toBe(true);
    expect(isOnCurve(curve.parameters, y, x)).toBe(false);
  });

  test.each(CURVES.filter(({ kty }) => kty === KEY_TYPES.OKP))('$name has keys of $size bytes', ({ name, openssl, size }) => {
    const { publicKey } = generateKeyPairSync(openssl as 'ed25519');
    const { crv, x = '' } = publicKey.export({ format: 'jwk' });
    expect([crv, Buffer.from(x, 'base64url').length]).toEqual([name, size]);
  });
});

describe('the table of algorithms', () => {
  test.each(ALGORITHMS)('$name ($id) fits its key type', ({ kty, crv, hash, pss, publicKeyBytes }) => {
    expect(findCurve(crv)?.kty).toBe(kty === KEY_TYPES.EC2 || kty === KEY_TYPES.OKP ? kty : undefined);
    expect(hash === undefined).toBe(kty === KEY_TYPES.OKP || kty === KEY_TYPES.AKP);
    expect(publicKeyBytes === undefined).toBe(kty !== KEY_TYPES.AKP);
    if (pss) expect(kty).toBe(KEY_TYPES.RSA);
    if (hash) expect(getHashes()).toContain(opensslHash(hash));
  });

  // IANA COSE Algorithms, https://www.iana.org/assignments/cose/cose.xhtml
  test.each([
    [-7, 'ES256'],
    [-8, 'EdDSA'],
    [-35, 'ES384'],
    [-36, 'ES512'],
    [-37, 'PS256'],
    [-48, 'ML-DSA-44'],
    [-53, 'Ed448'],
    [-257, 'RS256'],
    [-65535, 'RS1'],
    [-999, 'COSE algorithm -999'],
  ])('%i is called %s', (id, name) => {
    expect(algorithmName(id)).toBe(name);
  });

  test('finds nothing that is not there', () => {
    expect([findAlgorithm('-7'), findAlgorithm(undefined), findCurve(0), keyTypeName(5), keyTypeName(2)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'EC2',
    ]);
  });
});
