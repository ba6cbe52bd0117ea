import { withoutOutputs } from '../fixture/response.js';
import { isObject, type JsonObject } from '../kernel/json-value.js';
import type { StreamDetail } from '../server/schemas/stream.js';
import { stringAt } from './json.js';
import type { SharedItem } from './pasted.js';
import type { HttpLeg, Leg, Run } from './run.js';
import { browserLegOf, verdictLegOf } from './run.js';
import { outcomeOf } from './verdicts.js';

/** The requests of a run as shell commands. They read the bearer token from `PASSKEY_TOKEN`. */
export function runToCurl(run: Run, origin: string): string {
  const legs = run.legs.filter((leg): leg is HttpLeg => leg.kind === 'http');
  const token = legs.some((leg) => leg.bearer) ? "# PASSKEY_TOKEN=$(passkey token create --user 'you@example.com')\n" : '';
  return `${token}${legs.map((leg) => legToCurl(leg, origin)).join('\n')}\n`;
}

function legToCurl({ method, path, body, bearer }: HttpLeg, origin: string): string {
  return [
    `curl -sS -X ${method} ${quote(origin + path)}`,
    ...(bearer ? ['-H "Authorization: Bearer $PASSKEY_TOKEN"'] : []),
    // Development endpoints check where a request comes from.
    ...(path.startsWith('/dev/') ? [`-H ${quote(`Origin: ${origin}`)}`] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** Quotes for a POSIX shell, which expands nothing between single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const SECRETS = new Set(['token', 'access_token']);

/**
 * A run as one JSON document, without the tokens that the server issued, and without the key material and user data that extensions
 * answered. The challenges in it have been used.
 */
export function runToJson(run: Run, origin: string, userAgent: string): JsonObject {
  return {
    title: run.title,
    kind: run.kind,
    outcome: run.outcome,
    summary: run.summary,
    started_at: new Date(run.startedAt).toISOString(),
    origin,
    user_agent: userAgent,
    legs: run.legs.map((leg) => shareable(leg.kind === 'http' ? { ...leg, milliseconds: round(leg) } : leg)),
  };
}

function round({ milliseconds }: HttpLeg): number {
  return Math.round(milliseconds * 10) / 10;
}

/** A copy of a JSON value that others may see. */
export function shareable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shareable);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (SECRETS.has(name)) return [name, '(left out)'];
      return [name, name === 'clientExtensionResults' ? withoutOutputs(member) : shareable(member)];
    }),
  );
}

/** An entry of the stream as a run, so that it leaves the page in the same shapes: what the browser was asked, and the last request. */
export function runOfDetail(detail: StreamDetail, { title, verdict, software }: Pick<SharedItem, 'title' | 'verdict' | 'software'>): Run {
  const { kind, options, response, browser, method, path, status, code, message, request_ids: requestIds } = detail;
  const ceremony = kind === 'registration' || kind === 'authentication' ? kind : undefined;
  const error = browser?.error ?? undefined;
  const call: Leg = {
    kind: 'browser',
    call: kind === 'registration' ? 'create' : 'get',
    mediation: undefined,
    options: options ?? {},
    response: response ?? undefined,
    error:
      error === undefined ? undefined : { name: error, message: browser?.message ?? '', explanation: { title: '', causes: [], next: '' } },
    milliseconds: browser?.milliseconds ?? 0,
    software,
  };
  const request: Leg | undefined =
    method === null || path === null
      ? undefined
      : {
          kind: 'http',
          requestId: requestIds.at(-1) ?? '',
          method,
          path,
          body: response ?? undefined,
          bearer: false,
          status: status ?? undefined,
          answer: code === null ? undefined : { title: detail.title, status, code, detail: message, step: detail.step },
          failure: undefined,
          milliseconds: 0,
        };
  return {
    id: 0,
    title,
    kind: ceremony ?? 'other',
    startedAt: Date.parse(detail.at),
    legs: [...(ceremony !== undefined && options !== null ? [call] : []), ...(request === undefined ? [] : [request])],
    outcome: outcomeOf(verdict),
    summary: message ?? '',
    offer: undefined,
  };
}

/** Path of the run's ceremony as a fixture; undefined if the server never saw a response. */
export function fixturePath(run: Run): string | undefined {
  const challenge = stringAt(browserLegOf(run)?.options, 'challenge');
  return challenge === undefined || verdictLegOf(run) === undefined ? undefined : `/dev/fixtures/${challenge}`;
}
