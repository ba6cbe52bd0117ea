import { PasskeyError } from '../../errors.js';
import { objectOf } from '../scenario.js';
import { createActor } from './actor.js';
import { authenticationCase, registerHonestly } from './authentication-case.js';
import { type Case, refused } from './case.js';
import { registrationCase } from './registration-case.js';
import { expectTrue } from './registrations.js';
import { bearer, post, requestCase } from './request-case.js';
import { requireToken } from './requests.js';
import type { Stage } from './stage.js';

const REGISTER_OPTIONS = '/api/passkeys/register/options';
const VERIFY_OPTIONS = '/api/passkeys/verify/options';
const LOGIN_OPTIONS = '/api/passkeys/login/options';
const WWW_AUTHENTICATE = { 'www-authenticate': /^Bearer/ };

const asUser = async (stage: Stage) => bearer(await requireToken(stage, 1));
const registerBody = ({ origin }: Stage) => ({ app_name: 'passkey simulate', app_url: origin });

function expectMember(name: string, json: unknown, pattern: RegExp) {
  const value = objectOf(json)[name];
  return expectTrue(name, `a text like ${String(pattern)}`, value, typeof value === 'string' && pattern.test(value));
}

const BODIES: readonly Case[] = [
  requestCase({
    id: 'http.malformed-json',
    title: 'a body that is no JSON',
    request: () => post(VERIFY_OPTIONS, '{'),
    expected: refused('malformed_json', undefined, 400),
  }),
  requestCase({
    id: 'http.unsupported-media-type',
    title: 'a form instead of JSON',
    request: () => ({ ...post(VERIFY_OPTIONS, 'credential_id=AAAA'), headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    expected: refused('unsupported_media_type', undefined, 415),
  }),
  requestCase({
    id: 'http.payload-too-large',
    title: 'a body of more than 64 KiB',
    request: () => post(VERIFY_OPTIONS, { credential_id: 'A'.repeat(66_000) }),
    expected: refused('payload_too_large', undefined, 413),
  }),
  requestCase({
    id: 'http.body-missing',
    title: 'no body where one is needed',
    request: () => ({ method: 'POST', path: VERIFY_OPTIONS }),
    expected: refused('validation_failed'),
  }),
  requestCase({
    id: 'http.body-array',
    title: 'an array instead of an object',
    request: () => post(VERIFY_OPTIONS, []),
    expected: refused('validation_failed'),
  }),
  requestCase({
    id: 'http.member-missing',
    title: 'no credential_id',
    request: () => post(VERIFY_OPTIONS, {}),
    expected: refused('validation_failed'),
  }),
  requestCase({
    id: 'http.member-not-base64',
    title: 'a credential_id outside both alphabets',
    request: () => post(VERIFY_OPTIONS, { credential_id: 'ä' }),
    expected: refused('validation_failed'),
  }),
  requestCase({
    id: 'http.app-url-relative',
    title: 'an app_url that is not absolute',
    request: async (stage) => post(REGISTER_OPTIONS, { ...registerBody(stage), app_url: '/app' }, await asUser(stage)),
    expected: refused('validation_failed'),
  }),
  requestCase({
    id: 'http.app-url-ip-address',
    title: 'an app_url with an IP address as host',
    request: async (stage) => post(REGISTER_OPTIONS, { ...registerBody(stage), app_url: 'https://192.0.2.1' }, await asUser(stage)),
    expected: refused('validation_failed'),
  }),
  requestCase({
    id: 'http.empty-body',
    title: 'an empty body where none is needed',
    request: () => ({ ...post(LOGIN_OPTIONS, ''), body: '' }),
    check: ({ json }) => expectMember('challenge', json, /^[\w-]{43}$/),
    expected: { outcome: 'verified' },
  }),
];

const ROUTES: readonly Case[] = [
  requestCase({
    id: 'http.route-not-found',
    title: 'a path that nobody answers',
    request: () => ({ method: 'GET', path: '/api/nothing' }),
    expected: refused('route_not_found', undefined, 404),
  }),
  requestCase({
    id: 'http.method-not-allowed',
    title: 'GET where only POST is answered',
    request: () => ({ method: 'GET', path: VERIFY_OPTIONS }),
    headers: { allow: /POST/ },
    expected: refused('method_not_allowed', undefined, 405),
  }),
  requestCase({
    id: 'http.ready',
    title: 'the service is ready',
    request: () => ({ method: 'GET', path: '/healthz' }),
    check: ({ json }) => expectMember('status', json, /^ok$/),
    expected: { outcome: 'verified' },
  }),
  requestCase({
    id: 'http.openapi',
    title: 'the description of the API',
    request: () => ({ method: 'GET', path: '/openapi.json' }),
    headers: { 'content-type': /json/ },
    check: ({ json }) => expectMember('openapi', json, /^3\./),
    expected: { outcome: 'verified' },
  }),
];

const ACCESS: readonly Case[] = [
  requestCase({
    id: 'http.token-missing',
    title: 'no bearer token, before anything else is looked at',
    request: () => ({ ...post(REGISTER_OPTIONS, '{'), headers: { 'content-type': 'text/plain' } }),
    headers: WWW_AUTHENTICATE,
    expected: refused('unauthenticated', undefined, 401),
  }),
  requestCase({
    id: 'http.token-unknown',
    title: 'a bearer token that nobody was given',
    request: (stage) => post(REGISTER_OPTIONS, registerBody(stage), bearer('pk_unknown')),
    headers: WWW_AUTHENTICATE,
    expected: refused('unauthenticated', undefined, 401),
  }),
  requestCase({
    id: 'http.token-expired',
    title: 'a bearer token after its end',
    needs: ['clock'],
    async request(stage) {
      const { room } = stage;
      if (room === undefined) return post(REGISTER_OPTIONS, {});
      const owner = await room.accounts.addOwner({ email: 'late@example.org', name: 'Late' });
      const { token } = await room.accounts.createToken({ owner, expiresAt: room.now() + 1000 });
      room.setTime(room.now() + 1001);
      return post(REGISTER_OPTIONS, registerBody(stage), bearer(token));
    },
    headers: WWW_AUTHENTICATE,
    expected: refused('unauthenticated', undefined, 401),
  }),
  requestCase({
    id: 'http.token-revoked',
    title: 'a bearer token that was revoked',
    needs: ['store'],
    async request(stage) {
      const { room } = stage;
      if (room === undefined) return post(REGISTER_OPTIONS, {});
      const owner = await room.accounts.addOwner({ email: 'gone@example.org', name: 'Gone' });
      const { token, access } = await room.accounts.createToken({ owner });
      await room.accounts.revokeToken(access.id);
      return post(REGISTER_OPTIONS, registerBody(stage), bearer(token));
    },
    headers: WWW_AUTHENTICATE,
    expected: refused('unauthenticated', undefined, 401),
  }),
  requestCase({
    id: 'http.list-unauthenticated',
    title: 'the list of passkeys without token or session',
    request: () => ({ method: 'GET', path: '/api/passkeys' }),
    headers: WWW_AUTHENTICATE,
    expected: refused('unauthenticated', undefined, 401),
  }),
  requestCase({
    id: 'http.passkey-of-another-user',
    title: "renaming another user's passkey",
    async request(stage) {
      const { id } = await registerHonestly(stage, createActor(stage));
      const headers = bearer(await requireToken(stage, 2));
      return { ...post(`/api/passkeys/${id}`, { label: 'Mine' }, headers), method: 'PATCH' };
    },
    expected: refused('passkey_not_found', undefined, 404),
  }),
  requestCase({
    id: 'http.revoking-of-another-user',
    title: "revoking another user's passkey",
    async request(stage) {
      const { id } = await registerHonestly(stage, createActor(stage));
      return { method: 'DELETE', path: `/api/passkeys/${id}`, headers: bearer(await requireToken(stage, 2)) };
    },
    expected: refused('passkey_not_found', undefined, 404),
  }),
  requestCase({
    id: 'http.verify-options-unknown',
    title: 'options for a credential that nobody registered',
    request: () => post(VERIFY_OPTIONS, { credential_id: 'bm9ib2R5' }),
    expected: refused('passkey_not_found', undefined, 404),
  }),
];

const PROTECTION: readonly Case[] = [
  requestCase({
    id: 'http.origin-not-allowed',
    title: 'an app_url of an origin that the server does not take',
    room: { settings: { origins: ['https://example.org'] } },
    request: async (stage) => post(REGISTER_OPTIONS, registerBody(stage), await asUser(stage)),
    expected: refused('origin_not_allowed', undefined, 403),
  }),
  requestCase({
    id: 'http.host-not-allowed',
    title: 'a request for a host that is not the server (DNS rebinding)',
    needs: ['settings'],
    request: () => ({ ...post(LOGIN_OPTIONS, {}), headers: { 'content-type': 'application/json', host: 'rebound.example' } }),
    expected: refused('host_not_allowed', undefined, 403),
  }),
  requestCase({
    id: 'http.rate-limited',
    title: 'more requests a minute than the server takes',
    room: { settings: { mode: 'production', rateLimit: 1 } },
    async request({ target }) {
      await target.send(post(LOGIN_OPTIONS, {}));
      return post(LOGIN_OPTIONS, {});
    },
    headers: { 'retry-after': /^\d+$/, 'ratelimit-limit': /^1$/, 'ratelimit-remaining': /^0$/, 'ratelimit-reset': /^\d+$/ },
    expected: refused('rate_limited', undefined, 429),
  }),
];

const FAULTS: readonly Case[] = [
  authenticationCase({
    id: 'http.internal-error',
    title: 'an auth action that throws: nothing of it shows',
    tags: ['http'],
    room: {
      settings: {
        authAction: {
          name: 'throwing',
          run() {
            throw new Error('secret');
          },
        },
      },
    },
    expected: refused('internal_error', undefined, 500),
  }),
  registrationCase({
    id: 'http.store-unavailable',
    title: 'a store that takes no write',
    tags: ['http'],
    room: {
      decorateStore: (store) => ({
        ...store,
        async insertPasskey() {
          throw new PasskeyError('store_unavailable', 'The disk is full.');
        },
      }),
    },
    expected: refused('store_unavailable', undefined, 503),
  }),
];

export const HTTP_OUTCOMES: readonly Case[] = [...BODIES, ...ROUTES, ...ACCESS, ...PROTECTION, ...FAULTS];
