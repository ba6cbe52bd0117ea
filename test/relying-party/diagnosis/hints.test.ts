import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { concatBytes, encodeUtf8, fromHex, toHex } from '../../../src/kernel/bytes.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { type CborValue, decodeCborMap, encodeCbor } from '../../../src/webauthn/cbor.js';
import { type AuthenticationFields, es256Key, FLAGS, ORIGIN, sha256 } from '../ceremony.js';
import { authenticationOf, challenge, credentialWith, key, registrationOf } from './explained.js';

/** Mistakes that people make: what fails, and what the hint must name. */
type Row = [
  mistake: string,
  fields: Partial<AuthenticationFields>,
  slug: string,
  hint: RegExp,
  expected?: Parameters<typeof authenticationOf>[1],
];

const appHash = sha256(encodeUtf8('a certificate'));
const android = `android:apk-key-hash:${encodeBase64url(appHash)}`;
const fingerprint = (toHex(appHash).toUpperCase().match(/../g) ?? []).join(':');

const origins: readonly Row[] = [
  ['the scheme', { origin: 'http://example.org' }, 'origin', /scheme.*proxy/],
  [
    'the scheme, on this machine',
    { origin: 'http://localhost:7277' },
    'origin',
    /proxy.*, or set app_url to http:\/\/localhost:7277\./,
    { origins: ['https://localhost:7277'] },
  ],
  ['the port', { origin: 'https://example.org:8443' }, 'origin', /port/],
  ['a trailing slash', { origin: 'https://example.org/' }, 'origin', /slash/],
  ['upper case', { origin: 'https://EXAMPLE.org' }, 'origin', /lower case/],
  ['www.', { origin: 'https://www.example.org' }, 'origin', /^Only "www\." differs.*allow https:\/\/www\.example\.org/],
  ['www. and the scheme', { origin: 'http://www.example.org' }, 'origin', /^"www\." and the scheme \(http: against https:\) differ.*proxy/],
  ['scheme and port', { origin: 'http://example.org:3000' }, 'origin', /^The scheme \(.*\) and the port \(3000 against none\) differ/],
  [
    'www. and the port',
    { origin: 'https://www.example.org:8443' },
    'origin',
    /"www\." and the port.* differ.*open the page under https:\/\/example\.org/,
  ],
  ['no scheme in the expected one', {}, 'origin', /without its scheme; expect https:\/\/example\.org/, { origins: ['example.org'] }],
  [
    'a tunnel to this machine',
    { origin: 'https://abc.ngrok.app' },
    'origin',
    /proxy or a tunnel.*app_url/,
    { origins: ['http://localhost:3000'] },
  ],
  ['this machine instead of the site', { origin: 'http://localhost:3000' }, 'origin', /ran on this machine.*while you develop/],
  [
    'the port of the second of two',
    { origin: 'http://localhost:3000' },
    'origin',
    /^Only the port differs \(3000 against 7277\)/,
    { origins: ['https://example.org', 'http://localhost:7277'] },
  ],
  [
    'capital letters in the expected one',
    {},
    'origin',
    /expected origin has capital letters.*expect https:\/\/example\.org/,
    { origins: ['https://Example.org'] },
  ],
  ['a subdomain', { origin: 'https://login.example.org' }, 'origin', /subdomain/],
  ['a dot at the end', { origin: 'https://example.org.' }, 'origin', /dot at the end/],
  ['the expected one with a slash', {}, 'origin', /expected origin is written with a slash/, { origins: [`${ORIGIN}/`] }],
  ['the expected one with its default port', {}, 'origin', /must be written as a browser does/, { origins: [`${ORIGIN}:443`] }],
  ['the expected one of a subdomain', {}, 'origin', /subdomain/, { origins: ['https://login.example.org'] }],
  ['127.0.0.1 for localhost', { origin: 'http://127.0.0.1:3000' }, 'origin', /use localhost/, { origins: ['http://localhost:3000'] }],
  [
    'an address of the local net',
    { origin: 'http://192.168.1.7:3000' },
    'origin',
    /IP address.*localhost/,
    { origins: ['http://localhost:8000'] },
  ],
  ['an opaque origin', { origin: 'null' }, 'origin', /opaque/],
  ['a browser extension', { origin: 'chrome-extension://abc' }, 'origin', /extension/],
  ['an Android app', { origin: android }, 'origin', new RegExp(`${fingerprint}.*assetlinks`)],
  ['an Android app of another key', { origin: android }, 'origin', /another certificate/, { origins: ['android:apk-key-hash:AAAA'] }],
  [
    'an Android app whose hash is expected in base64',
    { origin: android },
    'origin',
    /expected one, written in another way/,
    { origins: [`android:apk-key-hash:${encodeBase64(appHash)}`] },
  ],
  [
    'an Android app whose fingerprint is expected',
    { origin: android },
    'origin',
    /expected one, written in another way/,
    { origins: [`android:apk-key-hash:${fingerprint}`] },
  ],
  ['an Android app, hash in hexadecimal', { origin: 'android:apk-key-hash:00ff' }, 'origin', /base64url without padding/],
  ['another site', { origin: 'https://else.example' }, 'origin', /Open the page under the expected origin/],
];

const rpIds: readonly Row[] = [
  [
    'a suffix of the host',
    { rpId: 'example.org', origin: 'https://a.b.example.org' },
    'rp-id-hash',
    /RP ID "example.org"/,
    { rpId: 'b.example.org', origins: ['https://a.b.example.org'] },
  ],
  [
    'the whole host',
    { rpId: 'a.example.org', origin: 'https://a.example.org' },
    'rp-id-hash',
    /RP ID "a.example.org"/,
    { origins: ['https://a.example.org'] },
  ],
  [
    'host and port',
    { rpId: 'localhost:3000', origin: 'http://localhost:3000' },
    'rp-id-hash',
    /port/,
    { rpId: 'localhost', origins: ['http://localhost:3000'] },
  ],
  ['the AppID of U2F', { rpId: ORIGIN }, 'rp-id-hash', /appid extension/],
  ['www.', { rpId: 'www.example.org' }, 'rp-id-hash', /"www.example.org"/],
];

const base64url = encodeBase64url(challenge);
const challenges: readonly Row[] = [
  ['padded', { challenge: `${base64url}=` }, 'challenge', /without padding/],
  ['base64', { challenge: encodeBase64(challenge) }, 'challenge', /base64url without padding/],
  ['hexadecimal', { challenge: toHex(challenge) }, 'challenge', /hexadecimal/],
  ['encoded twice', { challenge: encodeBase64url(encodeUtf8(base64url)) }, 'challenge', /encoded twice.*TextEncoder/],
  ['hexadecimal, encoded again', { challenge: encodeBase64url(encodeUtf8(toHex(challenge))) }, 'challenge', /encoded twice/],
  [
    'compared as text',
    {},
    'challenge',
    /base64url text of the one that was sent/,
    { challenge: { status: 'open', challenge: encodeUtf8(base64url) } },
  ],
  ['of another tab', { challenge: encodeBase64url(new Uint8Array(32)) }, 'challenge', /another tab.*lost session/],
  ['of a lost session', {}, 'challenge', /another tab, a lost session, or another server or process/, { challenge: { status: 'unknown' } }],
  ['used', {}, 'challenge', /one response/, { challenge: { status: 'used', challenge } }],
  [
    'through atob() and TextEncoder',
    { challenge: encodeBase64url(encodeUtf8(atob(encodeBase64(challenge)))) },
    'challenge',
    /atob\(\).*charCodeAt/,
  ],
  [
    'of another length',
    { challenge: encodeBase64url(new Uint8Array(16)) },
    'challenge',
    /16 bytes against 32.*decoded from base64url once/,
  ],
  ['no base64url at all', { challenge: 'a b' }, 'challenge', /not base64url, which every browser writes/],
  ['expired', {}, 'challenge', /Too much time passed.*when the user acts/, { challenge: { status: 'expired', challenge } }],
];

const handles: readonly Row[] = [
  [
    'encoded twice',
    { userHandle: encodeUtf8(encodeBase64url(encodeUtf8('user-1'))) },
    'user-handle',
    /encoded twice/,
    credentialWith({ userHandle: encodeUtf8('user-1') }),
  ],
  [
    'registered as text',
    { userHandle: encodeUtf8('user-1') },
    'user-handle',
    /user.id was passed to the browser as text/,
    credentialWith({ userHandle: encodeUtf8(encodeBase64url(encodeUtf8('user-1'))) }),
  ],
  [
    'sent as plain text',
    { userHandle: Buffer.from('user-123', 'base64url') },
    'user-handle',
    /sent as plain text/,
    credentialWith({ userHandle: encodeUtf8('user-123') }),
  ],
  [
    'sent as hexadecimal',
    { userHandle: Buffer.from(toHex(encodeUtf8('user-1')), 'base64url') },
    'user-handle',
    /sent as hexadecimal/,
    credentialWith({ userHandle: encodeUtf8('user-1') }),
  ],
  ['of another user', { userHandle: encodeUtf8('2') }, 'user-handle', /another user account/],
  [
    'null without allowCredentials',
    { userHandle: null },
    'user-handle',
    /residentKey "required".*null is allowed/,
    { allowCredentials: [] },
  ],
];

const flags: readonly Row[] = [
  ['UP', { flags: FLAGS.uv }, 'user-present', /UP is not set.*Ask the user/],
  ['UV though required', { flags: FLAGS.up }, 'user-verified', /"preferred" lets authenticators skip it/, { userVerification: 'required' }],
  ['BS without BE', { flags: FLAGS.up | FLAGS.bs }, 'backup-flags', /backed up \(BS\).*no BE.*set BE wherever it sets BS/],
  ['BE that came', { flags: FLAGS.up | FLAGS.be }, 'backup-eligibility', /imported into a provider/],
  ['BE that went', {}, 'backup-eligibility', /registered as eligible/, credentialWith({ backupEligible: true })],
];

const counts: readonly Row[] = [
  ['that fell to 0', { signCount: 0 }, 'sign-count', /reset, or the passkey moved/, credentialWith({ signCount: 41 })],
  ['that came again', { signCount: 41 }, 'sign-count', /sent again.*replay/, credentialWith({ signCount: 41 })],
  ['that is just below', { signCount: 40 }, 'sign-count', /overtaken/, credentialWith({ signCount: 41 })],
  ['that is far below', { signCount: 3 }, 'sign-count', /clone/, credentialWith({ signCount: 41 })],
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
  ['raw r and s', { key: raw }, 'signature', /raw r and s.*DER/],
  ['empty', { change: { signature: () => new Uint8Array() } }, 'signature', /empty/],
  ['encoded twice', { change: { signature: (bytes) => encodeUtf8(encodeBase64(bytes)) } }, 'signature', /encoded twice/],
  [
    'with a byte after it',
    { change: { signature: (bytes) => concatBytes(bytes, Uint8Array.of(0)) } },
    'signature',
    /not an ECDSA signature in DER/,
  ],
  ['of another credential', { key: es256Key() }, 'signature', /another key or over other bytes.*stored public key/],
  ['of an RSA key', {}, 'signature', /256 bytes/, credentialWith({ publicKey: rsaKey })],
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
  ['a CBOR tag', {}, 'signature', /stands in a CBOR tag/, credentialWith({ publicKey: tagged })],
  [
    'an unpadded coordinate',
    {},
    'signature',
    /x has 31 bytes.*pad it on the left to 32/,
    credentialWith({ publicKey: coordinates(31, 32) }),
  ],
  ['a coordinate with a zero too much', {}, 'signature', /y has a zero byte before it/, credentialWith({ publicKey: coordinates(32, 33) })],
  ['a compressed point', {}, 'signature', /compressed/, credentialWith({ publicKey: coordinates(32, true) })],
  ['SubjectPublicKeyInfo', {}, 'signature', /getPublicKey\(\)/, credentialWith({ publicKey: Uint8Array.of(0x30, 0x59, 0x30) })],
  ['PEM', {}, 'signature', /PEM/, credentialWith({ publicKey: encodeUtf8('-----BEGIN PUBLIC KEY-----') })],
  ['a JWK', {}, 'signature', /JWK/, credentialWith({ publicKey: encodeUtf8('{"kty":"EC"}') })],
  ['a bare point', {}, 'signature', /bare point/, credentialWith({ publicKey: new Uint8Array(65).with(0, 4) })],
];

const frames: readonly Row[] = [
  ['an iframe that may not', { crossOrigin: true }, 'cross-origin', /<iframe allow="publickey-credentials-get">.*--top-origin/],
  [
    'another page around it',
    { crossOrigin: true, topOrigin: 'https://other.example' },
    'top-origin',
    /--top-origin/,
    { topOrigins: ['https://shop.example'] },
  ],
];

describe.each<[string, readonly Row[]]>([
  ['origins', origins],
  ['rpIdHash', rpIds],
  ['challenges', challenges],
  ['user handles', handles],
  ['flags', flags],
  ['sign counts', counts],
  ['signatures', signatures],
  ['public keys', keys],
  ['iframes', frames],
])('%s', (_, rows) => {
  test.each<Row>([...rows])('%s', (__, fields, slug, hint, expected) => {
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
    ['with a point off its curve', { publicKey: coordinates(32, 32) }, 'algorithm', /are no point of P-256/],
    ['with a zero before the modulus', { publicKey: zeroModulus }, 'algorithm', /modulus n has a zero byte before it/],
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
