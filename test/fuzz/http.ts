import type { LightMyRequestResponse } from 'fastify';
import { asObject, isObject } from '../../src/kernel/json-value.js';
import { DEFAULT_POLICY } from '../../src/relying-party/policy.js';
import type { Store } from '../../src/store/store.js';
import { Service, type ServiceOptions } from '../server/app.js';
import { readContract } from './http-contract.js';
import { type Episode, type FuzzedRequest, makeRequest, toInject } from './http-requests.js';
import { hold } from './parser.js';
import { Random } from './random.js';
import { type Finding, type Result, reproduce, shownError, tallied } from './report.js';
import type { Run } from './targets.js';

/** Requests to one server before the next one begins. */
export const EPISODE = 100;
/** No request needs more operations of the store, whatever it holds. */
const MOST_OPERATIONS = 12;
const MOST_KINDS = 20;

/** Servers of every kind; the index of the episode says which. */
const KINDS: readonly Pick<ServiceOptions, 'settings' | 'policy'>[] = [
  {},
  { settings: { mode: 'production', rateLimit: undefined } },
  { settings: { fidoApi: true, authAction: 'token' } },
  { settings: { mode: 'production', rateLimit: 50, trustProxy: true, origins: ['https://app.example.com'] } },
  {
    settings: { authAction: 'expiring_token', allowedHosts: ['evil.example'] },
    policy: { ...DEFAULT_POLICY, userVerification: 'required' },
  },
];

/**
 * Sends requests to whole servers without a network, and holds every answer against `/openapi.json`. Each episode has a server, a user
 * and a software authenticator of its own; its index and the seed decide its requests, but for the keys and challenges in them.
 */
export async function fuzzHttp({ seed, inputs, from = 0, onProgress }: Run): Promise<Result> {
  const outcomes = new Map<string, number>();
  const findings = new Map<string, Finding>();
  let done = 0;
  const first = Math.floor(from / EPISODE);
  for (let episode = first; done < inputs && findings.size < MOST_KINDS; episode += 1) {
    // An index stands for its whole episode: requests depend on those before them.
    const count = inputs === 1 ? EPISODE : Math.min(EPISODE, inputs - done);
    await runEpisode({ seed, episode, count, outcomes, findings });
    done += count;
    if (done % 10_000 < EPISODE) onProgress?.(done);
  }
  return { done, outcomes, findings: [...findings.values()] };
}

interface EpisodeRun {
  readonly seed: number;
  readonly episode: number;
  readonly count: number;
  readonly outcomes: Map<string, number>;
  readonly findings: Map<string, Finding>;
}

async function runEpisode({ seed, episode, count, outcomes, findings }: EpisodeRun): Promise<void> {
  const kind = KINDS[episode % KINDS.length] ?? {};
  const operations = { count: 0 };
  await using service = await Service.start({ ...kind, store: (store) => counting(store, operations) });
  const production = kind.settings?.mode === 'production';
  const contract = readContract(asObject((await service.inject({ url: '/openapi.json' })).json()), production);
  const state: Episode = { service, clients: new Map(), credentials: [], passkeys: [], cookies: [] };
  for (let at = 0; at < count; at += 1) {
    const index = episode * EPISODE + at;
    const request = await makeRequest(state, new Random(seed, index));
    let outcome = 'FAILED';
    try {
      operations.count = 0;
      const answer = await service.inject(toInject(request));
      outcome = `${answer.statusCode} ${codeOf(answer)}`.trim();
      contract.check(request.method, request.url, answer);
      hold(operations.count <= MOST_OPERATIONS, `a request takes ${operations.count} operations of the store`);
      remember(state, request, answer);
    } catch (error) {
      const what = `${request.method} ${request.url.slice(0, 80)}`;
      const like = error instanceof Error ? error.message.replaceAll(/"[^"]*"|\d{4,}/g, '#').slice(0, 160) : String(error);
      if (!findings.has(like)) {
        const sent = JSON.stringify({ ...request, payload: request.payload?.toString('latin1') }).slice(0, 1_000);
        findings.set(like, {
          title: `http: request ${index} of seed ${seed}, ${what}`,
          detail: `${shownError(error)}\n${sent}`,
          reproduce: reproduce('http', seed, index),
        });
      }
    }
    tallied(outcomes, outcome);
  }
}

/** The store, and how often it is asked. */
function counting(store: Store, operations: { count: number }): Store {
  return new Proxy(store, {
    get(target, member) {
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        operations.count += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
}

function codeOf(answer: LightMyRequestResponse): string {
  if (answer.statusCode < 400 || answer.body === '') return '';
  return String(asObject(JSON.parse(answer.body))['code'] ?? '');
}

/** What later requests can use. */
function remember(state: Episode, { method }: FuzzedRequest, answer: LightMyRequestResponse): void {
  if (answer.statusCode !== 200 || method === 'HEAD' || !String(answer.headers['content-type']).includes('json')) return;
  const { passkey } = asObject(answer.json());
  if (isObject(passkey) && typeof passkey['credential_id'] === 'string') {
    state.credentials.push(passkey['credential_id']);
    state.passkeys.push(Number(passkey['id']));
  }
  const cookie = answer.cookies[0];
  if (cookie !== undefined) state.cookies.push(`${cookie.name}=${cookie.value}`);
}
