import { join } from 'node:path';
import { readAsset } from '../../simulate/asset.js';
import { type EarlierReport, failedIn } from '../../simulate/engine/earlier-report.js';
import type { ScenarioOptions } from '../../simulate/scenarios.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { list, oneOf, path, text } from '../config/values.js';
import type { Io } from '../io.js';
import { packageFolder } from '../package.js';

/**
 * Reads which cases and fixtures to run. The default is all cases, and the fixtures that this package contains. Each flag narrows the
 * selection further.
 *
 * @param failedThen the report that `--rerun-failed` names.
 * @throws PasskeyError `usage`
 */
export function selectScenarios(io: Io, flags: Flags, names: readonly string[], failedThen: EarlierReport | undefined): ScenarioOptions {
  const own = flags.fixtures === undefined;
  const values = (flag: string, placeholder: string, value: unknown) =>
    value === undefined ? [] : readFlag(io, list(text({ placeholder })), flag, value);
  return {
    fixtures: own ? shippedFixtures() : readFlag(io, list(path('path')), '--fixtures', flags.fixtures),
    cases: own,
    select: {
      ids: names,
      tags: values('--tag', 'tag', flags.tag),
      steps: values('--step', 'slug', flags.step),
      attestationFormats: values('--attestation-format', 'format', flags.attestationFormat),
      ...(failedThen && { failed: failedIn(failedThen) }),
      slow: flags.slow === true,
    },
    ...(flags.replay === undefined ? {} : { replay: readFlag(io, list(oneOf(['verbatim', 'rebound'])), '--replay', flags.replay) }),
  };
}

/** Finds the fixtures that this package contains. They are in a folder; in the executable, they are strings. */
function shippedFixtures(): ScenarioOptions['fixtures'] {
  const carried = readAsset('fixtures.json');
  if (carried === undefined) return [join(packageFolder(), 'fixtures')];
  const texts: Readonly<Record<string, string>> = JSON.parse(carried);
  return Object.entries(texts).map(([file, text]) => ({ file, text }));
}
