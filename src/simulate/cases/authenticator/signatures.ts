import { concatBytes } from '../../../kernel/bytes.js';
import { asObject } from '../../../kernel/json-value.js';
import { TAG } from '../../../webauthn/der.js';
import { der, sequence, writeInteger } from '../../../webauthn/der-writer.js';
import { type AuthenticationAttempt, answerElsewhere, type Unsent } from '../../engine/attempts.js';
import { setPublicKey } from '../../engine/authenticator-data-edits.js';
import { because, type Case, listRows, type Rows } from '../../engine/case.js';
import { type AuthenticationSpec, authenticationCase } from '../../engine/ceremony-cases.js';
import { type AuthenticationEdits, appendByte, type ByteEdit, flipBit } from '../../engine/edits.js';
import { laterLoginCase } from '../../engine/flows.js';
import { ACCEPTED, denied } from '../../engine/outcome.js';
import {
  editNumbers,
  inDer,
  keyWithLeadingZeros,
  magnitude,
  sideBySide,
  signUntil,
  signWith,
  signWithOtherKey,
} from '../../engine/signers.js';
import type { User } from '../../target/driver.js';

const INVALID = denied('signature_invalid', 'signature');

interface SignatureRow extends Pick<AuthenticationSpec, 'title' | 'why' | 'wants' | 'rule' | 'anyAlgorithm'> {
  readonly signature: ByteEdit;
}

const VERIFIED =
  'The signature is the only proof that the sender has the key; everything else in a response can be copied. Refuse the login unless the library explicitly says that the signature is valid. Treat an exception or an empty value as invalid.';
const FORGEABLE =
  'Libraries with a known flaw ("psychic signatures") accept such numbers for every key, so anyone could log in as anyone. Use a library that refuses r and s outside 1 to n - 1.';
const ONE_FORM =
  'A lenient parser accepts one signature in many encodings, and two of your components can disagree on whether it is valid. §6.5.5 allows only DER, so use a library that refuses everything else.';

const FORM_RULE = '§6.5.5: ECDSA signatures are DER';

/** Malformed or wrong signatures for ES256 keys. Each object key is the last part of a case id. */
const FORMS: Rows<SignatureRow> = {
  ...because<SignatureRow>(VERIFIED, {
    bit: { title: 'one bit of the signature flipped', anyAlgorithm: true, signature: flipBit(-1) },
    empty: { title: 'a signature of no bytes', anyAlgorithm: true, signature: () => new Uint8Array() },
    cut: { title: 'half of the signature', anyAlgorithm: true, signature: (bytes) => bytes.slice(0, bytes.length / 2) },
    'zero-bytes': {
      title: 'zeros in place of the signature',
      anyAlgorithm: true,
      signature: (bytes) => new Uint8Array(bytes.length),
    },
  }),
  'zero-numbers': {
    title: 'a signature whose r and s are 0',
    rule: 'FIPS 186-5 §6.4.2: r and s are 1 to n - 1',
    signature: () => inDer(0n, 0n),
    why: FORGEABLE,
  },
  'one-numbers': { title: 'a signature whose r and s are 1', signature: () => inDer(1n, 1n), why: VERIFIED },
  'order-numbers': {
    title: 'a signature whose r and s are the order of the curve',
    rule: 'FIPS 186-5 §6.4.2: r and s are 1 to n - 1',
    signature: editNumbers(({ n }) => inDer(n, n)),
    why: FORGEABLE,
  },
  ...because<SignatureRow>(ONE_FORM, {
    'order-added': {
      title: 'a signature whose s is greater by the order of the curve',
      rule: 'FIPS 186-5 §6.4.2: r and s are 1 to n - 1',
      signature: editNumbers(({ r, s, n }) => inDer(r, s + n)),
    },
    raw: { title: 'r and s side by side instead of DER', rule: FORM_RULE, signature: editNumbers(({ r, s }) => sideBySide(r, s)) },
    'trailing-byte': { title: 'a byte after the DER signature', rule: FORM_RULE, signature: appendByte(0) },
    doubled: { title: 'the signature twice', rule: FORM_RULE, signature: (bytes) => concatBytes(bytes, bytes) },
    'not-minimal': {
      title: 'a signature whose r has zeros before it',
      rule: FORM_RULE,
      signature: editNumbers(({ r, s }) => sequence(der(TAG.integer, new Uint8Array(2), magnitude(r)), writeInteger(magnitude(s)))),
    },
    'long-length': {
      title: 'a signature whose length takes two bytes instead of one',
      rule: FORM_RULE,
      signature: (bytes) => Uint8Array.of(bytes[0] ?? 0, 0x81, ...bytes.subarray(1)),
    },
    'indefinite-length': {
      title: 'a signature of indefinite length',
      rule: FORM_RULE,
      signature: editNumbers(({ r, s }) => {
        const numbers = [r, s].map((value) => writeInteger(magnitude(value)));
        return concatBytes(Uint8Array.of(0x30, 0x80), ...numbers, new Uint8Array(2));
      }),
    },
    negative: {
      title: 'a signature whose s is negative, because the leading zero is missing',
      rule: FORM_RULE,
      // Of s and n - s, which verify alike, one has the highest bit.
      signature: editNumbers(({ r, s, n }) =>
        sequence(writeInteger(magnitude(r)), der(TAG.integer, magnitude(s > n - s ? s : n - s).slice(1))),
      ),
    },
    'third-number': {
      title: 'a signature with a third number after r and s',
      rule: FORM_RULE,
      signature: editNumbers(({ r, s }) => sequence(...[r, s, 1n].map((value) => writeInteger(magnitude(value))))),
    },
  }),
};

const ES256 = { authenticator: { algorithms: [-7] } } as const;

interface SchemeRow extends Pick<AuthenticationSpec, 'title' | 'why' | 'wants'> {
  /** COSE algorithm identifier of the credential. */
  readonly algorithm: number;
  readonly edits: AuthenticationEdits;
}

const SCHEME =
  'The credential’s algorithm fixes the digest and the padding. A server that lets the signature choose them can be made to use the weakest that its library supports. Take both from "alg" of the stored key.';

const SCHEMES: Rows<SchemeRow> = {
  ...because<SchemeRow>(SCHEME, {
    'es256-with-sha-384': {
      title: 'an ES256 passkey that signs with SHA-384',
      algorithm: -7,
      edits: { sign: signWith('sha384') },
    },
    'es256-with-sha-1': { title: 'an ES256 passkey that signs with SHA-1', algorithm: -7, edits: { sign: signWith('sha1') } },
    'rs256-with-sha-1': {
      title: 'an RS256 passkey that signs with SHA-1',
      algorithm: -257,
      edits: { sign: signWith('sha1') },
    },
    'rs256-with-pss': {
      title: 'an RS256 passkey that signs with the padding of PS256',
      algorithm: -257,
      edits: { sign: signWith('sha256', 'pss') },
    },
    'ps256-with-pkcs1': {
      title: 'a PS256 passkey that signs with the padding of RS256',
      algorithm: -37,
      wants: { algorithms: [-37] },
      edits: { sign: signWith('sha256') },
    },
  }),
  'rs256-leading-zero': {
    title: 'an RS256 signature with a zero before it',
    algorithm: -257,
    edits: { signature: (bytes) => Uint8Array.of(0, ...bytes) },
    why: 'RFC 8017 §8.2.2 requires a signature to be exactly as long as the modulus. Use a library that refuses other lengths.',
  },
  'eddsa-cut': {
    title: 'an EdDSA signature without its last byte',
    algorithm: -8,
    wants: { algorithms: [-8] },
    edits: { signature: (bytes) => bytes.slice(0, -1) },
    why: VERIFIED,
  },
};

/**
 * Replaces the response with one from another user's authenticator, including the data which that authenticator signed. Keeps the original
 * user handle.
 */
function signedBy(user: User) {
  return async ({ context, options, body }: Unsent<AuthenticationAttempt>) => {
    const { response } = await answerElsewhere(context, user, options);
    const { userHandle } = asObject(body.response);
    return { ...body, response: { ...response, userHandle } };
  };
}

const OWN_KEY =
  'A server that tries all keys it knows, or all keys of the user, does not know which passkey was used, so a deleted or weaker one passes for another. Verify with the key of the credential that the response names.';

const NUMBERS =
  'One signature in 256 has such a number, and one key in 65,536 has such coordinates. Code that drops leading zeros, or pads wrongly, locks these users out now and then. Pad numbers to the size of the curve.';
/** Numbers below this limit need fewer than 32 bytes, the size of a number on P-256. */
const SHORT = 2n ** 248n;

const VALID: readonly Case[] = [
  ...(['high', 'low'] as const).map((half) =>
    authenticationCase({
      id: `login.signature-${half}-s`,
      step: 'signature',
      title: `an ECDSA signature in the ${half === 'high' ? 'upper' : 'lower'} half of its range`,
      browser: ES256,
      edits: { signature: editNumbers(({ r, s, n }) => inDer(r, s > n / 2n === (half === 'high') ? s : n - s)) },
      why: 'Half of all signatures have an s above n / 2, and WebAuthn allows them. A library made for blockchains refuses them, so every other login fails.',
    }),
  ),
  ...(['r', 's'] as const).map((number) =>
    authenticationCase({
      id: `login.signature-short-${number}`,
      step: 'signature',
      title: `an ECDSA signature whose ${number} needs fewer bytes than the curve has`,
      browser: ES256,
      edits: { sign: signUntil((numbers) => numbers[number] < SHORT) },
      why: NUMBERS,
    }),
  ),
  laterLoginCase({
    id: 'login.key-with-leading-zeros',
    step: 'signature',
    title: 'a public key whose coordinates begin with a zero byte',
    browser: ES256,
    registration: () => ({ authenticatorData: setPublicKey(keyWithLeadingZeros().cose), key: keyWithLeadingZeros().key }),
    edits: () => ({ sign: keyWithLeadingZeros().sign }),
    why: NUMBERS,
    expected: ACCEPTED,
  }),
];

/** Cases about the encoding, scheme and key of a login's signature (§7.2 step 21). */
export const SIGNATURES: readonly Case[] = [
  ...listRows(FORMS).map(({ what, signature, ...row }) =>
    authenticationCase({ ...row, id: `login.signature-${what}`, browser: ES256, edits: { signature }, expected: INVALID }),
  ),
  authenticationCase({
    id: 'verify.signature-bit',
    title: 'one bit of the signature flipped',
    edits: { signature: flipBit(-1) },
    why: VERIFIED,
    expected: INVALID,
  }),
  ...listRows(SCHEMES).map(({ what, algorithm, ...row }) =>
    authenticationCase({ ...row, id: `login.${what}`, browser: { authenticator: { algorithms: [algorithm] } }, expected: INVALID }),
  ),
  authenticationCase({
    id: 'login.signature-by-other-key',
    title: 'a signature by a key that belongs to no passkey',
    anyAlgorithm: true,
    browser: ES256,
    edits: { sign: signWithOtherKey },
    why: 'Anyone can make a key and sign with it, so only the key is wrong here. Verify only with the key of the credential that the response names.',
    expected: INVALID,
  }),
  authenticationCase({
    id: 'login.signature-of-another-passkey',
    severalCeremonies: true,
    title: "the signature of another of the user's passkeys",
    rewrite: signedBy(1),
    why: OWN_KEY,
    expected: INVALID,
  }),
  authenticationCase({
    id: 'login.signature-of-another-user',
    severalCeremonies: true,
    title: "the signature of another user's passkey",
    rewrite: signedBy(2),
    why: 'A server that accepts any registered key lets every user log in as everyone. Verify only with the key of the credential that the response names.',
    expected: INVALID,
  }),
  ...VALID,
];
