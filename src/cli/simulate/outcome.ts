import { count } from '../../kernel/wording.js';
import type { FailurePolicy } from '../../simulate/findings/judge-failure.js';
import { asExpected, type CaseReport, listUnfit } from '../../simulate/report/report.js';
import { SEVERITY_NAMES } from '../../simulate/report/severity.js';
import { renderEnd } from '../../simulate/reporters/pretty.js';
import { summaryLine } from '../../simulate/reporters/words.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { oneOf } from '../config/values.js';
import { hasColour, type Io, printAll, say, warn } from '../io.js';
import { printable, printableValues } from '../output/printable.js';
import { type Destination, render } from './reporters.js';

const CHECK_FAILED = 1;
const UNFIT = 2;

export function readFailurePolicy(io: Io, flags: Flags): Required<FailurePolicy> {
  const failOn = flags.failOn === undefined ? 'low' : readFlag(io, oneOf(SEVERITY_NAMES), '--fail-on', flags.failOn);
  return { failOn, failOnLibrary: flags.failOnLibrary === true };
}

/** Finds the reporters that write to stdout. */
export const listPrinted = (destinations: readonly Destination[]) =>
  destinations.filter(({ file }) => file === undefined).map(({ reporter }) => reporter);

/**
 * Prints the part of the report that belongs on stdout after a run. Reporters that printed each case during the run do not repeat the
 * cases.
 */
export async function printReport(io: Io, destinations: readonly Destination[], report: CaseReport, verbose: boolean): Promise<void> {
  const printed = listPrinted(destinations);
  const pretty = printed.includes('pretty');
  if (pretty) io.stdout.write(`\n${renderEnd(printableValues(report), { colour: hasColour(io, io.stdout), verbose })}`);
  for (const reporter of printed) if (reporter !== 'pretty') await printAll(io, [render(reporter, report)]);
  if (printed.length === 0) say(io, printable(summaryLine(report)));
  if (!pretty) sayGone(io, report);
  if (report.incomplete === true) sayInterrupted(io, destinations, report);
}

function sayInterrupted(io: Io, destinations: readonly Destination[], { summary }: CaseReport): void {
  const unwritten = destinations.some(({ reporter }) => reporter === 'baseline') ? ' --write-baseline wrote nothing.' : '';
  warn(io, `The run was interrupted; ${count(summary.not_run, 'case')} did not run.${unwritten}`);
}

/** Prints which failures of the baseline no longer occur, so that the user can remove them from the baseline. */
function sayGone(io: Io, { baseline }: CaseReport): void {
  const { fixed = [], missing = [] } = baseline ?? {};
  const listed = (keys: readonly string[]) => printable(keys.join(', '));
  if (fixed.length > 0) say(io, `${count(fixed.length, 'failure')} of the baseline passed: ${listed(fixed)}`);
  if (missing.length > 0) say(io, `${count(missing.length, 'failure')} of the baseline did not run: ${listed(missing)}`);
}

/**
 * Chooses the exit code of a run: 0 if at least one case ran and every outcome is as expected, 2 if the server cannot be tested, otherwise
 * 1.
 */
export function chooseExitCode(io: Io, flags: Flags, report: CaseReport): number {
  const { not_applicable: notApplicable, total } = report.summary;
  if (notApplicable === total) {
    warn(io, 'Nothing ran: none of the selected cases is applicable (the reasons are above). Select others; --list shows them all.');
  }
  const missed = flags.failOnNotApplicable === true && notApplicable > 0;
  if (missed) warn(io, `${count(notApplicable, 'case')} not applicable, which --fail-on-not-applicable does not allow.`);
  if (listUnfit(report).length > 0) return UNFIT;
  return asExpected(report) && !missed ? 0 : CHECK_FAILED;
}
