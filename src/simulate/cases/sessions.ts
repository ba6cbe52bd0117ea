import { asObject } from '../../kernel/json-value.js';
import { DEFAULT_SETTINGS } from '../../server/settings.js';
import type { Case, CaseSpec } from '../engine/case.js';
import { authorization, type PreparedPasskey, readId, registrationRequest, requireApi, revokePasskey } from '../engine/ceremony.js';
import { advanceClock, type CaseContext } from '../engine/context.js';
import { ACCEPTED, compareAnswer, expectTrue, refused } from '../engine/outcome.js';
import { loginToSend } from '../engine/request-case.js';
import { bearer, type HttpAnswer, PATHS, post } from '../http/http.js';
import type { Mismatch } from '../report/report.js';

/** Request headers that carry the session cookies or the token of a login. */
type Credentials = Readonly<Record<string, string>>;

/** Reads the session cookies from a response, and returns the header with which a browser would send them back. */
function readCookies(answer: HttpAnswer): Credentials {
  const cookies = answer.headers['set-cookie'] ?? [];
  return cookies.length === 0 ? {} : { cookie: cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ') };
}

const readToken = (answer: HttpAnswer) => bearer(String(asObject(answer.json).token));

const UNAUTHENTICATED = refused('unauthenticated', undefined, 401);
const NO_CONTENT = { outcome: 'verified', status: 204 } as const;

async function list(context: CaseContext, headers: Credentials, expected: Case['expected']): Promise<Mismatch[]> {
  const { target } = requireApi(context);
  return compareAnswer(`GET ${PATHS.passkeys}`, expected, await target.send({ method: 'GET', path: PATHS.passkeys, headers }));
}

async function beginRegistration(context: CaseContext, credentials: Credentials, expected: Case['expected']): Promise<Mismatch[]> {
  const request = post(PATHS.registerOptions, registrationRequest(context), credentials);
  return compareAnswer(`POST ${request.path}`, expected, await requireApi(context).target.send(request));
}

interface LoginSpec extends CaseSpec {
  /** Checks which requests the cookies or the token of a login allow. */
  check(answer: HttpAnswer, login: { readonly context: CaseContext; readonly passkey: PreparedPasskey }): Promise<readonly Mismatch[]>;
}

/** Makes a case that logs in and then checks the session. */
function afterLogin({ check, needs = [], ...spec }: Omit<LoginSpec, 'expected'>): Case {
  return {
    ...spec,
    needs: [...needs, 'api'],
    tags: ['authentication'],
    expected: ACCEPTED,
    async run(context) {
      const { passkey, request } = await loginToSend(context);
      const answer = await requireApi(context).target.send(request);
      const mismatches = compareAnswer(`POST ${request.path}`, ACCEPTED, answer);
      return mismatches.length > 0 ? mismatches : check(answer, { context, passkey });
    },
  };
}

export const SESSIONS: readonly Case[] = [
  afterLogin({
    id: 'session.opens',
    title: "a login session may list the user's passkeys",
    needs: ['settings'],
    async check(answer, { context, passkey }) {
      const cookie = String(answer.headers['set-cookie'] ?? 'none');
      const listed = await requireApi(context).target.send({ method: 'GET', path: PATHS.passkeys, headers: readCookies(answer) });
      const ids = Array.isArray(listed.json) ? listed.json.map((entry) => asObject(entry).id) : undefined;
      return [
        expectTrue('the cookie', 'HttpOnly and SameSite=Lax', cookie, /HttpOnly/i.test(cookie) && /SameSite=Lax/i.test(cookie)),
        expectTrue('the list', `with passkey ${readId(passkey)}`, ids, ids?.includes(readId(passkey)) ?? false),
      ].flat();
    },
  }),
  afterLogin({
    id: 'session.not-for-registration',
    title: 'a session gives no access to the register endpoints',
    needs: ['settings'],
    check: (answer, { context }) => beginRegistration(context, readCookies(answer), UNAUTHENTICATED),
  }),
  afterLogin({
    id: 'session.ends',
    title: 'a deleted session is over on the server',
    needs: ['settings'],
    async check(answer, { context }) {
      const headers = readCookies(answer);
      const ended = await requireApi(context).target.send({ method: 'DELETE', path: PATHS.session, headers });
      return [...compareAnswer(`DELETE ${PATHS.session}`, NO_CONTENT, ended), ...(await list(context, headers, UNAUTHENTICATED))];
    },
  }),
  afterLogin({
    id: 'session.ends-with-passkey',
    title: 'a session ends when its passkey is revoked',
    needs: ['settings'],
    async check(answer, { context, passkey }) {
      const revoked = compareAnswer(`DELETE ${PATHS.passkeys}/:id`, NO_CONTENT, await revokePasskey(context, passkey));
      return [...revoked, ...(await list(context, readCookies(answer), UNAUTHENTICATED))];
    },
  }),
  afterLogin({
    id: 'session.expires',
    title: 'a session expires',
    needs: ['clock'],
    async check(answer, { context }) {
      advanceClock(context, DEFAULT_SETTINGS.sessionTtl + 1);
      return list(context, readCookies(answer), UNAUTHENTICATED);
    },
  }),
  afterLogin({
    id: 'session.token',
    title: 'auth action token: the token gives access to the register endpoints',
    setup: { settings: { authAction: 'token' } },
    check: (answer, { context }) => beginRegistration(context, readToken(answer), ACCEPTED),
  }),
  afterLogin({
    id: 'session.token-ends-with-passkey',
    title: 'auth action token: the token ends when its passkey is revoked',
    setup: { settings: { authAction: 'token' } },
    async check(answer, { context, passkey }) {
      await revokePasskey(context, passkey);
      return list(context, readToken(answer), UNAUTHENTICATED);
    },
  }),
  afterLogin({
    id: 'session.expiring-token',
    title: 'auth action expiring_token: the token expires at the stated time',
    setup: { settings: { authAction: 'expiring_token' } },
    needs: ['clock'],
    async check(answer, { context }) {
      const before = await list(context, readToken(answer), ACCEPTED);
      context.server?.setTime(Date.parse(String(asObject(answer.json).expires_at)));
      return [...before, ...(await list(context, readToken(answer), UNAUTHENTICATED))];
    },
  }),
  afterLogin({
    id: 'session.rename',
    title: 'a user renames a passkey',
    async check(_, { context, passkey }) {
      const path = `${PATHS.passkeys}/${readId(passkey)}`;
      const request = { ...post(path, { label: 'Renamed' }, authorization(context, 1)), method: 'PATCH' };
      const renamed = await requireApi(context).target.send(request);
      const { label } = asObject(asObject(renamed.json).passkey);
      return [
        ...compareAnswer(`PATCH ${path}`, ACCEPTED, renamed),
        ...expectTrue('passkey.label', '"Renamed"', label, label === 'Renamed'),
      ];
    },
  }),
];
