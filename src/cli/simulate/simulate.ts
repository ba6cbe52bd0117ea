import { createColors } from 'picocolors';
import { PasskeyError } from '../../errors.js';
import { count } from '../../kernel/wording.js';
import { caseKey, type ListedCase, type SimulateReport } from '../../simulate/report/report.js';
import { renderResult } from '../../simulate/reporters/pretty.js';
import { describeListed } from '../../simulate/reporters/words.js';
import type { ScenarioOptions } from '../../simulate/scenarios.js';
import { listCases, type SimulateOptions, simulate } from '../../simulate/simulate.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { integer } from '../config/values.js';
import { interruptible } from '../interruption.js';
import { hasColour, type Io, printAll, printJsonArray, say, warn } from '../io.js';
import { printableValues } from '../output/printable.js';
import { measureWidth, tableLines } from '../output/table.js';
import { labelled } from '../output/wrap.js';
import { version } from '../package.js';
import { progressLine } from '../progress.js';
import { findProfile, separateUrl } from './find-profile.js';
import { addSimulateFlags } from './flags.js';
import { refuseLoadFlags, runLoad } from './load.js';
import { chooseExitCode, listPrinted, printReport, readFailurePolicy } from './outcome.js';
import { runProfileTool } from './profile-tools.js';
import { prepareFiles, readEarlier, writeFiles } from './report-files.js';
import { type Destination, readDestinations, render } from './reporters.js';
import { rerunCommand } from './rerun.js';
import { selectScenarios } from './selection.js';
import { readTarget, sayPause } from './target.js';

export const define = addSimulateFlags;

const CHECK_FAILED = 1;

/**
 * Runs `passkey simulate [CASE…]`. Exits 0 if at least one case ran and every outcome is as expected, otherwise 1. With `--load`, runs
 * `runLoad` instead.
 */
export async function run(io: Io, given: Flags, args: readonly string[]): Promise<number> {
  const { flags: separated, names } = separateUrl(given, args);
  // Where a recording is given, --url means the same as the URL by itself, so that a case can be run again as it ran.
  const asksForProfile = args.length > names.length || given.har !== undefined;
  const isSearched = typeof separated.url === 'string' && asksForProfile && given.initProfile === undefined;
  const { flags, read } = isSearched ? await findProfile(io, separated) : { flags: separated };
  if (flags.load === true) return runLoad(io, flags, { names, read });
  refuseLoadFlags(flags);
  if (flags.demo === true) return (await import('./demo.js')).runDemo(io, flags, names, runCases);
  const tool = await runProfileTool(io, flags, read);
  if (tool !== undefined) return tool;
  const allowIncomplete = flags.allowIncomplete === true;
  const failedThen = await readEarlier(io, '--rerun-failed', { value: flags.rerunFailed, allowIncomplete });
  const scenarios = selectScenarios(io, flags, names, failedThen);
  const nothingFailed = scenarios.select?.failed?.size === 0;
  if (flags.list === true) {
    if (flags.reporter !== undefined) throw new PasskeyError('usage', '--list runs nothing to report. Leave --reporter out, or --list.');
    const target = await readTarget(io, flags, read);
    await printList(io, flags, nothingFailed ? [] : await listCases({ ...scenarios, ...(target && { target }) }), names);
    return 0;
  }
  const target = await readTarget(io, flags, read);
  return runCases(io, flags, { ...scenarios, ...(target && { target }) });
}

/** Runs the cases and reports the results in the way that the flags request. */
async function runCases(io: Io, flags: Flags, options: ScenarioOptions & Pick<SimulateOptions, 'target'>): Promise<number> {
  const destinations = readDestinations(io, flags);
  const baseline = await readEarlier(io, '--baseline', { value: flags.baseline, allowIncomplete: flags.allowIncomplete === true });
  const jobs = wholeNumber(io, '--jobs', flags.jobs, 64);
  const repeat = wholeNumber(io, '--repeat', flags.repeat, 1000);
  const policy = readFailurePolicy(io, flags);
  if (options.select?.failed?.size === 0) {
    warn(io, 'Nothing ran: nothing failed in the report of --rerun-failed.');
    return CHECK_FAILED;
  }
  await prepareFiles(io, destinations);
  // A job of CI that is cancelled gets SIGTERM, and cleans up as well.
  return interruptible(io, async (signal, exitCode) => {
    const report = await runAll(io, destinations, flags.verbose === true, {
      ...options,
      ...policy,
      ...(jobs !== undefined && { jobs }),
      ...(repeat !== undefined && { repeat }),
      ...(baseline ? { baseline } : {}),
      bail: flags.bail === true,
      keepGoing: flags.keepGoing === true,
      signal,
      version: version(),
      rerun: (result) => rerunCommand(io, flags, result),
    });
    await writeFiles(io, destinations, report, (reporter) => render(reporter, report));
    return exitCode() ?? chooseExitCode(io, flags, report);
  });
}

function wholeNumber(io: Io, flag: string, value: unknown, max: number): number | undefined {
  return value === undefined ? undefined : readFlag(io, integer({ min: 1, max }), flag, value);
}

/** Runs the cases. The reporters that write to stdout write during the run, or right after it. */
async function runAll(io: Io, destinations: readonly Destination[], verbose: boolean, options: SimulateOptions): Promise<SimulateReport> {
  const pretty = listPrinted(destinations).includes('pretty');
  const style = { colour: hasColour(io, io.stdout), verbose };
  const progress = progressLine(io);
  try {
    const report = await simulate({
      ...options,
      onPause(milliseconds) {
        progress.clear();
        sayPause(io, milliseconds);
      },
      onResult(each, { done, total }) {
        progress.clear();
        if (pretty) io.stdout.write(renderResult(printableValues(each), style));
        progress.show(`${done} of ${total}`);
      },
    });
    progress.clear();
    await printReport(io, destinations, report, verbose);
    return report;
  } finally {
    progress.clear();
  }
}

const COLUMNS = [{ title: 'CASE' }, { title: 'EXPECTED', max: 44, yields: 1 }];
const TAGS = [
  { title: 'SEE', yields: 2 },
  { title: 'TAGS', yields: 3 },
];
const NOT_APPLICABLE = [{ title: 'NOT APPLICABLE, SINCE', yields: 3 }];

/** Maximum number of cases that the list describes in full, if they are named on the command line. */
const DESCRIBED = 10;

const LABELS = 14;

/** Describes a case in text that is wrapped to the width of the terminal. */
function describeCase(io: Io, listed: ListedCase): string {
  const width = measureWidth(io);
  const { bold } = createColors(hasColour(io, io.stdout));
  const details = describeListed(listed).map(({ label, text }) => labelled(`    ${label}`, text, { width, indent: LABELS }));
  return `${[bold(caseKey(listed)), ...details].join('\n')}\n`;
}

async function printList(io: Io, flags: Flags, cases: readonly ListedCase[], names: readonly string[]): Promise<void> {
  if (flags.json === true) return printJsonArray(io, cases);
  const targeted = flags.target !== undefined || flags.url !== undefined;
  const lines = tableLines(
    io,
    [...COLUMNS, ...(targeted ? NOT_APPLICABLE : TAGS)],
    cases,
    ({ id, replay, expected, references = [], tags, reason = '' }) => [
      caseKey({ id, replay }),
      expected,
      ...(targeted ? [reason] : [references.join(', '), tags.join(' ')]),
    ],
  );
  const described = names.length > 0 && cases.length <= DESCRIBED;
  await printAll(io, described ? cases.map((listed) => describeCase(io, printableValues(listed))) : lines);
  const applicable = cases.filter(({ reason }) => reason === undefined).length;
  const there = `, ${applicable} of which the profile allows. Only a run shows which of them the options of the server exclude.`;
  say(io, `${count(cases.length, 'case')}${targeted ? there : ''}`);
}
