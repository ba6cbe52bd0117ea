import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import { parseProfile, type ReadProfile } from '../../../src/simulate/target/read-profile.js';
import { bearer, send, toJson } from '../../independent/exchange.js';
import type { FaultId } from '../../independent/faults.js';
import independent from '../../independent/profile.json' with { type: 'json' };
import type { PartyAnswer, PartyRequest } from '../../independent/request.js';
import { createIndependentParty, type IndependentParty } from '../../independent/server.js';

/** `POST /api/passkeys/login`, and how often it came. */
export interface Seen {
  readonly name: string;
  readonly times: number;
}

/** Changes an answer; `cut`: the connection is cut instead. */
export type Intercept = (answer: PartyAnswer, seen: Seen, party: IndependentParty) => PartyAnswer | 'cut' | Promise<PartyAnswer | 'cut'>;

export interface PartyUnderLoad {
  readonly url: string;
  readonly tokens: readonly [string, string];
  /** How often a request came, and was answered with what status. */
  times(name: string, status?: number): number;
  /** What its users have. */
  passkeys(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

interface Options {
  readonly faults?: readonly FaultId[];
  readonly intercept?: Intercept;
}

/** The independent relying party behind a listener that can lose, refuse and cut what a test says. */
export async function partyUnderLoad({ faults = [], intercept = (answer) => answer }: Options = {}): Promise<PartyUnderLoad> {
  let url = '';
  const party = createIndependentParty({ faults: new Set(faults), roots: [] }, () => url);
  const came: { readonly name: string; status: number }[] = [];

  async function answer(request: PartyRequest): Promise<PartyAnswer | 'cut'> {
    const entry = { name: `${request.method} ${request.path}`, status: 0 };
    came.push(entry);
    const times = came.filter(({ name }) => name === entry.name).length;
    const own = request.path === '/accounts' ? account(party) : await party.answer(request);
    const given = await intercept(own, { name: entry.name, times }, party);
    if (given !== 'cut') entry.status = given.status;
    return given;
  }

  const server = createServer((incoming, response) => {
    void (async () => {
      const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
      const given = await answer({ method: incoming.method ?? '', path: incoming.url ?? '', headers, body: await text(incoming) });
      if (given === 'cut') response.destroy();
      else response.writeHead(given.status, given.headers).end(given.body);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  return {
    url,
    tokens: party.tokens,
    times: (name, status) => came.filter((each) => each.name === name && (status === undefined || each.status === status)).length,
    async passkeys() {
      const lists = await Promise.all(party.tokens.map((token) => send(party, 'GET', '/api/passkeys', { headers: bearer(token) })));
      return lists.flatMap(({ json }) => {
        if (!Array.isArray(json)) throw new TypeError('Expected a list of passkeys.');
        return json;
      });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An account of its own for everybody who asks; behind it is one user. */
const account = ({ tokens: [token] }: IndependentParty): PartyAnswer => answerOf(200, { token });

export function answerOf(status: number, body: unknown): PartyAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** An answer with some of its members changed. */
export function changed(answer: PartyAnswer, change: (json: JsonObject) => JsonObject): PartyAnswer {
  return { ...answer, body: JSON.stringify(change(toJson(answer.body))) };
}

/** Loses the passkey of an accepted registration. */
export async function lose({ body }: PartyAnswer, party: IndependentParty): Promise<void> {
  const { id } = Object(toJson(body)['passkey']);
  for (const token of party.tokens) await send(party, 'DELETE', `/api/passkeys/${id}`, { headers: bearer(token) });
}

export const independentProfile = (): Promise<ReadProfile> => parseProfile(JSON.stringify(independent), 'independent.json');

/** As many users as one likes: each asks for an account first. */
export const profileWithAccounts = (has: JsonObject = {}): Promise<ReadProfile> => {
  const json = JSON.stringify({
    ...independent,
    has: { ...independent.has, users: 'any', ...has },
    account: [{ request: 'POST /accounts', json: { name: '{user.name}' }, take: { token: 'json token' } }],
  });
  return parseProfile(json.replaceAll('{user.token}', '{token}'), 'accounts.json');
};
