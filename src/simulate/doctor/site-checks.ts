import { whyNoRpId } from '../../relying-party/diagnosis/rp-id.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';
import { isIpAddress } from '../../webauthn/rp-id.js';
import { FOREIGN_ORIGIN, type Handshake } from './facts.js';
import { listRelatedOrigins } from './file-checks.js';
import { type Checks, conclude, type Judgement, type Problem, skip } from './judgement.js';

const DAY_MS = 86_400_000;
/** Remaining validity, in days, below which a certificate is reported. Automatic renewal normally happens earlier. */
const RENEW_BEFORE_DAYS = 10;

/** Checks of the page itself: its transport, headers and RP ID. */
export const SITE_CHECKS: Checks = {
  page: {
    title: 'The page answers on the requested host.',
    fix: 'Run passkey doctor with the final URL of the page that performs the ceremonies, after all redirects.',
    source: 'https://www.w3.org/TR/webauthn-3/#relying-party-identifier',
    judge({ page: { answer, redirects, url } }) {
      const status = answer?.status ?? 0;
      const last = redirects.at(-1);
      if (last !== undefined && last !== url.href) return conclude([['warn', `redirects to ${last}, which was not followed`]], '');
      return conclude(
        status < 400 ? [] : [['warn', `${url.href} answers with status ${status}`]],
        `${url.href} answers with status ${status}`,
      );
    },
  },
  'secure-context': {
    title: 'The page is a secure context: https, or http on this machine.',
    fix: 'Serve the page over https, and redirect http to it.',
    source: 'https://w3c.github.io/webappsec-secure-contexts/#is-origin-trustworthy',
    judge({ page: { url }, origin }) {
      const secure = url.protocol === 'https:' || isLoopbackHost(url.hostname);
      return conclude(secure ? [] : [['fail', `the page is on ${origin}, where navigator.credentials is missing`]], origin);
    },
  },
  'certificate-chain': {
    title: 'The server sends every certificate up to a trusted root.',
    fix: 'Let the server send the intermediate certificates too (fullchain.pem). Desktop browsers fetch a missing one; Android apps and servers do not. For a private root, give --ca.',
    source: 'https://developer.android.com/privacy-and-security/security-ssl#MissingCa',
    judge: ({ handshakes, now }) =>
      eachHandshake(handshakes, ({ certificate, problem }) => {
        const dated = certificate !== undefined && whyNotValid(certificate, now) !== undefined;
        const isOther = problem === undefined || problem === 'ERR_TLS_CERT_ALTNAME_INVALID' || (dated && DATES.includes(problem));
        return isOther ? undefined : `does not verify (${problem})`;
      }),
  },
  'certificate-dates': {
    title: 'The certificate is valid now and for some time.',
    fix: 'Renew the certificate, and set up automatic renewal.',
    source: 'https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5',
    judge({ handshakes, now }) {
      const judged = eachHandshake(handshakes, ({ certificate }) => certificate && whyNotValid(certificate, now));
      if (judged.status !== 'pass') return judged;
      const soon = handshakes.flatMap(({ host, certificate }): Problem[] => {
        const days = Math.floor((Date.parse(certificate?.validTo ?? '') - now) / DAY_MS);
        return days < RENEW_BEFORE_DAYS ? [['warn', `the certificate of ${host} expires in ${days} days`]] : [];
      });
      return conclude(soon, handshakes.map(({ host, certificate }) => `${host} until ${certificate?.validTo}`).join('; '));
    },
  },
  'certificate-names': {
    title: 'The certificate names the host.',
    fix: 'Issue a certificate with this host among its subject alternative names.',
    source: 'https://www.rfc-editor.org/rfc/rfc9525#section-6',
    judge: ({ handshakes }) =>
      eachHandshake(handshakes, ({ host, certificate }) =>
        certificate === undefined ||
        (isIpAddress(host) ? certificate.checkIP(withoutBrackets(host)) : certificate.checkHost(host)) !== undefined
          ? undefined
          : `names ${certificate.subjectAltName ?? 'no host'}`,
      ),
  },
  hsts: {
    title: 'The site tells browsers to use https only (HSTS).',
    fix: 'Send Strict-Transport-Security: max-age=31536000 on every answer over https.',
    source: 'https://www.rfc-editor.org/rfc/rfc6797#section-6.1',
    judge({ page: { url, answer } }) {
      if (url.protocol !== 'https:' || isLoopbackHost(url.hostname)) return skip(`${url.origin} is not an https origin on another machine`);
      const header = answer?.headers['strict-transport-security'];
      const seconds = Number(/max-age\s*=\s*"?(\d+)/i.exec(header ?? '')?.[1] ?? 0);
      return conclude(
        seconds > 0 ? [] : [['warn', header === undefined ? 'there is no header' : `the header is "${header}"`]],
        String(header),
      );
    },
  },
  'rp-id': {
    title: 'The RP ID is the host of the page or a domain above it, or the site of the RP ID lists the origin.',
    fix: 'Use the host of the page as rp.id (rpId), or a registrable domain above it. For an RP ID of another site, list the origin in /.well-known/webauthn there. Give --rp-id if passkey doctor has chosen the wrong one.',
    source: 'https://www.w3.org/TR/webauthn-3/#rp-id',
    judge({ rpId, origin, files: { webauthn } }) {
      const why = whyNoRpId(rpId, origin);
      if (why === undefined) return conclude([], `${rpId} on ${origin}`);
      const listed = whyNoRpId(rpId) === undefined ? listRelatedOrigins(webauthn) : [];
      if (listed === undefined) return skip(`${webauthn.asked} redirects to another site, so whether it lists ${origin} is unknown`);
      return conclude(listed.includes(origin) ? [] : [['fail', why]], `${webauthn.asked} lists ${origin}`);
    },
  },
  'permissions-policy': {
    title: 'Permissions-Policy lets the page use publickey-credentials-get and -create.',
    fix: 'Add self to both: Permissions-Policy: publickey-credentials-get=(self), publickey-credentials-create=(self). Also list the origins of frames.',
    source: 'https://www.w3.org/TR/webauthn-3/#sctn-permissions-policy',
    judge({ page: { answer }, origin }) {
      const header = String(answer?.headers['permissions-policy'] ?? '');
      const policies = [...header.matchAll(/(publickey-credentials-(?:get|create))\s*=\s*(\*|self|\([^)]*\))/g)];
      const problems = policies.flatMap(([, feature, list = '']): Problem[] =>
        /\*|\bself\b/.test(list) || list.includes(`"${origin}"`) ? [] : [['fail', `${feature}=${list} forbids the page itself`]],
      );
      const shown = policies.map(([policy]) => policy).join(', ');
      return conclude(problems, shown === '' ? `no rule: frames of other origins need allow="publickey-credentials-get"` : shown);
    },
  },
  csp: {
    title: 'Content-Security-Policy lets the page run scripts, reach its server, and keep its origin.',
    fix: "Remove sandbox or add allow-scripts allow-same-origin to it; add 'self' to connect-src and script-src.",
    source: 'https://www.w3.org/TR/CSP3/',
    judge({ page: { answer, url } }) {
      const header = answer?.headers['content-security-policy'];
      if (header === undefined) return skip('there is no policy');
      return conclude(
        String(header)
          .split(',')
          .flatMap((policy) => listBlocked(policy, url)),
        'lets the page run scripts, call its own server and keep its origin',
      );
    },
  },
  cookies: {
    title: 'Cookies are Secure over https, and browsers accept them.',
    fix: 'Set cookies with Secure; HttpOnly; SameSite=Lax; a __Host- cookie needs Secure and Path=/, and no Domain.',
    source: 'https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie',
    judge({ page: { answer, url }, ceremonies }) {
      const headers = [answer?.headers, ...ceremonies.map((each) => each.answer.headers)];
      const all = headers.flatMap((each) => each?.['set-cookie'] ?? []);
      const cookies = [...new Map(all.map((cookie) => [nameCookie(cookie), cookie])).values()];
      if (cookies.length === 0) return skip(`${ceremonies.length === 0 ? 'the page sets' : 'page and ceremonies set'} none`);
      return conclude(
        cookies.flatMap((cookie) => listCookieProblems(cookie, url)),
        cookies.map(nameCookie).join(', '),
      );
    },
  },
  cors: {
    title: 'Pages of other sites cannot read answers to requests that carry the cookies of the user.',
    fix: 'If you allow credentials, set Access-Control-Allow-Origin only to origins from your own list, never to the Origin of the request.',
    source: 'https://fetch.spec.whatwg.org/#cors-protocol-and-credentials',
    judge({ crossOrigin }) {
      const open = crossOrigin.filter(({ answer }) => {
        const { 'access-control-allow-origin': origin, 'access-control-allow-credentials': credentials } = answer?.headers ?? {};
        return origin === FOREIGN_ORIGIN && credentials === 'true';
      });
      const asked = crossOrigin.map((each) => each.asked).join(', ');
      return conclude(
        open.map((each): Problem => ['fail', `${each.asked} allows ${FOREIGN_ORIGIN}, with credentials`]),
        asked,
      );
    },
  },
};

const DATES = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'];

function whyNotValid({ validFrom, validTo }: { readonly validFrom: string; readonly validTo: string }, now: number): string | undefined {
  if (Date.parse(validTo) < now) return `expired on ${validTo}`;
  return Date.parse(validFrom) > now ? `is valid only from ${validFrom}` : undefined;
}

/**
 * Looks for a problem in the certificate of each host.
 *
 * @param find returns the problem, worded to follow "the certificate of HOST"; undefined if there is none
 */
function eachHandshake(handshakes: readonly Handshake[], find: (handshake: Handshake) => string | undefined): Judgement {
  const made = handshakes.filter(({ certificate }) => certificate !== undefined);
  if (made.length === 0) return skip('nothing is served over https');
  const problems = made.flatMap((each): Problem[] => {
    const problem = find(each);
    return problem === undefined ? [] : [['fail', `the certificate of ${each.host} ${problem}`]];
  });
  return conclude(problems, made.map(({ host }) => host).join(', '));
}

function listBlocked(policy: string, url: URL): Problem[] {
  const directives = new Map(
    policy.split(';').map((directive): [string, readonly string[]] => {
      const [name = '', ...values] = directive.trim().toLowerCase().split(/\s+/);
      return [name, values];
    }),
  );
  const sandbox = directives.get('sandbox');
  const missing = ['allow-scripts', 'allow-same-origin'].filter((flag) => sandbox?.includes(flag) === false);
  const connect = directives.get('connect-src') ?? directives.get('default-src');
  const script = directives.get('script-src') ?? directives.get('default-src');
  const reaches = (source: string) => ["'self'", '*', url.protocol].includes(source) || source.includes(url.host);
  return [
    ...missing.map((flag): Problem => ['fail', `sandbox without ${flag}`]),
    ...(connect === undefined || connect.some(reaches) ? [] : [['warn', `connect-src does not allow ${url.origin}`] as const]),
    ...(script === undefined || script.some((source) => source !== "'none'") ? [] : [['warn', 'script-src allows no script'] as const]),
  ];
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

const nameCookie = (cookie: string): string => cookie.split('=', 1)[0]?.trim() ?? '';

function listCookieProblems(cookie: string, { protocol }: URL): Problem[] {
  const name = nameCookie(cookie);
  const attributes = cookie
    .split(';')
    .slice(1)
    .map((attribute) => attribute.trim().toLowerCase());
  const isSecure = attributes.includes('secure');
  const isHostOnly = attributes.includes('path=/') && !attributes.some((attribute) => attribute.startsWith('domain='));
  if (!isSecure && attributes.includes('samesite=none')) return [['fail', `${name} is SameSite=None without Secure`]];
  if (name.startsWith('__Secure-') && !isSecure) return [['fail', `${name} is not Secure`]];
  if (name.startsWith('__Host-') && !(isSecure && isHostOnly)) return [['fail', `${name} needs Secure, Path=/ and no Domain`]];
  return isSecure || protocol === 'http:' ? [] : [['warn', `${name} is not Secure`]];
}
