import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createAttestationAuthority } from '../../src/authenticator/attestation/authority.js';
import type { HttpTarget } from '../../src/simulate/engine/http.js';
import { simulate } from '../../src/simulate/simulate.js';
import { parseProfile, type ReadProfile } from '../../src/simulate/target/read-profile.js';
import { FAULTS, type Fault, type FaultId } from './faults.js';
import { POLICIES } from './reach/exchanges.js';
import { createIndependentParty, type IndependentParty } from './server.js';

const PROFILE = new URL('profile.json', import.meta.url);
const URL_OF_PARTY = new URL('http://localhost:7277');

export interface Told {
  /** Ids of the cases that fail. */
  readonly told: readonly string[];
  /** How many cases ran. */
  readonly ran: number;
}

export interface Row extends Told {
  /** Undefined: the correct relying party, where every case that fails is a false alarm. */
  readonly fault: Fault | undefined;
}

/** Hands requests over without sockets. */
function connect(party: IndependentParty): HttpTarget {
  return {
    url: URL_OF_PARTY,
    async send({ method, path, headers = {}, body }) {
      const { pathname, search } = new URL(path, URL_OF_PARTY);
      const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
      const answer = await party.answer({ method, path: pathname + search, headers: lower, ...(body !== undefined && { body }) });
      const { 'set-cookie': cookie, ...others } = answer.headers;
      return {
        status: answer.status,
        headers: { ...others, ...(cookie !== undefined && { 'set-cookie': [cookie] }) },
        text: answer.body,
        json: answer.body === '' ? undefined : JSON.parse(answer.body),
      };
    },
    close() {},
  };
}

let profile: Promise<ReadProfile> | undefined;

/** Runs the catalogue, or what patterns choose of it, against the independent relying party with these faults. */
export async function runCatalogue(faults: readonly FaultId[], ids: readonly string[] = []): Promise<Told> {
  profile ??= readFile(PROFILE, 'utf8').then((text) => parseProfile(text, 'test/independent/profile.json'));
  const policy = Object.assign({}, ...faults.map((fault) => POLICIES[fault] ?? {}));
  const roots = [new X509Certificate(createAttestationAuthority().root)];
  const party = createIndependentParty({ faults: new Set(faults), policy, roots }, () => URL_OF_PARTY.origin);
  const { results } = await simulate({
    fixtures: [],
    version: '0.0.0',
    select: { ids },
    target: { url: URL_OF_PARTY.href, connections: connect(party), tokens: party.tokens, profile: await profile },
  });
  const failed = results.filter(({ status }) => status === 'failed');
  return { told: failed.map(({ id }) => id), ran: failed.length + results.filter(({ status }) => status === 'passed').length };
}

export interface TableOptions {
  /** Default: all. */
  readonly faults?: readonly string[];
  /** Patterns of case ids; default: all. */
  readonly cases?: readonly string[];
}

/** One row for each fault, after one for the correct relying party. */
export async function* faultTable({ faults = [], cases = [] }: TableOptions): AsyncGenerator<Row> {
  yield { fault: undefined, ...(await runCatalogue([], cases)) };
  for (const fault of FAULTS) {
    if (faults.length === 0 || faults.includes(fault.id)) yield { fault, ...(await runCatalogue([fault.id], cases)) };
  }
}
