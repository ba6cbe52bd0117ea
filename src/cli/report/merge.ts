import type { Command } from 'commander';
import { mergeReports } from '../../simulate/merge-reports.js';
import type { Flags } from '../config/resolve.js';
import { addHelp } from '../help.js';
import type { Io } from '../io.js';
import { addReportFlags, REPORTERS } from '../simulate/flags.js';
import { chooseExitCode, printReport, readFailurePolicy } from '../simulate/outcome.js';
import { prepareFiles, readPart, writeFiles } from '../simulate/report-files.js';
import { readDestinations, render } from '../simulate/reporters.js';

export function define(command: Command): void {
  addHelp(addReportFlags(command), {
    examples: [
      'passkey report merge part-1.json part-2.json',
      'passkey report merge part-1.json part-2.json --reporter pretty,junit=junit.xml,sarif=passkeys.sarif',
    ],
    remarks: [
      'FILE is a report that `passkey simulate --shard … --reporter json=FILE` wrote. All parts are needed, of the same target, profile, version and cases. The report of a run without --shard is a whole by itself, and is only written anew.',
      'Exits as the whole run would: 0 when every outcome is as expected, 1 when one is not or nothing ran or a part was interrupted, 2 when the files are not the parts of one run. Failures that the parts knew from a --baseline stay known; give --fail-on and --fail-on-library here again.',
      REPORTERS,
    ],
    common: ['--fail-on', '--reporter', '--json'],
    page: 'ci.md',
  });
}

/** `passkey report merge FILE…` */
export async function run(io: Io, flags: Flags, files: readonly string[]): Promise<number> {
  const destinations = readDestinations(io, flags);
  const policy = readFailurePolicy(io, flags);
  const report = mergeReports(await Promise.all(files.map((file) => readPart(io, file))), policy);
  await prepareFiles(io, destinations);
  await printReport(io, destinations, report, flags.verbose === true);
  await writeFiles(io, destinations, report, (reporter) => render(reporter, report));
  return chooseExitCode(io, flags, report);
}
