import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { junk, withMember } from './junk.js';
import { getRequest, makeRequest, quickKeys, withCredential } from './requests.js';

/** As if written in JavaScript. */
const untyped = <T>(value: unknown): T => value as T;

const REFUSED = { ok: false, status: expect.stringMatching(/^CTAP[12]_ERR_/), message: expect.stringMatching(/./) };
const extensions = { credProtect: 1, prf: { eval: { first: new Uint8Array(32) }, evalByCredential: {} }, largeBlob: {} };
const EXTENSIONS = [
  'extensions',
  'extensions.credProtect',
  'extensions.prf',
  'extensions.prf.eval',
  'extensions.prf.eval.first',
  'extensions.prf.eval.second',
  'extensions.prf.evalByCredential',
  'extensions.prf.evalByCredential.AA',
  'extensions.largeBlob',
  'extensions.largeBlob.support',
  'extensions.largeBlob.read',
  'extensions.largeBlob.write',
  'extensions.hmac-secret',
];

describe('whatever a request holds, it is done or refused with a status', () => {
  const request = {
    ...untyped<object>(makeRequest(untyped({ extensions }))),
    excludeCredentials: [{ type: 'public-key', id: new Uint8Array(16) }],
  };
  test.each([
    ...Object.keys(request),
    'signal',
    'rp.id',
    'rp.name',
    'user.id',
    'user.name',
    'user.displayName',
    'pubKeyCredParams.0',
    'pubKeyCredParams.0.type',
    'pubKeyCredParams.0.alg',
    'excludeCredentials.0',
    'excludeCredentials.0.id',
    'excludeCredentials.0.type',
    ...EXTENSIONS,
  ])('makeCredential: %s', async (path) => {
    const authenticator = createAuthenticator({ newPrivateKey: quickKeys });
    await fc.assert(
      fc.asyncProperty(junk, async (value) => {
        const answer = await authenticator.makeCredential(untyped(withMember(request, path, value)));
        if (!answer.ok) expect(answer).toEqual(REFUSED);
      }),
      { numRuns: 60 },
    );
  });

  const made = withCredential({}, { extensions: { prf: {}, largeBlob: { support: 'required' } } });
  test.each([...Object.keys(getRequest()), 'signal', 'allowCredentials', 'allowCredentials.0', 'allowCredentials.0.id', ...EXTENSIONS])(
    'getAssertion: %s',
    async (path) => {
      const { authenticator, id } = await made;
      const request = { ...getRequest(untyped({ extensions })), allowCredentials: [{ type: 'public-key', id }] };
      await fc.assert(
        fc.asyncProperty(junk, async (value) => {
          const answer = await authenticator.getAssertion(untyped(withMember(request, path, value)));
          if (!answer.ok) expect(answer).toEqual(REFUSED);
        }),
        { numRuns: 60 },
      );
    },
  );
});

describe('whatever an option holds, it is taken or named', () => {
  test.each([
    ['aaguid', /\baaguid\b/],
    ['algorithms', /\balgorithms?\b/],
    ['attestation', /\battestation\b/],
    ['attachment', /\battachment\b/],
    ['transports', /\btransports\b/],
    ['residentKey', /\bresidentKey\b/],
    ['alwaysDiscoverable', /\balwaysDiscoverable\b/],
    ['backupEligible', /\bbackupEligible\b/],
    ['backupState', /\bbackupState\b/],
    ['signCount', /\bsignCount\b|\bkind of the sign counter\b/],
    ['signCount.kind', /\bkind of the sign counter\b/],
    ['signCount.start', /\bstart of the sign counter\b/],
    ['signCount.step', /\bstep of the sign counter\b/],
    ['credentialIdLength', /\bcredentialIdLength\b/],
    ['extensions', /\bextensions\b/],
    ['random', /\brandom\b/],
    ['newPrivateKey', /\bnewPrivateKey\b/],
    ['userVerifier', /\buserVerifier\b/],
    ['chooseAccount', /\bchooseAccount\b/],
    ['store', /\bstore\b/],
  ])('%s', (path, named) => {
    fc.assert(
      fc.property(junk, (value) => {
        try {
          createAuthenticator(untyped(withMember({ signCount: { kind: 'global' } }, path, value)));
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
          expect(error).toMatchObject({ message: expect.stringMatching(/^Expected /) });
          expect(error).toMatchObject({ message: expect.stringMatching(named) });
        }
      }),
      { numRuns: 200 },
    );
  });
});
