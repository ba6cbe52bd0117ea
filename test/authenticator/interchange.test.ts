import { createHash, createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../src/authenticator/algorithms.js';
import { createAuthenticator } from '../../src/authenticator/authenticator.js';
import { type CredentialSource } from '../../src/authenticator/credential-source.js';
import { createCredentialSourceStore } from '../../src/authenticator/credential-store.js';
import { INTERCHANGE_SHAPES, type InterchangeShape } from '../../src/authenticator/interchange/contract.js';
import { exportCredentials, importCredentials } from '../../src/authenticator/interchange/interchange.js';
import { writeMembers } from '../../src/authenticator/interchange/shape.js';
import { PasskeyError } from '../../src/errors.js';
import { concatBytes, encodeUtf8, toHex } from '../../src/kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../src/webauthn/base64url.js';
import { listNames } from '../../src/webauthn/enumerations.js';
import { fc } from '../properties.js';
import { getRequest, granted, quickKeys, RP_ID } from './requests.js';

const SHAPES = listNames(INTERCHANGE_SHAPES);
const ES256 = -7;

/** What each shape's own program takes. */
const KINDS: Partial<Record<InterchangeShape, readonly string[]>> = {
  playwright: ['P-256'],
  'playwright-state': ['P-256'],
  devtools: ['P-256'],
  keepassxc: ['P-256', 'Ed25519', 'RSA'],
  bitwarden: ['P-256'],
};

async function sourceOf(algorithm: number, change: Partial<CredentialSource> = {}): Promise<CredentialSource> {
  const known = SIGNING_ALGORITHMS.find(({ id }) => id === algorithm);
  if (known === undefined) throw new Error(`Expected a known algorithm, not ${algorithm}.`);
  return {
    id: new Uint8Array(20).fill(7),
    rpId: RP_ID,
    rpName: 'Example',
    user: { id: encodeUtf8('1'), name: 'ada@example.com', displayName: 'Ada' },
    algorithm,
    privateKey: await quickKeys(known),
    discoverable: true,
    signCount: 0,
    backupEligible: true,
    backupState: true,
    ...change,
  };
}

/** Authenticator data (§6.1) without its byte of flags. */
const withoutFlags = (data: Uint8Array = new Uint8Array()) => [...data.subarray(0, 32), ...data.subarray(33)];

/** All members of a source at once, so that nothing is lost for want of a test. */
const FULL = {
  signCount: 5,
  protection: 2,
  prf: { withVerification: new Uint8Array(32).fill(1), withoutVerification: new Uint8Array(32).fill(2) },
  largeBlob: encodeUtf8('blob'),
  credBlob: encodeUtf8('small'),
  hidden: true,
} as const;

const hash = (text: string) => new Uint8Array(createHash('sha256').update(text).digest());

/** A part of these bytes, which nothing else has, as it stands in hexadecimal and, wherever they begin, in both alphabets of base64. */
function spellings(bytes: Uint8Array): string[] {
  const within = [0, 1, 2].map((before) => encodeBase64url(concatBytes(new Uint8Array(before), bytes)).slice(4, 20));
  return [toHex(bytes).slice(0, 16), ...within, ...within.map((text) => text.replaceAll('-', '+').replaceAll('_', '/'))];
}

const importable = ({ id, rpId, user }: CredentialSource) => ({ id, rpId, userHandle: user.id });

const bytes = (min: number, max: number) => fc.uint8Array({ minLength: min, maxLength: max });
const texts = fc.string({ maxLength: 12 });
/** Sources that an authenticator may hold, but for their keys. */
const state: fc.Arbitrary<Omit<CredentialSource, 'algorithm' | 'privateKey'>> = fc
  .record({
    id: bytes(16, 64),
    rpName: texts,
    user: fc.record({ id: bytes(1, 64), name: fc.string({ minLength: 1, maxLength: 12 }), displayName: texts }),
    discoverable: fc.boolean(),
    signCount: fc.integer({ min: 0, max: 0xffffffff }),
    backupEligible: fc.boolean(),
    eligibleAndBackedUp: fc.boolean(),
    extras: fc.record(
      {
        protection: fc.constantFrom(1, 2, 3),
        prf: fc.record({ withVerification: bytes(32, 32), withoutVerification: bytes(32, 32) }),
        largeBlob: bytes(0, 40),
        credBlob: bytes(0, 32),
        hidden: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ eligibleAndBackedUp, extras, ...rest }) => ({
    ...rest,
    ...extras,
    rpId: RP_ID,
    backupState: rest.backupEligible && eligibleAndBackedUp,
  }));

describe.each(SHAPES)('%s', (shape) => {
  const algorithms = SIGNING_ALGORITHMS.filter(({ key }) => KINDS[shape]?.includes(key.name) ?? true);

  test.each(algorithms.map(({ id, name }: SigningAlgorithm) => [name, id] as const))('brings a key of %s back', async (_, algorithm) => {
    const source = await sourceOf(algorithm);
    const { text } = await exportCredentials(shape, [source]);
    const { credentials } = await importCredentials(shape, text, { ...importable(source), algorithm });
    const [back] = credentials;
    const authenticator = createAuthenticator({ algorithms: [algorithm], store: createCredentialSourceStore(credentials) });
    const [theirs, ours] = await Promise.all(
      [authenticator, createAuthenticator({ algorithms: [algorithm], store: createCredentialSourceStore([source]) })].map(async (each) =>
        granted(await each.getAssertion(getRequest())),
      ),
    );
    expect(back?.id).toEqual(source.id);
    const isPostQuantum = algorithms.find(({ id }) => id === algorithm)?.key.type.startsWith('ml') === true;
    // Node 20 reads no ML-DSA key; of these there is one encoding.
    const read = (pkcs8: Uint8Array) =>
      isPostQuantum
        ? encodeBase64(pkcs8)
        : createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }).export({ format: 'jwk' }).d;
    expect(read(back?.privateKey ?? new Uint8Array())).toBe(read(source.privateKey));
    // Some shapes have no room for the flags BE and BS; the remarks say so, as the next test shows.
    expect(withoutFlags(theirs?.authenticatorData)).toEqual(withoutFlags(ours?.authenticatorData));
  });

  test('loses no member without a remark', async () => {
    const { privateKey } = await sourceOf(ES256);
    await fc.assert(
      fc.asyncProperty(state, async (made) => {
        const source: CredentialSource = { ...made, algorithm: ES256, privateKey };
        const exported = await exportCredentials(shape, [source]);
        const told = new Set(exported.remarks.map(({ member }) => member));
        if (exported.count === 0) {
          expect(told).toContain('signCount');
          return;
        }
        const { credentials } = await importCredentials(shape, exported.text, importable(source));
        const [before, after] = [writeMembers(source), credentials[0] && writeMembers(credentials[0])];
        // The caller supplied what identifies it, of shapes that have no room for it.
        const supplied = ['id', 'rpId', 'userHandle', 'discoverable'];
        const changed = listNames(before).filter((member) => JSON.stringify(before[member]) !== JSON.stringify(after?.[member]));
        expect(changed.filter((member) => !told.has(member))).toEqual([]);
        const silent = [...told].filter((member) => !changed.some((each) => each === member) && !supplied.includes(member));
        expect(silent).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('says nothing of the key and of other secrets when it refuses', async () => {
    const secret = { withVerification: hash('with verification'), withoutVerification: hash('without verification') };
    const source = await sourceOf(ES256, { ...FULL, prf: secret, ...(shape === 'cxf' && { signCount: 0 }) });
    const { text, remarks } = await exportCredentials(shape, [source]);
    const { d = '' } = createPrivateKey({ key: Buffer.from(source.privateKey), format: 'der', type: 'pkcs8' }).export({ format: 'jwk' });
    const ofKey = spellings(Buffer.from(d, 'base64url'));
    const isTold = (spelt: readonly string[], output: string) => spelt.some((each) => output.replace(/\\n|\n/g, '').includes(each));
    expect(isTold(ofKey, text)).toBe(true);
    const secrets = [...ofKey, ...Object.values(secret).flatMap(spellings)];
    const tell = async (damaged: string) => {
      const refused: unknown = await importCredentials(shape, damaged, importable(source)).catch((error: unknown) => error);
      return refused instanceof Error
        ? `${refused.message} ${refused.stack} ${String(refused.cause)}`
        : JSON.stringify(refused === undefined);
    };
    const outputs = [JSON.stringify(remarks)];
    for (let at = 0; at < text.length; at += 37) {
      outputs.push(await tell(text.slice(0, at)), await tell(`${text.slice(0, at)}"${text.slice(at + 1)}`));
    }
    expect(outputs.filter((output) => isTold(secrets, output))).toEqual([]);
  });

  test('refuses what is damaged with a PasskeyError, or reads it', async () => {
    const { text } = await exportCredentials(shape, [await sourceOf(ES256)]);
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.string({ maxLength: 3 }), async (at, piece) => {
        const damaged = text.slice(0, at) + piece + text.slice(at + 2);
        const outcome: unknown = await importCredentials(shape, damaged, { id: new Uint8Array(16), rpId: RP_ID }).catch(
          (error: unknown) => error,
        );
        expect(outcome instanceof Error && !(outcome instanceof PasskeyError)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });
});

/** A key as any other program makes it. */
function foreignKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    der: new Uint8Array(privateKey.export({ format: 'der', type: 'pkcs8' })),
    pem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
const ID = new Uint8Array(16).fill(0xfb);
const HANDLE = encodeUtf8('ada');

describe('documents of other programs', () => {
  const { der, pem } = foreignKey();
  const passkey = { credentialId: encodeBase64url(ID), userHandle: encodeBase64url(HANDLE) };
  const account = { userName: 'ada@example.com', userDisplayName: 'Ada' };
  const playwright = {
    id: encodeBase64url(ID),
    rpId: RP_ID,
    userHandle: encodeBase64url(HANDLE),
    privateKey: encodeBase64url(der),
    publicKey: '',
    signCount: 2,
  };
  const documents: [name: string, shape: InterchangeShape, document: unknown, expected: object][] = [
    [
      'a passkey file of KeePassXC',
      'keepassxc',
      { ...passkey, privateKey: pem, relyingParty: RP_ID, url: 'https://example.com', username: account.userName, title: 'Example' },
      { backupEligible: true, backupState: true, user: { id: HANDLE, name: account.userName, displayName: '' } },
    ],
    [
      'the parameters of WebAuthn.addCredential',
      'devtools',
      {
        authenticatorId: '1',
        credential: {
          credentialId: encodeBase64(ID),
          isResidentCredential: false,
          rpId: RP_ID,
          privateKey: encodeBase64(der),
          signCount: -1,
        },
      },
      { discoverable: false, signCount: 0, user: { id: new Uint8Array(), name: '', displayName: '' } },
    ],
    [
      'the answer of WebAuthn.getCredentials',
      'devtools',
      {
        credentials: [
          {
            ...account,
            credentialId: encodeBase64(ID),
            isResidentCredential: true,
            rpId: RP_ID,
            privateKey: encodeBase64(der),
            userHandle: encodeBase64(HANDLE),
            signCount: 3,
            largeBlob: encodeBase64(HANDLE),
            backupEligibility: true,
            backupState: false,
          },
        ],
      },
      {
        discoverable: true,
        signCount: 3,
        backupEligible: true,
        backupState: false,
        largeBlob: HANDLE,
        user: { id: HANDLE, name: account.userName, displayName: 'Ada' },
      },
    ],
    [
      'the answer of WebDriver',
      'devtools',
      {
        value: [
          {
            credentialId: encodeBase64url(ID),
            isResidentCredential: true,
            rpId: RP_ID,
            privateKey: encodeBase64url(der),
            userHandle: encodeBase64url(HANDLE),
            signCount: 4,
            backupEligibility: true,
            backupState: true,
          },
        ],
      },
      { discoverable: true, signCount: 4, backupEligible: true, user: { id: HANDLE, name: '', displayName: '' } },
    ],
    [
      'an answer of the protocol in its result',
      'devtools',
      {
        id: 7,
        result: {
          credentials: [
            { credentialId: encodeBase64(ID), isResidentCredential: false, rpId: RP_ID, privateKey: encodeBase64(der), signCount: 6 },
          ],
        },
      },
      { discoverable: false, signCount: 6 },
    ],
    [
      'an export of Bitwarden, with items that are no passkeys',
      'bitwarden',
      {
        encrypted: false,
        folders: [],
        items: [
          { type: 2, name: 'a note', secureNote: {} },
          { type: 1, name: 'a password', login: { username: 'a', password: 'b', fido2Credentials: null } },
          {
            type: 1,
            name: 'Example',
            login: {
              fido2Credentials: [
                {
                  credentialId: `b64.${encodeBase64url(ID)}`,
                  keyType: 'public-key',
                  keyAlgorithm: 'ECDSA',
                  keyCurve: 'P-256',
                  keyValue: encodeBase64url(der),
                  rpId: RP_ID,
                  userHandle: encodeBase64url(HANDLE),
                  userName: account.userName,
                  counter: '8',
                  rpName: 'Example',
                  userDisplayName: 'Ada',
                  discoverable: 'true',
                  creationDate: '2026-01-15T10:30:00.000Z',
                },
              ],
            },
          },
        ],
      },
      { discoverable: true, signCount: 8, backupEligible: true, user: { id: HANDLE, name: account.userName, displayName: 'Ada' } },
    ],
    ['a credential of Playwright', 'playwright', playwright, { discoverable: true, signCount: 2 }],
    [
      'a storage state of Playwright 1.65',
      'playwright-state',
      {
        cookies: [{ name: 'session', value: 'x', domain: 'example.com', path: '/' }],
        origins: [],
        credentials: [playwright],
      },
      { discoverable: true, signCount: 2 },
    ],
    [
      'an export in the Credential Exchange Format, with items that are no passkeys',
      'cxf',
      {
        version: { major: 1, minor: 0 },
        exporterRpId: 'vault.example',
        exporterDisplayName: 'Vault',
        timestamp: 1_760_000_000,
        accounts: [
          {
            id: 'AA',
            username: '',
            email: '',
            collections: [],
            items: [
              {
                id: 'AQ',
                title: 'Example',
                credentials: [
                  { type: 'note', content: { value: 'x' } },
                  {
                    type: 'passkey',
                    ...passkey,
                    rpId: RP_ID,
                    username: account.userName,
                    userDisplayName: 'Ada',
                    key: encodeBase64url(der),
                  },
                ],
              },
            ],
          },
        ],
      },
      { backupEligible: true, user: { id: HANDLE, name: account.userName, displayName: 'Ada' } },
    ],
  ];
  test.each(documents)('%s is read and signs', async (_, shape, document, expected) => {
    const { credentials, remarks } = await importCredentials(shape, JSON.stringify(document));
    expect(credentials).toMatchObject([{ id: ID, rpId: RP_ID, algorithm: ES256, ...expected }]);
    expect(remarks.some(({ member }) => member.includes('credentials[0]'))).toBe(shape === 'cxf');
    const authenticator = createAuthenticator({ store: createCredentialSourceStore(credentials) });
    const allowCredentials = [{ type: 'public-key', id: ID } as const];
    expect(await authenticator.getAssertion(getRequest({ allowCredentials }))).toMatchObject({ ok: true });
  });

  const CXF_PASSKEY = {
    type: 'passkey',
    credentialId: 'AAAA',
    rpId: RP_ID,
    userHandle: 'AAAB',
    username: 'a',
    userDisplayName: 'A',
    key: 'AAAC',
  };
  const wrong: [what: string, shape: InterchangeShape, document: unknown, message: RegExp][] = [
    ['no private key', 'keepassxc', { ...passkey, relyingParty: RP_ID, username: 'a' }, /passkey\.privateKey .* got nothing/],
    ['an encrypted export', 'bitwarden', { encrypted: true, items: [] }, /without encryption; got an encrypted one\. Export it as \.json/],
    [
      'an ID that is no UUID',
      'bitwarden',
      {
        encrypted: false,
        items: [{ login: { fido2Credentials: [{ credentialId: 'AAAA', rpId: RP_ID, keyValue: 'AAAA', userHandle: 'AAAA' }] } }],
      },
      /credentialId to be a UUID, or base64url after "b64\."/,
    ],
    ['a key that is not PEM', 'keepassxc', { ...passkey, privateKey: 'secret', relyingParty: RP_ID, username: 'a' }, /BEGIN PRIVATE KEY/],
    [
      'no RP ID',
      'devtools',
      { credentials: [{ credentialId: 'AAAA', privateKey: 'AAAA' }] },
      /document\.credentials\[0\]\.rpId .* got nothing/,
    ],
    [
      'no base64',
      'playwright',
      { id: '*', rpId: RP_ID, userHandle: 'AA', privateKey: 'AA' },
      /credential\.id to be base64url or base64; got a string/,
    ],
    [
      'a key of nothing',
      'playwright',
      { id: 'AAAA', rpId: RP_ID, userHandle: 'AAAA', privateKey: 'AAAA' },
      /private key of credential .* PKCS#8/,
    ],
    ['a public key', 'jwk', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }, /key\.d to be the private part of the key; got nothing/],
    ['a key of another kind', 'jwk', { kty: 'oct', k: 'AAAA', d: 'AAAA' }, /type EC, OKP, RSA or AKP/],
    ['a key that is too long', 'jwk', { ...createPrivateKey(pem).export({ format: 'jwk' }), d: '_'.repeat(44) }, /cannot be imported/],
    [
      'a compressed blob that is no text',
      'cxf',
      { ...CXF_PASSKEY, fido2Extensions: { largeBlob: { uncompressedSize: 3, data: 7 } } },
      /document\.fido2Extensions\.largeBlob\.data to be base64url or base64; got a number/,
    ],
    [
      'extensions that are a list',
      'cxf',
      { ...CXF_PASSKEY, fido2Extensions: [] },
      /document\.fido2Extensions to be an object; got an array/,
    ],
    [
      'another derivation',
      'cxf',
      { ...CXF_PASSKEY, fido2Extensions: { hmacCredentials: { algorithm: 'hkdf', credWithUV: 'AA', credWithoutUV: 'AE' } } },
      /hmacCredentials\.algorithm to be "hmac-sha256"; got a string/,
    ],
    [
      'a fraction as a count',
      'devtools',
      { credentials: [{ credentialId: 'AAAA', rpId: RP_ID, privateKey: 'AAAB', isResidentCredential: true, signCount: 1.5 }] },
      /credentials\[0\]\.signCount to be an unsigned 32-bit integer; got a number/,
    ],
    ['an unknown algorithm', 'jwk', { kty: 'EC', alg: 'HS256', d: 'AA' }, /key\.alg to be one of ES256/],
    ['no list', 'devtools', { credentials: {} }, /document\.credentials to be an array; got an object/],
    ['another document', 'cxf', { hello: 1 }, /accounts, items, credentials or the type "passkey"/],
    ['another format', 'json', { credentials: [] }, /format to be "passkey-credentials"/],
    ['a newer version', 'json', { format: 'passkey-credentials', version: 2, credentials: [] }, /version 1/],
    ['a bare number', 'json', 1, /credential to be an object; got a number/],
  ];
  test.each(wrong)('%s (%s) is refused by name', async (_, shape, document, message) => {
    const refused: unknown = await importCredentials(shape, JSON.stringify(document), { id: ID, rpId: RP_ID }).catch(
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(PasskeyError);
    expect(refused).toMatchObject({ code: 'validation_failed', message: expect.stringMatching(message) });
  });
});

test('a file may begin with the mark of Windows, and have its line ends', async () => {
  const { text } = await exportCredentials('json', [await sourceOf(ES256)]);
  const marked = `\uFEFF${JSON.stringify(JSON.parse(text), null, 2).replaceAll('\n', '\r\n')}\r\n`;
  expect(await importCredentials('json', marked)).toEqual(await importCredentials('json', text));
});

describe('what cannot go into a shape', () => {
  test('keys that the other program does not take are refused', async () => {
    const source = await sourceOf(-257);
    await expect(exportCredentials('devtools', [source])).rejects.toThrow(/keys of P-256 .* has one of RSA/);
  });

  test('KeePassXC has one credential a file', async () => {
    const source = await sourceOf(ES256);
    await expect(exportCredentials('keepassxc', [source, { ...source, id: ID }])).rejects.toThrow(/Expected one credential .* got 2/);
  });

  test('the Credential Exchange Format has no passkeys that count', async () => {
    const { count, remarks, text } = await exportCredentials('cxf', [await sourceOf(ES256, { signCount: 1 })], { now: 0 });
    expect([count, remarks.map(({ member }) => member)]).toEqual([0, ['signCount']]);
    expect(JSON.parse(text)).toMatchObject({ version: { major: 1 }, timestamp: 0, accounts: [{ items: [] }] });
  });

  test('a remark for each member of a full credential', async () => {
    const source = await sourceOf(ES256, FULL);
    const lostBy = async (shape: InterchangeShape) => (await exportCredentials(shape, [source])).remarks.map(({ member }) => member).sort();
    expect(await lostBy('json')).toEqual([]);
    expect(await lostBy('devtools')).toEqual(['credBlob', 'hidden', 'prf', 'protection', 'rpName']);
    expect(await lostBy('playwright')).toEqual(
      [
        'backupEligible',
        'backupState',
        'credBlob',
        'hidden',
        'largeBlob',
        'prf',
        'protection',
        'rpName',
        'userDisplayName',
        'userName',
      ].sort(),
    );
  });
});
