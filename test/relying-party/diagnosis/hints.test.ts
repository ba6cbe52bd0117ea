import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8, fromHex, toHex } from '../../../src/kernel/bytes.js';
import { challengeHint, unknownChallengeHint } from '../../../src/relying-party/diagnosis/challenge.js';
import { authenticatorDataHint, notAllowedHint, signCountHint } from '../../../src/relying-party/diagnosis/hints.js';
import { originHint } from '../../../src/relying-party/diagnosis/origin.js';
import { hasMiscountedKey, publicKeyHint } from '../../../src/relying-party/diagnosis/public-key.js';
import { appIdHint } from '../../../src/relying-party/diagnosis/rp-id.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { type CborValue, decodeCborMap, encodeCbor } from '../../../src/webauthn/cbor.js';
import { type AuthenticationFields, es256Key, FLAGS, ORIGIN, sha256 } from '../ceremony.js';
import { authenticationOf, challenge, credentialWith, key, registrationOf } from './explained.js';

/** Mistakes that people make: what fails, and what the hint must name. */
type Row = [mistake: string, fields: Partial<AuthenticationFields>, hint: RegExp, expected?: Parameters<typeof authenticationOf>[1]];

const appHash = sha256(encodeUtf8('a certificate'));
const android = `android:apk-key-hash:${encodeBase64url(appHash)}`;
const fingerprint = (toHex(appHash).toUpperCase().match(/../g) ?? []).join(':');

const app = (hash: string) => ({ origins: [`android:apk-key-hash:${hash}`] });
const origins: readonly Row[] = [
  ['the scheme', { origin: 'http://example.org' }, /scheme.*proxy/],
  [
    'the scheme, on this machine',
    { origin: 'http://localhost:7277' },
    /proxy.*, or set app_url to http:\/\/localhost:7277\./,
    { origins: ['https://localhost:7277'] },
  ],
  ['the port', { origin: 'https://example.org:8443' }, /port/],
  ['a trailing slash', { origin: 'https://example.org/' }, /slash/],
  ['upper case', { origin: 'https://EXAMPLE.org' }, /lower case/],
  ['www.', { origin: 'https://www.example.org' }, /^Only "www\." differs.*allow https:\/\/www\.example\.org/],
  ['www. and the scheme', { origin: 'http://www.example.org' }, /^"www\." and the scheme differ.*proxy/],
  ['scheme and port', { origin: 'http://example.org:3000' }, /^The scheme and the port differ/],
  [
    'www. and the port',
    { origin: 'https://www.example.org:8443' },
    /"www\." and the port differ.*Open the page under https:\/\/example\.org/,
  ],
  ['no scheme in the expected one', {}, /without its scheme; expect https:\/\/example\.org/, { origins: ['example.org'] }],
  ['a tunnel to this machine', { origin: 'https://abc.ngrok.app' }, /proxy or a tunnel.*app_url/, { origins: ['http://localhost:3000'] }],
  ['this machine instead of the site', { origin: 'http://localhost:3000' }, /ran on this machine.*while you develop/],
  [
    'the port of the second of two',
    { origin: 'http://localhost:3000' },
    /^Only the port differs: .*3000, and .*7277 is expected\. Open .* or allow http:\/\/localhost:3000 with --origin \(expectedOrigin/,
    { origins: ['https://example.org', 'http://localhost:7277'] },
  ],
  [
    'capital letters in the expected one',
    {},
    /expected origin has capital letters.*expect https:\/\/example\.org/,
    { origins: ['https://Example.org'] },
  ],
  ['a subdomain', { origin: 'https://login.example.org' }, /subdomain/],
  ['a wildcard in the expected one', { origin: 'https://login.example.org' }, /no wildcards/, { origins: ['https://*.example.org'] }],
  ['a wildcard for the port', { origin: 'http://localhost:5173' }, /expect http:\/\/localhost:5173/, { origins: ['http://localhost:*'] }],
  ['a dot at the end', { origin: 'https://example.org.' }, /dot at the end/],
  ['the expected one with a slash', {}, /expected origin is written with a slash/, { origins: [`${ORIGIN}/`] }],
  ['the expected one with its default port', {}, /must be written as a browser does/, { origins: [`${ORIGIN}:443`] }],
  ['the expected one of a subdomain', {}, /subdomain/, { origins: ['https://login.example.org'] }],
  ['127.0.0.1 for localhost', { origin: 'http://127.0.0.1:3000' }, /use localhost/, { origins: ['http://localhost:3000'] }],
  ['an address of the local net', { origin: 'http://192.168.1.7:3000' }, /IP address.*localhost/, { origins: ['http://localhost:8000'] }],
  ['an opaque origin', { origin: 'null' }, /opaque/],
  ['a browser extension', { origin: 'chrome-extension://abc' }, /extension/],
  ['an Android app', { origin: android }, new RegExp(`${fingerprint}.*assetlinks.*passkey doctor`)],
  ['an Android app of another key', { origin: android }, /another certificate.*passkey doctor/, app('AAAA')],
  ['an Android app whose hash is expected in base64', { origin: android }, /expected one in another encoding/, app(encodeBase64(appHash))],
  ['an Android app whose fingerprint is expected', { origin: android }, /expected one in another encoding/, app(fingerprint)],
  ['an Android app, hash in hexadecimal', { origin: 'android:apk-key-hash:00ff' }, /base64url without padding/],
  ['another site', { origin: 'https://else.example' }, /Open the page under the expected origin.*passkey doctor --target/],
];

const rpIds: readonly Row[] = [
  [
    'a suffix of the host',
    { rpId: 'example.org', origin: 'https://a.b.example.org' },
    /RP ID "example.org"/,
    { rpId: 'b.example.org', origins: ['https://a.b.example.org'] },
  ],
  [
    'the whole host',
    { rpId: 'a.example.org', origin: 'https://a.example.org' },
    /RP ID "a.example.org"/,
    { origins: ['https://a.example.org'] },
  ],
  [
    'host and port',
    { rpId: 'localhost:3000', origin: 'http://localhost:3000' },
    /port/,
    { rpId: 'localhost', origins: ['http://localhost:3000'] },
  ],
  ['the AppID of U2F', { rpId: ORIGIN }, /appid extension/],
  ['www.', { rpId: 'www.example.org' }, /"www.example.org"/],
];

const base64url = encodeBase64url(challenge);
const challenges: readonly Row[] = [
  ['padded', { challenge: `${base64url}=` }, /without padding/],
  ['base64', { challenge: encodeBase64(challenge) }, /base64url without padding/],
  ['hexadecimal', { challenge: toHex(challenge) }, /hexadecimal/],
  ['encoded twice', { challenge: encodeBase64url(encodeUtf8(base64url)) }, /encoded twice.*TextEncoder/],
  ['hexadecimal, encoded again', { challenge: encodeBase64url(encodeUtf8(toHex(challenge))) }, /encoded twice/],
  ['compared as text', {}, /base64url text of the received one/, { challenge: { status: 'open', challenge: encodeUtf8(base64url) } }],
  ['of another tab', { challenge: encodeBase64url(new Uint8Array(32)) }, /another tab.*lost session/],
  ['of a lost session', {}, /another tab, a lost session, or another server or process/, { challenge: { status: 'unknown' } }],
  ['used', {}, /one response/, { challenge: { status: 'used', challenge } }],
  ['through atob() and TextEncoder', { challenge: encodeBase64url(encodeUtf8(atob(encodeBase64(challenge)))) }, /atob\(\).*charCodeAt/],
  ['of another length', { challenge: encodeBase64url(new Uint8Array(16)) }, /16 bytes, not 32.*decoded from base64url once/],
  ['no base64url at all', { challenge: 'a b' }, /not base64url, which every browser writes/],
  ['expired', {}, /Too much time passed.*when the user acts/, { challenge: { status: 'expired', challenge } }],
];

const known = (userHandle: string) => credentialWith({ userHandle: encodeUtf8(userHandle) });
const handles: readonly Row[] = [
  ['encoded twice', { userHandle: encodeUtf8(encodeBase64url(encodeUtf8('user-1'))) }, /encoded twice/, known('user-1')],
  [
    'registered as text',
    { userHandle: encodeUtf8('user-1') },
    /user.id was passed to the browser as text/,
    known(encodeBase64url(encodeUtf8('user-1'))),
  ],
  ['sent as plain text', { userHandle: Buffer.from('user-123', 'base64url') }, /sent as plain text/, known('user-123')],
  ['sent as hexadecimal', { userHandle: Buffer.from(toHex(encodeUtf8('user-1')), 'base64url') }, /sent as hexadecimal/, known('user-1')],
  ['of another user', { userHandle: encodeUtf8('2') }, /not that of the credential's account/],
  ['null without allowCredentials', { userHandle: null }, /residentKey "required".*null is allowed/, { allowCredentials: [] }],
];

const counts: readonly Row[] = [
  ['that fell to 0', { signCount: 0 }, /reset, or the passkey moved/, credentialWith({ signCount: 41 })],
  ['that came again', { signCount: 41 }, /sent again.*replay/, credentialWith({ signCount: 41 })],
  ['that is just below', { signCount: 40 }, /arrived in the wrong order/, credentialWith({ signCount: 41 })],
  ['that is far below', { signCount: 3 }, /clone/, credentialWith({ signCount: 41 })],
];

const raw: AuthenticationFields['key'] = {
  ...key,
  sign: (data) => sign('sha256', data, { key: key.privateKey, dsaEncoding: 'ieee-p1363' }),
};
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
const rsaKey = encodeCbor(
  new Map<number, number | Uint8Array>([
    [1, 3],
    [3, -257],
    [-1, Buffer.from(rsa.n ?? '', 'base64url')],
    [-2, Buffer.from(rsa.e ?? '', 'base64url')],
  ]),
);
const signatures: readonly Row[] = [
  ['raw r and s', { key: raw }, /raw r and s.*DER/],
  ['empty', { change: { signature: () => new Uint8Array() } }, /empty/],
  ['encoded twice', { change: { signature: (bytes) => encodeUtf8(encodeBase64(bytes)) } }, /encoded twice/],
  ['with a byte after it', { change: { signature: (bytes) => concatBytes(bytes, Uint8Array.of(0)) } }, /not an ECDSA signature in DER/],
  ['of another credential', { key: es256Key() }, /another key or over other bytes.*stored public key/],
  ['of an RSA key', {}, /256 bytes/, credentialWith({ publicKey: rsaKey })],
];

const coordinates = (x: number | boolean, y: number | boolean) =>
  encodeCbor(
    new Map<number, number | boolean | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, typeof x === 'number' ? new Uint8Array(x) : x],
      [-3, typeof y === 'number' ? new Uint8Array(y) : y],
    ]),
  );
const withMember = (label: number, value: CborValue) => {
  const { value: map } = decodeCborMap(key.publicKey);
  return encodeCbor(new Map([...map, [label, value]]));
};
const zeroModulus = encodeCbor(
  new Map<number, CborValue>([
    [1, 3],
    [3, -257],
    [-1, concatBytes(Uint8Array.of(0), new Uint8Array(256).fill(0xff))],
    [-2, fromHex('010001')],
  ]),
);
/** https://github.com/web-auth/webauthn-framework/issues/436 */
const miscounted = concatBytes(fromHex('a301634f4b500327206745643235353139215820'), new Uint8Array(32).fill(7));
const tagged = concatBytes(Uint8Array.of(0xd8, 0x20), key.publicKey);
const keys: readonly Row[] = [
  ['a CBOR tag', {}, /is inside a CBOR tag/, credentialWith({ publicKey: tagged })],
  ['an unpadded coordinate', {}, /x has 31 bytes.*pad it on the left to 32/, credentialWith({ publicKey: coordinates(31, 32) })],
  ['a coordinate with a zero too much', {}, /y begins with a zero byte/, credentialWith({ publicKey: coordinates(32, 33) })],
  ['a compressed point', {}, /compressed/, credentialWith({ publicKey: coordinates(32, true) })],
  ['SubjectPublicKeyInfo', {}, /getPublicKey\(\)/, credentialWith({ publicKey: Uint8Array.of(0x30, 0x59, 0x30) })],
  ['PEM', {}, /PEM/, credentialWith({ publicKey: encodeUtf8('-----BEGIN PUBLIC KEY-----') })],
  ['a JWK', {}, /JWK/, credentialWith({ publicKey: encodeUtf8('{"kty":"EC"}') })],
  ['a bare point', {}, /bare point/, credentialWith({ publicKey: new Uint8Array(65).with(0, 4) })],
];

const embedded = { topOrigins: ['https://shop.example'] };

const MISTAKES: readonly [slug: string, readonly Row[]][] = [
  ['origin', origins],
  ['rp-id-hash', rpIds],
  ['challenge', challenges],
  ['user-handle', handles],
  ['user-present', [['UP', { flags: FLAGS.uv }, /UP is not set.*Ask the user/]]],
  ['user-verified', [['UV', { flags: FLAGS.up }, /"preferred" lets authenticators skip it/, { userVerification: 'required' }]]],
  ['backup-flags', [['BS without BE', { flags: FLAGS.up | FLAGS.bs }, /backed up \(BS\).*no BE.*set BE whenever it sets BS/]]],
  ['backup-eligibility', [['BE that came', { flags: FLAGS.up | FLAGS.be }, /imported into a provider/]]],
  ['backup-eligibility', [['BE that went', {}, /registered as eligible/, credentialWith({ backupEligible: true })]]],
  ['sign-count', counts],
  ['signature', [...signatures, ...keys]],
  ['cross-origin', [['a frame that may not', { crossOrigin: true }, /<iframe allow="publickey-credentials-get">.*--top-origin/]]],
  ['top-origin', [['another page around it', { crossOrigin: true, topOrigin: 'https://other.example' }, /--top-origin/, embedded]]],
];

test('each mistake is explained as recorded', async () => {
  const lines = MISTAKES.flatMap(([slug, rows]) =>
    rows.map(([mistake, fields, , expected]) => {
      const failed = authenticationOf(fields, expected).failed.map((step) => `  ${step.slug} (${step.code}): ${step.hint}`);
      return [`${slug}, ${mistake}:`, ...failed].join('\n');
    }),
  );
  // ECDSA signatures are not all equally long.
  const text = `${lines.join('\n')}\n`.replace(/(?<=modulus \(256 bytes\); this one has )\d+/, '…');
  await expect(text).toMatchFileSnapshot('hints.txt');
});

describe.each(MISTAKES)('%s', (slug, rows) => {
  test.each<Row>([...rows])('%s', (_, fields, hint, expected) => {
    const failure = authenticationOf(fields, expected).failed.find((step) => step.slug === slug);
    expect(failure?.hint).toMatch(hint);
    // One sentence, or two short ones; never a wall of text.
    expect(failure?.hint.length).toBeLessThan(330);
  });
});

describe('a registration', () => {
  test.each<[string, Parameters<typeof registrationOf>[0], string, RegExp]>([
    ['in an iframe', { crossOrigin: true }, 'cross-origin', /publickey-credentials-create/],
    ['with an unpadded coordinate', { publicKey: coordinates(32, 31) }, 'algorithm', /y has 31 bytes/],
    ['of another type', { type: 'webauthn.get' }, 'type', /looks like the response of a login/],
    ['with a private member', { publicKey: withMember(-4, new Uint8Array(32)) }, 'algorithm', /has its private part \(label -4\)/],
    ['with a kid', { publicKey: withMember(2, Uint8Array.of(1)) }, 'algorithm', /has a kid \(label 2\)/],
    ['with a point off its curve', { publicKey: coordinates(32, 32) }, 'algorithm', /are not a point of P-256/],
    ['with a zero before the modulus', { publicKey: zeroModulus }, 'algorithm', /modulus n begins with a zero byte/],
    [
      'with another label',
      { publicKey: withMember(9, 1) },
      'algorithm',
      /^The authenticator made a key that cannot verify any signature; register/,
    ],
    ['with the key that Solo 2 miscounts', { publicKey: miscounted }, 'attestation-object', /known fault of Solo 2 firmware/],
  ])('%s', (_, fields, slug, hint) => {
    expect(registrationOf(fields).failed.find((step) => step.slug === slug)?.hint).toMatch(hint);
  });
});

describe('a credential ID that is none of the allowed ones', () => {
  const id = Uint8Array.from({ length: 32 }, (_, at) => (at * 37 + 5) % 256);
  test.each<[string, Uint8Array, Uint8Array, RegExp]>([
    ['was encoded twice', encodeUtf8(encodeBase64url(id)), id, /^The credential ID was encoded twice: .*; send id as the browser gave it/],
    ['was encoded twice, as base64', encodeUtf8(encodeBase64(id)), id, /^The credential ID was encoded twice/],
    ['is right, and the list is not', id, encodeUtf8(encodeBase64url(id)), /^The ID in allowCredentials was encoded twice/],
    ['is another', id, id.toReversed(), /^Use one of the credentials that allowCredentials lists\.$/],
  ])('%s', (_, given, allowed, hint) => {
    expect(notAllowedHint(given, [allowed])).toMatch(hint);
  });
});

describe('a key in the database', () => {
  const hint = (bytes: Uint8Array) => publicKeyHint(bytes, 'otherwise');
  const latin = (bytes: Uint8Array) => encodeUtf8(String.fromCharCode(...bytes));
  const member = (label: number, value: CborValue) => withMember(label, value);
  const y = 'The coordinate y has 31 bytes, so it lost its leading zeros; pad it on the left to 32 bytes.';
  const off =
    'The coordinates x and y are not a point of P-256: bytes were changed, or the curve (label -1) is wrong. Send the key as the authenticator made it.';
  test.each<[string, Uint8Array, string]>([
    ['that is good', key.publicKey, 'otherwise'],
    ['that is empty', new Uint8Array(), 'otherwise'],
    [
      'that was read as UTF-8',
      encodeUtf8('\ufffdx\ufffd'),
      'The key was read as UTF-8 text, which lost bytes: EF BF BD replaces the unreadable bytes (2 times). It cannot be restored. Store keys as bytes (BLOB, bytea, VARBINARY) or as base64url, and register the passkey again.',
    ],
    [
      'that was written as UTF-8',
      latin(key.publicKey),
      'Each byte of the key was written as a UTF-8 character, so bytes from 80 on became two; store it as bytes (BLOB, bytea, VARBINARY) or as base64url.',
    ],
    ['of other characters that take two bytes', encodeUtf8('a\u0101\u00ff'), 'otherwise'],
    ['that is text of Latin letters and no key', encodeUtf8('a\u00e9\u00ff'), 'otherwise'],
    [
      'in PEM',
      encodeUtf8('\n-----BEGIN PUBLIC KEY-----'),
      'This is PEM. Store the COSE_Key of the attested credential data, which also names the algorithm.',
    ],
    ['in JSON', encodeUtf8(' {"kty":"EC"}'), 'This is JSON (a JWK). Store the COSE_Key of the attested credential data, in CBOR.'],
    [
      'in DER',
      Uint8Array.of(0x30, 0x80, 0xff),
      'This looks like DER (SubjectPublicKeyInfo, as getPublicKey() returns it). Store the COSE_Key of the attested credential data.',
    ],
    [
      'that is a point',
      new Uint8Array(65).fill(0xff).with(0, 4),
      'This looks like a bare point (0x04, x, y). Store the COSE_Key of the attested credential data.',
    ],
    ['that is as long as a point', new Uint8Array(65).fill(0xff).with(0, 5), 'otherwise'],
    ['that begins as a point', new Uint8Array(64).fill(0xff).with(0, 4), 'otherwise'],
    [
      'in a tag',
      Uint8Array.of(0xc1, 0xa0),
      'The key is inside a CBOR tag; remove the tag: a COSE_Key of WebAuthn is the bare map (§6.5.1).',
    ],
    [
      'with zeros after it',
      concatBytes(key.publicKey, new Uint8Array(3)),
      '3 zero bytes follow the key, since columns of fixed length (BINARY) pad values; store it in a column of variable length.',
    ],
    ['with other bytes after it', concatBytes(key.publicKey, Uint8Array.of(0, 1)), 'otherwise'],
    [
      'with its private part',
      member(-4, Uint8Array.of(1)),
      'The key has its private part (label -4), which must never leave the authenticator: replace the credential, and send the public members only.',
    ],
    [
      'with a kid',
      member(2, Uint8Array.of(1)),
      'The key has a kid (label 2); remove it, since only alg and the members that its key type requires are allowed (§6.5.1).',
    ],
    ['with a modulus after a zero', zeroModulus, 'The modulus n begins with a zero byte, as in DER integers; remove it (RFC 8230 §4).'],
    [
      'with a modulus that is no byte string',
      encodeCbor(
        new Map([
          [1, 3],
          [3, -257],
          [-1, 0],
        ]),
      ),
      'otherwise',
    ],
    ['of RSA', rsaKey, 'otherwise'],
    [
      'with a compressed point',
      coordinates(32, true),
      'The point is compressed (y is only a sign), which WebAuthn does not allow (§5.8.5); write both coordinates.',
    ],
    ['with a short coordinate', coordinates(32, 31), y],
    ['with a short first coordinate', coordinates(0, 32), y.replace('y has 31', 'x has 0')],
    [
      'with a zero before a coordinate',
      coordinates(33, 32),
      'The coordinate x begins with a zero byte, as in DER integers; cut it to 32 bytes.',
    ],
    ['with a coordinate that is too long', member(-2, new Uint8Array(33).fill(1)), off],
    ['with a coordinate that is no byte string', member(-3, 5), off],
    ['with a point off the curve', coordinates(32, 32), off],
    ['on no curve', member(-1, 99), 'otherwise'],
    [
      'on a curve that is not Weierstrass',
      encodeCbor(
        new Map([
          [1, 2],
          [3, -7],
          [-1, 6],
        ]),
      ),
      'otherwise',
    ],
    ['of an unknown algorithm', member(3, -999), 'The key has no algorithm (label 3) that WebAuthn knows; write one of pubKeyCredParams.'],
  ])('%s', (_, bytes, expected) => {
    expect(hint(bytes)).toBe(expected);
  });

  test.each([[1, -4], [2, -4], ...[-3, -4, -5, -6, -7, -8, -9, -10, -11, -12].map((label) => [3, label] as const), [7, -2]] as const)(
    'of type %i has its private part under %i',
    (kty, label) => {
      const labels = new Map<number, CborValue>([
        [1, kty],
        [label, Uint8Array.of(1)],
      ]);
      expect(hint(encodeCbor(labels))).toContain(`has its private part (label ${label})`);
      expect(
        hint(
          encodeCbor(
            new Map<number, CborValue>([
              [1, kty],
              [-20, Uint8Array.of(1)],
            ]),
          ),
        ),
      ).not.toContain('private part');
    },
  );
});

describe('an Ed25519 key whose members are miscounted', () => {
  const dataOf = (publicKey: Uint8Array, id = new Uint8Array(300)) =>
    concatBytes(new Uint8Array(53), Uint8Array.of(id.length >> 8, id.length & 0xff), id, publicKey);
  test.each([
    ['is found behind any ID', dataOf(miscounted), true],
    ['is found without an ID', dataOf(miscounted, new Uint8Array()), true],
    ['is not one of another algorithm', dataOf(fromHex(toHex(miscounted).replace('0327', '0326'))), false],
    [
      'is not one whose x is in the map',
      dataOf(
        concatBytes(
          encodeCbor(
            new Map<number, CborValue>([
              [1, 1],
              [3, -8],
              [-2, 1],
            ]),
          ),
          fromHex('215820'),
        ),
      ),
      false,
    ],
    ['is not one with another member behind', dataOf(fromHex(toHex(miscounted).replace('215820', '215821'))), false],
    ['is not nothing', new Uint8Array(), false],
  ])('%s', (_, data, expected) => {
    expect(hasMiscountedKey(data)).toBe(expected);
  });
});

test('a challenge of any length is compared as bytes, and as text of bytes', () => {
  const issued = Uint8Array.from({ length: 32 }, (_, at) => 200 - at);
  const mangled = encodeUtf8(String.fromCharCode(...issued));
  const tab = /^This challenge comes from another tab/;
  const rows: [Uint8Array, Uint8Array, RegExp][] = [
    [mangled, issued, /^The bytes were treated as text/],
    [mangled.with(63, 0xbe), issued, /^This challenge is not from these options \(64 bytes, not 32\)/],
    [encodeUtf8('\u00ff'.repeat(32)), issued, /64 bytes, not 32/],
    [mangled.slice(0, -2), issued, /62 bytes, not 32/],
    [encodeUtf8('a'.repeat(32)), issued, tab],
    [encodeUtf8('ab'), encodeUtf8('ab '), /2 bytes, not 3/],
    [new Uint8Array(), issued, /0 bytes, not 32/],
  ];
  for (const [received, expected, hint] of rows) expect(challengeHint(encodeBase64url(received), expected)).toMatch(hint);
  // Text of 16 bytes is a challenge that was encoded twice; of 15 bytes none is issued.
  for (const [length, hint] of [
    [16, /^The challenge was encoded twice/],
    [15, /^This server does not know the challenge/],
  ] as const) {
    expect(unknownChallengeHint(encodeBase64url(encodeUtf8(encodeBase64url(issued.slice(0, length)))))).toMatch(hint);
  }
});

test('a counter that is three below may have arrived late, one that is four below is a clone', () => {
  const [late, clone] = [/arrived in the wrong order/, /^Two copies of the credential may be in use/];
  expect([10, 9, 8, 7, 6].map((received) => signCountHint(received, 10))).toEqual([
    expect.stringMatching(/^The same counter came twice/),
    expect.stringMatching(late),
    expect.stringMatching(late),
    expect.stringMatching(late),
    expect.stringMatching(clone),
  ]);
});

test('an AppID explains a hash only where the AppID is what differs', () => {
  const [rpId, appId] = ['example.org', 'https://example.org/app-id.json'];
  const hint = (scope: string, preimage: string | undefined) => appIdHint({ rpId, appId, scope, preimage });
  expect([hint(rpId, appId), hint(appId, rpId), hint(rpId, rpId), hint(appId, appId), hint(rpId, undefined), hint(appId, 'other')]).toEqual(
    [
      'The hash is that of the AppID in the options, but clientExtensionResults.appid is not true; send the result of getClientExtensionResults() with the response.',
      'clientExtensionResults.appid is true, so the hash must be that of the AppID, but it is that of the RP ID; send the extension results of this response.',
      undefined,
      undefined,
      undefined,
      undefined,
    ],
  );
});

test('of several allowed IDs one that was encoded twice is enough', () => {
  const [id, other] = [new Uint8Array(20).fill(0xf1), new Uint8Array(20).fill(0xf2)];
  const text = encodeUtf8(encodeBase64url(id));
  expect([notAllowedHint(text, [other, id]), notAllowedHint(id, [other, text]), notAllowedHint(other, [id, text])]).toEqual([
    'The credential ID was encoded twice: these bytes are the base64url text of an allowed ID; send id as the browser gave it, or encode rawId once.',
    'The ID in allowCredentials was encoded twice: its bytes are the base64url text of this one; decode it from base64url once, or send the stored text as it is.',
    'Use one of the credentials that allowCredentials lists.',
  ]);
});

describe('an origin', () => {
  const flag = '--origin';
  const android = (hash: string) => `android:apk-key-hash:${hash}`;
  test.each<[received: string, expected: string[], hint: string | RegExp]>([
    ['https://a.example', [], 'No origin is expected here; allow it with --origin.'],
    ['https://example.org', ['example.org/'], 'The expected origin is written without its scheme; expect https://example.org.'],
    ['https://example.org:80', ['example.org:80'], 'The expected origin is written without its scheme; expect https://example.org:80.'],
    ['https://example.org', ['ample.org'], /^Open the page under the expected origin/],
    ['https://example.org', ['x y'], /^Open the page under the expected origin/],
    ['https://.example.org', ['https://*.example.org'], /subdomain|^Open the page/],
    ['https://a.example.org', ['http://*.example.org'], /^Open the page under the expected origin/],
    ['https://a.example.com', ['https://*.example.org'], /^Open the page under the expected origin/],
    [android('AAAA'), ['https://example.org'], /^This is not the origin of an Android app/],
    [
      android(encodeBase64url(appHash)),
      ['https://example.org'],
      new RegExp(`^The call came from an Android app whose certificate has the SHA-256 ${fingerprint};`),
    ],
    [android(encodeBase64url(appHash)), [toHex(appHash)], /^The call came from an Android app/],
  ])('%s, expected %j', (received, expected, hint) => {
    const said = originHint(received, expected, flag);
    if (typeof hint === 'string') expect(said).toBe(hint);
    else expect(said).toMatch(hint);
  });
});

test('authenticator data with ED and no extensions are the fault of the authenticator', () => {
  const data = concatBytes(new Uint8Array(32).fill(3), Uint8Array.of(0x85), new Uint8Array(4));
  expect(authenticatorDataHint(data)).toMatch(/^The flag ED announces extensions, but none follow: the authenticator is at fault/);
  expect(authenticatorDataHint(data.with(32, 0x05))).toMatch(/byte for byte as the authenticator made it/);
  expect(authenticatorDataHint(concatBytes(data, Uint8Array.of(0xa0)))).toMatch(/byte for byte/);
});
