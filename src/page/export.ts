import { stringAt } from './json.js';
import type { HttpLeg, Leg, Run } from './run.js';
import { browserLegOf, verdictLegOf } from './run.js';

/** The requests of a run as shell commands. The bearer token is not in them: put it into `PASSKEY_TOKEN`. */
export function runToCurl(run: Run, origin: string): string {
  const legs = run.legs.filter((leg): leg is HttpLeg => leg.kind === 'http');
  const token = legs.some((leg) => leg.bearer) ? "# PASSKEY_TOKEN=$(passkey token create --user 'you@example.com')\n" : '';
  return `${token}${legs.map((leg) => legToCurl(leg, origin)).join('\n')}\n`;
}

function legToCurl({ method, path, body, bearer }: HttpLeg, origin: string): string {
  return [
    `curl -sS -X ${method} ${quote(origin + path)}`,
    ...(bearer ? ['-H "Authorization: Bearer $PASSKEY_TOKEN"'] : []),
    // Development endpoints ask where a request comes from, as for a browser's.
    ...(path.startsWith('/dev/') ? [`-H ${quote(`Origin: ${origin}`)}`] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `--data ${quote(JSON.stringify(body))}`]),
  ].join(' \\\n  ');
}

/** For a POSIX shell: nothing is expanded between single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const SECRETS = new Set(['token', 'access_token']);

/** A run as one JSON document. Tokens that the server handed out are left out; the challenges in it are spent. */
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SECRETS.has(name) ? '(left out)' : member]));
}

/** Where the server keeps a finished ceremony as a fixture; undefined when the run has none, for the server never saw an answer. */
export function fixturePath(run: Run): string | undefined {
  const challenge = stringAt(browserLegOf(run)?.options, 'challenge');
  return challenge === undefined || verdictLegOf(run) === undefined ? undefined : `/dev/fixtures/${challenge}`;
}
