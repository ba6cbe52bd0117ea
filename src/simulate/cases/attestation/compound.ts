import { flipBit } from '../../engine/edits.js';
import { byForger } from './makers/chains.js';
import { editMember, otherClientData } from './makers/edits.js';
import { androidKey, compound, packed, renamed, selfAttested, tpm } from './makers/statements.js';
import { type AttestationRow, accepted, type RefusedRow, refused, type StatementMaker, untrusted } from './row.js';

const SYNTAX = '§8.9: attStmt is an array of two or more statements, none of them compound';
const EACH = '§8.9: each statement is verified by the procedure of its format';
/** §8.9 leaves it to the relying party how many must verify. */
const POLICY = 'The standard lets a server decide how many statements must verify.';
const HIDDEN = 'A forged statement would hide behind a good one.';

const nothing: StatementMaker = async () => ({ fmt: 'compound', attStmt: new Map() });

const MALFORMED: readonly Omit<RefusedRow, 'format' | 'expected' | 'slug' | 'code' | 'needsTrust'>[] = [
  {
    id: 'of-none',
    title: 'a compound statement of no statements',
    rule: SYNTAX,
    why: 'A loop over an empty list finds nothing wrong.',
    check: 'syntax',
    make: compound(),
  },
  {
    id: 'of-one',
    title: 'a compound statement of one statement',
    rule: SYNTAX,
    why: 'The sender announced two witnesses and brought one.',
    check: 'syntax',
    make: compound(packed()),
  },
  {
    id: 'nested',
    title: 'a compound statement inside another',
    rule: SYNTAX,
    why: 'A recursive procedure goes as deep as the sender likes.',
    check: 'syntax',
    make: compound(packed(), compound(packed(), androidKey())),
  },
  {
    id: 'first-wrong',
    title: 'two statements, the first with one bit of its signature flipped',
    rule: EACH,
    why: HIDDEN,
    check: '1/packed/signature',
    disputed: POLICY,
    make: compound(packed({ members: editMember('sig', flipBit(-1)) }), androidKey()),
  },
  {
    id: 'last-wrong',
    title: 'two statements, the second with one bit of its signature flipped',
    rule: EACH,
    why: HIDDEN,
    check: '2/packed/signature',
    disputed: POLICY,
    make: compound(androidKey(), packed({ members: editMember('sig', flipBit(-1)) })),
  },
  {
    id: 'last-of-other-client-data',
    title: 'two statements, the second of another ceremony',
    rule: EACH,
    why: 'A statement recorded elsewhere could be replayed here.',
    check: '2/tpm/extra-data',
    disputed: POLICY,
    make: compound(packed(), tpm({ about: otherClientData })),
  },
  {
    id: 'both-wrong',
    title: 'two statements, both with one bit of the signature flipped',
    rule: EACH,
    why: 'A server that does not know the format must not accept it unseen.',
    check: '1/packed/signature',
    also: ['2/android-key/signature'],
    make: compound(packed({ members: editMember('sig', flipBit(-1)) }), androidKey({ members: editMember('sig', flipBit(-1)) })),
  },
  {
    id: 'of-unknown-format',
    title: 'two statements, one of an unknown format',
    rule: EACH,
    why: 'A server that skips what it does not know settles for less than was announced.',
    check: '2/packet/format',
    disputed: POLICY,
    make: compound(androidKey(), renamed('packet', packed())),
  },
];

/** §8.9. */
export const COMPOUND: readonly AttestationRow[] = [
  ...refused('compound', ...MALFORMED),
  ...refused('compound', {
    id: 'of-map',
    title: 'a map instead of an array of statements',
    rule: SYNTAX,
    why: 'Malformed input deserves a 4xx, not a crash.',
    check: 'attestation-object',
    make: nothing,
  }).map((row) => ({ ...row, slug: 'attestation-object' as const })),
  ...accepted(
    'compound',
    {
      id: 'honest',
      title: 'two statements of two formats',
      rule: SYNTAX,
      why: 'An authenticator may hold both a vendor key and a platform key.',
      make: compound(packed(), androidKey()),
    },
    {
      id: 'of-three',
      title: 'three statements of three formats',
      rule: SYNTAX,
      why: 'Two or more does not mean exactly two.',
      make: compound(tpm(), packed(), androidKey()),
    },
    {
      id: 'of-two-alike',
      title: 'two statements of one format',
      rule: SYNTAX,
      why: 'The standard does not require different formats.',
      make: compound(packed(), selfAttested()),
    },
  ),
  ...untrusted('compound', {
    id: 'roots-of-strangers',
    title: 'two statements, both with certificates of an unknown CA',
    rule: '§7.1 step 24: attestation certificates chain up to an acceptable root',
    why: 'Two unknown witnesses are no better than one.',
    check: 'trust-anchor',
    make: compound(packed({ issued: byForger }), tpm({ issued: byForger })),
  }),
];
