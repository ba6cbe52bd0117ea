import type { Case } from '../../engine/case.js';
import { ACCEPTED_TOP_ORIGIN } from '../../engine/ceremony.js';
import { editMember } from '../../engine/client-data-edits.js';
import { denied, refused } from '../../engine/outcome.js';
import { bothVariants } from '../../engine/variants.js';

/**
 * Edits of the right string whose results a lax comparison mistakes for that string: with separators, terminators, missing or case-folded
 * parts, or other types.
 */
const TEXTS: readonly (readonly [name: string, edit: (right: string) => string])[] = [
  ['followed by U+0000 and more characters', (right) => `${right}\u0000other`],
  ['on the first of two lines', (right) => `${right}\nother`],
  ['on the second of two lines', (right) => `other\n${right}`],
  ['followed by a line break', (right) => `${right}\n`],
  ['blanks around it', (right) => ` ${right} `],
  ['followed by a zero-width character', (right) => `${right}\u200b`],
  ['first in a list with commas', (right) => `${right},other`],
  ['last in a list with blanks', (right) => `other ${right}`],
  ['percent-encoded', (right) => right.replace(/./, (first) => `%${first.charCodeAt(0).toString(16)}`)],
  ['in full-width letters', (right) => right.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))],
  ['the text "undefined"', () => 'undefined'],
  ['the text "null"', () => 'null'],
  ['the text "[object Object]"', () => '[object Object]'],
  ['the text "true"', () => 'true'],
  ['a pattern for any text', () => '.*'],
];

const variants = (member: string) => TEXTS.map(([name, edit]) => ({ name, edits: { clientData: editMember(member, edit) } }));

const WHY =
  'Compare the whole string, exactly as received, with the one that you expect. Do not trim, split, fold or convert it first, or match it with a pattern.';

/**
 * Cases about lax comparison of the type, the challenge and the top-level origin (§7.1 steps 7, 8 and 11, §7.2 steps 10, 11 and 14).
 * Separate cases test the origin.
 */
export const CONFUSED: readonly Case[] = [
  ...bothVariants({
    what: 'type-confused',
    title: 'strings that a lax comparison mistakes for the right type',
    why: WHY,
    expected: refused('type_mismatch', 'type'),
    login: denied('type_mismatch', 'type'),
    variants: variants('type'),
  }),
  ...bothVariants({
    what: 'challenge-confused',
    title: 'strings that a lax comparison mistakes for the right challenge',
    why: WHY,
    expected: refused('challenge_unknown', 'challenge'),
    login: denied('challenge_unknown', 'challenge'),
    variants: variants('challenge'),
  }),
  ...bothVariants({
    what: 'top-origin-confused',
    title: 'strings that a lax comparison mistakes for an allowed top-level origin',
    why: WHY,
    wants: { topOrigin: true },
    browser: { page: { topOrigin: ACCEPTED_TOP_ORIGIN } },
    expected: refused('top_origin_mismatch', 'top-origin'),
    login: denied('top_origin_mismatch', 'top-origin'),
    variants: variants('topOrigin'),
  }),
];
