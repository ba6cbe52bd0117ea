import type { FetchPort } from '../../client/well-known.js';
import type { PublicKeyCredentialCreationOptionsJSON, PublicKeyCredentialRequestOptionsJSON } from '../../webauthn/json.js';
import { UNKNOWN_USERS } from '../cases/lifecycle/unknown-users.js';
import { PLAIN_CEREMONIES } from '../cases/plain-ceremonies.js';
import { type Case, toScenario } from '../engine/case.js';
import type { BrowserTraits } from '../engine/ceremony.js';
import { both } from '../engine/ceremony-cases.js';
import { openRun } from '../engine/open-run.js';
import type { RemoteOptions } from '../engine/remote.js';
import { runScenarios } from '../engine/run-scenarios.js';
import { createHttpTarget, type HttpAnswer, type HttpRequest } from '../http/http.js';
import { type RetryOptions, retryRateLimited } from '../http/rate-limit.js';
import type { CaseResult } from '../report/report.js';
import type { ReadProfile } from '../target/read-profile.js';
import type { CeremonyAnswer, Facts } from './facts.js';
import { listAppOrigins, listRelatedOrigins } from './file-checks.js';

export const ACCEPTED = 'accepted';

/** Id of the case that logs in without user verification. */
const UNVERIFIED = 'login.without-user-verification';

/** The outcome of a registration and a login on a page: "accepted", or what happened instead. */
export interface Tried {
  readonly registration: string;
  readonly login: string;
}

export const isAccepted = ({ registration, login }: Tried): boolean => registration === ACCEPTED && login === ACCEPTED;

/** The ceremonies performed at the server, and the server's responses. */
export interface Proof {
  readonly own: Tried;
  readonly creation: PublicKeyCredentialCreationOptionsJSON | undefined;
  readonly request: PublicKeyCredentialRequestOptionsJSON | undefined;
  readonly answers: readonly CeremonyAnswer[];
  readonly unknownUsers: readonly CaseResult[];
  /** The result of a login without user verification, at a server whose options do not require verification. */
  readonly unverified: CaseResult | undefined;
}

/** An origin listed in a well-known file, and the outcome of the ceremonies on it. */
export interface NamedOrigin extends Tried {
  readonly origin: string;
  readonly named_by: string;
}

export type ProvenTarget = RemoteOptions & { readonly profile: ReadProfile };

/**
 * Prepares registrations and logins at a relying party: on its own page, and on the pages and in the apps that its well-known files list.
 */
export async function openProof({ profile: read, ...target }: ProvenTarget, retry: RetryOptions) {
  const { where, profile } = read;
  const { signal } = retry;
  const answers: CeremonyAnswer[] = [];
  const url = new URL(target.url);
  const { send, ...connections } = retryRateLimited(createHttpTarget(url, { ...target, signal }), retry);
  async function sendNoted(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await send(request);
    answers.push({ url: new URL(request.path, url), answer });
    return answer;
  }
  // Whether unknown users are told apart is measured, whatever the policy of the profile is.
  const assumed = { ...profile, has: { ...profile.has, policy: { ...profile.has?.policy, unknownUsers: 'hidden' as const } } };
  const options = { ...target, profile: { where, profile: assumed }, connections: { ...connections, send: sendNoted } };
  const run = await openRun({ signal, target: options });
  const runAll = (cases: readonly Case[]) =>
    runScenarios(
      cases.map((each) => toScenario(each, run)),
      signal === undefined ? {} : { signal },
    );

  /**
   * Registers and logs in once.
   *
   * @param page the page on which to do so; default: the application's own page
   */
  async function attempt(page: NonNullable<BrowserTraits['page']> = {}) {
    let [creation, request]: [Proof['creation'], Proof['request']] = [undefined, undefined];
    const cases = both({
      what: 'doctor',
      title: 'a page',
      browser: { page },
      beforeSending({ options: given }) {
        if ('rp' in given) creation = given;
        else request = given;
      },
    });
    const [registration, login] = await runAll(cases);
    return { creation, request, tried: { registration: describeResult(registration), login: describeResult(login) } };
  }

  return {
    async proveOwnPage(): Promise<Proof> {
      await run.remote?.check();
      const { tried, ...seen } = await attempt();
      const [unverified] = await runAll(PLAIN_CEREMONIES.filter(({ id }) => id === UNVERIFIED));
      return { own: tried, ...seen, answers, unknownUsers: await runAll(UNKNOWN_USERS), unverified };
    },
    async proveNamedOrigins(facts: Facts): Promise<NamedOrigin[]> {
      const named = [...listNamedOrigins(facts)].filter(([origin]) => origin !== run.remote?.driver.origin);
      const proved: NamedOrigin[] = [];
      for (const [origin, file] of named) {
        const { tried } = await attempt({ origin: () => origin, fetch: readAgain(facts) });
        proved.push({ origin, named_by: file, ...tried });
      }
      return proved;
    },
    async close() {
      await run.close();
      connections.close();
    },
  };
}

function describeResult(result: CaseResult | undefined): string {
  if (result?.status === 'passed') return ACCEPTED;
  const [mismatch] = result?.mismatches ?? [];
  return mismatch?.received ?? result?.reason ?? 'not tried';
}

function listNamedOrigins({ files: { webauthn, 'assetlinks.json': links } }: Facts): ReadonlyMap<string, string> {
  return new Map([
    ...(listRelatedOrigins(webauthn) ?? []).map((origin) => [origin, webauthn.asked] as const),
    ...listAppOrigins(links).map((origin) => [origin, links.asked] as const),
  ]);
}

/** Makes a fetch function that returns the well-known files as they were fetched before. */
function readAgain({ files }: Facts): FetchPort {
  return async (url) => {
    const found = Object.values(files).find(({ asked }) => new URL(asked).pathname === new URL(url).pathname);
    if (found?.answer === undefined) throw new TypeError('it is not there');
    const { status, headers, text } = found.answer;
    const get = (name: string) => headers[name]?.toString() ?? null;
    return { status, url: found.url.href, headers: { get }, text: () => Promise.resolve(text) };
  };
}
