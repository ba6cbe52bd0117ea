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
  'An attacker controls both the WebAuthn response and the headers of the request, so both can name the attacker’s origin. Compare C.origin with origins from your configuration, never with values from the request.';

const OTHER_HOST = readHost(OTHER_SITE);

const ROWS: Rows<{ readonly title: string; readonly headers: Readonly<Record<string, string>> }> = {
  'origin-in-header': {
    title: 'a page of another site, whose origin the headers Origin and Referer also name',
    headers: { origin: OTHER_SITE, referer: `${OTHER_SITE}/` },
  },
  'origin-in-forwarded-headers': {
    title: 'a page of another site, whose host the headers of proxies also name',
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

const WHOLE = 'Compare the whole string C.origin with each origin that you expect.';
const PHISHING = `The browser states in C.origin which page requested the response. A server that accepts this one accepts a response that an attacker’s page requested. ${WHOLE}`;
const PATTERN = `Anyone can register a name or write a URL that contains yours. ${WHOLE} Prefixes, suffixes and patterns let others in.`;
const PORT = `Another port is a different server and a different origin, and someone else may control it. ${WHOLE}`;
const SPELLING = `A browser writes an origin in only one way: the scheme, the host in lower case, and the port if it is not the default. Any other spelling does not come from a browser. ${WHOLE} If your server parses origins on purpose (§13.4.9), say "originMatch": "parsed" in its profile.`;
const ABSENT =
  'A response without an origin could be from any page. Refuse client data whose origin is not a string before you compare it with anything.';

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
    why: `Any app may define its own scheme, with any host after it. ${WHOLE}`,
  },
  'origin-android-app': {
    title: 'an Android app that does not belong to the site',
    edit: () => 'android:apk-key-hash:qYb1bI_0SfHBv4kVxZtpVY3b3pSrVqQbyXlEAqTnIuk',
    why: 'Every Android app has such an origin, including a hostile one. Accept only the key hashes of your own apps, and compare each as a whole string.',
  },
  'origin-longer-host': {
    title: 'a host that only starts with the expected one',
    edit: (origin) => withHost(origin, `${readHost(origin)}.example`),
    why: PATTERN,
  },
  'origin-host-suffix': {
    title: 'a host that only ends with the RP ID, in the middle of a name',
    edit: (origin, { rpId }) => withHost(origin, `evil${rpId}`),
    why: `Anyone can register a name that ends with yours. ${WHOLE} If you accept subdomains, require a dot before the RP ID.`,
  },
  'origin-subdomain': {
    title: 'a subdomain of the expected host',
    edit: (origin) => withHost(origin, `www.${readHost(origin)}`),
    why: `You often do not control all subdomains: some belong to customers or a hosting provider, and forgotten ones can be taken over. ${WHOLE} If all of yours are meant to be accepted (§13.4.9), say "originMatch": "subdomains" in the profile.`,
    ...NO_SUBDOMAINS,
  },
  'origin-parent-domain': {
    title: 'the parent domain of the RP ID',
    edit: (origin, { rpId }) => withHost(origin, parentDomain(rpId)),
    ...ON_SUBDOMAIN,
    why: `The parent domain is a different site, and someone else may control it. ${WHOLE}`,
  },
  'origin-dot-replaced': {
    title: 'a host with another character where the right one has a dot',
    edit: dotReplaced,
    ...ON_SUBDOMAIN,
    why: `In a regular expression a dot matches any character, so an attacker can register such a name. ${WHOLE}`,
  },
  'origin-trailing-dot': {
    title: 'the host with a dot at its end',
    edit: (origin) => withHost(origin, `${readHost(origin)}.`),
    why: `To a browser this is a different host and origin, with its own cookies and storage. ${WHOLE}`,
  },
  'origin-look-alike': {
    title: 'a host that looks like the right one, with a letter of another alphabet',
    edit: lookAlike,
    why: `Phishing sites use look-alike names. ${WHOLE} Do not convert names to Unicode, or similar letters to the same one, before comparing.`,
  },
  'origin-loopback-address': {
    title: 'the loopback address instead of the host',
    edit: (origin) => withHost(origin, '127.0.0.1'),
    why: `Any program on the user's machine can serve a page there. ${WHOLE} Make no exceptions for development.`,
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
    why: `In many languages a pattern with ^ and $ matches any line of a string. ${WHOLE}`,
  },
  'origin-nul': {
    title: 'the right origin, followed by U+0000 and more characters',
    edit: (origin) => `${origin}\u0000.${readHost(OTHER_SITE)}`,
    why: `Some libraries treat U+0000 as the end of a string, and see only the right origin. ${WHOLE}`,
  },
  'origin-list': { title: 'the right origin and another one in one string', edit: (origin) => `${origin} ${OTHER_SITE}`, why: PATTERN },
};

const MALFORMED: Rows<MemberRow> = {
  'origin-host-only': {
    title: 'the right host and port without a scheme',
    edit: (origin) => new URL(origin).host,
    why: `A string without a scheme is not an origin, and does not tell how the page was loaded. ${WHOLE}`,
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
    why: 'A loose comparison converts a list into a string, and a search in a list ignores its other items. Check that C.origin is a string.',
    unreadable: true,
  },
};

const SPELLINGS: Rows<MemberRow> = {
  'origin-port-respelled': { title: 'the right origin with its port in another spelling', edit: portRespelled, why: SPELLING },
  'origin-upper-case': { title: 'the right origin in upper case', edit: (origin) => origin.toUpperCase(), why: SPELLING },
  'origin-trailing-slash': { title: 'an origin with a trailing slash', edit: (origin) => `${origin}/`, why: SPELLING },
  'origin-path': { title: 'a path after the right origin', edit: (origin) => `${origin}/login`, why: SPELLING },
  'origin-query': { title: 'a query after the right origin', edit: (origin) => `${origin}?login`, why: SPELLING },
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
    title: 'the right origin, followed by a byte that is not UTF-8',
    edits: { clientData: editMember('origin', (origin) => `${origin}\u00ff`), clientDataBytes: breakUtf8 },
    why: 'The standard’s "UTF-8 decode" replaces such a byte with U+FFFD, so the origin no longer matches. Decode like that, or refuse the client data; never drop bytes.',
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
