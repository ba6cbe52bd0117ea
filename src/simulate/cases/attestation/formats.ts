import { AAGUID_BYTES } from '../../../webauthn/limits.js';
import { setAaguid } from './attest-anew.js';
import { packed, renamed, selfAttested } from './makers/statements.js';
import { type AttestationRow, accepted, type RefusedRow, refused, type StatementMaker } from './row.js';

const RULE = '§7.1 step 21, §8.1: fmt is matched case-sensitively with the formats that the server supports';
const WHY = 'A statement that no procedure has verified counts for nothing, and must not count as one of another format.';

/** Names that are almost those of formats; the statement is a good one of the format. */
const NAMES: readonly (readonly [id: string, fmt: string, title: string])[] = [
  ['capital', 'Packed', 'the name of a format with a capital letter'],
  ['space', 'packed ', 'the name of a format with a space behind it'],
  ['nul', 'packed\0', 'the name of a format with a NUL behind it'],
  ['prefix', 'pack', 'the beginning of the name of a format'],
  ['full-width', 'ｐacked', 'the name of a format with a letter of full width'],
  ['empty', '', 'an empty name of a format'],
  ['property', 'constructor', 'the name of a member that every object of JavaScript has'],
  ['prototype', '__proto__', 'the name of the prototype of objects of JavaScript'],
];

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
  check: 'format',
  make,
});

/** §8.1. */
export const FORMATS: readonly AttestationRow[] = [
  ...NAMES.map(([id, fmt, title]) => unknown(id, title, renamed(fmt, packed()))),
  unknown('of-none-capital', 'NONE in capital letters, with an empty statement', async () => ({ fmt: 'NONE', attStmt: new Map() })),
];

const EMPTY = '§8.7: the statement of format none is an empty map';

/** §8.7. */
export const NONE: readonly AttestationRow[] = [
  ...refused(
    'none',
    {
      id: 'with-certificates',
      title: 'a packed statement under the name of none',
      rule: EMPTY,
      why: 'A server that stores what came with it stores claims that nobody has verified.',
      check: 'syntax',
      make: renamed('none', packed()),
    },
    {
      id: 'with-self-attestation',
      title: 'self attestation under the name of none',
      rule: EMPTY,
      why: 'A server that stores what came with it stores claims that nobody has verified.',
      check: 'syntax',
      make: renamed('none', selfAttested()),
    },
    {
      id: 'with-null',
      title: 'a statement of format none with a member that is null',
      rule: EMPTY,
      why: 'A member without a value is a member.',
      check: 'syntax',
      make: async () => ({ fmt: 'none', attStmt: new Map([['x5c', null]]) }),
    },
  ),
  ...accepted(
    'none',
    {
      id: 'with-aaguid',
      title: 'no attestation, with an AAGUID',
      rule: '§5.1.3: since Level 3 the AAGUID stays',
      why: 'Every provider of synced passkeys names itself like that.',
      attestation: 'none',
      onlyWithoutTrust: true,
      make: async () => ({ fmt: 'none', attStmt: new Map() }),
    },
    {
      id: 'honest',
      title: 'no attestation, although it was asked for',
      rule: '§5.4.7: direct is a preference; §8.7: none is a format like others',
      why: 'Synced passkeys have no attestation, and people may decline.',
      onlyWithoutTrust: true,
      authenticatorData: setAaguid(new Uint8Array(AAGUID_BYTES)),
      make: async () => ({ fmt: 'none', attStmt: new Map() }),
    },
  ),
];
