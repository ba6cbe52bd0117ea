import { PasskeyError } from '../../errors.js';
import { parseUntrustedJson } from '../../kernel/json-value.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { type HttpTarget, OversizedAnswer, readLost } from '../http/http.js';
import { encodeBody } from './body.js';
import { browse } from './browse.js';
import type { CompiledRequest, ExecAction, HttpAction, ValueAction } from './compile-profile.js';
import { type CookieJar, cookieIn } from './cookie-jar.js';
import type { Answer, Exchange, Outcome } from './driver.js';
import { type Redact, sayAnswer, shorten, showExchange } from './exchange.js';
import { runCommand } from './exec.js';
import { judge } from './judge.js';
import { toText } from './path.js';
import type { SourceAnswer } from './source.js';
import { AbsentVariable } from './template.js';

/** How the requests of a run reach the target. All lists of requests in the run share this object. */
export interface Reach extends Pick<HttpTarget, 'url' | 'send'> {
  mayFollow(url: URL): boolean;
  /** Environment variables for commands that the profile runs. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal | undefined;
  /** Names the position in the profile to which a JSON Pointer points, for messages. */
  where(pointer: string): string;
}

/** State while the requests of one list are sent. */
interface ListRun {
  readonly requests: readonly CompiledRequest[];
  /** Values of variables by name. Values that the list takes from responses are added. */
  readonly scope: Record<string, unknown>;
  /** Names in `take` whose values have a special meaning for this program and do not become variables. */
  readonly special: readonly string[];
  readonly jar: CookieJar;
  /** URL of the last response in this session. Links in later requests are relative to it. */
  readonly page: URL;
  /** Makes a function that removes secrets from a string, including the values of all cookies in the jar. */
  redact(): Redact;
  readonly cleanUpWithin?: number | undefined;
}

export interface ListResult extends Pick<Answer, 'outcome' | 'said' | 'exchanges' | 'decisive' | 'json' | 'at' | 'absent' | 'lost'> {
  /**
   * Values that the list took from responses, by variable name. Values with a special meaning for this program are in `special` instead.
   */
  readonly taken: Readonly<Record<string, unknown>>;
  readonly special: Readonly<Record<string, unknown>>;
  readonly page: URL;
  /** Number of requests that were sent. Zero if every request has a condition and none of the conditions held. */
  readonly made: number;
  /** Complete response bodies, including secrets. Only for comparisons, never for a report. */
  readonly texts: readonly string[];
}

/** A request whose templates are filled in, ready to be sent. */
interface Prepared {
  readonly label: string;
  readonly sent: string;
  perform(): Promise<Performed>;
}

interface Performed extends SourceAnswer {
  readonly page: URL;
}

/**
 * Sends the requests of a list in order, up to the first one that is not accepted. Never throws because of the target's behaviour.
 *
 * @throws PasskeyError `interrupted`
 */
export async function runList(list: ListRun, reach: Reach): Promise<ListResult> {
  const taken: Record<string, unknown> = {};
  const special: Record<string, unknown> = {};
  const exchanges: Exchange[] = [];
  const texts: string[] = [];
  let last: Came = { outcome: 'accepted', said: 'no request was needed', json: undefined, page: list.page };
  for (const request of list.requests) {
    if (!request.applies(list.scope)) continue;
    const result = await makeRequest(request, { ...list, page: last.page }, reach);
    if (result.exchange !== undefined) exchanges.push(result.exchange);
    texts.push(result.text);
    Object.assign(taken, result.taken);
    Object.assign(special, result.special);
    Object.assign(list.scope, result.taken);
    last = result;
    if (last.outcome !== 'accepted') break;
  }
  const { outcome, said, json, page, at, absent, lost } = last;
  return {
    outcome,
    said,
    exchanges,
    decisive: exchanges.at(-1),
    taken,
    special,
    json,
    page,
    at,
    absent,
    lost,
    made: exchanges.length,
    texts,
  };
}

/** Result of one request. */
interface Came extends Pick<ListResult, 'outcome' | 'said' | 'json' | 'page'>, Partial<Pick<ListResult, 'at' | 'absent' | 'lost'>> {}

type Taken = Pick<ListResult, 'taken' | 'special'>;
const NOTHING_TAKEN: Taken = { taken: {}, special: {} };

interface RequestResult extends Came, Taken {
  /** The request and its response; undefined if nothing was sent. */
  readonly exchange?: Exchange;
  /** Response body. */
  readonly text: string;
}

async function makeRequest(request: CompiledRequest, list: ListRun, reach: Reach): Promise<RequestResult> {
  const place = reach.where(request.pointer);
  let prepared: Prepared | undefined;
  let answer: Performed | undefined;
  const finish = (outcome: Outcome, say: (redact: Redact) => string, found: Taken = NOTHING_TAKEN, absent?: string): RequestResult => {
    const { label = place, sent = '' } = prepared ?? {};
    const redact = list.redact();
    const said = redact(say(redact));
    const exchange = showExchange({ request: label, sent, status: answer?.status, received: answer?.text ?? said }, redact);
    return {
      outcome,
      said,
      ...(request.action.kind !== 'value' && { exchange }),
      ...found,
      json: answer?.json,
      page: answer?.page ?? list.page,
      at: request.pointer,
      absent,
      text: answer?.text ?? '',
    };
  };
  try {
    prepared = await prepare(request, list, reach);
    const performed = await prepared.perform();
    answer = performed;
    const found = await takeFrom(request, performed, list.special);
    const judged = await judge(request, performed, { ...list.scope, ...found.taken });
    const say = (redact: Redact) => sayAnswer(performed.status, performed.text, redact);
    if (judged !== 'unclear') return finish(judged, say, found);
    const unclear = (said: string) => `${place}: the response matches neither "accept" nor "refuse" (${said}).`;
    return finish('failed', (redact) => unclear(say(redact)), found);
  } catch (error) {
    const [outcome, said] = describeFailure(error, place);
    const absent = error instanceof AbsentVariable ? error.variable : undefined;
    return { ...finish(outcome, () => said, NOTHING_TAKEN, absent), lost: readLost(error) };
  }
}

/**
 * Describes an error that was caused by the target or the profile.
 *
 * @throws every other error unchanged.
 */
function describeFailure(error: unknown, place: string): [Outcome, string] {
  if (error instanceof OversizedAnswer) return ['failed', `${error.at} is longer than this command reads (${error.expected})`];
  if (error instanceof AbsentVariable) return ['failed', `${place}: ${error.message}.`];
  if (!(error instanceof PasskeyError) || error.code === 'interrupted') throw error;
  return error.code === 'target_unreachable' ? ['broken', error.message] : ['failed', `${place}: ${error.message}`];
}

async function takeFrom({ takes }: CompiledRequest, answer: SourceAnswer, special: readonly string[]): Promise<Taken> {
  const values = await Promise.all(takes.map(async ({ name, source }) => [name, await source.read(answer)] as const));
  const present = values.filter(([, value]) => value !== undefined);
  return {
    taken: Object.fromEntries(present.filter(([name]) => !special.includes(name))),
    special: Object.fromEntries(present.filter(([name]) => special.includes(name))),
  };
}

/**
 * Prepares a request by filling in its templates.
 *
 * @throws AbsentVariable; PasskeyError if the target of the request is not a URL.
 */
function prepare({ action }: CompiledRequest, list: ListRun, reach: Reach): Prepared | Promise<Prepared> {
  switch (action.kind) {
    case 'http':
      return prepareHttp(action, list, reach);
    case 'exec':
      return prepareCommand(action, list, reach);
    case 'value':
      return prepareValue(action, list);
  }
}

function prepareValue({ template }: ValueAction, { scope, jar, page }: ListRun): Prepared {
  const json = template(scope);
  const perform = (): Promise<Performed> =>
    Promise.resolve({ ...NO_RESPONSE, status: 0, text: toText(json) ?? '', json, cookie: (name) => jar.get(page.href, name), page });
  return { label: '', sent: '', perform };
}

const read = (output: string) => ({ text: output.trim(), json: parseUntrustedJson(output) });

/** Values, for steps without an HTTP response, of the members that only an HTTP response has. */
const NO_RESPONSE = { header: () => undefined, url: '' };

function prepareCommand({ words }: ExecAction, { scope, jar, page, cleanUpWithin }: ListRun, { env, signal }: Reach): Prepared {
  const command = words.map((word) => word.render(scope));
  async function perform(): Promise<Performed> {
    const result = await runCommand(command, cleanUpWithin === undefined ? { env, signal } : { env, within: cleanUpWithin });
    if (result.kind === 'broken') throw new PasskeyError('target_unreachable', `${command[0]}: ${result.reason}.`);
    return { ...NO_RESPONSE, ...read(result.output), status: result.exitCode, cookie: (name) => jar.get(page.href, name), page };
  }
  return { label: command.join(' '), sent: '', perform };
}

async function prepareHttp({ method, target, headers, body, follow }: HttpAction, list: ListRun, reach: Reach): Promise<Prepared> {
  const { scope, jar, page, cleanUpWithin } = list;
  const rendered = target.render(scope).trim();
  const url = resolveTarget(rendered, { base: reach.url, page: target.startsOpen ? page : undefined });
  const content = body && (await encodeBody(body.kind, body.template(scope)));
  const own = headers.flatMap(([name, template]) => {
    const value = template.renderWhole(scope);
    return value === undefined ? [] : [[name, value] as const];
  });
  const request = {
    method,
    url,
    headers: { accept: 'application/json, text/html;q=0.9, */*;q=0.8', ...content?.headers, ...Object.fromEntries(own) },
    body: content?.content,
    follow: typeof follow === 'boolean' ? follow : follow.render(scope),
    cleanUpWithin,
  };
  async function perform(): Promise<Performed> {
    const { answer, url: last, setCookie } = await browse(request, { send: reach.send, jar, mayFollow: reach.mayFollow });
    return {
      status: answer.status,
      text: answer.text,
      json: answer.json,
      header: (name) => toText(answer.headers[name]),
      cookie: (name) => cookieIn(setCookie, name) ?? jar.get(last.href, name),
      url: last.href,
      page: last,
    };
  }
  const shown = url.origin === reach.url.origin ? url.pathname + url.search : url.href;
  return { label: `${method} ${shown}`, sent: content?.shown ?? '', perform };
}

/**
 * Resolves the target of a request to a URL. A path is appended to the base URL, even if it begins with two slashes. A value from a
 * response is resolved like a link on the page that contained it, so that it may be a complete URL, a relative path or a query.
 */
function resolveTarget(target: string, { base, page }: { readonly base: URL; readonly page: URL | undefined }): URL {
  const whole = /^https?:/i.test(target);
  const text =
    whole || page !== undefined || !target.startsWith('/') ? target : `${base.origin}${base.pathname.replace(/\/$/, '')}${target}`;
  const url = parseUrl(text, page ?? base);
  if (url !== undefined && /^https?:$/.test(url.protocol) && (whole || page !== undefined || target.startsWith('/'))) return url;
  throw new PasskeyError('usage', `Expected a path that begins with / or an http URL; got ${JSON.stringify(shorten(target, 100))}.`);
}
