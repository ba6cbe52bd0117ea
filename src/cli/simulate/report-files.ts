import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { PasskeyError } from '../../errors.js';
import { MAX_NAMED_FILE_BYTES, readNamedFile, UnusableFile } from '../../fixture/named-file.js';
import { count } from '../../kernel/wording.js';
import { type EarlierReport, parseReport, refuseIncomplete } from '../../simulate/engine/earlier-report.js';
import type { CaseReport } from '../../simulate/report/report.js';
import { renderJobSummary } from '../../simulate/reporters/github.js';
import { findUnknownCases } from '../../simulate/unknown-cases.js';
import { systemErrorCode, whileBusy } from '../../store/file-system.js';
import { replaceFile } from '../../store/replace-file.js';
import { readFlag } from '../config/resolve.js';
import { path } from '../config/values.js';
import { type Io, say } from '../io.js';
import { printable, printableValues } from '../output/printable.js';
import { version } from '../package.js';
import type { Destination } from './reporters.js';

/**
 * Checks before a test run that the files of its reports can be written afterwards. Creates the folders of these files.
 *
 * @throws PasskeyError `usage` naming the first file that cannot be written.
 */
export async function prepareFiles(io: Io, destinations: readonly Destination[]): Promise<void> {
  for (const { reporter, file } of destinations) {
    if (file !== undefined) await writing(io, `--reporter ${reporter}`, file, () => tryFile(file));
  }
}

/**
 * Checks whether a file can be written by trying to create it. No other check is reliable: access rights say little for root, and little on
 * Windows.
 */
async function tryFile(file: string): Promise<void> {
  const target = await resolved(file);
  await mkdir(dirname(target), { recursive: true });
  const probe = join(dirname(target), `.passkey-${randomUUID()}.tmp`);
  await (await open(probe, 'wx')).close();
  await whileBusy(() => unlink(probe));
}

/** Finds the file that a report must replace. A link stays a link, and a path that is not a regular file stays unchanged. */
async function resolved(file: string): Promise<string> {
  // `/dev/stdout` may lead to a file, which would be replaced under its writer. In /dev/shm there are files like others.
  if (/^\/(?:dev\/(?!shm\/)|proc\/)/.test(file)) throw new UnusableFile('it is a device; leave =FILE out to print');
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return file;
  if (!found.isFile()) throw new UnusableFile(found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  return await realpath(file);
}

/**
 * Writes the reports that go to files, each completely or not at all, and the job summary of GitHub Actions. Never writes an incomplete
 * report as a baseline, since cases that did not run would count as fixed.
 *
 * @throws PasskeyError `usage` naming the first file that cannot be written. The other files are still written.
 */
export async function writeFiles(
  io: Io,
  destinations: readonly Destination[],
  report: CaseReport,
  write: (reporter: Destination['reporter']) => string,
): Promise<void> {
  const work = destinations.flatMap(({ reporter, file }) =>
    file === undefined || (reporter === 'baseline' && report.incomplete === true)
      ? []
      : [writing(io, `--reporter ${reporter}`, file, () => replace(file, write(reporter)))],
  );
  const summary = io.env.GITHUB_STEP_SUMMARY;
  if (summary && destinations.some(({ reporter }) => reporter === 'github')) {
    const text = renderJobSummary(printableValues(report));
    work.push(writing(io, 'GITHUB_STEP_SUMMARY', summary, () => appendFile(resolve(io.cwd, summary), `${text}\n`)));
  }
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** File mode of reports: other users may read them. Reports hold no secrets, and a job in a container often runs as root. */
const MODE = 0o666;

async function replace(file: string, text: string): Promise<void> {
  await replaceFile(await resolved(file), text, { mode: MODE });
}

async function writing(io: Io, what: string, file: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    const reason = systemErrorCode(cause) ?? (cause instanceof Error ? cause.message : String(cause));
    throw new PasskeyError('usage', `${what}: cannot write ${shown(io, file)} (${reason}). Choose another file.`, { cause });
  }
}

function shown({ cwd }: Io, file: string): string {
  const below = relative(cwd, file);
  return below === '' || below.startsWith('..') ? file : below;
}

/**
 * Reads the report of an earlier run from the file that a flag names. Undefined if the flag is not given.
 *
 * @throws PasskeyError `usage` if the file cannot be read, if it is not a report, or if it is the report of an interrupted run and
 * `allowIncomplete` is false.
 */
export async function readEarlier(
  io: Io,
  flag: string,
  { value, allowIncomplete, isOfPage }: { readonly value: unknown; readonly allowIncomplete: boolean; readonly isOfPage?: true },
): Promise<EarlierReport | undefined> {
  if (value === undefined) return undefined;
  const file = readFlag(io, path('file', 'the file of a report'), flag, value);
  const source = `${flag}: ${shown(io, file)}`;
  const report = parseReport(await readText(io, `${flag}: `, file), source, isOfPage && 'passkey-page-report');
  if (!allowIncomplete) refuseIncomplete(report, source);
  if (isOfPage !== true) sayUnknown(io, report, source);
  return report;
}

/**
 * Prints which cases of an earlier report do not exist in this version.
 *
 * @throws PasskeyError `usage` if none of the cases that failed in the report exist in this version.
 */
function sayUnknown(io: Io, report: EarlierReport, source: string): void {
  const { ids, nothingMatches } = findUnknownCases(report);
  if (ids.length === 0) return;
  const { tool_version } = report;
  const by = tool_version === undefined ? '' : `, written by passkey ${tool_version},`;
  const unknown = `${source}${by} has ${count(ids.length, 'case')} that passkey ${version()} does not have: ${ids.join(', ')}.`;
  if (nothingMatches) {
    throw new PasskeyError('usage', `${unknown} None of its failures can be compared. Write the file again with this version.`);
  }
  say(io, printable(`${unknown} A failure that has another name now is compared by its cause. Write the file again with this version.`));
}

async function readText(io: Io, place: string, file: string): Promise<string> {
  const bytes = await readNamedFile(file, MAX_NAMED_FILE_BYTES).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PasskeyError(
      'usage',
      `${place}${shown(io, file)} ${reason}. Pass a report written by \`passkey simulate --reporter json=FILE\`.`,
      { cause },
    );
  });
  return bytes.toString('utf8');
}
