import { relative, resolve } from 'node:path';
import { checkFixtures } from '../../explain/recording/check.js';
import { describeOutcome } from '../../explain/recording/judge-fixture.js';
import { findFixtureFiles } from '../../fixture/find.js';
import { readFixture } from '../../fixture/read.js';
import { count } from '../../kernel/wording.js';
import type { Flags } from '../config/resolve.js';
import { type Io, print, printAll, printJson, printJsonArray, progressLine, say } from '../io.js';
import { printable } from '../output/printable.js';
import { tableLines } from '../output/table.js';
import { type FixtureCheck, type FixtureRow, outcomeRow } from '../schemas/fixtures.js';

const CHECK_FAILED = 1;

const findPaths = (io: Io, names: readonly string[]): Promise<string[]> => findFixtureFiles(names.map((name) => resolve(io.cwd, name)));

/** Relative to the working directory, as people name files. */
const shownIn =
  ({ cwd }: Io) =>
  (file: string): string =>
    relative(cwd, file);

/** `passkey fixture check PATH…`: 0 when every fixture is as recorded, else 1. */
export async function check(io: Io, flags: Flags, names: readonly string[]): Promise<number> {
  const paths = await findPaths(io, names);
  const document: FixtureCheck = { checked: 0, failed: 0, fixtures: [] };
  const progress = progressLine(io);
  for await (const { file, fixture, found, problems } of checkFixtures(paths, shownIn(io))) {
    document.checked += 1;
    if (problems.length > 0) document.failed += 1;
    progress.clear();
    if (flags.json === true) {
      document.fixtures.push({
        file,
        name: fixture?.name ?? null,
        kind: fixture?.kind ?? null,
        expected: fixture === undefined ? null : outcomeRow(fixture.expected),
        found: found === undefined ? null : outcomeRow(found),
        problems: [...problems],
      });
    } else {
      for (const problem of problems) print(io, printable(problem.startsWith(`${file}:`) ? problem : `${file}: ${problem}`));
    }
    progress.show(`${document.checked} of ${paths.length}`);
  }
  progress.clear();
  const { checked, failed } = document;
  if (flags.json === true) printJson(io, document);
  else say(io, `${count(checked, 'fixture')} checked, ${failed === 0 ? 'all as recorded' : `${failed} not as recorded`}.`);
  return failed === 0 ? 0 : CHECK_FAILED;
}

const COLUMNS = [
  { title: 'FIXTURE', max: 80, yields: 1 },
  { title: 'KIND' },
  { title: 'RP ID', max: 40, yields: 3 },
  { title: 'EXPECT', yields: 2 },
];

/** `passkey fixture list PATH…` */
export async function list(io: Io, flags: Flags, names: readonly string[]): Promise<void> {
  const rows: { readonly row: FixtureRow; readonly expect: string }[] = [];
  for (const path of await findPaths(io, names)) {
    const file = shownIn(io)(path);
    const { name, kind, rpId, origin, expected, provenance, description, tags } = await readFixture(path, file);
    const row: FixtureRow = {
      file,
      name,
      kind,
      rp_id: rpId,
      origin,
      expected: outcomeRow(expected),
      recorded_at: provenance.recordedAt,
      description: description ?? null,
      tags: [...(tags ?? [])],
    };
    rows.push({ row, expect: describeOutcome(expected) });
  }
  if (flags.json === true) {
    await printJsonArray(
      io,
      rows.map(({ row }) => row),
    );
    return;
  }
  await printAll(
    io,
    tableLines(io, COLUMNS, rows, ({ row, expect }) => [row.name, row.kind, row.rp_id, expect]),
  );
  say(io, count(rows.length, 'fixture'));
}
