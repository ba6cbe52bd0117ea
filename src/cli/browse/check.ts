import { setTimeout as sleep } from 'node:timers/promises';
import { exportCredentials, importCredentials } from '../../authenticator/interchange/interchange.js';
import type { PersonaName } from '../../authenticator/personas/personas.js';
import { launchBrowser } from '../../browse/launch.js';
import { createBrowserDriver, type PageAuthenticator } from '../../browse/page-driver.js';
import { PasskeyError } from '../../errors.js';
import { compareToBaseline, type EarlierReport, hasFailure, openBaseline } from '../../simulate/engine/earlier-report.js';
import { type CaseReport, type CaseResult, type Finding, summarize } from '../../simulate/report/report.js';
import { isAtLeast, type Severity } from '../../simulate/report/severity.js';
import { renderResult } from '../../simulate/reporters/pretty.js';
import { PAGE_CASES, type PageCase } from '../../testing/page/cases.js';
import { checkFlows } from '../../testing/page/check.js';
import { keptInMemory } from '../answer/keeper.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { integer, text } from '../config/values.js';
import { interruptible } from '../interruption.js';
import { hasColour, type Io, say } from '../io.js';
import { printable, printableValues } from '../output/printable.js';
import { version } from '../package.js';
import { chooseExitCode, listPrinted, printReport, readFailurePolicy } from '../simulate/outcome.js';
import { prepareFiles, readEarlier, writeFiles } from '../simulate/report-files.js';
import { readDestinations, render } from '../simulate/reporters.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { createAnswerer } from './answerer.js';
import { readFlows } from './flow-file.js';

interface CheckedPage {
  readonly url: string;
  readonly persona: PersonaName | undefined;
  /** Path of the browser. If undefined, the first browser found on this machine is started. */
  readonly browser: string | undefined;
  readonly cases: readonly PageCase[];
}

/**
 * Runs `passkey browse URL [CASE…] --check --flow FILE`. Exits 0 if no finding is serious enough to fail the run, 1 if one is, and 2 if the
 * flows cannot be played.
 */
export async function runCheck(io: Io, flags: Flags, { url, persona, browser, cases }: CheckedPage): Promise<number> {
  const destinations = readDestinations(io, flags);
  const earlier = await readEarlier(io, '--baseline', { value: flags.baseline, allowIncomplete: false, isOfPage: true });
  const { failOn } = readFailurePolicy(io, flags);
  const jobs = flags.jobs === undefined ? undefined : readFlag(io, integer({ min: 1, max: 16 }), '--jobs', flags.jobs);
  await prepareFiles(io, destinations);
  if (flags.flow === undefined) {
    throw new PasskeyError(
      'usage',
      '--check needs the flows of the page: give --flow FILE. `passkey browse URL --record-flow FILE` writes such a file.',
    );
  }
  const flows = await readFlows(io, readFlag(io, text({ placeholder: 'file' }), '--flow', flags.flow));
  const folder = await makeTemporaryFolder('browse');
  return await interruptible(io, async (signal, exitCode) => {
    const devtools = await launchBrowser({ browser, profile: `${folder.path}/profile`, headless: flags.headless === true, env: io.env });
    try {
      say(io, printable(`passkey browse: checking ${url}. The flows are played once unchanged, then once for each case.`));
      const openAuthenticator = (passkeys: string | undefined) => openPageAuthenticator(persona ?? 'google-password-manager', passkeys);
      const driver = await createBrowserDriver({ devtools, folder: `${folder.path}/extension`, base: url, openAuthenticator });
      const checking = checkFlows({
        driver,
        flows,
        cases,
        target: url,
        toolVersion: version(),
        now: io.now,
        ...(jobs !== undefined && { jobs }),
      });
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      const report = judgeReport(await Promise.race([checking, stopped]), { failOn, earlier });
      const style = { colour: hasColour(io, io.stdout), verbose: flags.verbose === true };
      if (listPrinted(destinations).includes('pretty')) {
        for (const result of report.results) io.stdout.write(renderResult(printableValues(result), style));
      }
      await printReport(io, destinations, report, style.verbose);
      await writeFiles(io, destinations, report, (reporter) => render(reporter, report));
      return exitCode() ?? chooseExitCode(io, flags, report);
    } finally {
      devtools.close();
      await Promise.race([devtools.closed, sleep(CLOSE_LIMIT, undefined, { ref: false })]);
      await folder.remove();
    }
  });
}

/** How long the browser may take to exit, in milliseconds. */
const CLOSE_LIMIT = 15_000;

async function openPageAuthenticator(persona: PersonaName, passkeys: string | undefined): Promise<PageAuthenticator> {
  const keeper = keptInMemory();
  const { answer } = createAnswerer(keeper, { persona, tamper: undefined });
  if (passkeys !== undefined) {
    const { credentials } = await importCredentials('json', passkeys);
    await keeper.change({ create: true }, async (store) => {
      for (const credential of credentials) await store.put(credential);
    });
  }
  return {
    answer: async (call) => (await answer(call)).response,
    export: () => keeper.change({ create: true }, async (store) => (await exportCredentials('json', await store.list())).text),
  };
}

interface Policy {
  readonly failOn: Severity;
  readonly earlier: EarlierReport | undefined;
}

/** Marks the failures that do not fail the run: failures in the baseline, and failures less serious than `--fail-on`. */
function judgeReport(report: CaseReport, { failOn, earlier }: Policy): CaseReport {
  const baseline = earlier && openBaseline(earlier, new Set(PAGE_CASES.map(({ id }) => id)));
  const severities = new Map(report.findings.map(({ cause, severity }) => [cause, severity]));
  const results = report.results.map((result): CaseResult => {
    if (result.status !== 'failed') return result;
    const { tolerated: _, ...failed } = result;
    if (baseline !== undefined && hasFailure(baseline, failed)) return { ...failed, known: true, known_by: 'baseline' };
    const severity = severities.get(failed.cause ?? '');
    return severity === undefined || isAtLeast(severity, failOn) ? failed : { ...failed, tolerated: true };
  });
  const known = new Set(results.flatMap(({ id, known: isKnown }) => (isKnown === true ? [id] : [])));
  const findings = report.findings.map((finding): Finding => {
    const { tolerated: _, ...failing } = finding;
    return {
      ...failing,
      ...(finding.cases.every((id) => known.has(id)) && { known: true as const }),
      ...(!isAtLeast(finding.severity, failOn) && { tolerated: true as const }),
    };
  });
  return { ...report, results, findings, summary: summarize(results), ...(baseline && { baseline: compareToBaseline(results, baseline) }) };
}
