import type { HttpAnswer } from '../http.js';
import type { Mismatch } from '../report.js';
import { compareAnswer, objectOf } from '../scenario.js';
import { type AuthenticationMoment, type AuthenticationSpec, authenticationCase } from './authentication-case.js';
import { ACCEPTED, type Case, refused } from './case.js';
import { expectTrue } from './registrations.js';
import { bearer, post } from './request-case.js';
import { requireToken } from './requests.js';
import type { Stage } from './stage.js';

/** What a login opened, sent along with a request. */
type Credentials = Readonly<Record<string, string>>;

/** The session of an answer as a browser sends it back; none without a cookie. */
function cookieOf(answer: HttpAnswer): Credentials {
  const cookies = answer.headers['set-cookie'] ?? [];
  return cookies.length === 0 ? {} : { cookie: cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ') };
}

const tokenOf = (answer: HttpAnswer) => bearer(String(objectOf(answer.json).token));

async function list({ target }: Stage, credentials: Credentials, expected: Case['expected']): Promise<Mismatch[]> {
  return compareAnswer('GET /api/passkeys', expected, await target.send({ method: 'GET', path: '/api/passkeys', headers: credentials }));
}

const UNAUTHENTICATED = refused('unauthenticated', undefined, 401);

/** A login, and what can then be done with what it gave. */
const after = (spec: Omit<AuthenticationSpec, 'expected' | 'endpoint'>): Case =>
  authenticationCase({ ...spec, tags: ['session', ...(spec.tags ?? [])], endpoint: 'login', expected: ACCEPTED });

/** Revokes the passkey that the case registered. */
async function revoke({ stage, passkey }: AuthenticationMoment): Promise<HttpAnswer> {
  const headers = bearer(await requireToken(stage, 1));
  return stage.target.send({ method: 'DELETE', path: `/api/passkeys/${passkey.id}`, headers });
}

export const SESSIONS: readonly Case[] = [
  after({
    id: 'session.opens',
    title: 'the session of a login opens the list of own passkeys',
    needs: ['settings'],
    async check(answer, { stage, passkey }) {
      const cookie = String(answer.headers['set-cookie'] ?? 'none');
      const listed = await stage.target.send({ method: 'GET', path: '/api/passkeys', headers: cookieOf(answer) });
      const ids = Array.isArray(listed.json) ? listed.json.map((entry) => objectOf(entry).id) : undefined;
      return [
        expectTrue('the cookie', 'HttpOnly and SameSite=Lax', cookie, /HttpOnly/i.test(cookie) && /SameSite=Lax/i.test(cookie)),
        expectTrue('the list', `with passkey ${passkey.id}`, ids, ids?.includes(passkey.id) ?? false),
      ].flat();
    },
  }),
  after({
    id: 'session.not-for-registration',
    title: 'a session does not open the register endpoints',
    needs: ['settings'],
    async check(answer, { stage }) {
      const path = '/api/passkeys/register/options';
      const sent = await stage.target.send(post(path, { app_name: 'x', app_url: stage.origin }, cookieOf(answer)));
      return compareAnswer(`POST ${path}`, UNAUTHENTICATED, sent);
    },
  }),
  after({
    id: 'session.ends',
    title: 'a session that was ended is over on the server',
    needs: ['settings'],
    async check(answer, { stage }) {
      const headers = cookieOf(answer);
      const ended = await stage.target.send({ method: 'DELETE', path: '/api/session', headers });
      return [
        ...compareAnswer('DELETE /api/session', { outcome: 'verified', status: 204 }, ended),
        ...(await list(stage, headers, UNAUTHENTICATED)),
      ];
    },
  }),
  after({
    id: 'session.ends-with-passkey',
    title: 'a session ends when the passkey that opened it is revoked',
    needs: ['settings'],
    async check(answer, moment) {
      const revoked = compareAnswer('DELETE /api/passkeys/:id', { outcome: 'verified', status: 204 }, await revoke(moment));
      return [...revoked, ...(await list(moment.stage, cookieOf(answer), UNAUTHENTICATED))];
    },
  }),
  after({
    id: 'session.expires',
    title: 'a session is over after its time',
    needs: ['clock'],
    async check(answer, { stage }) {
      stage.room?.setTime(stage.room.now() + 86_400_001);
      return list(stage, cookieOf(answer), UNAUTHENTICATED);
    },
  }),
  after({
    id: 'session.token',
    title: 'auth action token: the token opens the register endpoints',
    room: { settings: { authAction: 'token' } },
    async check(answer, { stage }) {
      const path = '/api/passkeys/register/options';
      const sent = await stage.target.send(post(path, { app_name: 'x', app_url: stage.origin }, tokenOf(answer)));
      return compareAnswer(`POST ${path}`, ACCEPTED, sent);
    },
  }),
  after({
    id: 'session.token-ends-with-passkey',
    title: 'a token ends when the passkey that opened it is revoked',
    room: { settings: { authAction: 'token' } },
    async check(answer, moment) {
      await revoke(moment);
      return list(moment.stage, tokenOf(answer), UNAUTHENTICATED);
    },
  }),
  after({
    id: 'session.expiring-token',
    title: 'auth action expiring_token: the token is over when it says',
    room: { settings: { authAction: 'expiring_token' } },
    needs: ['clock'],
    async check(answer, { stage }) {
      const before = await list(stage, tokenOf(answer), ACCEPTED);
      const end = Date.parse(String(objectOf(answer.json).expires_at));
      stage.room?.setTime(end);
      return [...before, ...(await list(stage, tokenOf(answer), UNAUTHENTICATED))];
    },
  }),
  after({
    id: 'session.rename',
    title: 'an owner renames a passkey',
    async check(_, { stage, passkey }) {
      const path = `/api/passkeys/${passkey.id}`;
      const renamed = await stage.target.send({
        ...post(path, { label: 'Renamed' }, bearer(await requireToken(stage, 1))),
        method: 'PATCH',
      });
      const { label } = objectOf(objectOf(renamed.json).passkey);
      return [
        ...compareAnswer(`PATCH ${path}`, ACCEPTED, renamed),
        ...expectTrue('passkey.label', '"Renamed"', label, label === 'Renamed'),
      ];
    },
  }),
];
