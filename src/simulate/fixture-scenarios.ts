import { PasskeyError } from '../errors.js';
import { findFixtureFiles } from '../fixture/find.js';
import type { Fixture } from '../fixture/format.js';
import { readFixture } from '../fixture/read.js';
import { decodeBase64url } from '../webauthn/base64url.js';
import { algorithmName, readCoseAlgorithm } from '../webauthn/cose-key.js';
import type { Playhouse } from './cases/stage.js';
import { replayRebound } from './replay-rebound.js';
import { replayVerbatim } from './replay-verbatim.js';
import { describeExpected, type Scenario, type Verdict } from './scenario.js';

export type Replay = 'verbatim' | 'rebound';

export interface FixtureScenarioOptions {
  /** Files, or folders that are searched. */
  readonly paths: readonly string[];
  readonly replays: readonly Replay[];
  readonly playhouse: Playhouse;
}

/**
 * Every fixture that the paths name, once for each way of replay that it allows.
 *
 * @throws PasskeyError `fixture_invalid` naming every file that is not a fixture, a path that is not there, an empty folder, or two
 * fixtures of one name.
 */
export async function fixtureScenarios({ paths, replays, playhouse }: FixtureScenarioOptions): Promise<Scenario[]> {
  const files = await findFixtureFiles(paths);
  const read = await Promise.allSettled(files.map(async (file) => ({ file, fixture: await readFixture(file) })));
  const errors = read.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length === 1) throw errors[0];
  if (errors.length > 0) {
    const lines = errors.map((error) => `  ${error instanceof Error ? error.message : String(error)}`);
    throw new PasskeyError('fixture_invalid', `${errors.length} files are not fixtures:\n${lines.join('\n')}`, { cause: errors[0] });
  }
  const recorded = read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  checkNames(recorded);
  return recorded.flatMap(({ file, fixture }) =>
    replays
      .filter((replay) => allows(fixture, replay))
      .map((replay) => ({
        id: fixture.name,
        source: 'fixture',
        replay,
        title: fixture.description ?? `${fixture.kind} at ${fixture.origin}`,
        tags: [...tagsOf(fixture), replay],
        file,
        expected: describeExpected(fixture.expected),
        run: () => RUNS[replay](fixture, playhouse),
      })),
  );
}

/** The name is the id by which a case is chosen and reported: it must mean one fixture. */
function checkNames(recorded: readonly { readonly file: string; readonly fixture: Fixture }[]): void {
  const files = new Map<string, string>();
  for (const { file, fixture } of recorded) {
    const other = files.get(fixture.name);
    if (other !== undefined) {
      const advice = 'give one of them another name, and take its "integrity" out.';
      throw new PasskeyError('fixture_invalid', `${other} and ${file} are both named "${fixture.name}"; ${advice}`);
    }
    files.set(fixture.name, file);
  }
}

/** What makes a recording invalid lies in its bytes, so that only a valid one can be done again with another key. */
function allows({ expected }: Fixture, replay: Replay): boolean {
  return replay === 'verbatim' || expected.outcome === 'verified';
}

const RUNS: Readonly<Record<Replay, (fixture: Fixture, playhouse: Playhouse) => Promise<Verdict>>> = {
  async verbatim(fixture, { remote, server }) {
    if (remote === undefined) return replayVerbatim(fixture, server);
    return { status: 'not_applicable', reason: 'needs a server that issues the recorded challenge at the recorded time' };
  },
  rebound: replayRebound,
};

/** Own tags, and what can be told from the recording. */
function tagsOf({ kind, expected, tags = [], ceremony, credential }: Fixture): string[] {
  const code = expected.outcome === 'rejected' ? [expected.code] : [];
  const discoverable = ceremony.discoverable ? ['discoverable'] : [];
  return [...new Set(['fixture', kind, expected.outcome, ...code, ...discoverable, ...algorithmTags(credential), ...tags])];
}

/** The name of the credential's algorithm, as the cases have it. */
function algorithmTags(credential: Fixture['credential']): string[] {
  if (credential === undefined) return [];
  try {
    return [algorithmName(readCoseAlgorithm(decodeBase64url(credential.publicKey))).toLowerCase()];
  } catch {
    // A key that cannot be read is what such a recording is about.
    return [];
  }
}
