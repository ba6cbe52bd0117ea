import { PasskeyError } from '../errors.js';
import type { Scenario } from './scenario.js';

export interface Selection {
  /** Ids; `*` stands for any text. Empty: all. */
  readonly ids?: readonly string[];
  /** Tags of which one must be there. Empty: any. */
  readonly tags?: readonly string[];
}

/**
 * The scenarios that a selection names, in their own order.
 *
 * @throws PasskeyError `usage` for an id or tag that names none, and when nothing is left.
 */
export function selectScenarios(scenarios: readonly Scenario[], { ids = [], tags = [] }: Selection = {}): Scenario[] {
  for (const id of ids) {
    const known = scenarios.map((scenario) => scenario.id);
    if (!known.some((name) => matches(id, name))) throw unknown('case', id, known);
  }
  for (const tag of tags) {
    const known = scenarios.flatMap((scenario) => scenario.tags);
    if (!known.includes(tag)) throw unknown('tag', tag, known);
  }
  const selected = scenarios.filter(
    (scenario) =>
      (ids.length === 0 || ids.some((id) => matches(id, scenario.id))) &&
      (tags.length === 0 || tags.some((tag) => scenario.tags.includes(tag))),
  );
  if (selected.length === 0)
    throw new PasskeyError('usage', 'Expected something to run; no case has both one of these ids and one of these tags.');
  return selected;
}

function matches(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(id);
}

function unknown(what: string, name: string, known: readonly string[]): PasskeyError {
  const nearest = [...new Set(known)].filter((candidate) => candidate.includes(name) || name.includes(candidate)).slice(0, 5);
  const advice = nearest.length > 0 ? `Did you mean ${nearest.join(', ')}?` : '`passkey simulate --list` shows them all.';
  return new PasskeyError('usage', `There is no ${what} "${name}". ${advice}`);
}
