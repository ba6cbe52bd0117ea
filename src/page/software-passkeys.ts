import { isObject, type JsonObject } from '../kernel/json-value.js';
import { PLAIN } from './catalogue.js';
import { numberAt } from './json.js';
import { browserLegOf, verdictLegOf } from './run.js';
import type { AppState } from './state.js';

/**
 * The passkeys that the software authenticator of this server made since it started, as far as this tab knows: their ids, each with the persona
 * that made it.
 */
export function softwarePasskeys({ runs, stream }: Pick<AppState, 'runs' | 'stream'>): ReadonlyMap<number, string> {
  const made = new Map<number, string>();
  for (const { kind, state, software, before, passkey } of stream) {
    if (kind !== 'registration' || state !== 'verified' || software === null || before || passkey === null) continue;
    made.set(passkey.id, software.persona ?? PLAIN);
  }
  for (const run of runs) {
    const persona = browserLegOf(run)?.software?.persona;
    const id = numberAt(verdictLegOf(run)?.answer, 'passkey', 'id');
    if (run.kind === 'registration' && run.outcome === 'verified' && persona !== undefined && id !== undefined) made.set(id, persona);
  }
  return made;
}

/**
 * Creation options for a persona, as a device of its own would read them: without the excluded credentials that another persona holds, since the
 * software authenticator keeps those of all in one place.
 */
export function optionsForPersona(options: JsonObject, persona: string, state: Pick<AppState, 'runs' | 'stream' | 'passkeys'>): JsonObject {
  const { excludeCredentials: excluded } = options;
  if (!Array.isArray(excluded) || excluded.length === 0) return options;
  const makers = softwarePasskeys(state);
  const elsewhere = new Set(
    state.passkeys.filter(({ id }) => (makers.get(id) ?? persona) !== persona).map(({ credential_id: credentialId }) => credentialId),
  );
  const left = excluded.filter((descriptor: unknown) => !(isObject(descriptor) && elsewhere.has(String(descriptor['id']))));
  return { ...options, excludeCredentials: left };
}
