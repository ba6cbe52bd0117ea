import { describe, expect, test } from 'vitest';
import { fc, PROPERTY_RUNS } from '../properties.js';
import { creation, registered, request, setUp } from './ceremony.js';

/** What a server may send in place of any member. */
const junk = fc.jsonValue({ maxDepth: 3 });

/** `object` with `value` at the path, such as `rp.name` or `list.0.type`; what is on the way is copied. */
function withMember(object: unknown, path: string, value: unknown): unknown {
  const [name = '', ...rest] = path.split('.');
  const member = rest.length === 0 ? value : withMember(Reflect.get(Object(object), name), rest.join('.'), value);
  return Array.isArray(object) ? object.with(Number(name), member) : { ...Object(object), [name]: member };
}

/** As JSON.parse gives it. */
const untyped = <T>(value: unknown): T => value as T;

/** A DOMException, or a TypeError that names the member. */
function checkError(error: unknown, path: string): void {
  if (Object.prototype.toString.call(error) === '[object DOMException]') return;
  const name = path.split('.').findLast((part) => !/^\d+$/.test(part)) ?? '';
  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: expect.stringMatching(new RegExp(`^Expected .*\\b${name}\\b`)) });
}

const DESCRIPTOR = { type: 'public-key', id: 'AAAAAAAAAAAAAAAAAAAAAA', transports: ['usb'] };
const salts = { first: 'AA', second: 'AA' };

describe('any JSON in a member is accepted, or refused by name', () => {
  const creationOptions = {
    publicKey: creation({ excludeCredentials: [DESCRIPTOR], extensions: untyped({ prf: { eval: salts }, largeBlob: {} }) }),
  };
  test.each([
    'publicKey',
    'publicKey.rp',
    'publicKey.rp.id',
    'publicKey.rp.name',
    'publicKey.user',
    'publicKey.user.id',
    'publicKey.user.name',
    'publicKey.user.displayName',
    'publicKey.challenge',
    'publicKey.pubKeyCredParams',
    'publicKey.pubKeyCredParams.0',
    'publicKey.pubKeyCredParams.0.type',
    'publicKey.pubKeyCredParams.0.alg',
    'publicKey.timeout',
    'publicKey.excludeCredentials',
    'publicKey.excludeCredentials.0',
    'publicKey.excludeCredentials.0.type',
    'publicKey.excludeCredentials.0.id',
    'publicKey.excludeCredentials.0.transports',
    'publicKey.authenticatorSelection',
    'publicKey.authenticatorSelection.authenticatorAttachment',
    'publicKey.authenticatorSelection.residentKey',
    'publicKey.authenticatorSelection.requireResidentKey',
    'publicKey.authenticatorSelection.userVerification',
    'publicKey.hints',
    'publicKey.attestation',
    'publicKey.attestationFormats',
    'publicKey.extensions',
    'publicKey.extensions.credProps',
    'publicKey.extensions.credentialProtectionPolicy',
    'publicKey.extensions.enforceCredentialProtectionPolicy',
    'publicKey.extensions.prf',
    'publicKey.extensions.prf.eval',
    'publicKey.extensions.prf.eval.first',
    'publicKey.extensions.prf.eval.second',
    'publicKey.extensions.largeBlob',
    'publicKey.extensions.largeBlob.support',
  ])('create: %s', async (path) => {
    const { client } = setUp();
    await fc.assert(
      fc.asyncProperty(junk, async (value) => {
        await client.create(untyped(withMember(creationOptions, path, value))).catch((error: unknown) => checkError(error, path));
      }),
      { numRuns: PROPERTY_RUNS / 10 },
    );
  });

  const made = registered();
  test.each([
    'publicKey',
    'publicKey.challenge',
    'publicKey.timeout',
    'publicKey.rpId',
    'publicKey.allowCredentials',
    'publicKey.allowCredentials.0',
    'publicKey.allowCredentials.0.type',
    'publicKey.allowCredentials.0.id',
    'publicKey.allowCredentials.0.transports',
    'publicKey.userVerification',
    'publicKey.hints',
    'publicKey.extensions',
    'publicKey.extensions.prf',
    'publicKey.extensions.prf.eval',
    'publicKey.extensions.prf.evalByCredential',
    'publicKey.extensions.prf.evalByCredential.AAAAAAAAAAAAAAAAAAAAAA',
    'publicKey.extensions.largeBlob',
    'publicKey.extensions.largeBlob.read',
    'publicKey.extensions.largeBlob.write',
  ])('get: %s', async (path) => {
    const { client, id } = await made;
    const options = {
      publicKey: request({
        allowCredentials: [{ type: 'public-key', id }, DESCRIPTOR].toReversed(),
        extensions: untyped({ prf: { eval: salts, evalByCredential: { [id]: salts } }, largeBlob: {} }),
      }),
    };
    await fc.assert(
      fc.asyncProperty(junk, async (value) => {
        await client.get(untyped(withMember(options, path, value))).catch((error: unknown) => checkError(error, path));
      }),
      { numRuns: PROPERTY_RUNS / 10 },
    );
  });
});
