import { concatBytes } from '../../../kernel/bytes.js';
import { type Case, listRows, mapRows, type Rows } from '../../engine/case.js';
import { authenticationCase, both } from '../../engine/ceremony-cases.js';
import { editMember, otherPort, setClientData } from '../../engine/client-data-edits.js';
import { type ByteEdit } from '../../engine/edits.js';
import { bothFlows } from '../../engine/flows.js';
import { denied } from '../../engine/outcome.js';
import type { RequestForgery } from '../../target/driver.js';
import { type MemberRow, misplaced, wrongValues } from './members.js';
import {
  dotReplaced,
  lookAlike,
  ON_SUBDOMAIN,
  OTHER_SITE,
  otherScheme,
  parentDomain,
  portRespelled,
  readHost,
  withHost,
  withoutPort,
} from './origin-edits.js';

const WHY =
  'An attacker writes the headers of the request as well as the response: where both name the origin of the attacker, they agree. Compare C.origin with origins from your configuration, never with what the request says.';

const OTHER_HOST = readHost(OTHER_SITE);

const ROWS: Rows<{ readonly title: string; readonly headers: Readonly<Record<string, string>> }> = {
  'origin-in-header': {
    title: 'a page of another site, whose origin the headers Origin and Referer name as well',
    headers: { origin: OTHER_SITE, referer: `${OTHER_SITE}/` },
  },
  'origin-in-forwarded-headers': {
    title: 'a page of another site, whose host stands in the headers of proxies as well',
    headers: { 'x-forwarded-host': OTHER_HOST, 'x-forwarded-proto': 'https', forwarded: `host=${OTHER_HOST};proto=https` },
  },
};

const clientData = setClientData({ origin: OTHER_SITE });
const MISMATCH = { code: 'origin_mismatch', step: 'origin' } as const;

/**
 * Cases in which request headers name another origin: the server must not take the expected origin from the request (§7.1 step 9, §7.2 step
 * 12).
 */
export const FORGED_HEADERS: readonly Case[] = listRows(ROWS).flatMap(({ headers, ...row }) => {
  const forgery: RequestForgery = (request) => ({ ...request, headers: { ...request.headers, ...headers } });
  return bothFlows({
    ...row,
    why: WHY,
    ...MISMATCH,
    async run({ ready }) {
      const attempt = await ready({ clientData });
      return attempt.send(attempt.session.forging(forgery));
    },
  });
});

const WHOLE = 'Compare C.origin, as a whole text, with each origin that you expect.';
const PHISHING = `The browser tells in C.origin which page asked for the response. A server that lets this one through accepts what a page in other hands has asked for. ${WHOLE}`;
const PATTERN = `Anybody can register a name or write a URL that contains yours. ${WHOLE} Prefixes, suffixes and patterns let others in.`;
const PORT = `Another port is another server, perhaps in other hands, and another origin. ${WHOLE}`;
const SPELLING = `A browser writes an origin in one way only: scheme, host in lower case, and a port that is not the default. Another spelling comes from something else. ${WHOLE} If your server parses origins on purpose (§13.4.9), say "originMatch": "parsed" in its profile.`;
const ABSENT =
  'A response without an origin could be from any page. Refuse client data whose origin is not a text, before it is compared with anything.';

const EXACT = { wants: { originMatch: 'exact' } } as const;
const NO_SUBDOMAINS = { wants: { originMatch: 'parsed' } } as const;

const ELSEWHERE: Rows<MemberRow> = {
  'origin-other-site': { title: 'a page of another site', edit: () => OTHER_SITE, why: PHISHING },
  'origin-other-port': { title: 'a page on another port of the same host', edit: otherPort, why: PORT },
  'origin-without-port': { title: 'the right origin without its port', edit: withoutPort, why: PORT },
  'origin-other-scheme': {
    title: 'the right host under the other scheme, http or https',
    edit: otherScheme,
    why: `Without https, any attacker on the network can change the page. ${WHOLE} The scheme is part of the origin.`,
    ...NO_SUBDOMAINS,
  },
  'origin-app-scheme': {
    title: 'the right host under a scheme that belongs to an app',
    edit: (origin) => origin.replace(/^https?:/, 'app:'),
    why: `Any app may claim a scheme of its own, with any host behind it. ${WHOLE}`,
  },
  'origin-android-app': {
    title: 'an Android app that does not belong to the site',
    edit: () => 'android:apk-key-hash:qYb1bI_0SfHBv4kVxZtpVY3b3pSrVqQbyXlEAqTnIuk',
    why: 'Every Android app has such an origin, a hostile one too. Accept only the key hashes of your own apps, each as a whole text.',
  },
  'origin-longer-host': {
    title: 'a host that only starts with the expected one',
    edit: (origin) => withHost(origin, `${readHost(origin)}.example`),
    why: PATTERN,
  },
  'origin-host-suffix': {
    title: 'a host that only ends with the RP ID, in the middle of a name',
    edit: (origin, { rpId }) => withHost(origin, `evil${rpId}`),
    why: `Anybody can register a name that ends with yours. ${WHOLE} Where you accept subdomains, a dot must stand before the RP ID.`,
  },
  'origin-subdomain': {
    title: 'a subdomain of the expected host',
    edit: (origin) => withHost(origin, `www.${readHost(origin)}`),
    why: `Subdomains are often in other hands: of customers, of a hoster, or forgotten ones that can be taken over. ${WHOLE} If all of yours are meant to be accepted (§13.4.9), say "originMatch": "subdomains" in the profile.`,
    ...NO_SUBDOMAINS,
  },
  'origin-parent-domain': {
    title: 'the parent domain of the RP ID',
    edit: (origin, { rpId }) => withHost(origin, parentDomain(rpId)),
    ...ON_SUBDOMAIN,
    why: `What the parent domain serves is another site, and may be in other hands. ${WHOLE}`,
  },
  'origin-dot-replaced': {
    title: 'a host with another character where the right one has a dot',
    edit: dotReplaced,
    ...ON_SUBDOMAIN,
    why: `In a regular expression a dot stands for any character: the name is free to register. ${WHOLE}`,
  },
  'origin-trailing-dot': {
    title: 'the host with a dot at its end',
    edit: (origin) => withHost(origin, `${readHost(origin)}.`),
    why: `To a browser this is another host and another origin, with cookies and storage of its own. ${WHOLE}`,
  },
  'origin-look-alike': {
    title: 'a host that looks like the right one, with a letter of another alphabet',
    edit: lookAlike,
    why: `Look-alike names are what phishing sites use. ${WHOLE} Do not turn names into Unicode, or similar letters into one, before that.`,
  },
  'origin-loopback-address': {
    title: 'the loopback address instead of the host',
    edit: (origin) => withHost(origin, '127.0.0.1'),
    why: `Any program on the user's machine can serve a page there. ${WHOLE} Leave out exceptions for development.`,
  },
  'origin-in-path': {
    title: 'another site, with the right origin in its path',
    edit: (origin) => `${OTHER_SITE}/${origin}`,
    why: PATTERN,
  },
  'origin-in-query': {
    title: 'another site, with the right origin in its query',
    edit: (origin) => `${OTHER_SITE}/?origin=${origin}`,
    why: PATTERN,
  },
  'origin-in-fragment': {
    title: 'another site, with the right origin in its fragment',
    edit: (origin) => `${OTHER_SITE}/#${origin}`,
    why: PATTERN,
  },
  'origin-as-user-info': {
    title: 'another site, with the right origin before the @',
    edit: (origin) => `${origin}@${readHost(OTHER_SITE)}`,
    why: PATTERN,
  },
  'origin-second-line': {
    title: 'another site, with the right origin on a second line',
    edit: (origin) => `${OTHER_SITE}\n${origin}`,
    why: `In many languages a pattern with ^ and $ matches any one line of a text. ${WHOLE}`,
  },
  'origin-nul': {
    title: 'the right origin with U+0000 and more behind it',
    edit: (origin) => `${origin}\u0000.${readHost(OTHER_SITE)}`,
    why: `Some libraries take U+0000 for the end of a text, and see the right origin only. ${WHOLE}`,
  },
  'origin-list': { title: 'the right origin and another one in one text', edit: (origin) => `${origin} ${OTHER_SITE}`, why: PATTERN },
};

const MALFORMED: Rows<MemberRow> = {
  'origin-host-only': {
    title: 'the right host and port without a scheme',
    edit: (origin) => new URL(origin).host,
    why: `What has no scheme is no origin, and says nothing about how the page was loaded. ${WHOLE}`,
  },
  'origin-empty': { title: 'an empty origin', edit: () => '', why: ABSENT },
  'origin-null-text': {
    title: 'the origin of a page that has none, "null"',
    edit: () => 'null',
    why: `Any sandboxed frame and any local file has the origin "null". ${WHOLE}`,
  },
  'origin-null': { title: 'null as origin', edit: () => null, why: ABSENT, unreadable: true },
  'client-data-without-origin': { title: 'client data without an origin', edit: () => undefined, why: ABSENT, unreadable: true },
  'origin-array': {
    title: 'an array that holds the right origin',
    edit: (origin) => [origin],
    why: 'A list that is compared loosely with a text is turned into that text; one that is searched may hold anything besides. Check that C.origin is a text.',
    unreadable: true,
  },
};

const SPELLINGS: Rows<MemberRow> = {
  'origin-port-respelled': { title: 'the right origin with its port in another spelling', edit: portRespelled, why: SPELLING },
  'origin-upper-case': { title: 'the right origin in upper case', edit: (origin) => origin.toUpperCase(), why: SPELLING },
  'origin-trailing-slash': { title: 'an origin with a trailing slash', edit: (origin) => `${origin}/`, why: SPELLING },
  'origin-path': { title: 'a path behind the right origin', edit: (origin) => `${origin}/login`, why: SPELLING },
  'origin-query': { title: 'a query behind the right origin', edit: (origin) => `${origin}?login`, why: SPELLING },
  'origin-user-info': {
    title: 'a user name before the right host',
    edit: (origin) => origin.replace('//', '//user@'),
    why: SPELLING,
  },
  'origin-white-space': { title: 'white space around the right origin', edit: (origin) => ` ${origin}\n`, why: SPELLING },
};

const ORIGIN = { member: 'origin', ...MISMATCH };

const PLACEHOLDER = [0xc3, 0xbf] as const;

/** Replaces U+00FF with the single byte FF, which is never valid in UTF-8. */
const breakUtf8: ByteEdit = (bytes) => {
  const at = bytes.findIndex((byte, index) => byte === PLACEHOLDER[0] && bytes[index + 1] === PLACEHOLDER[1]);
  return concatBytes(bytes.subarray(0, at), Uint8Array.of(0xff), bytes.subarray(at + PLACEHOLDER.length));
};

/** Cases about the origin in the client data (§7.1 step 9, §7.2 step 12). */
export const ORIGINS: readonly Case[] = [
  ...wrongValues(ORIGIN, { ...ELSEWHERE, ...MALFORMED, ...mapRows(SPELLINGS, (row) => ({ ...row, ...EXACT })) }),
  ...both({
    what: 'origin-not-utf8',
    title: 'a byte behind the right origin that is not UTF-8',
    edits: { clientData: editMember('origin', (origin) => `${origin}\u00ff`), clientDataBytes: breakUtf8 },
    why: 'UTF-8 decode puts U+FFFD in place of such a byte, and the origin is no longer the right one. Refuse the text, or decode it as the standard says; never drop bytes.',
    ...MISMATCH,
  }),
  ...misplaced(ORIGIN, () => OTHER_SITE),
  authenticationCase({
    id: 'verify.origin-longer-host',
    title: 'a host that only starts with the expected one',
    edits: { clientData: editMember('origin', (origin) => withHost(origin, `${readHost(origin)}.example`)) },
    why: PATTERN,
    expected: denied(MISMATCH.code, MISMATCH.step),
  }),
];
