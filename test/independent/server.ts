import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultId, Faults } from './faults.js';
import { check, DEFAULT_POLICY, type Party, type Policy, Refusal } from './party.js';
import { type PartyAnswer, type PartyRequest, readBody } from './request.js';
import { type Call, type Routed, Routes } from './routes.js';

const MOST_BYTES = 64 * 1024;

type Handler = (routes: Routes, call: Call) => Routed | Promise<Routed>;

const TABLE: readonly (readonly [method: string, path: RegExp, handle: Handler])[] = [
  ['GET', /^\/healthz$/, () => ({ body: { status: 'ok' } })],
  ['POST', /^\/api\/passkeys\/register\/options$/, (routes, call) => routes.registerOptions(call)],
  ['POST', /^\/api\/passkeys\/register$/, (routes, call) => routes.register(call)],
  ['POST', /^\/api\/passkeys\/verify\/options$/, (routes, call) => routes.verifyOptions(call)],
  ['POST', /^\/api\/passkeys\/verify$/, (routes, call) => routes.verify(call)],
  ['POST', /^\/api\/passkeys\/login\/options$/, (routes, call) => routes.loginOptions(call)],
  ['POST', /^\/api\/passkeys\/login$/, (routes, call) => routes.login(call)],
  ['GET', /^\/api\/passkeys$/, (routes, call) => routes.passkeys(call)],
  ['PATCH', /^\/api\/passkeys\/(\d+)$/, (routes, call) => routes.relabel(call)],
  ['DELETE', /^\/api\/passkeys\/(\d+)$/, (routes, call) => routes.remove(call)],
  ['POST', /^\/api\/account$/, (routes, call) => routes.openAccount(call)],
  ['POST', /^\/api\/account\/login\/options$/, (routes, call) => routes.accountOptions(call)],
  ['POST', /^\/api\/account\/password$/, (routes, call) => routes.enterPassword(call)],
  ['POST', /^\/api\/account\/step-up\/options$/, (routes, call) => routes.stepUpOptions(call)],
  ['POST', /^\/api\/account\/step-up$/, (routes, call) => routes.stepUp(call)],
  ['POST', /^\/api\/account\/recovery$/, (routes, call) => routes.beginRecovery(call)],
  ['POST', /^\/api\/account\/recovery\/end$/, (routes, call) => routes.endRecovery(call)],
  ['GET', /^\/letters\/([^/]+)$/, (routes, call) => routes.letter(call)],
  ['POST', /^\/api\/admin\/gates$/, (routes, call) => routes.turnGate(call)],
  ['POST', /^\/api\/session$/, (routes, call) => routes.openSession(call)],
  ['GET', /^\/api\/session$/, (routes, call) => routes.session(call)],
  ['DELETE', /^\/api\/session$/, (routes, call) => routes.endSession(call)],
];

/** Refusals after which the process ends, with these faults. */
const ENDS: readonly (readonly [FaultId, readonly string[]])[] = [
  ['refused-type-ends-process', ['wrong_type']],
  ['malformed-input-ends-process', ['not_json', 'member_missing', 'client_data_unreadable', 'attestation_unreadable', 'bad_signature']],
];

export interface PartyOptions extends Pick<Party, 'roots'> {
  readonly faults?: Faults;
  readonly policy?: Partial<Policy>;
  /** Milliseconds since the epoch; default: the clock. */
  now?(): number;
}

/** A relying party without sockets: one function from request to answer. */
export interface IndependentParty {
  /** Bearer tokens of its two users. */
  readonly tokens: readonly [string, string];
  answer(request: PartyRequest): Promise<PartyAnswer>;
  /** Starts again, as under a supervisor; false: its process has not ended. */
  startAgain(): boolean;
}

export function createIndependentParty(options: PartyOptions, ownOrigin = () => 'https://independent.example'): IndependentParty {
  const { faults = new Set(), policy, roots, now = Date.now } = options;
  const party: Party = { faults, policy: { ...DEFAULT_POLICY, ...policy }, roots, now };
  const routes = new Routes(party, ownOrigin);
  let ended = false;
  return {
    tokens: routes.store.tokens,
    async answer(request) {
      try {
        const { status = 200, headers = {}, body } = await route(request, routes, party);
        const plain = Object.entries(headers).map(([name, value]) => [name, value.replaceAll(/; (?:HttpOnly|SameSite=\w+)/g, '')]);
        return toAnswer(status, faults.has('session-cookie-plain') ? Object.fromEntries(plain) : headers, body);
      } catch (error) {
        if (error instanceof Refusal) {
          ended = ENDS.some(([fault, reasons]) => faults.has(fault) && reasons.includes(error.reason));
          const headers = error.status === 401 ? { 'www-authenticate': 'Bearer' } : {};
          return toAnswer(error.status, headers, { error: { reason: error.reason, message: error.message } });
        }
        return toAnswer(500, {}, { error: { reason: 'failed', message: String(error) } });
      }
    },
    startAgain() {
      const was = ended;
      ended = false;
      return was;
    },
  };
}

function toAnswer(status: number, headers: Readonly<Record<string, string>>, body: unknown): PartyAnswer {
  if (body === undefined) return { status, headers, body: '' };
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

async function route(request: PartyRequest, routes: Routes, party: Party): Promise<Routed> {
  const path = request.path.split('?')[0] ?? '';
  const found = TABLE.filter(([, pattern]) => pattern.test(path));
  check(found.length > 0, 'nothing_here', 'There is nothing at this path.', 404);
  const entry = found.find(([method]) => method === request.method);
  if (entry === undefined) {
    const body = { error: { reason: 'other_method', message: 'Use another method.' } };
    return { status: 405, headers: { allow: found.map(([method]) => method).join(', ') }, body };
  }
  const [, pattern, handle] = entry;
  check(Buffer.byteLength(request.body ?? '') <= MOST_BYTES, 'too_long', `A body has at most ${MOST_BYTES} bytes.`, 413);
  const json = readBody(request, party);
  return await handle(routes, { ...request, json, parameter: pattern.exec(path)?.[1] ?? '' });
}

export interface RunningParty {
  /** For example `http://127.0.0.1:40123`. */
  readonly url: string;
  readonly tokens: readonly [string, string];
  close(): Promise<void>;
}

/** Serves a party on 127.0.0.1, on a free port. */
export async function listen(options: PartyOptions): Promise<RunningParty> {
  let url = '';
  const party = createIndependentParty(options, () => url);
  const server = createServer((request, response) => {
    void readRequest(request)
      .then((read) => party.answer(read))
      // Of a body that is too long not all may have come: the connection is of no more use.
      .then(({ status, headers, body }) => response.writeHead(status, headers).end(body, () => status === 413 && request.destroy()))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() satisfies AddressInfo | string | null;
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url,
    tokens: party.tokens,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function readRequest(request: IncomingMessage): Promise<PartyRequest> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    // What is too long is read to its end, so that the client sees the answer, and not kept.
    if (length <= MOST_BYTES + 1) chunks.push(bytes);
    else chunks.splice(0, chunks.length, Buffer.alloc(MOST_BYTES + 1));
  }
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { method: request.method ?? 'GET', path: request.url ?? '/', headers, body: Buffer.concat(chunks).toString('utf8') };
}
