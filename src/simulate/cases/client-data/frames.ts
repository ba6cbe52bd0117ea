import { type Case, listRows, mapRows, type Rows } from '../../engine/case.js';
import { ACCEPTED_TOP_ORIGIN } from '../../engine/ceremony.js';
import { type BothRow, both } from '../../engine/ceremony-cases.js';
import { otherPort, setClientData } from '../../engine/client-data-edits.js';
import { type MemberRow, wrongValues } from './members.js';
import { OTHER_SITE, otherScheme, readHost, withHost } from './origin-edits.js';

/** Traits of a page that is embedded under a top-level origin which the target accepts. */
const EMBEDDED = { wants: { topOrigin: true }, browser: { page: { topOrigin: ACCEPTED_TOP_ORIGIN } } } as const;

const CLICKJACKING =
  'A hostile page can show yours in a frame and trick the user into confirming something they do not see. Unless your page is meant to be framed, refuse C.crossOrigin true and every C.topOrigin.';
const WHOLE =
  'C.topOrigin says which page shows yours in a frame. With a looser comparison, a hostile page may frame it. Compare the whole string with each top-level origin that you expect.';

const NOT_FRAMED: Rows<Omit<BothRow, 'what'>> = {
  'cross-origin': {
    title: 'a page in an iframe of another origin',
    wants: { topOrigin: false },
    browser: { page: { crossOrigin: true } },
    why: CLICKJACKING,
    code: 'cross_origin_not_allowed',
    step: 'cross-origin',
  },
  'top-origin-without-cross-origin': {
    title: 'a top-level origin in client data that is not cross-origin',
    wants: { topOrigin: false },
    edits: { clientData: setClientData({ topOrigin: OTHER_SITE }) },
    why: `${CLICKJACKING} The standard checks C.topOrigin whatever C.crossOrigin says.`,
    code: 'top_origin_mismatch',
    step: 'top-origin',
  },
  'top-origin-own': {
    title: "the page's own origin as top-level origin, in client data that are not cross-origin",
    wants: { topOrigin: false },
    edits: ({ context }) => ({ clientData: setClientData({ topOrigin: context.origin }) }),
    why: `Your own page may frame a hostile page that in turn frames yours, so your own origin as C.topOrigin does not prove that the frames are safe. ${CLICKJACKING}`,
    code: 'top_origin_mismatch',
    step: 'top-origin',
  },
};

const TOP_ORIGINS: Rows<MemberRow> = {
  'top-origin-other': { title: 'an iframe under a top-level origin that is not allowed', edit: () => OTHER_SITE },
  'top-origin-other-port': { title: 'an allowed top-level origin, on another port', edit: otherPort },
  'top-origin-other-scheme': { title: 'an allowed top-level origin under the other scheme, http or https', edit: otherScheme },
  'top-origin-longer-host': {
    title: 'a top-level host that only starts with an allowed one',
    edit: (top) => withHost(top, `${readHost(top)}.example`),
  },
  'top-origin-host-suffix': {
    title: 'a top-level host that only ends with an allowed one',
    edit: (top) => withHost(top, `evil${readHost(top)}`),
  },
  'top-origin-in-path': {
    title: 'another site, with an allowed top-level origin in its path',
    edit: (top) => `${OTHER_SITE}/${top}`,
  },
  'top-origin-own-embedded': {
    title: "an iframe under the page's own origin, which is not an allowed top-level origin",
    edit: (_, { context }) => context.origin,
  },
  'top-origin-empty': { title: 'an empty top-level origin', edit: () => '' },
  'top-origin-null-text': { title: 'the top-level origin of a page that has none, "null"', edit: () => 'null' },
  'top-origin-array': { title: 'an array that holds an allowed top-level origin', edit: (top) => [top], unreadable: true },
};

const TOP_ORIGIN = { member: 'topOrigin', code: 'top_origin_mismatch', step: 'top-origin' };

/** Cases about pages in frames: crossOrigin and topOrigin (§7.1 steps 10 and 11, §7.2 steps 13 and 14). */
export const FRAMES: readonly Case[] = [
  ...listRows(NOT_FRAMED).flatMap(both),
  ...wrongValues(
    TOP_ORIGIN,
    mapRows(TOP_ORIGINS, (row) => ({ ...row, ...EMBEDDED, why: WHOLE })),
  ),
  ...both({
    what: 'embedded',
    title: 'a page in an iframe, under an allowed top-level origin',
    ...EMBEDDED,
    why: 'A server that refuses such responses locks out the users of a page that is meant to be framed. Accept C.crossOrigin true with the top-level origins that you expect.',
  }),
  ...both({
    what: 'cross-origin-absent',
    title: 'client data without crossOrigin',
    edits: { clientData: setClientData({ crossOrigin: undefined }) },
    why: 'Clients of Level 1 leave the member out, and their users would be locked out. Treat it as false if it is absent.',
  }),
];
