import { AAGUID_BYTES } from '../../../webauthn/limits.js';
import type { Rows } from '../../engine/case.js';
import { flipBit } from '../../engine/edits.js';
import { editMember, otherClientData } from './makers/certified.js';
import { byForger } from './makers/chains.js';
import { androidKey, compound, packed, renamed, selfAttested, tpm } from './makers/statements.js';
import {
  type AttestationRow,
  accepted,
  breaking,
  type RefusedRow,
  refused,
  type Shortened,
  type StatementMaker,
  setAaguid,
  untrusted,
} from './row.js';

const RULE = '§7.1 step 21, §8.1: fmt is matched case-sensitively with the formats that the server supports';
const WHY = 'A statement in an unknown format cannot be verified, and must not pass as another format or as none.';

/** Format names that differ slightly from a real one. Each is sent with a valid packed statement. */
const NAMES: readonly (readonly [id: string, fmt: string, title: string])[] = [
  ['capital', 'Packed', 'the format name with a capital letter'],
  ['space', 'packed ', 'the format name with a trailing space'],
  ['nul', 'packed\0', 'the format name with a trailing NUL'],
  ['prefix', 'pack', 'the beginning of a format name'],
  ['full-width', 'ｐacked', 'the format name with a full-width letter'],
  ['empty', '', 'an empty format name'],
  ['property', 'constructor', '"constructor", which every JavaScript object has'],
  ['prototype', '__proto__', '"__proto__", which every JavaScript object has'],
];

/**
 * Settings for a statement that the server did not request. The case is skipped for a server that trusts only certain roots, because it
 * refuses the statement anyway.
 */
const UNASKED = { attestation: 'none', onlyWithoutTrust: true } as const;

const unknown = (id: string, title: string, make: StatementMaker): RefusedRow => ({
  id: `register.format-${id}`,
  title,
  format: 'packed',
  rule: RULE,
  why: WHY,
  expected: 'refused',
  slug: 'attestation-format',
  code: 'attestation_format_unsupported',
  needsTrust: false,
  ...UNASKED,
  check: 'format',
  make,
});

/** Cases about the name of the attestation statement format (§8.1). */
export const FORMATS: readonly AttestationRow[] = [
  ...NAMES.map(([id, fmt, title]) => unknown(id, title, renamed(fmt, packed()))),
  unknown('of-none-capital', 'NONE in capital letters, with an empty statement', async () => ({ fmt: 'NONE', attStmt: new Map() })),
];

const EMPTY = '§8.7: the statement of format none is an empty map';

/** Cases for the attestation statement format `none` (§8.7). */
export const NONE: readonly AttestationRow[] = [
  ...refused(
    'none',
    breaking(EMPTY, 'syntax', {
      'with-certificates': {
        title: 'a packed statement labelled none',
        why: 'A server that keeps such a statement keeps claims that were not verified.',
        ...UNASKED,
        make: renamed('none', packed()),
      },
      'with-self-attestation': {
        title: 'self attestation labelled none',
        why: 'A server that keeps such a statement keeps claims that were not verified.',
        ...UNASKED,
        make: renamed('none', selfAttested()),
      },
      'with-null': {
        title: 'a statement of format none with a member that is null',
        why: 'A member that is null is still a member.',
        ...UNASKED,
        make: async () => ({ fmt: 'none', attStmt: new Map([['x5c', null]]) }),
      },
    }),
  ),
  ...accepted('none', {
    'with-aaguid': {
      title: 'no attestation, with an AAGUID',
      rule: '§5.1.3: since Level 3, clients keep the AAGUID',
      why: 'Providers of synced passkeys identify themselves this way.',
      ...UNASKED,
      make: async () => ({ fmt: 'none', attStmt: new Map() }),
    },
    honest: {
      title: 'no attestation although it was requested',
      rule: '§5.4.7: direct is a preference; §8.7: none is a format like others',
      why: 'Synced passkeys have no attestation, and people may decline.',
      onlyWithoutTrust: true,
      authenticatorData: setAaguid(new Uint8Array(AAGUID_BYTES)),
      make: async () => ({ fmt: 'none', attStmt: new Map() }),
    },
  }),
];

const SYNTAX = '§8.9: attStmt is an array of two or more statements, none of them compound';
const EACH = '§8.9: each statement is verified by the procedure of its format';
/**
 * Explains why correct servers may decide differently: §8.9 lets each server decide how many statements of a compound attestation must
 * verify.
 */
const POLICY = 'The standard lets a server decide how many statements must verify.';
const HIDDEN = 'A server that accepts the valid statement would also accept the forged one.';

const nothing: StatementMaker = async () => ({ fmt: 'compound', attStmt: new Map() });

const MALFORMED: Rows<Shortened<RefusedRow>> = {
  ...breaking(SYNTAX, 'syntax', {
    'of-none': {
      title: 'a compound statement of no statements',
      why: 'A loop over an empty list finds nothing wrong.',
      make: compound(),
    },
    'of-one': {
      title: 'a compound statement of one statement',
      why: 'The sender announced several statements and sent one.',
      make: compound(packed()),
    },
    nested: {
      title: 'a compound statement inside another',
      why: 'A server that verifies recursively recurses as deep as the sender wants.',
      make: compound(packed(), compound(packed(), androidKey())),
    },
  }),
  'first-wrong': {
    title: 'two statements, the first with one bit of its signature flipped',
    rule: EACH,
    why: HIDDEN,
    check: '1/packed/signature',
    disputed: POLICY,
    make: compound(packed({ members: editMember('sig', flipBit(-1)) }), androidKey()),
  },
  'last-wrong': {
    title: 'two statements, the second with one bit of its signature flipped',
    rule: EACH,
    why: HIDDEN,
    check: '2/packed/signature',
    disputed: POLICY,
    make: compound(androidKey(), packed({ members: editMember('sig', flipBit(-1)) })),
  },
  'last-of-other-client-data': {
    title: 'two statements, the second of another ceremony',
    rule: EACH,
    why: 'A statement recorded elsewhere could be replayed here.',
    check: '2/tpm/extra-data',
    disputed: POLICY,
    make: compound(packed(), tpm({ about: otherClientData })),
  },
  'both-wrong': {
    title: 'two statements, both with one bit of the signature flipped',
    rule: EACH,
    why: 'A server that does not know the format must not accept the statement unverified.',
    check: '1/packed/signature',
    also: ['2/android-key/signature'],
    make: compound(packed({ members: editMember('sig', flipBit(-1)) }), androidKey({ members: editMember('sig', flipBit(-1)) })),
  },
  'of-unknown-format': {
    title: 'two statements, one of an unknown format',
    rule: EACH,
    why: 'A server that skips unknown formats verifies less than the statement claims.',
    check: '2/packet/format',
    disputed: POLICY,
    make: compound(androidKey(), renamed('packet', packed())),
  },
};

/** Cases for the attestation statement format `compound` (§8.9). */
export const COMPOUND: readonly AttestationRow[] = [
  ...refused('compound', MALFORMED),
  ...refused('compound', {
    'of-map': {
      title: 'a map instead of an array of statements',
      rule: SYNTAX,
      why: 'Malformed input deserves a 4xx, not a crash.',
      check: 'attestation-object',
      make: nothing,
    },
  }).map((row) => ({ ...row, slug: 'attestation-object' as const })),
  ...accepted('compound', {
    honest: {
      title: 'two statements of two formats',
      rule: SYNTAX,
      why: 'An authenticator may hold both a vendor key and a platform key.',
      make: compound(packed(), androidKey()),
    },
    'of-three': {
      title: 'three statements of three formats',
      rule: SYNTAX,
      why: 'The standard allows more than two statements.',
      make: compound(tpm(), packed(), androidKey()),
    },
    'of-two-alike': {
      title: 'two statements of one format',
      rule: SYNTAX,
      why: 'The standard does not require different formats.',
      make: compound(packed(), selfAttested()),
    },
  }),
  ...untrusted('compound', {
    'roots-of-strangers': {
      title: 'two statements, both with certificates of an unknown CA',
      rule: '§7.1 step 24: attestation certificates chain up to an acceptable root',
      why: 'Two statements from unknown CAs prove no more than one.',
      check: 'trust-anchor',
      make: compound(packed({ issued: byForger }), tpm({ issued: byForger })),
    },
  }),
];
