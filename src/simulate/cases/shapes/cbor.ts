import { concatBytes, fromHex } from '../../../kernel/bytes.js';
import { decodeAttestationObject } from '../../../webauthn/attestation-object.js';
import { decodeAuthenticatorData, encodeAuthenticatorData } from '../../../webauthn/authenticator-data.js';
import { type CborValue, encodeCbor } from '../../../webauthn/cbor.js';
import { editAttested } from '../../engine/authenticator-data-edits.js';
import { type Case, listRows, type Rows, withTag } from '../../engine/case.js';
import { appendByte, type ByteEdit } from '../../engine/edits.js';
import { ACCEPTED, denied, refused } from '../../engine/outcome.js';
import { type BothVariantsRow, bothVariants, type Variant, variantsCase } from '../../engine/variants.js';
import { DEEP, HUGE_LENGTHS, type NamedBytes, NO_CBOR, NO_MAP, text, writeMap } from './cbor-faults.js';

const MALFORMED_OBJECT = refused('attestation_malformed', 'attestation-object');

/** Reads the authenticator data from an attestation object, and encodes them as a CBOR byte string. */
const readAuthData = (bytes: Uint8Array) => encodeCbor(decodeAttestationObject(bytes).authData);

/** Makes variants that replace the attestation object. With format `none` nothing in it is signed. */
function objects(variants: readonly (readonly [name: string, edit: ByteEdit, ours?: Variant['ours']])[]): Variant[] {
  return variants.map(([name, attestationObject, ours]) => ({ name, edits: { attestationObject }, ...(ours && { ours }) }));
}

const replacedBy = (all: readonly NamedBytes[]) => objects(all.map(([name, bytes]) => [name, () => bytes]));

/** Writes an attestation object with these members, followed by the authenticator data. */
const withMembers =
  (...members: readonly (readonly [string, CborValue])[]): ByteEdit =>
  (bytes) =>
    writeMap(...members.map(([name, value]) => [text(name), encodeCbor(value)] as const), [text('authData'), readAuthData(bytes)]);

const withAuthData =
  (value: CborValue): ByteEdit =>
  () =>
    encodeCbor(
      new Map<CborValue, CborValue>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', value],
      ]),
    );

const NONE = ['fmt', 'none'] as const;
const EMPTY = ['attStmt', new Map()] as const;

/** Other CBOR encodings of the same attestation object, mostly written by hand. */
const FORMS: readonly (readonly [name: string, edit: ByteEdit, ours?: Variant['ours']])[] = [
  [
    'members in another order',
    (bytes) => writeMap([text('authData'), readAuthData(bytes)], [text('attStmt'), fromHex('a0')], [text('fmt'), text('none')]),
    ACCEPTED,
  ],
  ['a further member', withMembers(NONE, EMPTY, ['further', 1.5]), ACCEPTED],
  [
    'a further member with an integer as key',
    (bytes) =>
      writeMap(
        [fromHex('01'), fromHex('02')],
        [text('fmt'), text('none')],
        [text('attStmt'), fromHex('a0')],
        [text('authData'), readAuthData(bytes)],
      ),
    ACCEPTED,
  ],
  ['a map of indefinite length', (bytes) => concatBytes(fromHex('bf'), bytes.slice(1), fromHex('ff'))],
  ['a head that is longer than needed', (bytes) => concatBytes(fromHex('b90003'), bytes.slice(1))],
  ['a tag around it', (bytes) => concatBytes(fromHex('d9d9f7'), bytes)],
  ['fmt twice', withMembers(['fmt', 'packed'], NONE, EMPTY)],
  ['no attStmt', withMembers(NONE)],
  ['attStmt null', withMembers(NONE, ['attStmt', null])],
  ['a byte behind it', appendByte(0)],
  ...DEEP.map(([name, deep]): [string, ByteEdit] => [
    `${name}, in a further member`,
    (bytes) =>
      writeMap(
        [text('further'), deep],
        [text('fmt'), text('none')],
        [text('attStmt'), fromHex('a0')],
        [text('authData'), readAuthData(bytes)],
      ),
  ]),
];

const objectCase = (spec: Omit<Parameters<typeof variantsCase>[0], 'expected'>) => variantsCase({ ...spec, expected: MALFORMED_OBJECT });

const OBJECTS: readonly Case[] = [
  objectCase({
    id: 'register.attestation-object-cut',
    title: 'an attestation object that ends too early',
    why: 'Check that your decoder refuses truncated input, and that you answer with a 4xx if it throws.',
    variants: objects([
      ['its first byte', (bytes) => bytes.slice(0, 1)],
      ['up to the value of fmt', (bytes) => bytes.slice(0, 5)],
      ['half of it', (bytes) => bytes.slice(0, bytes.length / 2)],
      ['all but one byte', (bytes) => bytes.slice(0, -1)],
    ]),
  }),
  objectCase({
    id: 'register.attestation-object-not-a-map',
    title: 'CBOR that is not a map as attestation object',
    why: 'Check that the decoded value is a map before you read fmt, attStmt and authData from it.',
    variants: replacedBy(NO_MAP),
  }),
  objectCase({
    id: 'register.attestation-object-not-cbor',
    title: 'bytes that are not CBOR as attestation object',
    why: 'Check that your decoder refuses such bytes, and that you answer with a 4xx if it throws.',
    variants: replacedBy(NO_CBOR),
  }),
  objectCase({
    id: 'register.attestation-object-lengths',
    title: 'an attestation object that announces up to 2^64 bytes or elements',
    why: 'If a decoder allocates as much memory as a length announces, ten bytes can crash the process. Use one that compares the length with the bytes that are left.',
    variants: [
      ...replacedBy(HUGE_LENGTHS),
      ...objects(
        HUGE_LENGTHS.slice(0, 2).map(([name, bytes]) => [
          `${name} as authData`,
          () => writeMap([text('fmt'), text('none')], [text('attStmt'), fromHex('a0')], [text('authData'), bytes]),
        ]),
      ),
    ],
  }),
  objectCase({
    id: 'register.attestation-object-deep',
    title: 'CBOR that is nested 10,000 deep',
    why: 'A decoder that recurses without a limit overflows the stack. CTAP2 allows four levels of nesting, so refuse more than a few.',
    variants: replacedBy(DEEP),
  }),
  objectCase({
    id: 'register.attestation-object-members',
    title: 'an attestation object whose fmt or authData is missing or of another type',
    why: 'Check the types of the members after decoding. A text string in place of bytes is misread or throws.',
    variants: objects([
      ['no fmt', withMembers(EMPTY)],
      ['fmt a number', withMembers(['fmt', 7], EMPTY)],
      ['fmt null', withMembers(['fmt', null], EMPTY)],
      ['fmt is an array with the right string', withMembers(['fmt', ['none']], EMPTY)],
      ['no authData', () => encodeCbor(new Map<CborValue, CborValue>([NONE, EMPTY].map(([name, value]) => [name, value])))],
      ['authData null', withAuthData(null)],
      ['authData a text', withAuthData('authData')],
      ['authData a map', withAuthData(new Map())],
      ['authData an array', withAuthData([1, 2])],
    ]),
  }),
  objectCase({
    id: 'register.attestation-object-form',
    title: 'an attestation object in CBOR that authenticators do not write',
    why: 'CTAP2 has exactly one encoding for each value, but a relying party need not enforce it. You may accept or refuse other encodings, but must not fail.',
    open: true,
    variants: objects(FORMS),
  }),
];

const INHERITED_NAME = variantsCase({
  id: 'register.format-inherited-name',
  title: 'the name of an inherited member as attestation statement format',
  why: 'If you look verifiers up in a plain object, "constructor" finds a function, which is then called or counts as success. Use a Map, or look only at own members.',
  tags: ['attestation'],
  expected: refused('attestation_format_unsupported', 'attestation-format'),
  variants: objects(
    ['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((name) => [`fmt: ${name}`, withMembers(['fmt', name], EMPTY)]),
  ),
});

const MALFORMED_DATA = 'authenticator_data_malformed';

const keyForms = (all: readonly (readonly [name: string, edit: ByteEdit])[], ours?: Variant['ours']): Variant[] =>
  all.map(([name, edit]) => ({
    name: `the public key: ${name}`,
    ...(ours && { ours }),
    edits: {
      authenticatorData: editAttested(({ credentialPublicKey, ...others }) => ({
        ...others,
        credentialPublicKey: edit(credentialPublicKey),
      })),
    },
  }));

const keys = (all: readonly NamedBytes[]): Variant[] => keyForms(all.map(([name, bytes]) => [name, () => bytes]));

/** Byte range of the member x in an encoded ES256 key, including its label and CBOR head. */
const X = { at: 8, end: 42 };

/** Other encodings of an ES256 key. Its usual encoding is a map of five members, with the label 1 in the second byte. */
const KEY_FORMS: readonly (readonly [name: string, edit: ByteEdit])[] = [
  ['a map of indefinite length', (key) => concatBytes(fromHex('bf'), key.slice(1), fromHex('ff'))],
  ['a head that is longer than needed', (key) => concatBytes(fromHex('b805'), key.slice(1))],
  ['a label that is longer than needed', (key) => concatBytes(fromHex('a51801'), key.slice(2))],
  ['a label that is a floating-point number', (key) => concatBytes(fromHex('a5f93c00'), key.slice(2))],
  [
    'x in a byte string of indefinite length',
    (key) => concatBytes(key.slice(0, X.at), fromHex('5f'), key.slice(X.at, X.end), fromHex('ff'), key.slice(X.end)),
  ],
];

/** Encodings of an ES256 key that are not a map with integer labels. */
const NO_LABELS: readonly (readonly [name: string, edit: ByteEdit])[] = [
  ['a label that is an array', (key) => concatBytes(fromHex('a6'), key.slice(1), fromHex('8001'))],
  ['a tag around it', (key) => concatBytes(fromHex('d9d9f7'), key)],
];

const PUBLIC_KEYS: readonly Case[] = [
  variantsCase({
    id: 'register.public-key-not-cbor',
    title: 'bytes that are not CBOR, or announce up to 2^64 bytes, as public key',
    why: 'Only decoding the key shows how long it is. Use a decoder that compares lengths with the bytes that are left, and answer with a 4xx if it throws.',
    expected: refused(MALFORMED_DATA),
    variants: keys([...NO_CBOR, ...HUGE_LENGTHS]),
  }),
  variantsCase({
    id: 'register.public-key-deep',
    title: 'a public key that is nested 10,000 deep',
    why: 'A decoder that recurses without a limit overflows the stack. A COSE key is one flat map, so refuse more than a few levels.',
    expected: refused(MALFORMED_DATA),
    variants: keys(DEEP),
  }),
  variantsCase({
    id: 'register.public-key-form',
    title: 'a public key in CBOR that authenticators do not write',
    why: 'CTAP2 has exactly one encoding for each value, but a relying party need not enforce it. You may accept or refuse other encodings, but must not fail.',
    open: true,
    expected: refused(MALFORMED_DATA),
    browser: { authenticator: { algorithms: [-7] } },
    variants: [...keyForms(KEY_FORMS, refused('public_key_malformed', 'algorithm')), ...keyForms(NO_LABELS)],
  }),
];

function extensions(all: readonly NamedBytes[], ours?: Variant['ours']): Variant[] {
  return all.map(([name, extensionBytes]) => ({
    name: `extensions: ${name}`,
    edits: { authenticatorData: (data) => encodeAuthenticatorData({ ...decodeAuthenticatorData(data), extensionBytes }) },
    ...(ours && { ours }),
  }));
}

const mapWith = (value: Uint8Array) => writeMap([text('further'), value]);

/** Faults in the extension outputs. The authenticator data are signed after the change, so the signature is valid. */
const EXTENSIONS: Rows<Omit<BothVariantsRow, 'what' | 'expected'>> = {
  'extensions-not-cbor': {
    title: 'signed extension outputs that are not CBOR, or announce up to 2^64 bytes',
    why: 'If the ED flag is set, the authenticator data end with a CBOR map. Decode it even if you use no extension, with a decoder that compares lengths with the bytes that are left.',
    variants: extensions([
      ...NO_CBOR,
      ...HUGE_LENGTHS,
      ...HUGE_LENGTHS.map(([name, bytes]): NamedBytes => [`${name} in a map`, mapWith(bytes)]),
    ]),
  },
  'extensions-form': {
    title: 'signed extension outputs in CBOR that authenticators do not write, or nested 10,000 deep',
    why: 'You may accept or refuse such outputs. But a decoder that recurses without a limit, or expects strings as keys, must not cause a 5xx.',
    open: true,
    variants: [
      ...extensions(DEEP.map(([name, bytes]): NamedBytes => [name, mapWith(bytes)])),
      ...extensions([['the same key twice', writeMap([text('a'), fromHex('01')], [text('a'), fromHex('02')])]]),
      ...extensions([['an array as key', writeMap([fromHex('80'), fromHex('01')])]]),
      ...extensions(
        [
          ['an integer as key', writeMap([fromHex('01'), fromHex('02')])],
          ['not a number', mapWith(fromHex('f97e00'))],
          ['undefined', mapWith(fromHex('f7'))],
          ['a tag', mapWith(fromHex('c100'))],
          ['__proto__ as key', writeMap([text('__proto__'), fromHex('f5')])],
        ],
        ACCEPTED,
      ),
    ],
  },
};

const EXTENSION_CASES = listRows(EXTENSIONS).flatMap((row) =>
  bothVariants({ ...row, expected: refused(MALFORMED_DATA), login: denied(MALFORMED_DATA) }),
);

export const MALFORMED_CBOR: readonly Case[] = [
  ...[...OBJECTS, ...PUBLIC_KEYS, ...EXTENSION_CASES].map(withTag('cbor')),
  INHERITED_NAME,
].map(withTag('shape'));
