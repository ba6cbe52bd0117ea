import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json-value.js';
import type { Driver, Session } from '../../../src/simulate/target/driver.js';
import { type DriverOptions, openDriver } from '../../../src/simulate/target/open-driver.js';
import { parseProfile, type ReadProfile } from '../../../src/simulate/target/read-profile.js';

export interface SmallRequest {
  readonly method: string;
  /** Path with query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a small server answers: JSON unless it is a text. */
export interface SmallAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
}

export interface SmallServer {
  readonly url: string;
  /** All that came, in order. */
  readonly requests: readonly SmallRequest[];
  close(): Promise<void>;
}

type Answering = (request: SmallRequest, response: ServerResponse) => SmallAnswer | 'handled';

/** A server of a few lines on a free port, which ends with the test; `handled`: the handler has done something else with the response. */
export async function smallServer(answer: Answering): Promise<SmallServer> {
  const requests: SmallRequest[] = [];
  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, body };
    requests.push(request);
    const given = answer(request, response);
    if (given === 'handled') return;
    response.writeHead(given.status ?? 200, { ...given.headers });
    response.end(typeof given.body === 'string' || given.body instanceof Uint8Array ? given.body : JSON.stringify(given.body ?? {}));
  }
  const server: Server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  async function close(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  onTestFinished(close);
  return { url: `http://localhost:${port}`, requests, close };
}

/** The least that a profile has. */
export const PLAIN_PROFILE = {
  format: 'passkey-target-profile',
  version: 1,
  name: 'small',
  registrationOptions: [{ request: 'POST /registration/options' }],
  register: [{ request: 'POST /registration', json: { $: 'credential' }, take: { id: 'json id' } }],
  authenticationOptions: [{ request: 'POST /login/options' }],
  authenticate: [{ request: 'POST /login', json: { $: 'credential' } }],
};

export const profileOf = (changes: JsonObject): Promise<ReadProfile> =>
  parseProfile(JSON.stringify({ ...PLAIN_PROFILE, ...changes }, null, 2), 'small.json');

export async function driverOf(changes: JsonObject, options: Omit<DriverOptions, 'profile'>): Promise<Driver> {
  return openDriver({ profile: await profileOf(changes), ...options });
}

export async function userOf(driver: Driver, position: 1 | 2 = 1): Promise<Session> {
  const opened = await driver.openUser(position);
  if (opened === undefined || 'outcome' in opened) throw new Error(`no user: ${opened?.said}`);
  return opened;
}
