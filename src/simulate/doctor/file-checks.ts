import { ANDROID_ORIGIN } from '../../client/caller.js';
import { MAX_CHARACTERS, MAX_LABELS, RELATION, readableOrigins } from '../../client/well-known.js';
import { fromHex } from '../../kernel/bytes.js';
import { asObject, isObject } from '../../kernel/json-value.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { OversizedAnswer } from '../http/http.js';
import { describeSilence, type Fetched, MAX_REDIRECTS } from './facts.js';
import { type Checks, conclude, type Judgement, type Problem, skip } from './judgement.js';

const HANDLE_URLS = 'delegate_permission/common.handle_all_urls';
const DIRECTLY = 'Serve the file at exactly this URL with status 200 and content type application/json, without a redirect.';

/** Checks of the files that browsers and apps read at `/.well-known/`. */
export const FILE_CHECKS: Checks = {
  'related-origins': {
    title: 'Browsers can read /.well-known/webauthn, and it lists origins.',
    fix: `Serve the file with status 200 and content type application/json; redirects stay on https. It is {"origins": ["https://example.com"]}, with at most ${MAX_LABELS} different names before the public suffix, and without wildcards; browsers ignore the rest.`,
    source: 'https://www.w3.org/TR/webauthn-3/#sctn-related-origins',
    judge: ({ files: { webauthn } }) =>
      judgeFile(webauthn, 'pass', (json) => {
        const { origins } = asObject(json);
        if (!Array.isArray(origins)) return conclude([['fail', '"origins" is no list']], '');
        const stray = origins.find((item) => typeof item !== 'string');
        if (stray !== undefined) {
          return conclude([['fail', `"origins" has ${JSON.stringify(stray)}, but browsers accept only strings`]], '');
        }
        const listed = origins.map(String);
        const judged = listed.flatMap(judgeOrigin);
        const read = readableOrigins(listed);
        const ignored = listed.filter((item) => judgeOrigin(item).length === 0 && !read.includes(item));
        const problems = [...judged, ...(ignored.length > 0 ? [['fail', `browsers ignore ${ignored.join(', ')}`] as const] : [])];
        return conclude(problems, listed.join(', '));
      }),
  },
  'passkey-endpoints': {
    title: '/.well-known/passkey-endpoints points password managers to https pages.',
    fix: `${DIRECTLY} It is {"enroll": "https://…", "manage": "https://…"}.`,
    source: 'https://w3c.github.io/webappsec-passkey-endpoints/passkey-endpoints.html',
    judge: ({ files: { 'passkey-endpoints': file } }) =>
      judgeFile(file, 'warn', (json) => {
        const named = ['enroll', 'manage'].filter((name) => asObject(json)[name] !== undefined);
        const wrong = named.filter((name) => parseUrl(String(asObject(json)[name]))?.protocol !== 'https:');
        if (named.length === 0) return conclude([['warn', 'it has neither "enroll" nor "manage"']], '');
        return conclude(
          wrong.map((name): Problem => ['fail', `"${name}" is not an https URL`]),
          named.join(', '),
        );
      }),
  },
  'apple-app-site-association': {
    title: 'Apple can read apple-app-site-association, and webcredentials names apps.',
    fix: `${DIRECTLY} It is {"webcredentials": {"apps": ["ABCDE12345.com.example.app"]}}: the team ID of ten characters, a dot, the bundle ID.`,
    source: 'https://developer.apple.com/documentation/xcode/supporting-associated-domains',
    judge: ({ files: { 'apple-app-site-association': file } }) =>
      judgeFile(file, 'fail', (json) => {
        const { apps } = asObject(asObject(json)['webcredentials']);
        if (!Array.isArray(apps) || apps.length === 0) return conclude([['fail', '"webcredentials" has no "apps"']], '');
        const wrong = apps.map(String).filter((app) => !/^[A-Z0-9]{10}\.[\w.-]+$/.test(app));
        return conclude(
          wrong.map((app): Problem => ['fail', `${JSON.stringify(app)} has no team ID before the bundle ID`]),
          apps.join(', '),
        );
      }),
  },
  assetlinks: {
    title: 'Android can read assetlinks.json, and it lets apps use passkeys of the site.',
    fix: `${DIRECTLY} Each android_app has both relations, ${RELATION} and ${HANDLE_URLS}, and the SHA-256 of each certificate that signs it (for Play App Signing, the one in the Play Console): 32 upper-case bytes with colons.`,
    source: 'https://developer.android.com/identity/credential-manager/prerequisites',
    judge: ({ files: { 'assetlinks.json': file } }) =>
      judgeFile(file, 'fail', (json) => {
        if (!Array.isArray(json)) return conclude([['fail', 'it is not a list of statements']], '');
        const apps = readApps(json);
        if (apps.length === 0) return skip(`${file.asked} names no Android app`);
        return conclude(
          apps.flatMap(listAppProblems),
          apps.map(({ name, fingerprint }) => `${name}: ${isFingerprint(fingerprint) && toAndroidOrigin(fingerprint)}`).join('; '),
        );
      }),
  },
};

/**
 * Judges an entry of `/.well-known/webauthn`, which should be an origin. Browsers parse the entry as a URL and compare the origin of that
 * URL (§5.11.1).
 */
function judgeOrigin(item: string): Problem[] {
  const url = parseUrl(item);
  if (url?.protocol !== 'https:') return [['fail', `${JSON.stringify(item)} is not an https origin`]];
  if (url.hostname.includes('*')) return [['fail', `${JSON.stringify(item)} has a wildcard, which matches no origin; list each origin`]];
  return url.origin === item ? [] : [['warn', `${JSON.stringify(item)} is read as ${url.origin}; write that instead`]];
}

/**
 * Checks that a file exists and is JSON, then judges its content with `read`.
 *
 * @param redirect the status to report if an https URL redirects; `pass` if clients follow the redirect
 */
function judgeFile(file: Fetched, redirect: Problem[0] | 'pass', read: (json: unknown) => Judgement): Judgement {
  const { answer, redirects, url } = file;
  if (answer === undefined) {
    const silence = describeSilence(file);
    const isFault = redirects.length > 0 || file.error instanceof OversizedAnswer;
    return isFault ? conclude([['fail', `${[file.asked, ...redirects].join(' leads to ')}: ${silence}`]], '') : skip(silence);
  }
  if (redirects.length === 0 && [404, 410].includes(answer.status)) return skip(`${file.asked} does not exist`);
  const type = String(answer.headers['content-type'] ?? '')
    .split(';')[0]
    ?.trim()
    .toLowerCase();
  const insecure = redirects.some((each) => !each.startsWith('https:'));
  const way = `it leads to ${redirects.join(', then ')}`;
  const severity = insecure ? 'fail' : redirect;
  const problems: Problem[] = redirects.length === 0 || severity === 'pass' ? [] : [[severity, way]];
  if (answer.status >= 300 && answer.status < 400) {
    if (severity === 'pass' && isOfOtherSite(file)) {
      return skip(`${way}, which browsers follow; the file was not read, because it is on another site`);
    }
    return conclude([...problems, ['fail', 'this was not followed']], '');
  }
  if (answer.status !== 200) return conclude([...problems, ['fail', `status ${answer.status}`]], '');
  // The page of an application that answers every path hurts only where the file is needed.
  if (type === 'text/html') return conclude([...problems, ['warn', `${url.href} is an HTML page`]], '');
  if (type !== 'application/json') problems.push(['fail', `content type ${JSON.stringify(type)}`]);
  if (answer.text.length > MAX_CHARACTERS) problems.push(['fail', `longer than ${MAX_CHARACTERS} characters`]);
  if (answer.json === undefined) return conclude([...problems, ['fail', 'it is no JSON']], '');
  const { status, found } = read(answer.json);
  if (status === 'warn' || status === 'fail') problems.push([status, found]);
  if (problems.length > 0) return conclude(problems, '');
  return { status, found: redirects.length === 0 ? found : `${found} (${way})` };
}

/** Checks whether the last redirect was not followed because it leads to another site. */
const isOfOtherSite = ({ redirects, answer }: Fetched): boolean =>
  redirects.length > 0 && redirects.length <= MAX_REDIRECTS && answer !== undefined && answer.status >= 300 && answer.status < 400;

/**
 * Lists the related origins that browsers read from `/.well-known/webauthn`. Undefined if the file was not read because it redirects to
 * another site.
 */
export function listRelatedOrigins(file: Fetched): readonly string[] | undefined {
  if (file.redirects.some((each) => !each.startsWith('https:'))) return [];
  if (isOfOtherSite(file)) return undefined;
  const { origins } = asObject(file.answer?.json);
  return Array.isArray(origins) && origins.every((item) => typeof item === 'string') ? readableOrigins(origins) : [];
}

/** Lists the origins of the Android apps in `assetlinks.json`. */
export function listAppOrigins({ answer }: Fetched): readonly string[] {
  const apps = Array.isArray(answer?.json) ? readApps(answer.json) : [];
  return [
    ...new Set(
      apps
        .map(({ fingerprint }) => fingerprint)
        .filter(isFingerprint)
        .map(toAndroidOrigin),
    ),
  ];
}

/** An Android app and one of its signing certificates. */
interface App {
  readonly name: string;
  readonly fingerprint: string;
  readonly relations: string[];
}

const toTexts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** Reads the Android apps from the statements of `assetlinks.json`. The relations of one app may be spread over several statements. */
function readApps(statements: readonly unknown[]): App[] {
  const apps = new Map<string, App>();
  for (const { relation, target } of statements.filter(isObject)) {
    const { namespace, package_name: name, sha256_cert_fingerprints: list } = asObject(target);
    if (namespace !== 'android_app') continue;
    const fingerprints = toTexts(list);
    for (const fingerprint of fingerprints.length === 0 ? [''] : fingerprints) {
      const app = { name: String(name), fingerprint, relations: toTexts(relation) };
      const earlier = apps.get(`${app.name} ${fingerprint}`);
      if (earlier === undefined) apps.set(`${app.name} ${fingerprint}`, app);
      else earlier.relations.push(...app.relations);
    }
  }
  return [...apps.values()];
}

function listAppProblems({ name, fingerprint, relations }: App): Problem[] {
  if (!isFingerprint(fingerprint)) return [['fail', `${name} has ${JSON.stringify(fingerprint)}, which is not a fingerprint`]];
  const app = `${name} signed with ${fingerprint.slice(0, 11)}…`;
  return [
    ...(relations.includes(RELATION) ? [] : [['fail', `${app} lacks ${RELATION}`] as const]),
    ...(relations.includes(HANDLE_URLS) ? [] : [['warn', `${app} lacks ${HANDLE_URLS}`] as const]),
  ];
}

const isFingerprint = (text: string): boolean => /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/.test(text);

const toAndroidOrigin = (fingerprint: string): string => `${ANDROID_ORIGIN}${encodeBase64url(fromHex(fingerprint.replaceAll(':', '')))}`;
