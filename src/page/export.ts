import { isObject } from '../webauthn/json-value.js';
import { stringAt } from './json.js';
import type { HttpLeg, Leg, Run } from './run.js';
import { browserLegOf, verdictLegOf } from './run.js';

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

/** A run as one JSON document, without the tokens that the server issued. The challenges in it have been used. */
export function runToJson(run: Run, origin: string, userAgent: string): object {
  return {
    title: run.title,
    kind: run.kind,
    outcome: run.outcome,
    summary: run.summary,
    started_at: new Date(run.startedAt).toISOString(),
    origin,
    user_agent: userAgent,
    legs: run.legs.map(legToJson),
  };
}

function legToJson(leg: Leg): object {
  return leg.kind === 'http' ? { ...leg, milliseconds: round(leg), answer: withoutSecrets(leg.answer) } : leg;
}

function round({ milliseconds }: HttpLeg): number {
  return Math.round(milliseconds * 10) / 10;
}

function withoutSecrets(value: unknown): unknown {
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SECRETS.has(name) ? '(left out)' : member]));
}

/** Path of the run's ceremony as a fixture; undefined if the server never saw a response. */
export function fixturePath(run: Run): string | undefined {
  const challenge = stringAt(browserLegOf(run)?.options, 'challenge');
  return challenge === undefined || verdictLegOf(run) === undefined ? undefined : `/dev/fixtures/${challenge}`;
}
