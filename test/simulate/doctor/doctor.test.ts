import type { OutgoingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { examine } from '../../../src/simulate/doctor/doctor.js';
import { toCaseReport } from '../../../src/simulate/doctor/report.js';
import { ANDROID, CHAINS, FINGERPRINT, GOOD, link, openSite, RELATIONS, ROOT, type Served } from './site.js';

interface Site {
  readonly served?: Readonly<Record<string, Served>>;
  readonly chain?: string;
  readonly url?: string;
  readonly rpId?: string;
  readonly now?: number;
}

async function diagnose({ served = {}, chain = CHAINS.whole, url = 'https://shop.example/', rpId, now = Date.UTC(2026, 0, 1) }: Site) {
  const site = await openSite(served, chain);
  try {
    const addresses = { 'shop.example': site.address, 'login.shop.example': site.address, 'shop.test': site.address };
    const report = await examine({ url: new URL(url), rpId, ca: ROOT, addresses, now: () => now, version: '0' });
    return { report, asked: site.asked };
  } finally {
    await site.close();
  }
}

const page = (headers: OutgoingHttpHeaders): Site => ({ served: { '/': { headers: { ...GOOD['/']?.headers, ...headers } } } });
const file = (name: string, served: Served): Site => ({ served: { [`/.well-known/${name}`]: served } });
const related = (served: Served): Site => file('webauthn', served);
const origins = (...listed: readonly string[]): Site => related({ body: { origins: listed } });
const apps = (body: object): Site => file('apple-app-site-association', { body });
const statements = (...links: readonly object[]): Site => file('assetlinks.json', { body: links });
const moved = (location: string): Served => ({ status: 301, headers: { location } });

test('a site without a fault passes every check, with requests to its host alone', async () => {
  const { report, asked } = await diagnose({});
  expect(report.checks.filter(({ status }) => status !== 'pass')).toEqual([]);
  expect(report.checks.find(({ id }) => id === 'assetlinks')?.found).toBe(`com.example.shop: ${ANDROID}`);
  expect(report.summary).toEqual({ pass: report.checks.length, warn: 0, fail: 0, skip: 0 });
  expect(report.requests.filter(({ method }) => method === 'GET').map(({ url }) => new URL(url).pathname)).toEqual(asked);
  expect(report.requests.filter(({ method }) => method === 'TLS')).toEqual([{ method: 'TLS', url: 'https://shop.example', status: null }]);
});

const BROKEN: Site = {
  now: Date.UTC(2048, 11, 28),
  served: {
    '/': {
      status: 404,
      headers: {
        'content-security-policy': "script-src 'none'; connect-src https://api.example, sandbox allow-forms",
        'permissions-policy': 'publickey-credentials-create=("https://a.example"), publickey-credentials-get=*',
        'set-cookie': ['a=1; SameSite=None', 'b=2', '__Secure-c=3', '__Host-d=4; Secure', 'e=5; Secure; SameSite=Strict'],
      },
    },
    '/.well-known/webauthn': { status: 203, headers: { 'content-type': 'application/json' }, body: { origins: ['https://shop.example'] } },
    '/.well-known/passkey-endpoints': { body: { enroll: 'http://shop.example/enroll', manage: '/manage' } },
    '/.well-known/apple-app-site-association': {
      body: { webcredentials: { apps: ['com.example.shop', 'ABCDE12345.com.example.shop', 7] } },
    },
    '/.well-known/assetlinks.json': {
      headers: { 'content-type': 'text/plain' },
      body: [link(RELATIONS.slice(1)), link([], 'AB:CD'), { target: { namespace: 'web', site: 'https://shop.example' } }, 'x'],
    },
    cors: { headers: { 'access-control-allow-origin': 'https://passkey-doctor.invalid', 'access-control-allow-credentials': 'true' } },
  },
};
const EMPTY: Site = {
  chain: CHAINS.expired,
  rpId: 'example',
  served: Object.fromEntries(Object.keys(GOOD).map((path) => [path, path === '/' ? { body: '' } : { status: 410 }])),
};
const MOVED: Site = {
  url: 'https://login.shop.example/a?b=c',
  rpId: 'shop.example',
  chain: CHAINS.otherName,
  served: {
    '/a?b=c': moved('https://shop.example/'),
    '/.well-known/passkey-endpoints': moved('/.well-known/assetlinks.json'),
    '/.well-known/assetlinks.json': moved('/.well-known/webauthn'),
  },
};

test.each<[string, Site]>([
  ['good', {}],
  ['broken', BROKEN],
  ['empty', EMPTY],
  ['moved', MOVED],
  ['plain-http', { chain: '', url: 'http://shop.example/' }],
])('the whole report of a site stays as recorded: %s', async (name, site) => {
  const { report } = await diagnose(site);
  const { checks, summary, requests, url, rp_id } = report;
  const cases = (['warn', 'fail'] as const).map((failOn) => toCaseReport(report, failOn));
  const converted = cases.map(({ started_at: _started, duration_ms: _took, ...each }) => each);
  expect(report.duration_ms).toBeGreaterThanOrEqual(0);
  const text = JSON.stringify({ url, rp_id, summary, checks, requests, converted }, null, 1).replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS');
  await expect(`${text}\n`).toMatchFileSnapshot(`whole/${name}.txt`);
});

test('a page on another site passes where the site of the RP ID lists its origin', async () => {
  const { report } = await diagnose({ url: 'https://shop.test/', rpId: 'shop.example' });
  expect(report.checks.filter(({ status }) => status !== 'pass')).toEqual([]);
});

test('the relations of one app may be spread over several statements', async () => {
  const { report } = await diagnose(statements(...RELATIONS.map((relation) => link([relation]))));
  expect(report.checks.filter(({ status }) => status !== 'pass')).toEqual([]);
});

test('redirects in circles are left after the third', async () => {
  const paths = ['/', ...Object.keys(GOOD)];
  const { report } = await diagnose({ served: Object.fromEntries(paths.map((path) => [path, moved(path)])) });
  // The page and four files, four times each, one handshake, and the page as another site asks for it.
  expect(report.requests).toHaveLength(5 * 4 + 1 + 1);
});

test('a page that is too long is no answer', async () => {
  const long = { served: { '/': { body: 'x'.repeat(5_000_000) } } };
  await expect(diagnose(long)).rejects.toMatchObject({
    code: 'target_unreachable',
    message: expect.stringContaining('longer than this command reads'),
  });
});

const FAULTS: readonly (readonly [id: string, status: 'warn' | 'fail', found: RegExp, site: Site])[] = [
  [
    'page',
    'warn',
    /^redirects to https:\/\/elsewhere\.example\/, which was not followed$/,
    { served: { '/': { status: 302, headers: { ...GOOD['/']?.headers, location: 'https://elsewhere.example/' } } } },
  ],
  ['page', 'warn', /status 503/, { served: { '/': { ...GOOD['/'], status: 503 } } }],
  ['secure-context', 'fail', /navigator\.credentials is missing$/, { chain: '', url: 'http://shop.example/' }],
  ['certificate-chain', 'fail', /UNABLE_TO_VERIFY_LEAF_SIGNATURE/, { chain: CHAINS.leafOnly }],
  ['certificate-dates', 'fail', /expired on Jan {2}1 .* 2021/, { chain: CHAINS.expired }],
  ['certificate-dates', 'warn', /expires in 4 days/, { now: Date.UTC(2048, 11, 28) }],
  ['certificate-names', 'fail', /names DNS:other\.example/, { chain: CHAINS.otherName }],
  ['hsts', 'warn', /max-age=0/, page({ 'strict-transport-security': 'max-age=0' })],
  ['rp-id', 'fail', /neither the host/, { url: 'https://shop.test/', rpId: 'shop.example', ...origins('https://a.example') }],
  ['rp-id', 'fail', /not a URL; use "shop\.example"/, { rpId: 'https://shop.example' }],
  ['permissions-policy', 'fail', /^publickey-credentials-get=\(\) forbids/, page({ 'permissions-policy': 'publickey-credentials-get=()' })],
  ['csp', 'fail', /^sandbox without allow-same-origin$/, page({ 'content-security-policy': 'sandbox allow-scripts' })],
  ['csp', 'warn', /^connect-src/, page({ 'content-security-policy': "default-src 'self'; connect-src https://api.example" })],
  ['csp', 'warn', /^script-src allows no script$/, page({ 'content-security-policy': "script-src 'none'" })],
  ['cookies', 'fail', /^a is SameSite=None without Secure$/, page({ 'set-cookie': ['a=1; SameSite=None'] })],
  [
    'cookies',
    'fail',
    /^__Host-a needs Secure, Path=\/ and no Domain$/,
    page({ 'set-cookie': ['__Host-a=1; Secure; Path=/; Domain=shop.example'] }),
  ],
  ['cookies', 'warn', /^a is not Secure$/, page({ 'set-cookie': ['a=1'] })],
  [
    'cors',
    'fail',
    /with credentials$/,
    {
      served: {
        cors: { headers: { 'access-control-allow-origin': 'https://passkey-doctor.invalid', 'access-control-allow-credentials': 'true' } },
      },
    },
  ],
  ['related-origins', 'fail', /^it leads to http:.*; this was not followed$/, related(moved('http://elsewhere.example/'))],
  ['related-origins', 'fail', /^status 500$/, related({ status: 500 })],
  ['related-origins', 'fail', /^status 400$/, related({ status: 400 })],
  ['related-origins', 'warn', /HTML/, related({ headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<p>' })],
  [
    'related-origins',
    'fail',
    /^content type "text\/plain"$/,
    related({ headers: { 'content-type': 'text/plain' }, body: { origins: [] } }),
  ],
  ['related-origins', 'fail', /longer than 262144/, origins(`https://${'a'.repeat(300_000)}.example`)],
  ['related-origins', 'fail', /no JSON/, related({ body: 'origins' })],
  ['related-origins', 'fail', /no list/, related({ body: { origins: 'https://shop.example' } })],
  [
    'related-origins',
    'warn',
    /^"https:\/\/shop\.example\/" is read as https:\/\/shop\.example; write that instead$/,
    origins('https://shop.example/'),
  ],
  [
    'related-origins',
    'warn',
    /^"https:\/\/shop\.example:443" is read as https:\/\/shop\.example; write that instead$/,
    origins('https://shop.example:443'),
  ],
  ['related-origins', 'warn', /is read as https:\/\/shop\.example; write that instead$/, origins('https://shop.example/login')],
  ['related-origins', 'fail', /^"http:\/\/shop\.example" is not an https origin$/, origins('http://shop.example')],
  ['related-origins', 'fail', /^"shop\.example" is not an https origin$/, origins('shop.example')],
  [
    'related-origins',
    'fail',
    /^"https:\/\/\*\.shop\.example" has a wildcard, which matches no origin; list each origin$/,
    origins('https://*.shop.example'),
  ],
  ['related-origins', 'fail', /^"origins" has 7, but browsers accept only strings$/, related({ body: { origins: [7] } })],
  [
    'related-origins',
    'fail',
    /^browsers ignore https:\/\/f\.example$/,
    origins(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `https://${name}.example`)),
  ],
  ['passkey-endpoints', 'fail', /^"enroll" is not an https URL$/, file('passkey-endpoints', { body: { enroll: '/enroll' } })],
  ['passkey-endpoints', 'warn', /neither/, file('passkey-endpoints', { body: {} })],
  [
    'apple-app-site-association',
    'fail',
    /leads to/,
    {
      served: {
        ...file('apple-app-site-association', moved('/aasa')).served,
        '/aasa': GOOD['/.well-known/apple-app-site-association'] ?? {},
      },
    },
  ],
  ['apple-app-site-association', 'fail', /"webcredentials" has no "apps"/, apps({ applinks: {} })],
  ['apple-app-site-association', 'fail', /no team ID/, apps({ webcredentials: { apps: ['com.example.shop'] } })],
  ['assetlinks', 'fail', /leads to http:/, file('assetlinks.json', moved('http://shop.example/.well-known/assetlinks.json'))],
  ['assetlinks', 'fail', /it is not a list of statements/, file('assetlinks.json', { body: {} })],
  ['assetlinks', 'fail', /lacks delegate_permission\/common\.get_login_creds$/, statements(link(RELATIONS.slice(0, 1)))],
  ['assetlinks', 'warn', /lacks delegate_permission\/common\.handle_all_urls$/, statements(link(RELATIONS.slice(1)))],
  ['assetlinks', 'fail', /which is not a fingerprint$/, statements(link(RELATIONS, FINGERPRINT.toLowerCase()))],
];

const LISTED = GOOD['/.well-known/webauthn'] ?? {};
const redirected = (location: string): Site => ({
  url: 'https://shop.test/',
  rpId: 'shop.example',
  served: { ...related(moved(location)).served, '/webauthn.json': LISTED },
});

test.each<[string, 'pass' | 'skip', RegExp, Site]>([
  ['to the same host', 'pass', /\(it leads to https:\/\/shop\.example\/webauthn\.json\)$/, redirected('/webauthn.json')],
  ['to a host of the same site', 'pass', /login\.shop\.example\/webauthn\.json\)$/, redirected('https://login.shop.example/webauthn.json')],
  [
    'to another site',
    'skip',
    /^it leads to https:\/\/elsewhere\.example\/, which browsers follow; the file was not read/,
    redirected('https://elsewhere.example/'),
  ],
])('/.well-known/webauthn with a redirect %s: %s', async (_, status, found, site) => {
  const { report, asked } = await diagnose(site);
  const checks = report.checks.filter(({ id }) => ['rp-id', 'related-origins'].includes(id));
  expect(checks).toMatchObject([{ status }, { status, found: expect.stringMatching(found) }]);
  expect(report.summary.fail).toBe(0);
  expect(asked.includes('/webauthn.json')).toBe(status === 'pass');
});

test.each(FAULTS)('only %s says %s: %s', async (id, status, found, site) => {
  const { report } = await diagnose(site);
  const others = report.checks.filter((check) => check.status === 'warn' || check.status === 'fail');
  expect(others).toEqual([expect.objectContaining({ id, status, found: expect.stringMatching(found), fix: expect.any(String) })]);
});
