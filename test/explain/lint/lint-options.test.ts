import { describe, expect, test } from 'vitest';
import { lintCreationOptions, lintRequestOptions } from '../../../src/explain/lint/lint-options.js';
import { encodeUtf8, toHex } from '../../../src/kernel/bytes.js';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { encodeBase64, encodeBase64url } from '../../../src/webauthn/base64url.js';

const random = Uint8Array.from({ length: 32 }, (_, index) => (index * 151 + 17) % 256);
const challenge = encodeBase64url(random);
const handle = encodeBase64url(random.subarray(0, 16));
const key = (alg: unknown, type = 'public-key') => ({ type, alg });

const creation: JsonObject = {
  rp: { id: 'example.org', name: 'Example' },
  user: { id: handle, name: 'ada', displayName: 'Ada' },
  challenge,
  pubKeyCredParams: [key(-7), key(-257)],
  timeout: 300_000,
  authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
  excludeCredentials: [{ type: 'public-key', id: handle, transports: ['internal', 'hybrid'] }],
  attestation: 'none',
  hints: ['security-key'],
  extensions: { credProps: true },
};
const request: JsonObject = { challenge, timeout: 300_000, rpId: 'example.org', userVerification: 'required' };

type Row = [what: string, change: JsonObject, pointer: string, severity: 'error' | 'warning' | 'note', message: RegExp];

const user = (id: unknown) => ({ user: { id, name: 'a', displayName: '' } });
const listed = (change: JsonObject = {}) => [{ type: 'public-key', id: 'AAE', transports: ['usb'], ...change }];
const excluded = (id: unknown) => ({ excludeCredentials: listed({ id }) });
const text = (value: string) => encodeBase64url(encodeUtf8(value));
const jwt = `${text('{"alg":"HS256","typ":"JWT"}')}.${text('{"c":"k0Yq4c1u7o0Qb0m1bqYw1Q","exp":1764300000}')}.${challenge}`;
const first = { first: encodeBase64url(random.subarray(5)) };
const extension = (extensions: JsonObject) => ({ extensions });
const prf = (evalByCredential: JsonObject) => ({ extensions: { prf: { evalByCredential } } });
const selection = (change: JsonObject) => ({ authenticatorSelection: { residentKey: 'required', requireResidentKey: true, ...change } });

const creationRows: Row[] = [
  ['no rp', { rp: undefined }, '/rp', 'error', /object/],
  ['no rp.name', { rp: { id: 'example.org' } }, '/rp/name', 'error', /required/],
  ['no rp.id', { rp: { name: 'x' } }, '/rp/id', 'note', /host of the page/],
  ['a URL as rp.id', { rp: { id: 'https://example.org', name: 'x' } }, '/rp/id', 'error', /not a URL/],
  ['a port in rp.id', { rp: { id: 'localhost:3000', name: 'x' } }, '/rp/id', 'error', /no port/],
  ['an IP address as rp.id', { rp: { id: '127.0.0.1', name: 'x' } }, '/rp/id', 'error', /IP address/],
  ['a public suffix as rp.id', { rp: { id: 'vercel.app', name: 'x' } }, '/rp/id', 'error', /public suffix/],
  ['a single label as rp.id', { rp: { id: 'intranet', name: 'x' } }, '/rp/id', 'error', /public suffix/],
  ['no host name as rp.id', { rp: { id: 'an example', name: 'x' } }, '/rp/id', 'error', /not a host name/],
  ['another site as rp.id', { rp: { id: 'other.example', name: 'x' } }, '/rp/id', 'error', /neither the host/],
  ['half a label as rp.id', { rp: { id: 'ample.org', name: 'x' } }, '/rp/id', 'error', /at a dot/],
  ['an icon', { rp: { id: 'example.org', name: 'x', icon: '' } }, '/rp/icon', 'note', /removed/],
  ['user.id as plain e-mail', user('ada@example.org'), '/user/id', 'error', /e-mail/],
  ['user.id as encoded e-mail', user(encodeBase64url(encodeUtf8('ada@example.org'))), '/user/id', 'warning', /e-mail/],
  ['user.id as plain text', user('user 1'), '/user/id', 'error', /" " at position 4/],
  ...['550e8400-e29b-41d4-a716-446655440000', '1', '42', '12345678', 'user-42', 'account_1001'].map(
    (id): Row => [
      `user.id as an ID of a database: ${id}`,
      user(id),
      '/user/id',
      id.length % 4 === 1 ? 'error' : 'warning',
      /as plain text.*encode it/,
    ],
  ),
  ['user.id as hexadecimal', user('550e8400e29b41d4a716446655440000'), '/user/id', 'warning', /hexadecimal/],
  ['no user.id', { user: { name: 'a', displayName: '' } }, '/user/id', 'error', /missing/],
  ['user.id through JSON.stringify', user({}), '/user/id', 'error', /ArrayBuffer/],
  ['a challenge as hexadecimal', { challenge: toHex(random) }, '/challenge', 'warning', /hexadecimal.*gets other bytes/],
  ['a challenge cut off', { challenge: challenge.slice(0, -1) }, '/challenge', 'error', /characters are missing/],
  ['userVerification at the top', { userVerification: 'required' }, '/userVerification', 'warning', /inside authenticatorSelection/],
  ['rpId', { rpId: 'example.org' }, '/rpId', 'warning', /as rp\.id/],
  ['allowCredentials', { allowCredentials: [] }, '/allowCredentials', 'warning', /registrations have excludeCredentials/],
  ['authenticatorSelection as text', { authenticatorSelection: 'platform' }, '/authenticatorSelection', 'error', /object/],
  ['attestationFormats as text', { attestation: 'direct', attestationFormats: 'packed' }, '/attestationFormats', 'error', /array/],
  ['user.id of 65 bytes', user(encodeBase64url(new Uint8Array(65))), '/user/id', 'error', /64/],
  ['an empty user.id', user(''), '/user/id', 'error', /1 to 64/],
  ...[1, 15].map(
    (length): Row => [
      `user.id of ${length} bytes`,
      user(encodeBase64url(random.subarray(0, length))),
      '/user/id',
      'note',
      /^This user handle is short \(1(?: byte|5 bytes)\): keychains replace a passkey that .*\. Use 64 random bytes \(§5\.4\.3, §14\.6\.1\)\.$/,
    ],
  ),
  ['no displayName', { user: { id: handle, name: 'a' } }, '/user/displayName', 'error', /required/],
  ['no challenge', { challenge: undefined }, '/challenge', 'error', /missing/],
  ['a challenge as base64', { challenge: encodeBase64(random) }, '/challenge', 'error', /base64/],
  ['a short challenge', { challenge: 'AAECAwQ' }, '/challenge', 'error', /at least 16/],
  ['a challenge of text', { challenge: encodeBase64url(encodeUtf8('please sign this challenge')) }, '/challenge', 'warning', /guessed/],
  ['a challenge of zeros', { challenge: encodeBase64url(new Uint8Array(32)) }, '/challenge', 'warning', /guessed/],
  ['no pubKeyCredParams', { pubKeyCredParams: undefined }, '/pubKeyCredParams', 'error', /TypeError/],
  ['empty pubKeyCredParams', { pubKeyCredParams: [] }, '/pubKeyCredParams', 'warning', /by default/],
  ['ES256 alone', { pubKeyCredParams: [key(-7)] }, '/pubKeyCredParams', 'warning', /Windows Hello/],
  ['no ES256', { pubKeyCredParams: [key(-257)] }, '/pubKeyCredParams', 'error', /-7/],
  ['EdDSA without RS256', { pubKeyCredParams: [key(-8), key(-7)] }, '/pubKeyCredParams', 'note', /RS256/],
  ['RS1', { pubKeyCredParams: [key(-7), key(-257), key(-65535)] }, '/pubKeyCredParams/2/alg', 'warning', /SHA-1/],
  ['ES256K', { pubKeyCredParams: [key(-7), key(-257), key(-47)] }, '/pubKeyCredParams/2/alg', 'warning', /cryptocurrencies/],
  ['ML-DSA', { pubKeyCredParams: [key(-7), key(-257), key(-48)] }, '/pubKeyCredParams/2/alg', 'note', /post-quantum/],
  ['a positive number', { pubKeyCredParams: [key(7), key(-7), key(-257)] }, '/pubKeyCredParams/0/alg', 'error', /did you mean -7/],
  [
    'an encryption algorithm',
    { pubKeyCredParams: [key(-25), key(-7), key(-257)] },
    '/pubKeyCredParams/0/alg',
    'error',
    /not a signature algorithm/,
  ],
  ['a number as text', { pubKeyCredParams: [key('-7'), key(-7), key(-257)] }, '/pubKeyCredParams/0/alg', 'error', /without quotes/],
  ['a name as alg', { pubKeyCredParams: [key('ES256'), key(-7), key(-257)] }, '/pubKeyCredParams/0/alg', 'error', /COSE number/],
  ['another type', { pubKeyCredParams: [key(-7, 'public_key'), key(-257)] }, '/pubKeyCredParams/0/type', 'error', /skip/],
  ['one twice', { pubKeyCredParams: [key(-7), key(-7), key(-257)] }, '/pubKeyCredParams/1/alg', 'warning', /twice/],
  ['a timeout in seconds', { timeout: 60 }, '/timeout', 'error', /60000/],
  ['a short timeout', { timeout: 59_999 }, '/timeout', 'note', /below the recommended range/],
  ['a long timeout', { timeout: 3_600_000 }, '/timeout', 'note', /above/],
  ['a timeout as text', { timeout: '60000' }, '/timeout', 'error', /milliseconds/],
  [
    'an excluded one without transports',
    { excludeCredentials: listed({ transports: undefined }) },
    '/excludeCredentials/0/transports',
    'note',
    /getTransports/,
  ],
  ['an unknown transport', { excludeCredentials: listed({ transports: ['cable'] }) }, '/excludeCredentials/0/transports', 'note', /hybrid/],
  ['an excluded one twice', { excludeCredentials: [...listed(), ...listed()] }, '/excludeCredentials/1/id', 'warning', /twice/],
  ['an unknown residentKey', selection({ residentKey: 'yes' }), '/authenticatorSelection/residentKey', 'error', /none of/],
  [
    'an unknown userVerification',
    selection({ userVerification: 'Required' }),
    '/authenticatorSelection/userVerification',
    'error',
    /"preferred"/,
  ],
  [
    'a contradiction of Level 1',
    selection({ residentKey: 'preferred' }),
    '/authenticatorSelection/requireResidentKey',
    'warning',
    /Level 1/,
  ],
  ['no residentKey', { authenticatorSelection: {} }, '/authenticatorSelection/residentKey', 'note', /discoverable/],
  ['a misspelt member', { excludecredentials: [] }, '/excludecredentials', 'warning', /Did you mean excludeCredentials/],
  ['an unknown hint', { hints: ['phone'] }, '/hints/0', 'error', /none of/],
  [
    'a hint against the attachment',
    { ...selection({ authenticatorAttachment: 'platform' }), hints: ['security-key'] },
    '/hints',
    'warning',
    /contradicts/,
  ],
  ['direct attestation', { attestation: 'direct' }, '/attestation', 'note', /consent/],
  ['formats without attestation', { attestationFormats: ['packed'] }, '/attestationFormats', 'note', /does nothing/],
  ['an unknown format', { attestation: 'direct', attestationFormats: ['x509'] }, '/attestationFormats/0', 'error', /none of/],
  ['an extension of the login', { extensions: { appid: 'https://a' } }, '/extensions/appid', 'error', /authentication only/],
  [
    'evalByCredential at a registration',
    prf({}),
    '/extensions/prf/evalByCredential',
    'error',
    /for authentication only; .* throw NotSupportedError/,
  ],
  ['an extension by its other name', { extensions: { 'hmac-secret': true } }, '/extensions/hmac-secret', 'warning', /Did you mean prf/],
  ['a wildcard in rp.id', { rp: { id: '*.example.org', name: 'x' } }, '/rp/id', 'error', /no wildcards; use "example\.org" instead/],
  ['an empty ID', excluded(''), '/excludeCredentials/0/id', 'error', /^The credential ID is empty and names nothing/],
  ['an ID of one byte', excluded('AQ'), '/excludeCredentials/0/id', 'warning', /has 1 byte, and authenticators make at least 16/],
  ['an ID of 15 bytes', excluded(encodeBase64url(random.subarray(0, 15))), '/excludeCredentials/0/id', 'warning', /has 15 bytes/],
  ['an ID of 1024 bytes', excluded(encodeBase64url(new Uint8Array(1024).fill(200))), '/excludeCredentials/0/id', 'warning', /1023 at most/],
  ['an ID encoded twice', excluded(text(handle)), '/excludeCredentials/0/id', 'warning', /is encoded twice: .* encode it once/],
  ['an ID encoded twice, as base64', excluded(text(encodeBase64(random))), '/excludeCredentials/0/id', 'warning', /is encoded twice/],
  ['an ID encoded twice, as hexadecimal', excluded(text(toHex(random))), '/excludeCredentials/0/id', 'warning', /is encoded twice/],
  [
    'an ID that is text',
    excluded(text('credential of ada, 2026')),
    '/excludeCredentials/0/id',
    'warning',
    /are the text "credential of ada/,
  ],
  ['an ID of the database', excluded('550e8400-e29b-41d4-a716-446655440000'), '/excludeCredentials/0/id', 'warning', /ID of your database/],
  ['a number as an ID', excluded('42'), '/excludeCredentials/0/id', 'warning', /ID of your database/],
  ['a challenge that is a JWT', { challenge: text(jwt) }, '/challenge', 'warning', /stores none: it can be used again until it expires/],
  ['a JWT as plain text', { challenge: jwt }, '/challenge', 'error', /signed token as plain text/],
  ['a JWT as plain text, and its life', { challenge: jwt }, '/challenge', 'warning', /stores none/],
  ['a token of itsdangerous', { challenge: text(`${challenge}.aSk3Zw.${challenge}`) }, '/challenge', 'warning', /stores none/],
  ['a message that Rails signed', { challenge: text(`${encodeBase64(random)}--${toHex(random)}`) }, '/challenge', 'warning', /stores none/],
  [
    'a message that Rails encrypted',
    { challenge: `${encodeBase64(random)}--${encodeBase64(random.subarray(0, 12))}--${encodeBase64(random.subarray(16))}` },
    '/challenge',
    'error',
    /signed token as plain text/,
  ],
  ['a token of PASETO', { challenge: text(`v4.public.${challenge}${challenge}`) }, '/challenge', 'warning', /stores none/],
  ['credProps as text', extension({ credProps: 'true' }), '/extensions/credProps', 'error', /^true is expected; got "true"/],
  [
    'an unknown policy',
    extension({ credentialProtectionPolicy: 'required' }),
    '/extensions/credentialProtectionPolicy',
    'error',
    /"userVerificationRequired" is expected; got "required"/,
  ],
  [
    'a policy as a number',
    extension({ credentialProtectionPolicy: 2 }),
    '/extensions/credentialProtectionPolicy',
    'error',
    /is expected; got 2/,
  ],
  [
    'enforcement as text',
    extension({ credentialProtectionPolicy: 'userVerificationRequired', enforceCredentialProtectionPolicy: 'yes' }),
    '/extensions/enforceCredentialProtectionPolicy',
    'error',
    /true or false is expected/,
  ],
  ['prf as true', extension({ prf: true }), '/extensions/prf', 'error', /An object is expected: \{\}/],
  [
    'prf without first',
    extension({ prf: { eval: { second: challenge } } }),
    '/extensions/prf/eval/first',
    'error',
    /missing; browsers throw/,
  ],
  ['prf with a text', extension({ prf: { eval: { first: 'my salt!' } } }), '/extensions/prf/eval/first', 'error', /base64url/],
  ['prf with a list of numbers', extension({ prf: { eval: { first: [1, 2] } } }), '/extensions/prf/eval/first', 'error', /ArrayBuffer/],
  ['prf with a misspelt member', extension({ prf: { evals: first } }), '/extensions/prf/evals', 'warning', /Did you mean eval\?/],
  ['prf with bare bytes', extension({ prf: { eval: challenge } }), '/extensions/prf/eval', 'error', /\{ first, second \}/],
  ['largeBlob as true', extension({ largeBlob: true }), '/extensions/largeBlob', 'error', /\{ support: "preferred" \}; got true/],
  [
    'largeBlob with another support',
    extension({ largeBlob: { support: 'optional' } }),
    '/extensions/largeBlob/support',
    'error',
    /none of "required", "preferred"/,
  ],
  ['uvm', { extensions: { uvm: true } }, '/extensions/uvm', 'note', /removed/],
];

const requestRows: Row[] = [
  ['an RP ID of another site', { rpId: 'other.example' }, '/rpId', 'error', /neither the host/],
  ['allowCredentials as an object', { allowCredentials: {} }, '/allowCredentials', 'error', /array/],
  ['a wrong type', { allowCredentials: listed({ type: 'password' }) }, '/allowCredentials/0/type', 'error', /public-key/],
  ['an id with padding', { allowCredentials: listed({ id: 'AAE=' }) }, '/allowCredentials/0/id', 'error', /padding/],
  ['an unknown requirement', { userVerification: true }, '/userVerification', 'error', /none of/],
  ['a public suffix as rpId', { rpId: 'org' }, '/rpId', 'error', /"org" is a public suffix.*; use "example\.org"/],
  [
    'a member of the registration',
    { authenticatorSelection: {} },
    '/authenticatorSelection',
    'warning',
    /a login has userVerification at the top/,
  ],
  ['no rpId', { rpId: undefined }, '/rpId', 'note', /host of the page/],
  ['rp', { rp: {} }, '/rp', 'warning', /as rpId/],
  ['excludeCredentials', { excludeCredentials: [] }, '/excludeCredentials', 'warning', /logins have allowCredentials/],
  ['mediation inside', { mediation: 'conditional' }, '/mediation', 'warning', /next to publicKey/],
  ['a challenge of null', { challenge: null }, '/challenge', 'error', /missing/],
  ['credProps', { extensions: { credProps: true } }, '/extensions/credProps', 'error', /registration only/],
  [
    'evalByCredential without a list',
    { allowCredentials: [], ...prf({ AAE: {} }) },
    '/extensions/prf/evalByCredential',
    'error',
    /needs allowCredentials; .* throw NotSupportedError/,
  ],
  [
    'evalByCredential of another passkey',
    { allowCredentials: listed(), ...prf({ AAI: {} }) },
    '/extensions/prf/evalByCredential',
    'error',
    /"AAI"; every key .* throw SyntaxError/,
  ],
  [
    'prf by credential without first',
    { allowCredentials: listed(), ...prf({ AAE: {} }) },
    '/extensions/prf/evalByCredential/AAE/first',
    'error',
    /missing/,
  ],
  ['an appid that is no text', { extensions: { appid: true } }, '/extensions/appid', 'error', /A URL string is expected/],
  [
    'largeBlob with text',
    { allowCredentials: listed(), extensions: { largeBlob: { write: 'hello world' } } },
    '/extensions/largeBlob/write',
    'error',
    /base64url/,
  ],
  [
    'largeBlob with read as text',
    { extensions: { largeBlob: { read: 'yes' } } },
    '/extensions/largeBlob/read',
    'error',
    /true is expected; got "yes"/,
  ],
  ['a wildcard in rpId', { rpId: '*.example.org' }, '/rpId', 'error', /no wildcards/],
  ['an empty allowed ID', { allowCredentials: listed({ id: '' }) }, '/allowCredentials/0/id', 'error', /is empty/],
  [
    'a large blob read and written',
    { extensions: { largeBlob: { read: true, write: 'AA' } } },
    '/extensions/largeBlob',
    'error',
    /exclude each other; ask for one\. Browsers throw NotSupportedError/,
  ],
  [
    'more than 64',
    { allowCredentials: Array.from({ length: 65 }, (_, index) => listed({ id: encodeBase64url(Uint8Array.of(index)) })).flat() },
    '/allowCredentials',
    'error',
    /^65 credentials are too many: Chrome .* RangeError above 64\. List the 64 used last\.$/,
  ],
];

describe('creation options', () => {
  test('good ones get no advice', () => expect(lintCreationOptions(creation, 'https://login.example.org')).toEqual([]));

  test.each([10, 19, 21])('random bytes get none for two hyphens at %i of their base64url', (at) => {
    const dashed = `${challenge.slice(0, at)}--${challenge.slice(at + 2)}`;
    const long = `${dashed.slice(0, 40)}${dashed.slice(0, 46)}`;
    for (const text of [dashed, long]) {
      expect(lintCreationOptions({ ...creation, challenge: text }, 'https://login.example.org')).toEqual([]);
    }
  });

  test('good values of extensions get none', () => {
    const extensions = {
      credProps: true,
      prf: { eval: { ...first, second: challenge } },
      largeBlob: { support: 'preferred' },
      credentialProtectionPolicy: 'userVerificationRequired',
      enforceCredentialProtectionPolicy: true,
      minPinLength: true,
    };
    expect(lintCreationOptions({ ...creation, extensions })).toEqual([]);
  });

  test.each<[string, readonly unknown[]]>([
    ['in quotes', [key('-7'), key('-257')]],
    ['by its name', [key('ES256'), key('RS256')]],
  ])('an algorithm %s is wrong, and not missing', (_, pubKeyCredParams) => {
    const pointers = lintCreationOptions({ ...creation, pubKeyCredParams }).map(({ pointer }) => pointer);
    expect(pointers).toEqual(['/pubKeyCredParams/0/alg', '/pubKeyCredParams/1/alg']);
  });

  test.each(creationRows)('%s', (_, change, pointer, severity, message) => {
    expect(lintCreationOptions({ ...creation, ...change }, 'https://example.org')).toContainEqual({
      pointer,
      severity,
      message: expect.stringMatching(message),
    });
  });
});

describe('request options', () => {
  test('good ones get no advice', () => expect(lintRequestOptions(request, 'https://example.org')).toEqual([]));

  test.each(requestRows)('%s', (_, change, pointer, severity, message) => {
    expect(lintRequestOptions({ ...request, ...change }, 'https://example.org')).toContainEqual({
      pointer,
      severity,
      message: expect.stringMatching(message),
    });
  });
});

describe('what nobody would write', () => {
  const of = (list: readonly { pointer: string; message: string }[], at: string) =>
    list.filter(({ pointer }) => pointer === at).map(({ message }) => message);

  test.each(['constructor', '__proto__', 'toString'])('an extension or a member %s is unknown', (name) => {
    const own = JSON.parse(`{"${name}":1}`);
    expect(of(lintRequestOptions({ ...request, extensions: own }), `/extensions/${name}`)).toEqual([
      'No browser knows this extension, so it is ignored.',
    ]);
    const options: JsonObject = JSON.parse(JSON.stringify(request).replace('{', `{"${name}":1,`));
    expect(of(lintRequestOptions(options), `/${name}`)).toEqual(['The standard has no such member here; browsers ignore it.']);
  });

  test.each(['cmtgKey', 'crossDeviceFallbackUrl', 'remoteDesktopClientOverride'])('%s is known to Chromium', (name) => {
    const advice = lintRequestOptions({ ...request, extensions: { [name]: true } });
    expect(of(advice, `/extensions/${name}`)).toEqual([expect.stringMatching(/^Only Chromium/)]);
  });

  test('IDs that are objects, of which none is named twice; and thousands of IDs', () => {
    const textless = { type: 'public-key', id: { toString: 1 }, transports: ['usb'] };
    const many = Array.from({ length: 20_000 }, (_, index) => ({ type: 'public-key', id: `AA${index + 1000}AA`, transports: ['usb'] }));
    const advice = lintCreationOptions({ ...creation, excludeCredentials: [textless, textless, ...many, many[0]] });
    expect(of(advice, '/excludeCredentials/1/id')).toEqual([expect.stringContaining('Expected a string')]);
    expect(advice.filter(({ message }) => message === 'This credential is named twice.').map(({ pointer }) => pointer)).toEqual([
      '/excludeCredentials/20002/id',
    ]);
  });
});
