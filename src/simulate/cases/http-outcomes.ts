import { PasskeyError } from '../../errors.js';
import { asObject } from '../../kernel/json-value.js';
import { DEFAULT_SETTINGS } from '../../server/settings.js';
import { readyRegistration } from '../engine/attempts.js';
import type { Case } from '../engine/case.js';
import { authorization, createBrowser, readId, registerPasskey, registrationRequest, requireApi } from '../engine/ceremony.js';
import type { CaseContext } from '../engine/context.js';
import { type ExpectedAnswer, expectTrue, refused } from '../engine/outcome.js';
import { loginToSend, requestCase } from '../engine/request-case.js';
import { bearer, type HttpRequest, PATHS, post } from '../http/http.js';

const NOT_FOUND = refused('passkey_not_found', undefined, 404);

function expectMember(name: string, json: unknown, pattern: RegExp) {
  const value = asObject(json)[name];
  return expectTrue(name, `a text like ${String(pattern)}`, value, typeof value === 'string' && pattern.test(value));
}

type Row = readonly [what: string, title: string, expected: ExpectedAnswer, request: (context: CaseContext) => HttpRequest];

const INVALID = refused('validation_failed');
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const registrationOptions = (context: CaseContext, appUrl: string) =>
  post(PATHS.registerOptions, { ...registrationRequest(context), app_url: appUrl }, authorization(context, 1));

const ROWS: readonly Row[] = [
  ['malformed-json', 'a body that is not JSON', refused('malformed_json', undefined, 400), () => post(PATHS.verifyOptions, '{')],
  [
    'unsupported-media-type',
    'a form instead of JSON',
    refused('unsupported_media_type', undefined, 415),
    () => ({ ...post(PATHS.verifyOptions, 'credential_id=AAAA'), headers: FORM }),
  ],
  [
    'payload-too-large',
    'a body that is too large',
    refused('payload_too_large', undefined, 413),
    () => post(PATHS.verifyOptions, { credential_id: 'A'.repeat(DEFAULT_SETTINGS.bodyLimit) }),
  ],
  ['body-missing', 'no body where one is required', INVALID, () => ({ method: 'POST', path: PATHS.verifyOptions })],
  ['body-array', 'an array instead of an object', INVALID, () => post(PATHS.verifyOptions, [])],
  ['member-missing', 'no credential_id', INVALID, () => post(PATHS.verifyOptions, {})],
  ['member-not-base64', 'a credential_id outside both alphabets', INVALID, () => post(PATHS.verifyOptions, { credential_id: 'ä' })],
  ['app-url-relative', 'an app_url that is not absolute', INVALID, (context) => registrationOptions(context, '/app')],
  ['app-url-ip-address', 'an app_url with an IP address as host', INVALID, (context) => registrationOptions(context, 'https://192.0.2.1')],
  [
    'verify-options-unknown',
    'options for an unregistered credential',
    NOT_FOUND,
    () => post(PATHS.verifyOptions, { credential_id: 'bm9ib2R5' }),
  ],
  ['route-not-found', 'an unknown path', refused('route_not_found', undefined, 404), () => ({ method: 'GET', path: '/api/nothing' })],
];

const ANSWERED: readonly Case[] = [
  requestCase({
    id: 'http.empty-body',
    title: 'an empty body where none is required',
    request: () => ({ ...post(PATHS.loginOptions, ''), body: '' }),
    check: ({ json }) => expectMember('challenge', json, /^[\w-]{43}$/),
  }),
  requestCase({
    id: 'http.method-not-allowed',
    title: 'GET where only POST is allowed',
    request: () => ({ method: 'GET', path: PATHS.verifyOptions }),
    headers: { allow: /POST/ },
    expected: refused('method_not_allowed', undefined, 405),
  }),
  requestCase({
    id: 'http.ready',
    title: 'the service is ready',
    request: () => ({ method: 'GET', path: '/healthz' }),
    check: ({ json }) => expectMember('status', json, /^ok$/),
  }),
  requestCase({
    id: 'http.openapi',
    title: 'the description of the API',
    request: () => ({ method: 'GET', path: '/openapi.json' }),
    headers: { 'content-type': /json/ },
    check: ({ json }) => expectMember('openapi', json, /^3\./),
  }),
];

const unauthenticated = (spec: Omit<Parameters<typeof requestCase>[0], 'expected' | 'headers'>): Case =>
  requestCase({ ...spec, headers: { 'www-authenticate': /^Bearer/ }, expected: refused('unauthenticated', undefined, 401) });

const ACCESS: readonly Case[] = [
  unauthenticated({
    id: 'http.token-missing',
    title: 'no bearer token, which is checked before anything else',
    request: () => ({ ...post(PATHS.registerOptions, '{'), headers: { 'content-type': 'text/plain' } }),
  }),
  unauthenticated({
    id: 'http.token-unknown',
    title: 'an unknown bearer token',
    request: (context) => post(PATHS.registerOptions, registrationRequest(context), bearer('pk_unknown')),
  }),
  unauthenticated({
    id: 'http.token-expired',
    title: 'an expired bearer token',
    needs: ['clock'],
    async request(context) {
      const { server } = context;
      if (server === undefined) return post(PATHS.registerOptions, {});
      const owner = await server.accounts.addOwner({ email: 'late@example.org', name: 'Late' });
      const { token } = await server.accounts.createToken({ owner, expiresAt: server.now() + 1000 });
      server.setTime(server.now() + 1001);
      return post(PATHS.registerOptions, registrationRequest(context), bearer(token));
    },
  }),
  unauthenticated({
    id: 'http.token-revoked',
    title: 'a revoked bearer token',
    needs: ['store'],
    async request(context) {
      const { server } = context;
      if (server === undefined) return post(PATHS.registerOptions, {});
      const owner = await server.accounts.addOwner({ email: 'gone@example.org', name: 'Gone' });
      const { token, access } = await server.accounts.createToken({ owner });
      await server.accounts.revokeToken(access.id);
      return post(PATHS.registerOptions, registrationRequest(context), bearer(token));
    },
  }),
  unauthenticated({
    id: 'http.list-unauthenticated',
    title: 'the list of passkeys without a token or session',
    request: () => ({ method: 'GET', path: PATHS.passkeys }),
  }),
  requestCase({
    id: 'http.passkey-of-another-user',
    title: "renaming another user's passkey",
    async request(context) {
      const id = readId(await registerPasskey(context, await context.session(1), createBrowser(context)));
      return { ...post(`${PATHS.passkeys}/${id}`, { label: 'Mine' }, authorization(context, 2)), method: 'PATCH' };
    },
    expected: NOT_FOUND,
  }),
  requestCase({
    id: 'http.revoking-of-another-user',
    title: "revoking another user's passkey",
    async request(context) {
      const id = readId(await registerPasskey(context, await context.session(1), createBrowser(context)));
      return { method: 'DELETE', path: `${PATHS.passkeys}/${id}`, headers: authorization(context, 2) };
    },
    expected: NOT_FOUND,
  }),
];

const PROTECTION: readonly Case[] = [
  requestCase({
    id: 'http.origin-not-allowed',
    title: 'an app_url whose origin the server does not accept',
    setup: { settings: { origins: ['https://example.org'] } },
    origin: 'https://other.example',
    request: async (context) => post(PATHS.registerOptions, registrationRequest(context), authorization(context, 1)),
    expected: refused('origin_not_allowed', undefined, 403),
  }),
  requestCase({
    id: 'http.host-not-allowed',
    title: 'a request for another host (DNS rebinding)',
    needs: ['settings'],
    request: () => ({ ...post(PATHS.loginOptions, {}), headers: { 'content-type': 'application/json', host: 'rebound.example' } }),
    expected: refused('host_not_allowed', undefined, 403),
  }),
  requestCase({
    id: 'http.rate-limited',
    title: 'more requests per minute than the server allows',
    setup: { settings: { mode: 'production', rateLimit: 1 } },
    async request(context) {
      await requireApi(context).target.send(post(PATHS.loginOptions, {}));
      return post(PATHS.loginOptions, {});
    },
    headers: { 'retry-after': /^\d+$/, 'ratelimit-limit': /^1$/, 'ratelimit-remaining': /^0$/, 'ratelimit-reset': /^\d+$/ },
    expected: refused('rate_limited', undefined, 429),
  }),
];

const FAULTS: readonly Case[] = [
  requestCase({
    id: 'http.internal-error',
    title: 'an auth action that throws: the answer does not reveal why',
    setup: {
      settings: {
        authAction: {
          name: 'throwing',
          run() {
            throw new Error('secret');
          },
        },
      },
    },
    request: async (context) => (await loginToSend(context)).request,
    expected: refused('internal_error', undefined, 500),
  }),
  requestCase({
    id: 'http.store-unavailable',
    title: 'a store that cannot write',
    setup: {
      decorateStore: (store) => ({
        ...store,
        async insertPasskey() {
          throw new PasskeyError('store_unavailable', 'The disk is full.');
        },
      }),
    },
    async request(context) {
      const { body } = await readyRegistration(context, await context.session(1));
      return post(PATHS.register, body, authorization(context, 1));
    },
    expected: refused('store_unavailable', undefined, 503),
  }),
];

export const HTTP_OUTCOMES: readonly Case[] = [
  ...ROWS.map(([what, title, expected, request]) => requestCase({ id: `http.${what}`, title, expected, request })),
  ...ANSWERED,
  ...ACCESS,
  ...PROTECTION,
  ...FAULTS,
];
