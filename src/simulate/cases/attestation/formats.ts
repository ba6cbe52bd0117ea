import { AAGUID_BYTES } from '../../../webauthn/limits.js';
import { setAaguid } from './attest-anew.js';
import { packed, renamed, selfAttested } from './makers/statements.js';
import { type AttestationRow, accepted, type RefusedRow, refused, type StatementMaker } from './row.js';

const RULE = '§7.1 step 21, §8.1: fmt is matched case-sensitively with the formats that the server supports';
const WHY = 'A statement of an unknown format is unverified, and must not pass for another format or for none.';

/** Names close to that of a format, each with a valid packed statement. */
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

/** A server that trusts roots refuses what names none of them, whatever the format. */
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
      title: 'a packed statement labelled none',
      rule: EMPTY,
      why: 'A server that keeps such a statement keeps claims nobody has verified.',
      ...UNASKED,
      check: 'syntax',
      make: renamed('none', packed()),
    },
    {
      id: 'with-self-attestation',
      title: 'self attestation labelled none',
      rule: EMPTY,
      why: 'A server that keeps such a statement keeps claims nobody has verified.',
      ...UNASKED,
      check: 'syntax',
      make: renamed('none', selfAttested()),
    },
    {
      id: 'with-null',
      title: 'a statement of format none with a member that is null',
      rule: EMPTY,
      why: 'A member that is null is still a member.',
      ...UNASKED,
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
      why: 'Providers of synced passkeys identify themselves this way.',
      ...UNASKED,
      make: async () => ({ fmt: 'none', attStmt: new Map() }),
    },
    {
      id: 'honest',
      title: 'no attestation although it was asked for',
      rule: '§5.4.7: direct is a preference; §8.7: none is a format like others',
      why: 'Synced passkeys have no attestation, and people may decline.',
      onlyWithoutTrust: true,
      authenticatorData: setAaguid(new Uint8Array(AAGUID_BYTES)),
      make: async () => ({ fmt: 'none', attStmt: new Map() }),
    },
  ),
];
