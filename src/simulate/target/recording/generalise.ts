import { findHeader, plainBase64 } from '../../../explain/annotate/har-entries.js';
import { decodeUrl } from '../filters.js';
import type { ProfileRequest } from '../profile-schema.js';
import { type CredentialPart } from './ceremonies.js';
import { cookiesSent, type RecordedExchange } from './exchanges.js';
import { lastKey, type Step } from './leaves.js';
import type { Provenance, Provider } from './provenance.js';
import { LEAST_TAKEN } from './sources.js';
import { escapeBraces, type Piece, type Replace, writeMembers, writePieces, writeTemplate } from './template.js';
import { isPasswordField, type RecordedUser } from './user.js';

/** Facts about a recording that are needed to turn its requests into templates. */
export interface Known {
  readonly user: RecordedUser;
  /** Requests that name a user other than the recorded one. */
  readonly others: ReadonlySet<RecordedExchange>;
  /** IDs of the registered credentials, in base64url. */
  readonly credentialIds: readonly string[];
  /** Origin of the page. */
  readonly origin: string;
  /** Origin of the server, which users of the profile pass with `--url`. */
  readonly base: string;
  readonly provenance: Provenance;
  /**
   * Returns the expression that reads a value of an earlier response in the profile. Undefined if later requests may not use that value.
   */
  expressionFor(provider: Provider): string | undefined;
  /** Returns the expression for a secret whose source does not appear in the recording. */
  secretFor(name: string, where: string): string;
}

/** A recorded request as a template that works in any run, and the responses from which the template takes values. */
export interface Generalised {
  readonly request: Pick<ProfileRequest, 'request' | 'headers' | 'json' | 'form' | 'multipart' | 'text'>;
  readonly providers: readonly Provider[];
}

const SECRET = /token|secret|api_?-?key|authorization|csrf|xsrf|otp$|^code$|captcha/i;
/** Minimum length of a value for which longer strings are searched. Shorter values would be found by chance. */
const LEAST_INSIDE = 5;

/**
 * Turns a recorded request into a template that works in any run.
 *
 * @param index index of the exchange in the recording
 * @param parts the positions of the credential in the request body
 */
export function generalise(exchange: RecordedExchange, index: number, parts: readonly CredentialPart[], known: Known): Generalised {
  const providers: Provider[] = [];
  const where = `${exchange.entry.method} ${exchange.url.pathname}`;
  const cookies = [...cookiesSent(exchange)].filter(([name, value]) => /^[\w-]+$/.test(name) && value.length > LEAST_INSIDE);
  const secrets = [...cookiesSent(exchange).values()].filter((value) => value.length > LEAST_INSIDE);

  function findProvider(value: string, key: string): { readonly expression: string } | undefined {
    const provider = known.provenance.findProvider(value, key, index);
    const expression = provider && known.expressionFor(provider);
    if (provider === undefined || expression === undefined) return undefined;
    providers.push(provider);
    return { expression };
  }

  function splitPieces(value: string, key: string): readonly Piece[] {
    if (isPasswordField(key) && known.others.has(exchange)) return [{ expression: known.secretFor(key, where) }];
    const expression = isPasswordField(key) ? 'user.password' : known.user.get(value);
    // A login knows no creation options to tell the user handle: it is taken from an answer where one has it.
    const handle = expression === 'user.handle' ? findProvider(value, 'id') : undefined;
    if (expression !== undefined) return [handle ?? { expression }];
    if (known.credentialIds.includes(plainBase64(value))) return [{ expression: 'registered.credentialId' }];
    const taken = findProvider(value, key);
    if (taken !== undefined) return [taken];
    const [echoed, sent] = cookies.find(([, each]) => each === value || decodeUrl(each) === value) ?? [];
    if (echoed !== undefined) return [{ expression: `cookie.${echoed}${sent === value ? '' : ' | decode'}` }];
    const [, scheme = '', credentials] = /^((?:Bearer|Basic|Token|DPoP) )(\S+)$/i.exec(value) ?? [];
    if (credentials !== undefined) return [scheme, findProvider(credentials, 'token') ?? { expression: known.secretFor(key, where) }];
    if ((SECRET.test(key) && value.length >= LEAST_INSIDE) || secrets.some((each) => value.includes(each))) {
      return [{ expression: known.secretFor(key, where) }];
    }
    return splitInside(value, known);
  }

  function leafTemplate(path: readonly Step[], value: unknown): unknown {
    const part = parts.find((each) => samePath(each.path, path));
    if (part !== undefined) return { $: part.expression };
    if (typeof value === 'number') {
      const taken = findProvider(String(value), lastKey(path));
      return taken && { $: taken.expression };
    }
    if (typeof value !== 'string' || /^\s*[[{]/.test(value)) return undefined;
    const pieces = splitPieces(value, lastKey(path));
    return pieces.every((piece) => typeof piece === 'string') ? undefined : writePieces(pieces);
  }

  const line = `${escapeBraces(exchange.entry.method)} ${writeUrl(exchange.url, known.base, splitPieces, findProvider)}`;
  const headers = writeHeaders(exchange, known.origin, splitPieces);
  return {
    request: { request: line, ...(Object.keys(headers).length > 0 && { headers }), ...writeBody(exchange, leafTemplate) },
    providers,
  };
}

const samePath = (one: readonly Step[], other: readonly Step[]): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Splits a string into pieces at the values of the recorded user and the page's origin that it contains. */
function splitInside(value: string, { user, origin }: Known): readonly Piece[] {
  const inside: [string, string][] = [...[...user].filter(([text]) => text.length >= LEAST_INSIDE), [origin, 'origin']];
  for (const [text, expression] of inside.toSorted(([one], [other]) => other.length - one.length)) {
    const at = value.indexOf(text);
    if (at === -1) continue;
    const [before, after] = [value.slice(0, at), value.slice(at + text.length)];
    return [...(before === '' ? [] : [before]), { expression }, ...(after === '' ? [] : [after])];
  }
  return [value];
}

type SplitPieces = (value: string, key: string) => readonly Piece[];
type FindProvider = (value: string, key: string) => { readonly expression: string } | undefined;

/**
 * Writes a URL as a template. If an earlier response contained the whole URL, the template is one expression. Otherwise, only known path
 * segments and parameters become expressions.
 */
function writeUrl(url: URL, base: string, splitPieces: SplitPieces, findProvider: FindProvider): string {
  const plain = `${url.pathname}${url.search}`;
  if (url.search !== '' || url.pathname.split('/').some((segment) => /\d/.test(segment) && segment.length >= LEAST_TAKEN)) {
    const whole = findProvider(url.href, 'href') ?? findProvider(plain, 'href');
    if (whole !== undefined) return writePieces([whole]);
  }
  const start = url.origin === base ? '' : url.origin;
  const segments = url.pathname
    .split('/')
    .map((segment, at, all) => writeUrlPart(segment, /^\d+$/.test(segment) ? 'id' : (all[at - 1] ?? ''), splitPieces));
  const parameters = url.search
    .slice(1)
    .split('&')
    .map((parameter) => {
      const [, name = '', value = ''] = /^([^=]*=)(.*)$/.exec(parameter) ?? [];
      return value === ''
        ? writePieces([parameter])
        : `${writePieces([name])}${writeUrlPart(value, readUrlPart(name.slice(0, -1)), splitPieces)}`;
    });
  return `${start}${segments.join('/')}${url.search === '' ? '' : `?${parameters.join('&')}`}`;
}

const readUrlPart = (text: string): string => decodeUrl(text) ?? text;

function writeUrlPart(raw: string, key: string, splitPieces: SplitPieces): string {
  const value = readUrlPart(raw.replaceAll('+', ' '));
  const pieces = raw === '' ? [raw] : splitPieces(value, key);
  if (pieces.every((piece) => typeof piece === 'string')) return writePieces([raw]);
  return writePieces(
    pieces.map((piece) => (typeof piece === 'string' ? encodeURIComponent(piece) : { expression: `${piece.expression} | encode` })),
  );
}

/** Matches names of headers that come from the browser, the connection or a monitoring script rather than from the page itself. */
const BROWSER_HEADERS =
  /^(?::.*|accept-.*|access-control-.*|baggage|cache-control|connection|content-length|content-type|cookie|dnt|host|if-.*|newrelic|origin|pragma|priority|referer|sec-.*|sentry-trace|te|trace.*|upgrade.*|user-agent|x-datadog-.*|x-request-id)$/;

function writeHeaders({ entry, body }: RecordedExchange, origin: string, splitPieces: SplitPieces): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of entry.request.headers) {
    if (BROWSER_HEADERS.test(name) || value === '') continue;
    if (name === 'accept') {
      const [first = ''] = value.split(',');
      if (first.trim() !== 'application/json') headers[name] = writePieces([first.trim()]);
    } else headers[name] = writePieces(splitPieces(value, name));
  }
  if (findHeader(entry.request, 'origin') === origin) headers['origin'] = '{origin}';
  const type = findHeader(entry.request, 'content-type');
  const isUsual = type === undefined || body.kind === 'none' || /^application\/json\b|form-/.test(type);
  if (!isUsual) headers['content-type'] = writePieces([type]);
  return headers;
}

function writeBody({ body }: RecordedExchange, replace: Replace): Pick<ProfileRequest, 'json' | 'form' | 'multipart' | 'text'> {
  switch (body.kind) {
    case 'none':
      return {};
    case 'json':
      return { json: writeTemplate(body.value, replace) };
    case 'form':
    case 'multipart':
      return { [body.kind]: writeMembers(body.value, replace) };
    case 'text': {
      const written = writeTemplate(body.value, replace);
      return { text: typeof written === 'string' ? written : writePieces([body.value]) };
    }
  }
}
