import { isObject } from '../../webauthn/json-value.js';
import type { HttpLeg, Leg, Run } from '../run.js';

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
  if (!isObject(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, SECRETS.has(name) ? '(left out)' : member]));
}
