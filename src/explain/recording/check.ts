import { PasskeyError } from '../../errors.js';
import type { ExpectedOutcome, Fixture } from '../../fixture/format.js';
import { readFixture } from '../../fixture/read.js';
import { computeIntegrity } from '../../fixture/write.js';
import { describeOutcome, judgeFixture, sameOutcome } from './judge-fixture.js';

/** Result of checking one fixture file. */
interface CheckedFixture {
  /** Name of the file in messages. */
  readonly file: string;
  /** The fixture in the file; undefined if the file is not a fixture. */
  readonly fixture: Fixture | undefined;
  /** Verdict of the steps; undefined if they were not run. */
  readonly found: ExpectedOutcome | undefined;
  /** Problems as whole sentences; empty if the fixture is intact and the steps reach the recorded verdict. */
  readonly problems: readonly string[];
}

/**
 * Checks the format, the digest and the unique name of each fixture, and whether the steps reach the recorded verdict. Reads one file at a
 * time, to keep few files open.
 *
 * @param nameOf returns the name by which messages call the file at a path. Default: its path.
 */
export async function* checkFixtures(
  paths: Iterable<string>,
  nameOf: (path: string) => string = (path) => path,
): AsyncGenerator<CheckedFixture> {
  const names = new Map<string, string>();
  for (const path of paths) {
    const file = nameOf(path);
    const checked = await checkFixture(path, file);
    const { name } = checked.fixture ?? {};
    const other = name === undefined ? undefined : names.get(name);
    if (name !== undefined && other === undefined) names.set(name, file);
    yield other === undefined
      ? checked
      : { ...checked, problems: [...checked.problems, `${other} has the same name, "${name}". Rename one of them.`] };
  }
}

async function checkFixture(path: string, file: string): Promise<CheckedFixture> {
  let fixture: Fixture;
  try {
    fixture = await readFixture(path, file);
  } catch (error) {
    if (!(error instanceof PasskeyError)) throw error;
    return { file, fixture: undefined, found: undefined, problems: [error.message] };
  }
  const isChanged = fixture.integrity !== undefined && fixture.integrity !== computeIntegrity(fixture);
  const digest = isChanged
    ? ['The file was changed after it was recorded. Restore it, or remove its member "integrity" if the change is intended.']
    : [];
  const judgement = await judgeFixture(fixture);
  if (judgement.undecided !== undefined) {
    const why = judgement.undecided.join('; ');
    return { file, fixture, found: undefined, problems: [...digest, `It cannot be judged: ${why}.`] };
  }
  const { outcome, hint } = judgement;
  const expected = describeOutcome(fixture.expected);
  const differs = sameOutcome(fixture.expected, outcome)
    ? []
    : [`Expected ${expected}; the steps say ${describeOutcome(outcome)}.${hint === undefined ? '' : ` ${hint}`}`];
  return { file, fixture, found: outcome, problems: [...digest, ...differs] };
}
