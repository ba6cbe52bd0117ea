import { PasskeyError } from '../../errors.js';
import { findFixtureFiles } from '../../fixture/find.js';
import type { Fixture } from '../../fixture/format.js';
import { parseFixture, readFixture } from '../../fixture/read.js';
import { asObject } from '../../kernel/json-value.js';
import { algorithmName } from '../../webauthn/algorithms.js';
import { decodeAttestationObject } from '../../webauthn/attestation-object.js';
import { decodeBase64url } from '../../webauthn/base64url.js';
import { readCoseAlgorithm } from '../../webauthn/cose-key.js';
import { testedStep } from './case.js';
import { type RunContext, withServer } from './context.js';
import { describeExpectation } from './outcome.js';
import { replayRebound } from './replay-rebound.js';
import { replayVerbatim } from './replay-verbatim.js';
import { INVALID_TAG, type Scenario, type Verdict } from './scenario.js';

export type Replay = 'verbatim' | 'rebound';

/** Source of fixtures: the path of a file, the path of a folder to search, or the contents of a file that is not on disk. */
export type FixtureSource = string | { readonly file: string; readonly text: string };

interface FixtureOptions {
  readonly sources: readonly FixtureSource[];
  readonly replays: readonly Replay[];
}

/**
 * Makes a scenario for each fixture in the sources and each way in which that fixture can be replayed.
 *
 * @throws PasskeyError `fixture_invalid` naming every file that is not a fixture, a path that does not exist, an empty folder, or two
 * fixtures with the same name.
 */
export async function fixtureScenarios({ sources, replays }: FixtureOptions, run: RunContext): Promise<Scenario[]> {
  const paths = sources.filter((source) => typeof source === 'string');
  const texts = sources.filter((source) => typeof source !== 'string');
  const recorded = await readAll([...(await findFixtureFiles(paths)), ...texts]);
  checkNames(recorded);
  return recorded.flatMap(({ file, fixture }) =>
    replays
      .filter((replay) => allows(fixture, replay))
      .map((replay) => ({
        id: fixture.name,
        source: 'fixture',
        replay,
        title: fixture.description ?? `${fixture.kind} at ${fixture.origin}`,
        tags: [...listTags(fixture), replay],
        file,
        expected: describeExpectation(fixture.expected, run.remote?.driver.has),
        ...describeFixture(fixture),
        run: () => REPLAYS[replay](fixture, run),
      })),
  );
}

interface RecordedFile {
  readonly file: string;
  readonly fixture: Fixture;
}

/** Reads files one after another, because many open files could exceed the limit on file descriptors. */
async function readAll(sources: readonly FixtureSource[]): Promise<RecordedFile[]> {
  const recorded: RecordedFile[] = [];
  const errors: unknown[] = [];
  for (const source of sources) {
    try {
      if (typeof source === 'string') recorded.push({ file: source, fixture: await readFixture(source) });
      else recorded.push({ file: source.file, fixture: parseFixture(source.text, source.file) });
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 0) {
    const lines = errors.map((error) => `  ${error instanceof Error ? error.message : String(error)}`);
    throw new PasskeyError('fixture_invalid', `${errors.length} files are not fixtures:\n${lines.join('\n')}`, { cause: errors[0] });
  }
  return recorded;
}

/** Checks that no two fixtures have the same name, because users select fixtures by name and reports name them. */
function checkNames(recorded: readonly RecordedFile[]): void {
  const files = new Map<string, string>();
  for (const { file, fixture } of recorded) {
    const other = files.get(fixture.name);
    if (other !== undefined) {
      throw new PasskeyError(
        'fixture_invalid',
        `${other} and ${file} are both named "${fixture.name}". Rename one of them, and remove its member "integrity".`,
      );
    }
    files.set(fixture.name, file);
  }
}

/**
 * Whether a fixture can be replayed in this way. Only a recording of a valid ceremony can be repeated with another key; the fault of an
 * invalid one is in its exact bytes.
 */
function allows({ expected }: Fixture, replay: Replay): boolean {
  return replay === 'verbatim' || expected.outcome === 'verified';
}

const REPLAYS: Readonly<Record<Replay, (fixture: Fixture, run: RunContext) => Promise<Verdict>>> = {
  async verbatim(fixture, run) {
    if (run.remote === undefined) return withServer(run, (server) => replayVerbatim(fixture, server));
    return { status: 'not_applicable', reason: 'needs a server that issues the recorded challenge at the recorded time' };
  },
  rebound: replayRebound,
};

/** Lists the fixture's own tags and the tags that follow from its content. */
function listTags({ kind, expected, tags = [], ceremony, credential, provenance }: Fixture): string[] {
  const code = expected.outcome === 'rejected' ? [expected.code] : [];
  const invalid = expected.outcome === 'rejected' && provenance.derivedFrom !== undefined ? [INVALID_TAG] : [];
  const discoverable = ceremony.discoverable ? ['discoverable'] : [];
  return [...new Set(['fixture', kind, expected.outcome, ...code, ...invalid, ...discoverable, ...algorithmTags(credential), ...tags])];
}

/** Finds the step of the standard and the attestation statement format that a recording tests. */
function describeFixture({ kind, expected, response }: Fixture): Pick<Scenario, 'tests' | 'attestationFormat'> {
  const tests = testedStep(kind, expected.outcome === 'rejected' ? expected.step : undefined);
  const attestationFormat = kind === 'registration' ? readFormat(asObject(response.response).attestationObject) : undefined;
  return { ...(tests !== undefined && { tests }), ...(attestationFormat !== undefined && { attestationFormat }) };
}

function readFormat(attestationObject: unknown): string | undefined {
  if (typeof attestationObject !== 'string') return undefined;
  try {
    return decodeAttestationObject(decodeBase64url(attestationObject)).fmt;
  } catch {
    // A recording may be about one that is malformed.
    return undefined;
  }
}

function algorithmTags(credential: Fixture['credential']): string[] {
  if (credential === undefined) return [];
  try {
    return [algorithmName(readCoseAlgorithm(decodeBase64url(credential.publicKey))).toLowerCase()];
  } catch {
    // A recording may be about an unreadable key.
    return [];
  }
}
