import { describe, expect, test } from 'vitest';
import { signingAlgorithm } from '../../../src/authenticator/algorithms.js';
import { createAuthenticator } from '../../../src/authenticator/authenticator.js';
import { newPkcs8 } from '../../../src/authenticator/private-key.js';
import { openSigningKey } from '../../../src/authenticator/signing-key.js';
import { createClient } from '../../../src/client/client.js';
import { hashText } from '../../../src/simulate/engine/authenticator-data-edits.js';
import { keyWithLeadingZeros } from '../../../src/simulate/engine/signers.js';
import { openUsualKey, usualCredentialId, usualKeyPairs } from '../../../src/simulate/engine/usual-values.js';
import { encodeBase64url } from '../../../src/webauthn/base64url.js';
import { encodeCoseKey } from '../../../src/webauthn/cose-key.js';
import { contents } from '../../../src/webauthn/der.js';
import { ecdsaSignatureParts } from '../../../src/webauthn/der-values.js';
import { quick, share } from '../../thorough.js';

const ES256 = signingAlgorithm(-7);

quick.each([16, 17, 18, 32, 1023])('credential IDs of %i bytes read the same in both alphabets of base64', (length) => {
  for (let drawn = 0; drawn < 50; drawn += 1) {
    const id = usualCredentialId(length);
    expect(id).toHaveLength(length);
    expect(encodeBase64url(id)).toMatch(/^[A-Za-z0-9]+$/);
  }
});

quick('a key whose coordinates begin with a zero byte is not taken', async () => {
  const rare = newPkcs8(ES256, hashText('a key whose coordinates begin with zero, 9907'));
  expect(encodeCoseKey((await openSigningKey(ES256, rare)).coseKey)).toEqual(keyWithLeadingZeros().cose);
  const ordinary = newPkcs8(ES256, hashText('a key that belongs to no credential'));
  const drawn = [rare, rare, ordinary];
  const draw = usualKeyPairs(() => drawn.shift() ?? rare);
  expect(await draw(ES256)).toEqual(ordinary);
});

quick('of P-521, whose coordinates nearly always begin with a zero byte, the second byte is not zero', async () => {
  const algorithm = signingAlgorithm(-36);
  // Found by trying: the x of one begins with 00 00 A6, the other coordinates with 00 or 01 and no further zero.
  const [rare, ordinary] = ['106', '0'].map((number) => newPkcs8(algorithm, hashText(`a key of P-521, ${number}`)));
  const drawn = [rare, ordinary];
  const draw = usualKeyPairs(() => drawn.shift() ?? new Uint8Array());
  expect(await draw(algorithm)).toEqual(ordinary);
});

quick.each([-257, -8])('keys of other kinds are taken as they come (%i)', async (id) => {
  const [bytes, algorithm] = [Uint8Array.of(1, 2, 3), signingAlgorithm(id)];
  expect(await usualKeyPairs(() => bytes)(algorithm)).toBe(bytes);
});

describe('signatures', () => {
  const LEAST = { [-7]: 32, [-35]: 48, [-36]: 65 } as const;

  test.each(share([-7, -35, -36] as const, 3))('have numbers as long as most (%i)', async (id) => {
    const algorithm = signingAlgorithm(id);
    const { privateKey } = await makeSource(id);
    const key = await openUsualKey(algorithm, privateKey);
    const lengths = Array.from({ length: 1500 }, () => {
      const { r, s } = ecdsaSignatureParts(key.sign(new Uint8Array(4))) ?? {};
      return Math.min(...[r, s].map((part) => (part === undefined ? 0 : contents(part).length)));
    });
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(LEAST[id]);
  });

  quick.each([-257, -8])('of other algorithms are as Node makes them (%i)', async (id) => {
    const algorithm = signingAlgorithm(id);
    const { privateKey } = await makeSource(id);
    const [usual, plain] = [await openUsualKey(algorithm, privateKey), await openSigningKey(algorithm, privateKey)];
    expect(usual.sign(new Uint8Array(4))).toEqual(plain.sign(new Uint8Array(4)));
  });
});

async function makeSource(id: number) {
  const authenticator = createAuthenticator({ algorithms: [id] });
  const publicKey = {
    challenge: 'AAAAAAAAAAAAAAAAAAAAAA',
    rp: { id: 'example.org', name: 'Example' },
    user: { id: 'dXNlcg', name: 'u', displayName: 'U' },
    pubKeyCredParams: [{ type: 'public-key', alg: id }],
  };
  await createClient({ authenticator, origin: 'https://example.org' }).create({ publicKey });
  const [source] = await authenticator.store.list();
  if (source === undefined) throw new Error('Expected a credential; got none.');
  return source;
}
