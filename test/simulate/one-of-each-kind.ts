import { ALL_CASES } from '../../src/simulate/cases/all-cases.js';

function oneOfEachKind(): string[] {
  const first = new Map<string, string>();
  for (const { id, expected } of ALL_CASES) {
    const [part = ''] = id.split('.');
    const kind = expected.outcome === 'rejected' ? [part, expected.step, expected.code] : [part];
    if (!first.has(kind.join())) first.set(kind.join(), id);
  }
  return [...first.values()];
}

/** Of every part of the catalogue, and of everything that a step can refuse in it, the first case: its id. */
export const ONE_OF_EACH_KIND: readonly string[] = oneOfEachKind();
