import type { Authenticator } from '../../authenticator/ports.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { type HttpAnswer, postJson } from '../http.js';
import { describeAnswer, objectOf, type Verdict } from '../scenario.js';
import type { Stage, User } from './stage.js';

/** Ends a case before its last request. */
export class CaseEnded extends Error {
  readonly verdict: Verdict;

  constructor(verdict: Verdict) {
    super(verdict.status);
    this.verdict = verdict;
  }
}

export function notApplicable(reason: string): CaseEnded {
  return new CaseEnded({ status: 'not_applicable', reason });
}

export function failedAt(at: string, expected: string, received: string): CaseEnded {
  return new CaseEnded({ status: 'failed', mismatches: [{ at, expected, received }] });
}

/** The body of a request that only prepares: whatever is wrong with it ends the case as failed. */
export async function prepared(at: string, request: Promise<HttpAnswer>): Promise<Readonly<Record<string, unknown>>> {
  const answer = await request;
  if (answer.status !== 200) throw failedAt(`${at} (preparation)`, '200', describeAnswer(answer));
  return objectOf(answer.json);
}

export async function requireToken(stage: Stage, user: User): Promise<string> {
  const token = await stage.token(user);
  if (token === undefined) throw notApplicable(`needs the bearer token of ${user === 1 ? 'a' : 'a second'} user (--token)`);
  return token;
}

export async function askCreationOptions(stage: Stage, user: User = 1): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const path = '/api/passkeys/register/options';
  const body = { app_name: 'passkey simulate', app_url: stage.origin };
  const options = await prepared(`POST ${path}`, postJson(stage.target, path, body, await requireToken(stage, user)));
  // Whether they are is checked by the client, which names the member that is wrong.
  return options as Readonly<Record<string, unknown>> & PublicKeyCredentialCreationOptionsJSON;
}

/** The endpoints that begin an authentication: for one credential, or for whichever is discovered. */
export type Beginning = 'verify/options' | 'login/options';

export async function askRequestOptions(
  stage: Stage,
  from: Beginning,
  credentialId: string,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const path = `/api/passkeys/${from}`;
  const body = from === 'verify/options' ? { credential_id: credentialId } : { app_url: stage.origin };
  const options = await prepared(`POST ${path}`, postJson(stage.target, path, body));
  return options as Readonly<Record<string, unknown>> & PublicKeyCredentialRequestOptionsJSON;
}

/** A client refuses options that the authenticator of the case cannot meet: with a server elsewhere, they follow its own policy. */
const POLICY_REASONS: ReadonlyMap<string, string> = new Map([
  ['NotSupportedError', 'the server under test does not offer the algorithm'],
  ['ConstraintError', 'the server under test requires user verification or a discoverable credential, which the authenticator cannot do'],
]);

/**
 * The same of an authentication, for which a client has one name for every refusal.
 *
 * @throws CaseEnded when a server elsewhere requires user verification of an authenticator that cannot verify its user.
 */
export function checkVerifiable(stage: Stage, { userVerification }: PublicKeyCredentialRequestOptionsJSON, { info }: Authenticator): void {
  const possible = info?.userVerification ?? true;
  if (stage.room !== undefined || userVerification !== 'required' || possible) return;
  throw notApplicable('the server under test requires user verification, which the authenticator cannot do');
}

/** What the client says, or the end of the case with what it refused. */
export async function performed<T>(stage: Stage, ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    const reason = stage.room === undefined ? POLICY_REASONS.get(name) : undefined;
    if (reason !== undefined) throw notApplicable(reason);
    throw failedAt('the client', 'a response', `${name}: ${message}`);
  }
}

/** Sends a registration response, and notes the passkey where one is made. */
export async function sendRegistration(stage: Stage, body: unknown, user: User = 1): Promise<HttpAnswer> {
  const answer = await postJson(stage.target, '/api/passkeys/register', body, await requireToken(stage, user));
  const { id } = objectOf(objectOf(answer.json).passkey);
  if (answer.status === 200 && typeof id === 'number') stage.registered(id, user);
  return answer;
}
