import { describe, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { EXTENSIONS, type ExtensionId } from '../../src/authenticator/extensions.js';
import type { AuthenticatorOptions } from '../../src/authenticator/settings.js';
import { type ClientOptions, createClient } from '../../src/client/client.js';
import type { ExtensionOutputs } from '../../src/client/dictionaries.js';
import { decodeAuthenticatorData } from '../../src/webauthn/authenticator-data.js';
import { fc } from '../properties.js';
import { creation, ORIGIN, RP_ID, registered, request, setUp } from './ceremony.js';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, 'base64url'));
const textOf = (text: string) => Buffer.from(text).toString('base64url');
const signedOf = ({ response }: { response: { authenticatorData: string } }) =>
  decodeAuthenticatorData(bytesOf(response.authenticatorData)).extensions;
/** The outputs with those that not every library types. */
const outputsOf = ({ clientExtensionResults }: { clientExtensionResults: ExtensionOutputs }) => clientExtensionResults;
const required = { residentKey: 'required', userVerification: 'required' };
const eitherSalt = { first: textOf('first'), second: textOf('second') };

/** The PRF of one authenticator: at registration, then at authentication. */
async function prfOf(extensions: readonly ExtensionId[], options: AuthenticatorOptions = {}, client: Partial<ClientOptions> = {}) {
  const page = setUp({ extensions, ...options }, client).client;
  const created = await page.create({
    publicKey: creation({ extensions: { prf: { eval: eitherSalt } }, authenticatorSelection: required }),
  });
  const evaluate = async (prf: object) => {
    const allowCredentials = [{ type: 'public-key' as const, id: created.id }];
    const got = await page.get({ publicKey: request({ allowCredentials, userVerification: 'required', extensions: { prf } }) });
    return { ...outputsOf(got).prf, signed: signedOf(got) };
  };
  return { created, enabled: outputsOf(created).prf?.enabled, atCreation: outputsOf(created).prf?.results, evaluate };
}

describe('prf (§10.1.4)', () => {
  const ways: [string, readonly ExtensionId[], AuthenticatorOptions][] = [
    ['of a platform', ['prf'], {}],
    ['over hmac-secret with protocol 2', ['hmac-secret', 'hmac-secret-mc'], { pinUvAuthProtocols: [2, 1] }],
    ['over hmac-secret with protocol 1', ['hmac-secret', 'hmac-secret-mc'], { pinUvAuthProtocols: [1] }],
  ];
  test.each(ways)('%s: one salt, two, and by credential give the same outputs each time', async (_, extensions, options) => {
    const { created, enabled, atCreation, evaluate } = await prfOf(extensions, options);
    expect([enabled, atCreation]).toEqual([
      true,
      { first: expect.stringMatching(/^[\w-]{43}$/), second: expect.stringMatching(/^[\w-]{43}$/) },
    ]);
    const { first, second } = eitherSalt;
    expect((await evaluate({ eval: eitherSalt })).results).toEqual(atCreation);
    expect((await evaluate({ eval: { first } })).results).toEqual({ first: atCreation?.first });
    expect((await evaluate({ eval: { first: second } })).results).toEqual({ first: atCreation?.second });
    const byCredential = await evaluate({ eval: { first }, evalByCredential: { [created.id]: { first: second } } });
    expect(byCredential.results).toEqual({ first: atCreation?.second });
    expect((await evaluate({})).results).toBeUndefined();
  });

  test('hmac-secret stands in the signed data, encrypted; a PRF of the platform does not', async () => {
    const key = await prfOf(['hmac-secret', 'hmac-secret-mc']);
    expect(signedOf(key.created)).toEqual(
      new Map<string, unknown>([
        ['hmac-secret', true],
        ['hmac-secret-mc', expect.any(Uint8Array)],
      ]),
    );
    const { signed, results } = await key.evaluate({ eval: eitherSalt });
    // An initialization vector and two outputs.
    expect(signed?.get('hmac-secret')).toHaveLength(80);
    expect(textOf(String(signed?.get('hmac-secret')))).not.toContain(results?.first);
    const platform = await prfOf(['prf']);
    expect([signedOf(platform.created), (await platform.evaluate({ eval: eitherSalt })).signed]).toEqual([undefined, undefined]);
  });

  test('without hmac-secret-mc there are no results at registration, as with most security keys', async () => {
    const { created, enabled, atCreation, evaluate } = await prfOf(['hmac-secret']);
    expect([enabled, atCreation, signedOf(created)]).toEqual([true, undefined, new Map([['hmac-secret', true]])]);
    expect((await evaluate({ eval: eitherSalt })).results?.second).toMatch(/^[\w-]{43}$/);
  });

  test('an authenticator that has neither says so', async () => {
    const { created, enabled, atCreation, evaluate } = await prfOf(['credProtect']);
    expect([enabled, atCreation, signedOf(created), (await evaluate({ eval: eitherSalt })).results]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('with and without user verification are two secrets', async () => {
    const { client, id } = await registered({ extensions: ['hmac-secret'] }, { extensions: { prf: {} }, authenticatorSelection: required });
    const allowCredentials = [{ type: 'public-key' as const, id }];
    const results = new Set<string | undefined>();
    for (const userVerification of ['required', 'discouraged', 'required']) {
      const got = await client.get({
        publicKey: request({ allowCredentials, userVerification, extensions: { prf: { eval: eitherSalt } } }),
      });
      results.add(outputsOf(got).prf?.results?.first);
    }
    expect(results.size).toBe(2);
  });

  test('any inputs: what went over hmac-secret is what a PRF of the platform computes from the same secret', async () => {
    const { authenticator, id } = await registered({ extensions: ['prf'] }, { extensions: { prf: {} }, authenticatorSelection: required });
    const pages = ([['prf'], ['hmac-secret']] as const).map((extensions) =>
      createClient({ authenticator: createAuthenticator({ store: authenticator.store, extensions }), origin: ORIGIN }),
    );
    const bytes = fc.uint8Array({ maxLength: 70 }).map((input) => Buffer.from(input).toString('base64url'));
    await fc.assert(
      fc.asyncProperty(bytes, fc.option(bytes, { nil: undefined }), async (first, second) => {
        const prf = { eval: { first, ...(second !== undefined && { second }) } };
        const publicKey = request({ allowCredentials: [{ type: 'public-key', id }], extensions: { prf } });
        const [platform, key] = await Promise.all(pages.map(async (page) => outputsOf(await page.get({ publicKey })).prf));
        expect(key).toEqual(platform);
        expect(platform?.results).toBeDefined();
      }),
      { numRuns: 20 },
    );
  });

  test('a client with a source of bytes repeats what it sends', async () => {
    const sent: unknown[] = [];
    for (let run = 0; run < 2; run++) {
      const authenticator = createAuthenticator({ extensions: ['hmac-secret', 'hmac-secret-mc'], seed: 'a seed', now: () => 0 });
      const client = createClient({ authenticator, origin: ORIGIN, random: (length) => new Uint8Array(length).fill(7) });
      sent.push(signedOf(await client.create({ publicKey: creation({ extensions: { prf: { eval: eitherSalt } } }) })));
    }
    expect(sent[0]).toEqual(sent[1]);
  });
});

describe('extensions of CTAP', () => {
  const asked = {
    credBlob: textOf('blob'),
    minPinLength: true,
    hmacCreateSecret: true,
    credentialProtectionPolicy: 'userVerificationRequired',
  };

  test('are signed, and answered as browsers answer them', async () => {
    const options = { minPinLength: 6, minPinLengthRpIds: [RP_ID] };
    const { client, response } = await registered(options, { extensions: asked, authenticatorSelection: required });
    expect(signedOf(response)).toEqual(
      new Map<string, unknown>([
        ['credBlob', true],
        ['credProtect', 3],
        ['hmac-secret', true],
        ['minPinLength', 6],
      ]),
    );
    expect(outputsOf(response)).toEqual({ credBlob: true, hmacCreateSecret: true });
    const got = await client.get({ publicKey: request({ extensions: { getCredBlob: true } }) });
    expect([outputsOf(got), signedOf(got)]).toEqual([{ getCredBlob: asked.credBlob }, new Map([['credBlob', bytesOf(asked.credBlob)]])]);
  });

  test('that the authenticator does not have are left out', async () => {
    const { client, response } = await registered(
      { extensions: [] },
      { extensions: { ...asked, prf: {}, largeBlob: {} }, authenticatorSelection: required },
    );
    expect(signedOf(response)).toBeUndefined();
    expect(outputsOf(response)).toEqual({
      credBlob: false,
      hmacCreateSecret: false,
      prf: { enabled: false },
      largeBlob: { supported: false },
    });
    const got = await client.get({ publicKey: request({ extensions: { getCredBlob: true, horoscope: true } }) });
    expect([outputsOf(got), signedOf(got)]).toEqual([{ getCredBlob: '' }, undefined]);
  });

  test('each is asked for alone, and nothing else is answered', async () => {
    for (const only of EXTENSIONS) {
      const { response } = await registered(
        { extensions: [only], minPinLengthRpIds: [RP_ID] },
        { extensions: asked, authenticatorSelection: required },
      );
      const names = {
        credProtect: 'credProtect',
        credBlob: 'credBlob',
        minPinLength: 'minPinLength',
        'hmac-secret': 'hmac-secret',
      } as const;
      const name = only in names ? names[only as keyof typeof names] : undefined;
      expect([...(signedOf(response)?.keys() ?? [])]).toEqual(name ? [name] : []);
    }
  });

  test('a blob of more than 32 bytes is not kept, as in Chromium', async () => {
    for (const [length, kept] of [
      [32, true],
      [33, false],
    ] as const) {
      const { response } = await registered({}, { extensions: { credBlob: textOf('x'.repeat(length)) }, authenticatorSelection: required });
      expect([outputsOf(response).credBlob, signedOf(response)?.get('credBlob')]).toEqual([kept, kept]);
    }
  });

  test('the minimum PIN length is for the RPs on the list only', async () => {
    const { response } = await registered({ minPinLengthRpIds: ['example.org'] }, { extensions: { minPinLength: true } });
    expect(signedOf(response)).toBeUndefined();
  });

  const policies: [object, string][] = [
    [{ extensions: { credentialProtectionPolicy: 'x' } }, 'expected one of userVerificationOptional'],
    [{ extensions: { enforceCredentialProtectionPolicy: true } }, 'expected a policy that protects the credential'],
    [
      { extensions: { credentialProtectionPolicy: 'userVerificationOptional' }, authenticatorSelection: {} },
      'residentKey is "discouraged"',
    ],
    [
      { extensions: { credentialProtectionPolicy: 'userVerificationRequired' }, authenticatorSelection: { userVerification: 'preferred' } },
      'needs userVerification "required"',
    ],
  ];
  test.each(policies)('a protection policy that Chromium refuses: %o', async (change, message) => {
    const refused = { name: 'NotSupportedError', message: expect.stringContaining(message) };
    await expect(setUp().client.create({ publicKey: creation(change) })).rejects.toMatchObject(refused);
    await setUp({}, { mode: 'strict' }).client.create({ publicKey: creation(change) });
  });
});
