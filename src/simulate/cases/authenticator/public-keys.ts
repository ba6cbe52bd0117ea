import { fromHex } from '../../../kernel/bytes.js';
import { ALGORITHMS, KEY_TYPES } from '../../../webauthn/algorithms.js';
import { encodeCbor } from '../../../webauthn/cbor.js';
import { COSE_LABELS } from '../../../webauthn/cose-key.js';
import type { PublicKeyCredentialCreationOptionsJSON } from '../../../webauthn/json.js';
import type { Begun } from '../../engine/attempts.js';
import {
  compressPoint,
  editKeyBytes,
  overwrite,
  repeatKeyMember,
  setKeyMembers,
  setPublicKey,
} from '../../engine/authenticator-data-edits.js';
import { because, type Case, listRows, type Rows } from '../../engine/case.js';
import { canAttest } from '../../engine/ceremony.js';
import { type RegistrationSpec, registrationCase } from '../../engine/ceremony-cases.js';
import { appendByte, type ByteEdit, cutTo, flipBit } from '../../engine/edits.js';
import { refused } from '../../engine/outcome.js';
import { notApplicable } from '../../engine/scenario.js';

const { kty, alg, crv, x, y, n, e, pub } = COSE_LABELS;
/** The COSE label of the private key in an EC2 key (RFC 9053 §7.1). */
const PRIVATE_PART = -4;

interface KeyRow extends Pick<RegistrationSpec, 'title' | 'rule' | 'why' | 'wants' | 'anyAlgorithm'> {
  readonly edit: ByteEdit;
  /** COSE algorithm identifier of the unmodified key; default: ES256. */
  readonly algorithm?: number;
  /**
   * Set if signatures still verify with the key, or if only RFCs outside the standard forbid the key. Only strict servers refuse such keys.
   */
  readonly strict?: true;
  /** Set if the key is not readable as CBOR, which makes the authenticator data unreadable too. */
  readonly unreadable?: true;
}

const POINT =
  'With a sound library, a key that is not on its curve verifies nothing, so the user has a passkey that never works. With an unsound one, anyone may log in. Import the key at registration, and refuse one that cannot be imported.';
const MEMBERS =
  'The passkey would be stored but never verify a signature: registration seems to succeed, and the user is locked out. At registration, read every member that the key type requires, and refuse a key without one.';
const FITTING =
  'With a key that does not match its algorithm, the library guesses how to verify, and an attacker can choose the weaker way. Take the algorithm from "alg", and refuse a key whose type, curve or size does not match it.';
const WEAK =
  'Anyone who sees a short RSA public key, or one with exponent 1, can forge its signatures. Refuse moduli below 2048 bits, and exponents other than odd numbers above 1.';
const CANONICAL =
  'Two parsers can read two different keys from it. Decode the COSE key with a strict CBOR decoder, and refuse everything that WebAuthn does not allow in it.';

/** Coordinates of the base point of P-384. */
const P384_X = fromHex('aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7');
const P384_Y = fromHex('3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f');

/** The public key of the first Ed448 test vector in RFC 8032 §7.4. */
const ED448_X = fromHex(
  '5fd7449b59b461fd2ce787ec616ad46a1da1342485a70e1f8a0ea75d80e96778edf124769b46c7061bd6783df1e50f6cd1fa1abeafe8256180',
);

const curveRule = '§5.8.5: ES256 keys are on P-256';
const membersRule = '§6.5.1: the key has the members that its type requires, and no others';

const ROWS: Rows<KeyRow> = {
  ...because<KeyRow>(POINT, {
    'public-key-off-curve': {
      title: 'a public key that is not on its curve',
      rule: 'RFC 9053 §7.1.1: x and y are a point on the curve',
      edit: editKeyBytes(y, flipBit(-1)),
    },
    'public-key-zero': {
      title: 'a public key of zeros',
      rule: 'RFC 9053 §7.1.1: x and y are a point on the curve',
      edit: setKeyMembers([x, new Uint8Array(32)], [y, new Uint8Array(32)]),
    },
  }),
  'public-key-without-kty': {
    anyAlgorithm: true,
    title: 'a public key without a type',
    rule: membersRule,
    edit: setKeyMembers([kty, undefined]),
    why: MEMBERS,
  },
  'public-key-without-alg': {
    anyAlgorithm: true,
    title: 'a public key without an algorithm',
    rule: '§6.5.1: the key names its algorithm',
    edit: setKeyMembers([alg, undefined]),
    why: FITTING,
  },
  ...because<KeyRow>(MEMBERS, {
    'public-key-without-curve': { title: 'a public key without a curve', rule: membersRule, edit: setKeyMembers([crv, undefined]) },
    'public-key-without-x': { title: 'a public key without x', rule: membersRule, edit: setKeyMembers([x, undefined]) },
    'public-key-without-y': { title: 'a public key without y', rule: membersRule, edit: setKeyMembers([y, undefined]) },
    'public-key-compressed': {
      title: 'a public key with a sign bit instead of y',
      rule: '§5.8.5: no compressed points',
      edit: compressPoint,
    },
    'public-key-long-coordinate': {
      title: 'a coordinate with a zero before it',
      rule: 'RFC 9053 §7.1.1: coordinates are as long as the field',
      edit: editKeyBytes(x, (bytes) => Uint8Array.of(0, ...bytes)),
    },
    'public-key-short-coordinate': {
      title: 'a coordinate without its last byte',
      rule: 'RFC 9053 §7.1.1: coordinates are as long as the field',
      edit: editKeyBytes(x, cutTo(31)),
    },
  }),
  ...because<KeyRow>(FITTING, {
    'public-key-other-curve': {
      title: 'a key on P-384 with the algorithm ES256',
      rule: curveRule,
      edit: setKeyMembers([crv, 2], [x, P384_X], [y, P384_Y]),
    },
    'public-key-of-other-type': {
      title: 'an EC2 key whose type says OKP',
      rule: 'RFC 9053 §2.1: ES256 keys are of type EC2',
      edit: setKeyMembers([kty, KEY_TYPES.OKP]),
    },
    'public-key-algorithm-of-rsa': {
      title: 'an EC2 key with the algorithm RS256',
      rule: 'RFC 8812 §2: RS256 keys are of type RSA',
      wants: { algorithms: [-7, -257] },
      edit: setKeyMembers([alg, -257]),
    },
    'public-key-algorithm-as-text': {
      anyAlgorithm: true,
      title: 'a public key whose algorithm is the text ES256',
      rule: '§7.1 step 20: alg is that of an item of pubKeyCredParams',
      edit: setKeyMembers([alg, 'ES256']),
    },
  }),
  'public-key-private': {
    strict: true,
    title: 'a public key with its private part',
    rule: membersRule,
    edit: setKeyMembers([PRIVATE_PART, new Uint8Array(32).fill(1)]),
    why: 'Only broken software sends its private key, and you would store it. Refuse keys with members that their type does not require.',
  },
  ...because<KeyRow>(CANONICAL, {
    'public-key-duplicate-label': {
      title: 'a public key that has x twice',
      rule: 'CTAP 2.3 §8: no key occurs twice in a map',
      edit: repeatKeyMember(x),
      unreadable: true,
    },
    'public-key-list': {
      anyAlgorithm: true,
      title: 'a public key that is a list',
      rule: '§6.5.1: the public key is a COSE_Key',
      edit: setPublicKey(encodeCbor([KEY_TYPES.EC2, -7])),
      unreadable: true,
    },
  }),
  ...because<KeyRow>(WEAK, {
    'rsa-modulus-short': {
      strict: true,
      title: 'an RSA key of 512 bits',
      rule: 'RFC 8812 §2: 2048 bits or more',
      algorithm: -257,
      edit: editKeyBytes(n, (bytes) => Uint8Array.of(...bytes.subarray(0, 63), 0xff)),
    },
    'rsa-modulus-even': {
      strict: true,
      title: 'an RSA key with an even modulus',
      rule: 'RFC 8017 §3.1: the modulus is a product of odd primes',
      algorithm: -257,
      edit: editKeyBytes(n, (bytes) => overwrite(bytes.length - 1, Uint8Array.of(2))(bytes)),
    },
  }),
  'rsa-exponent-one': {
    strict: true,
    title: 'an RSA key with exponent 1',
    rule: 'RFC 8017 §3.1: the exponent is 3 or more',
    algorithm: -257,
    edit: setKeyMembers([e, Uint8Array.of(1)]),
    why: 'With exponent 1, the signature is the padded hash itself, so anyone can make one. Refuse exponents other than odd numbers above 1.',
  },
  ...because<KeyRow>(MEMBERS, {
    'eddsa-key-short': {
      title: 'an Ed25519 key of 31 bytes',
      rule: 'RFC 8032 §5.1.5: 32 bytes',
      algorithm: -8,
      wants: { algorithms: [-8] },
      edit: editKeyBytes(x, cutTo(31)),
    },
    'eddsa-key-long': {
      title: 'an Ed25519 key of 33 bytes',
      rule: 'RFC 8032 §5.1.5: 32 bytes',
      algorithm: -8,
      wants: { algorithms: [-8] },
      edit: editKeyBytes(x, appendByte(0)),
    },
  }),
  'eddsa-key-of-ed448': {
    title: 'a key on Ed448 with the algorithm EdDSA',
    rule: '§5.8.5: keys of algorithm -8 are on Ed25519',
    algorithm: -8,
    wants: { algorithms: [-8] },
    edit: setKeyMembers([crv, 7], [x, ED448_X]),
    why: FITTING,
  },
};

/** Keys of the wrong size or kind for ML-DSA, whose keys have a fixed size. */
const ML_DSA_ROWS: readonly (KeyRow & { readonly what: string })[] = ALGORITHMS.flatMap(({ id: algorithm, name, publicKeyBytes }) => {
  if (publicKeyBytes === undefined) return [];
  const what = `${name.toLowerCase()}-key`;
  const size = {
    algorithm,
    wants: { algorithms: [algorithm] },
    rule: `FIPS 204 §4: keys of ${name} have ${publicKeyBytes} bytes`,
    why: MEMBERS,
  };
  return [
    {
      ...size,
      what: `${what}-short`,
      title: `an ${name} key without its last byte`,
      edit: editKeyBytes(pub, cutTo(publicKeyBytes - 1)),
    },
    { ...size, what: `${what}-long`, title: `an ${name} key with one more byte`, edit: editKeyBytes(pub, appendByte(0)) },
    {
      what: `${what}-of-es256`,
      title: `an ${name} key with the algorithm ES256`,
      rule: curveRule,
      algorithm,
      wants: { algorithms: [algorithm, -7] },
      edit: setKeyMembers([alg, -7]),
      why: FITTING,
    },
  ];
});

/** COSE algorithm identifiers chosen so that every target leaves out at least one of them. */
export const SOME_ALGORITHMS = [-8, -35, -7, -36, -257, -47] as const;

/**
 * Finds an algorithm that the software authenticator supports but the options do not offer. Prefers one for which the authenticator can
 * make an attestation.
 */
export function notOffered({ context, options }: Begun<PublicKeyCredentialCreationOptionsJSON>): number {
  const offered = options.pubKeyCredParams.map(({ alg: id }) => Number(id));
  const others = SOME_ALGORITHMS.filter((id) => !offered.includes(id));
  const other = others.find((id) => canAttest(context, id)) ?? others[0];
  if (other === undefined) throw notApplicable('the target offers every algorithm with which the case could test it');
  return other;
}

/** Cases about the algorithm of the credential and its public key (§7.1 step 20, §5.8.5, §6.5.1). */
export const PUBLIC_KEYS: readonly Case[] = [
  registrationCase({
    id: 'register.algorithm-not-offered',
    title: 'a key for an algorithm that was not offered',
    browser: { authenticator: { algorithms: SOME_ALGORITHMS } },
    options: (begun) => ({ ...begun.options, pubKeyCredParams: [{ type: 'public-key', alg: notOffered(begun) }] }),
    why: 'You offer the algorithms that you trust. Another algorithm may be weak, or your library may verify it wrongly or not at all. Compare "alg" of the attested key with the list that you offered.',
    expected: refused('algorithm_not_allowed', 'algorithm'),
  }),
  ...[...listRows(ROWS), ...ML_DSA_ROWS].map(({ what, edit, algorithm = -7, unreadable, strict, wants = {}, ...row }) =>
    registrationCase({
      ...row,
      id: `register.${what}`,
      tags: ['public-key'],
      wants: { ...wants, publicKeys: strict ? 'strict' : 'checked' },
      browser: { authenticator: { algorithms: [algorithm] } },
      edits: { authenticatorData: edit },
      expected: unreadable ? refused('authenticator_data_malformed', 'attestation-object') : refused('public_key_malformed', 'algorithm'),
    }),
  ),
];
