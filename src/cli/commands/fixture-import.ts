import { basename, relative } from 'node:path';
import { PasskeyError } from '../../errors.js';
import type { Input } from '../../explain/explain.js';
import { type ImportedCeremony, type ImportResult, importCeremonies } from '../../explain/recording/import.js';
import { describeOutcome } from '../../explain/recording/judge-fixture.js';
import { addParts, type Parts } from '../../explain/recording/parts.js';
import type { Fixture } from '../../fixture/format.js';
import { isNameBeginning, NAME_BEGINNING } from '../../fixture/name.js';
import { replaceFixture, writeFixture } from '../../fixture/write.js';
import { count } from '../../kernel/wording.js';
import { makeFolder, systemErrorCode } from '../../store/file-system.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { list, path, text } from '../config/values.js';
import { openInputs } from '../explain/inputs.js';
import { readSettings } from '../explain/settings.js';
import { type Io, printAll, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { tableLines } from '../output/table.js';
import { version } from '../package.js';
import { type FixtureImport, outcomeRow } from '../schemas/fixtures.js';

const REFUSED = 1;
const name = text({ placeholder: 'name', expects: NAME_BEGINNING, accept: isNameBeginning });

/** `passkey fixture import FILE…`: 0 when there is a fixture of every ceremony, 1 when one cannot be. */
export async function run(io: Io, flags: Flags, names: readonly string[]): Promise<number> {
  const folder = readFlag(io, path('dir'), '--out', flags.out ?? 'fixtures');
  const beginning = flags.name === undefined ? undefined : readFlag(io, name, '--name', flags.name);
  const given = await readSettings(io, flags);
  const { options } = await readParts(
    io,
    readFileNames(io, '--options', flags.options),
    (parts) => parts.options.length > 0 || '--options expects creation or request options',
  );
  const { credentials: registrations } = await readParts(
    io,
    readFileNames(io, '--registration', flags.registration),
    (parts) => parts.credentials.length > 0 || '--registration expects a response of create(), or a fixture',
  );
  const parts = await readParts(io, names, () => true);
  if (parts.credentials.length === 0) {
    throw new PasskeyError(
      'validation_failed',
      `Expected a response of create() or get(); ${names.map(printable).join(', ')} has options only. Add the response.`,
    );
  }
  const tool = { tool: 'passkey fixture import', version: version() };
  const result = await importCeremonies(parts, { given, name: beginning, tool, now: io.now(), options, registrations });
  const paths = await writeAll(result.imported, { folder, replace: flags.force === true });
  const imported = result.imported.map((each, index) => ({ ...each, file: relative(io.cwd, paths[index] ?? '') }));
  const done = { ...result, imported };
  report(io, done);
  if (flags.json === true) printJson(io, toDocument(done));
  else if (imported.length > 0) await printAll(io, tableLines(io, COLUMNS, imported, toCells));
  return result.refused.length > 0 ? REFUSED : 0;
}

function readFileNames(io: Io, flag: string, value: unknown): readonly string[] {
  return value === undefined ? [] : readFlag(io, list(text({ placeholder: 'file' })), flag, value);
}

/** @param fits true, or what was expected of each file. */
async function readParts(io: Io, names: readonly string[], fits: (parts: Parts) => true | string): Promise<Parts> {
  const all: Parts = { credentials: [], options: [] };
  for (const each of names) {
    const parts: Parts = { credentials: [], options: [] };
    for await (const input of openAll(io, each)) {
      const nothing = addParts(parts, input);
      if (nothing !== undefined) {
        throw new PasskeyError(
          'validation_failed',
          `${printable(input.name)}: expected a ceremony; got ${nothing}. Bring the whole response.`,
        );
      }
    }
    const expected = fits(parts);
    if (expected !== true) throw new PasskeyError('usage', `${expected}; ${printable(each)} has none.`);
    all.credentials.push(...parts.credentials);
    all.options.push(...parts.options);
  }
  return all;
}

async function* openAll(io: Io, named: string): AsyncGenerator<Input> {
  const { only, items } = await openInputs(io, [named]);
  if (items === undefined) {
    yield only;
    return;
  }
  for await (const item of items) {
    if ('problem' in item) throw item.problem;
    yield item;
  }
}

interface Target {
  readonly folder: string;
  /** Whether to replace files of the same name, instead of numbering the new ones. */
  readonly replace: boolean;
}

/** The path of each, in their order. Names that come more than once in one import are numbered, replaced or not. */
async function writeAll(imported: readonly ImportedCeremony[], target: Target): Promise<string[]> {
  if (imported.length > 0) await makeFolder(target.folder).catch(unwritable(target.folder));
  const taken = new Map<string, number>();
  const paths: string[] = [];
  for (const { fixture } of imported) {
    const number = (taken.get(fixture.name) ?? 0) + 1;
    taken.set(fixture.name, number);
    const numbered = number === 1 ? fixture : { ...fixture, name: `${fixture.name}-${number}` };
    paths.push(await writeOne(target.replace ? numbered : fixture, target));
  }
  return paths;
}

async function writeOne(fixture: Fixture, { folder, replace }: Target): Promise<string> {
  return await (replace ? replaceFixture : writeFixture)(folder, fixture).catch(unwritable(folder));
}

const unwritable =
  (folder: string) =>
  (cause: unknown): never => {
    const why = systemErrorCode(cause) ?? String(cause);
    throw new PasskeyError('usage', printable(`--out ${folder} cannot be written to (${why}). Name a folder that can.`), { cause });
  };

/** A ceremony and the file that its fixture was written to. */
type Written = ImportedCeremony & { readonly file: string };
type WrittenResult = Omit<ImportResult, 'imported'> & { readonly imported: readonly Written[] };

/** Prints remarks and hints, and names what was left out. */
function report(io: Io, { imported, refused, repeated }: WrittenResult): void {
  for (const { file, hint, remarks } of imported) {
    for (const remark of remarks) say(io, printable(`${file}: ${remark}`));
    if (hint !== undefined) say(io, printable(`${file}: ${hint}`));
  }
  for (const { source, kind, reason } of refused) say(io, printable(`passkey: ${source}: left out this ${kind}. ${reason}`));
  if (repeated > 0) say(io, `Left out ${count(repeated, 'repeat')} of the same ceremonies.`);
}

const COLUMNS = [{ title: 'FILE', max: 120 }, { title: 'KIND' }, { title: 'EXPECT' }];

const toCells = ({ file, fixture }: Written): string[] => [file, fixture.kind, describeOutcome(fixture.expected)];

function toDocument({ imported, refused, repeated }: WrittenResult): FixtureImport {
  return {
    imported: imported.map(({ file, fixture: { kind, rpId, origin, expected }, source, hint, remarks }) => ({
      file,
      name: basename(file, '.json'),
      kind,
      rp_id: rpId,
      origin,
      expected: outcomeRow(expected),
      source,
      hint: hint ?? null,
      remarks: [...remarks],
    })),
    refused: refused.map((each) => ({ ...each })),
    repeated,
  };
}
