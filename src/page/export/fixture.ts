import { stringAt } from '../json.js';
import type { Run } from '../run.js';
import { browserLegOf, verdictLegOf } from '../run.js';

/** Where the server keeps a finished ceremony as a fixture; undefined when the run has none, for the server never saw an answer. */
export function fixturePath(run: Run): string | undefined {
  const challenge = stringAt(browserLegOf(run)?.options, 'challenge');
  return challenge === undefined || verdictLegOf(run) === undefined ? undefined : `/dev/fixtures/${challenge}`;
}
