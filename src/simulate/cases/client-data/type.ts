import type { Case } from '../../engine/case.js';
import { both } from '../../engine/ceremony-cases.js';
import { editMember, moveAside, setClientData, type TextEdit } from '../../engine/edits.js';
import { twice } from './twice.js';

interface TypeRow {
  readonly what: string;
  readonly title: string;
  readonly edit: TextEdit;
  readonly why: string;
}

const CONFUSION =
  'The type keeps a signature that was made for one purpose from being used for another. Compare C.type, as a whole text, with "webauthn.create" at a registration and "webauthn.get" at a login.';

const ROWS: readonly TypeRow[] = [
  { what: 'type-missing', title: 'client data without a type', edit: setClientData({ type: undefined }), why: CONFUSION },
  { what: 'type-null', title: 'null as type', edit: setClientData({ type: null }), why: CONFUSION },
  { what: 'type-empty', title: 'an empty type', edit: setClientData({ type: '' }), why: CONFUSION },
  {
    what: 'type-array',
    title: 'an array that holds the right type',
    edit: editMember('type', (type) => [type]),
    why: 'A list that is compared loosely with a text is turned into that text. Compare C.type without conversion.',
  },
  {
    what: 'type-upper-case',
    title: 'the right type in upper case',
    edit: editMember('type', (type) => type.toUpperCase()),
    why: CONFUSION,
  },
  {
    what: 'type-longer',
    title: 'a type that only starts with the right one',
    edit: editMember('type', (type) => `${type}.other`),
    why: CONFUSION,
  },
  { what: 'type-shorter', title: 'a type without its last letter', edit: editMember('type', (type) => type.slice(0, -1)), why: CONFUSION },
  {
    what: 'type-without-namespace',
    title: 'a type that only ends like the right one',
    edit: editMember('type', (type) => type.replace('webauthn.', '')),
    why: CONFUSION,
  },
  {
    what: 'type-of-payment',
    title: 'the type of a payment',
    edit: editMember('type', (type) => type.replace('webauthn', 'payment')),
    why: 'With Secure Payment Confirmation, other sites may ask for signatures of your passkeys, of the type payment.get. A server that takes one at a login lets those sites log in. Compare C.type as a whole.',
  },
];

const OTHER = { registration: 'webauthn.get', authentication: 'webauthn.create' } as const;
const MISMATCH = { code: 'type_mismatch', step: 'type' } as const;

/** §7.1 step 7, §7.2 step 10. */
export const TYPES: readonly Case[] = [
  ...both({
    what: 'type-swapped',
    title: 'client data of the other ceremony',
    edits: ({ ceremony }) => ({ clientData: setClientData({ type: OTHER[ceremony] }) }),
    why: CONFUSION,
    ...MISMATCH,
  }),
  ...ROWS.flatMap(({ edit, ...row }) => both({ ...row, edits: { clientData: edit }, ...MISMATCH })),
  ...both({
    what: 'type-in-further-member',
    title: 'the type of the other ceremony, and the right one in a member that means nothing',
    why: 'Whoever looks for the type anywhere in the text takes a response of another kind. Parse the JSON, and compare the member type of the outermost object.',
    edits: ({ ceremony }) => ({ clientData: moveAside('type', OTHER[ceremony]) }),
    ...MISMATCH,
  }),
  ...twice({ member: 'type', wrong: (kind) => (kind === 'register' ? OTHER.registration : OTHER.authentication), ...MISMATCH }),
];
