import type { JsonObject } from '../../../kernel/json-value.js';
import { type Case, listRows, type Rows, withTag } from '../../engine/case.js';
import { setInner, setMembers } from '../../engine/edits.js';
import { ACCEPTED, type ExpectedAnswer, refused } from '../../engine/outcome.js';
import { type BothVariantsRow, bothVariants, type Variant, variantsCase } from '../../engine/variants.js';
import { DISCOVERABLE } from '../values.js';

/** A JSON value, and the name that reports show for it. */
type Named = readonly [name: string, value: unknown];

/** Values that are not strings, for members that must hold a base64url string. */
const NO_TEXT: readonly Named[] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['true', true],
  ['an empty array', []],
  ['an empty object', {}],
];

/** Strings that are not valid base64url, or are empty. */
const NO_BASE64: readonly Named[] = [
  ['an empty text', ''],
  ['characters outside both alphabets', '!*~'],
  ['U+0000', '\u0000'],
  ['a lone surrogate', '\ud800'],
];

/** Invalid values for a member that must hold base64url. */
const NO_BYTES: readonly Named[] = [...NO_TEXT, ...NO_BASE64];

/** Invalid values for a member that must hold an object. */
const NO_OBJECT: readonly Named[] = [
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['a text', 'response'],
  ['true', true],
  ['an empty array', []],
];

/** Makes one variant for each value. The variant sets each named member of the credential to this value. */
function asMembers(names: readonly string[], values: readonly Named[]): Variant[] {
  return values.map(([name, value]) => ({
    name: `${names.join(' and ')}: ${name}`,
    edits: { response: setMembers(Object.fromEntries(names.map((member) => [member, value]))) },
  }));
}

/** Makes one variant for each value. The variant sets the named member of `response` to this value. */
function asInnerMembers(name: string, values: readonly Named[]): Variant[] {
  return values.map(([what, value]) => ({ name: `${name}: ${what}`, edits: { response: setInner({ [name]: value }) } }));
}

/** Replaces the response expected from our own API in the variants whose names end with one of `names`. */
function except(variants: readonly Variant[], names: readonly string[], ours: ExpectedAnswer): Variant[] {
  return variants.map((variant) => (names.some((name) => variant.name.endsWith(name)) ? { ...variant, ours } : variant));
}

const INVALID = refused('validation_failed');

/** Invalid values for a signed member. The empty string is left out because it would also break the signature. */
const NOT_EMPTY = NO_BYTES.filter(([, value]) => value !== '');

type Row = Omit<BothVariantsRow, 'what' | 'expected'>;

/** Bodies that no server can accept, because they are not a credential or have no response. */
const WHOLE: Rows<Row> = {
  'credential-malformed': {
    title: 'null, an array, a string, a number or an empty object instead of a credential',
    why: 'Anyone can send any JSON. Check that the body is an object with the members of a credential before you read them. Reading a member of null causes a 5xx, which fills logs and may stop the process.',
    variants: [
      ['null', null],
      ['an array', []],
      ['a text', 'credential'],
      ['a number', 7],
      ['true', true],
      ['an empty object', {}],
    ].map(([name, value]) => ({ name: `the credential: ${String(name)}`, body: () => value })),
  },
  'response-malformed': {
    title: 'a credential whose response is missing or not an object',
    why: 'Without a response nothing is proved. Check that "response" is an object before you read its members, and answer with a 4xx otherwise.',
    variants: [...asMembers(['response'], NO_OBJECT), ...asMembers(['response'], [['an empty object', {}]])],
  },
  'client-data-malformed': {
    title: 'clientDataJSON that is missing, of another type or not base64url',
    why: 'The client data hold the challenge and the origin. Check that the member is a string that decodes before you parse it, and answer with a 4xx otherwise. A 5xx shows an attacker that you use input unchecked.',
    variants: asInnerMembers('clientDataJSON', NOT_EMPTY),
  },
};

const openIds = (member: string) => asMembers([member], NO_BYTES);

/** Invalid values in members that the standard's procedures do not read, or read only in part. */
const OPEN: Rows<Row> = {
  'raw-id-malformed': {
    title: 'a rawId that is missing, of another type or not base64url',
    why: 'You may refuse or ignore such a member, but a failure (5xx) shows that you use it unchecked. Check its type first.',
    variants: openIds('rawId'),
    open: true,
  },
  'type-malformed': {
    title: 'a type that is missing or not a string',
    why: 'You may refuse or ignore such a member, but a failure (5xx) shows that you use it unchecked. Compare it with "public-key".',
    variants: asMembers(['type'], [...NO_TEXT, ['an empty text', '']]),
    open: true,
  },
  'extension-results-malformed': {
    title: 'clientExtensionResults that is not an object',
    why: 'Older clients do not send this member, and anyone can send any value. Treat a value that is not an object as an empty object, or refuse it with a 4xx.',
    variants: except(asMembers(['clientExtensionResults'], NO_OBJECT), [': missing', ': null'], ACCEPTED),
    open: true,
  },
  'attachment-malformed': {
    title: 'an authenticatorAttachment that is not a string',
    why: 'authenticatorAttachment is an unsigned hint. Ignore unknown values, or refuse them with a 4xx. Do not look them up or store them unchecked.',
    variants: except(asMembers(['authenticatorAttachment'], NO_TEXT), [': missing', ': null'], ACCEPTED),
    open: true,
  },
};

const malformed = (spec: Omit<Parameters<typeof variantsCase>[0], 'expected'>, expected: ExpectedAnswer = INVALID) =>
  variantsCase({ ...spec, expected });

const REGISTRATION: readonly Case[] = [
  malformed({
    id: 'register.id-malformed',
    title: 'an id that is missing, of another type or not base64url',
    why: 'Store the credential ID from the signed authenticator data; you need not read this member. A failure (5xx) shows that you use it unchecked.',
    variants: asMembers(['id', 'rawId'], NO_BYTES),
    open: true,
  }),
  malformed({
    id: 'register.attestation-object-malformed',
    title: 'an attestationObject that is missing, of another type or not base64url',
    why: 'The attestation object holds the public key. Check that the member is a string that decodes before you read CBOR from it, and answer with a 4xx otherwise.',
    variants: except(
      asInnerMembers('attestationObject', NO_BYTES),
      ['an empty text'],
      refused('attestation_malformed', 'attestation-object'),
    ),
  }),
  malformed({
    id: 'register.transports-malformed',
    title: 'transports that are not a list of strings',
    // Where they are stored, and no passkey can be deleted, they would spoil the options of all later cases.
    needs: ['api'],
    why: 'Transports are unsigned, and you send the stored ones in later options. Store only strings: unchecked values can break a later login.',
    variants: asInnerMembers('transports', [
      ['a text', 'usb'],
      ['a number', 7],
      ['an object', { length: 1 }],
      ['a list of numbers', [1, 2]],
      ['a list with null', ['usb', null]],
      ['a list of lists', [['usb']]],
    ]),
    open: true,
  }),
  malformed({
    id: 'register.unsigned-copies-malformed',
    title: 'publicKey, publicKeyAlgorithm and authenticatorData that are of another type',
    why: 'These members repeat parts of the attestation object for scripts in the page, and are not signed. Do not read them on the server.',
    variants: ['publicKey', 'publicKeyAlgorithm', 'authenticatorData'].flatMap((member) =>
      asInnerMembers(member, [
        ['null', null],
        ['an object', {}],
        ['a text', '!'],
      ]).map((variant) => ({ ...variant, ours: ACCEPTED })),
    ),
    open: true,
  }),
];

const AUTHENTICATION: readonly Case[] = [
  malformed({
    id: 'login.id-malformed',
    title: 'an id that is missing, of another type or not base64url',
    why: 'The id determines which key verifies the signature (§7.2, credential ID). Check that it is a string that decodes before you look it up.',
    variants: except(asMembers(['id', 'rawId'], NO_BYTES), ['an empty text'], refused('passkey_not_found', undefined, 404)),
  }),
  malformed(
    {
      id: 'login.id-inherited-name',
      title: 'the name of an inherited member as id: constructor, toString, __proto__',
      why: 'If you look passkeys up in a plain object, such a name finds a function. Store passkeys in a Map, or look only at own members.',
      variants: ['constructor', 'toString', 'valueOf', '__proto__', 'hasOwnProperty'].map((name) => ({
        name: `id: ${name}`,
        edits: { response: (response: JsonObject) => ({ ...response, id: name, rawId: name }) },
      })),
    },
    refused('passkey_not_found', undefined, 404),
  ),
  malformed({
    id: 'login.authenticator-data-malformed',
    title: 'authenticatorData that is missing, of another type or not base64url',
    why: 'Check that the member is a string that decodes to at least 37 bytes before you read flags and counter from it, and answer with a 4xx otherwise.',
    variants: asInnerMembers('authenticatorData', NOT_EMPTY),
  }),
  malformed({
    id: 'login.signature-malformed',
    title: 'a signature that is missing, of another type or not base64url',
    why: 'Without a signature nothing is proved. Check that the member is a non-empty string that decodes. If the verifier throws, refuse the login.',
    variants: except(asInnerMembers('signature', NO_BYTES), ['an empty text'], refused('signature_invalid', 'signature', 401)),
  }),
  malformed({
    id: 'login.user-handle-malformed',
    title: 'a login that names no user, whose userHandle is of another type or not base64url',
    why: 'If the login names no user, the user handle identifies the account (§7.2, user handle). Check that it is a string that decodes, and compare its bytes.',
    wants: { login: 'discoverable' },
    browser: DISCOVERABLE,
    variants: asInnerMembers(
      'userHandle',
      NO_BYTES.filter(([name]) => !['missing', 'null', 'an empty text'].includes(name)),
    ),
  }),
];

export const MALFORMED_MEMBERS: readonly Case[] = [
  ...listRows({ ...WHOLE, ...OPEN }).flatMap((row) => bothVariants({ ...row, expected: INVALID })),
  ...REGISTRATION,
  ...AUTHENTICATION,
].map(withTag('shape'));
