import { concatBytes, encodeUtf8 } from '../../../kernel/bytes.js';
import type { Case, Rows } from '../../engine/case.js';
import { both } from '../../engine/ceremony-cases.js';
import type { ByteEdit } from '../../engine/edits.js';
import { type MemberRow, misplaced, wrongValues } from './members.js';

const OTHER = { registration: 'webauthn.get', authentication: 'webauthn.create' } as const;

const CONFUSION =
  'The type prevents a signature made for one purpose from being used for another. Compare the whole string C.type with "webauthn.create" at a registration and "webauthn.get" at a login.';

const ROWS: Rows<MemberRow> = {
  'type-swapped': { title: 'client data of the other ceremony', edit: (_, { ceremony }) => OTHER[ceremony], why: CONFUSION },
  'type-missing': { title: 'client data without a type', edit: () => undefined, why: CONFUSION },
  'type-null': { title: 'null as type', edit: () => null, why: CONFUSION },
  'type-empty': { title: 'an empty type', edit: () => '', why: CONFUSION },
  'type-array': {
    title: 'an array that holds the right type',
    edit: (type) => [type],
    why: 'A loose comparison converts a list into a string. Compare C.type without conversion.',
  },
  'type-upper-case': { title: 'the right type in upper case', edit: (type) => type.toUpperCase(), why: CONFUSION },
  'type-longer': { title: 'a type that only starts with the right one', edit: (type) => `${type}.other`, why: CONFUSION },
  'type-shorter': { title: 'a type without its last letter', edit: (type) => type.slice(0, -1), why: CONFUSION },
  'type-without-namespace': {
    title: 'a type that only ends like the right one',
    edit: (type) => type.replace('webauthn.', ''),
    why: CONFUSION,
  },
  'type-of-payment': {
    title: 'the type of a payment',
    edit: (type) => type.replace('webauthn', 'payment'),
    why: 'With Secure Payment Confirmation, other sites may request signatures from your passkeys, with the type payment.get. A server that accepts one at a login lets those sites log in. Compare the whole string C.type.',
  },
};

const TYPE = { member: 'type', code: 'type_mismatch', step: 'type' };

const NAMESPACE = encodeUtf8('webauthn.');

/** The letter "w" as two bytes, an overlong encoding that UTF-8 forbids. */
const OVERLONG = Uint8Array.of(0xc1, 0xb7);

/** Replaces the first letter of the type with an overlong encoding of that letter. */
const lengthenLetter: ByteEdit = (bytes) => {
  const at = bytes.findIndex((_, index) => NAMESPACE.every((byte, offset) => bytes[index + offset] === byte));
  return at < 0 ? bytes : concatBytes(bytes.slice(0, at), OVERLONG, bytes.slice(at + 1));
};

/** Cases about the type in the client data (§7.1 step 7, §7.2 step 10). */
export const TYPES: readonly Case[] = [
  ...wrongValues(TYPE, ROWS),
  ...misplaced(TYPE, (ceremony) => OTHER[ceremony]),
  ...both({
    what: 'type-overlong',
    title: 'the right type, with one letter in an overlong UTF-8 encoding',
    edits: { clientDataBytes: lengthenLetter },
    why: 'A decoder that accepts overlong encodings reads a string that an earlier filter did not see. The standard’s "UTF-8 decode" replaces them with U+FFFD. Use a decoder that does this, or one that refuses the text.',
    code: TYPE.code,
    step: TYPE.step,
  }),
];
