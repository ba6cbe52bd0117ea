import { decodeBase64 } from '../base64url.js';
import { decodeClientData } from '../client-data.js';
import { isObject, type JsonObject } from './json-value.js';
import { recogniseJson } from './recognise-json.js';

/** One ceremony out of an HTTP archive: a credential that was sent, and the options it answers, where they were recorded too. */
export interface HarCeremony {
  readonly kind: 'registration' | 'authentication';
  readonly response: JsonObject;
  readonly options: JsonObject | undefined;
  /** `Origin` header of the request that sent it. */
  readonly origin: string | undefined;
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly at: number | undefined;
}

/** A message body with something of WebAuthn in it. */
export interface HarFinding {
  readonly entry: number;
  readonly url: string;
  readonly side: 'request' | 'response';
  readonly found: NonNullable<ReturnType<typeof recogniseJson>>;
  readonly origin: string | undefined;
  readonly at: number | undefined;
}

/** Every credential and every options dictionary in the bodies of an HTTP archive (HAR 1.2), in the order of its entries. */
export function harFindings(har: JsonObject): HarFinding[] {
  const entries: unknown = isObject(har['log']) ? har['log']['entries'] : [];
  return (Array.isArray(entries) ? entries : []).flatMap((entry: unknown, index) => {
    if (!isObject(entry) || !isObject(entry['request'])) {
      return [];
    }
    const { request, response, startedDateTime } = entry;
    const common = { entry: index, url: String(request['url']), origin: header(request, 'origin'), at: instant(startedDateTime) };
    const sent = findIn(isObject(request['postData']) ? request['postData'] : {});
    const received = findIn(isObject(response) && isObject(response['content']) ? response['content'] : {});
    return [
      ...(sent === undefined ? [] : [{ ...common, side: 'request' as const, found: sent }]),
      ...(received === undefined ? [] : [{ ...common, side: 'response' as const, found: received }]),
    ];
  });
}

/** The ceremonies among the findings. Options are those with the challenge that the client data names. */
export function harCeremonies(findings: readonly HarFinding[]): HarCeremony[] {
  return findings.flatMap(({ found, origin, url, at }) => {
    if (found.kind !== 'registration' && found.kind !== 'authentication') {
      return [];
    }
    const wanted = found.kind === 'registration' ? 'creation-options' : 'request-options';
    const challenge = challengeOf(found.json);
    const asked = findings.find((other) => other.found.kind === wanted && sameText(other.found.json['challenge'], challenge));
    return [{ kind: found.kind, response: found.json, options: asked?.found.json, origin, url, at }];
  });
}

function findIn({ text, encoding }: JsonObject): ReturnType<typeof recogniseJson> {
  const bytes = typeof text === 'string' && encoding === 'base64' ? decodeBase64(text)?.bytes : undefined;
  const body = bytes === undefined ? text : new TextDecoder().decode(bytes);
  if (typeof body !== 'string') {
    return undefined;
  }
  try {
    return recogniseJson(JSON.parse(body));
  } catch {
    // Most bodies of an archive are no JSON, and none of ours.
    return undefined;
  }
}

function header({ headers }: JsonObject, name: string): string | undefined {
  const found = (Array.isArray(headers) ? headers : []).find(
    (entry: unknown) => isObject(entry) && String(entry['name']).toLowerCase() === name,
  );
  return isObject(found) && typeof found['value'] === 'string' ? found['value'] : undefined;
}

function instant(value: unknown): number | undefined {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

function challengeOf({ response }: JsonObject): string | undefined {
  const encoded = isObject(response) ? response['clientDataJSON'] : undefined;
  const bytes = typeof encoded === 'string' ? decodeBase64(encoded)?.bytes : undefined;
  try {
    return bytes && decodeClientData(bytes).challenge;
  } catch {
    return undefined;
  }
}

function sameText(a: unknown, b: string | undefined): boolean {
  const plain = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return typeof a === 'string' && b !== undefined && plain(a) === plain(b);
}
