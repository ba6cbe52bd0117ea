import { isObject } from '../../../src/kernel/json-value.js';
import type { HttpRequest, HttpTarget } from '../../../src/simulate/http/http.js';
import { FLAG, OFFSETS } from '../../../src/webauthn/authenticator-data.js';
import { decodeBase64 } from '../../../src/webauthn/base64url.js';
import { describeResponse } from '../mutations/described-response.js';

interface Sent {
  readonly endpoint: string;
  readonly facts: readonly string[];
}

/** What differs from run to run: IDs, challenges, tokens and labels. */
const DRAWN = /[\w+/-]{24,}={0,2}|(?<=by simulate ).*(?=")/g;
/** Has a value that is drawn or signed, whose length may differ as well. */
const DRAWN_MEMBERS = / order|^attStmt|^(?:id|rawId)$|publicKey$|signature$|userHandle$|prototype|__proto__/;
const LONGEST = 120;

function shorten(text: string): string {
  const same = text.replaceAll(DRAWN, '…');
  return same.length <= LONGEST ? same : `${same.slice(0, LONGEST / 2)}…${same.length}…${same.slice(-LONGEST / 2)}`;
}

/** Keeps what is sent through connections, as far as it is the same in every run. */
export function keepRequests() {
  const sent: Sent[] = [];
  const keep = (connections: HttpTarget): HttpTarget => ({
    ...connections,
    send(request) {
      const { pathname, search } = new URL(request.path, connections.url);
      sent.push({ endpoint: `${request.method} ${`${pathname}${search}`.replaceAll(/\d+|[\w-]{24,}/g, '…')}`, facts: listFacts(request) });
      return connections.send(request);
    },
  });
  return { keep, list: () => listUnusual(sent) };
}

function listFacts({ headers = {}, body }: HttpRequest): readonly string[] {
  const fields = Object.entries(headers).map(([name, value]) => {
    return `${name}: ${/^(?:cookie|authorization)$/i.test(name) ? `${value.split(';').length}` : shorten(value)}`;
  });
  return [...fields, ...(typeof body === 'string' ? listBody(body) : [])];
}

function listBody(body: string): readonly string[] {
  try {
    const facts = [...describeResponse(unwrap(JSON.parse(body)), Date.now())];
    return facts.flatMap(([path, value]) => (DRAWN_MEMBERS.test(path) ? [] : [`${path} ${describe(path, value)}`]));
  } catch {
    return ['no JSON'];
  }
}

/** The credential, where a body has it in a member. */
function unwrap(value: unknown): unknown {
  const members = isObject(value) ? Object.values(value) : [];
  return members.find((member) => isObject(member) && isObject(member['response'])) ?? value;
}

function describe(path: string, value: string): string {
  if (/(?:authData|authenticatorData)$/.test(path) && /^(?:[0-9a-f]{2}){37,}$/.test(value)) return describeData(Buffer.from(value, 'hex'));
  // How many characters are escaped is left to the challenge.
  if (path === 'response.clientDataJSON' && value.includes('u0063')) return 'escaped';
  if (path === 'response.clientDataJSON') return shorten(value.replace(/challenge\W+[^"]*/, 'challenge…'));
  const bytes = decodeBase64(value.replaceAll('"', ''))?.bytes.length ?? 0;
  return bytes > 11 ? 'bytes' : shorten(value);
}

/** Describes authenticator data without credential ID and key. */
function describeData(data: Buffer): string {
  const flags = data[OFFSETS.flags] ?? 0;
  const rest = data.subarray(OFFSETS.aaguid);
  const hash = data.subarray(0, 4).toString('hex');
  const end = (flags & FLAG.at) === 0 ? rest.toString('hex') : `${rest.subarray(0, 18).toString('hex')} ${rest.length}`;
  return `${hash} ${flags.toString(2)} ${data.readUInt32BE(OFFSETS.signCount)} ${shorten(end)}`;
}

/** Lists the requests, each only once and without what most requests to the same place have. */
function listUnusual(sent: readonly Sent[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { endpoint, facts } of sent) {
    for (const key of [endpoint, ...facts.map((fact) => `${endpoint} ${fact}`)]) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isUsual = (endpoint: string, fact: string) => 3 * (counts.get(`${endpoint} ${fact}`) ?? 0) > (counts.get(endpoint) ?? 0);
  const lines = sent.map(({ endpoint, facts }) => [endpoint, ...facts.filter((fact) => !isUsual(endpoint, fact))].join(' | '));
  return [...new Set(lines)].toSorted();
}
