import type { Command } from 'commander';
import { PasskeyError } from '../../errors.js';
import { examine } from '../../simulate/doctor/doctor.js';
import { type DoctorReport, type FailOn, isFailure, toCaseReport } from '../../simulate/doctor/report.js';
import { withoutPassword } from '../../simulate/target/open-driver.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { oneOf, text } from '../config/values.js';
import { addHelp, examples, remarks } from '../help.js';
import { hasColour, type Io, interruptible, printAll } from '../io.js';
import { printableValues, toJson } from '../output/printable.js';
import { measureWidth } from '../output/table.js';
import { version } from '../package.js';
import { addReachFlags, addReporterFlags, REPORTERS } from '../simulate/flags.js';
import { listPrinted } from '../simulate/outcome.js';
import { prepareFiles, writeFiles } from '../simulate/report-files.js';
import { type Destination, readDestinations, render } from '../simulate/reporters.js';
import { readReach } from '../simulate/target.js';
import { renderReport } from './pretty.js';

const CHECK_FAILED = 1;
const PLAIN = { colour: false, width: 100 };

export function define(command: Command): void {
  command
    .option('--rp-id <id>', 'RP ID of the ceremonies (default: the host of the URL)')
    .option('--fail-on <result>', 'exit 1 for warnings too: warn, or fail (default: fail)');
  addHelp(
    addReporterFlags(addReachFlags(command)),
    remarks(
      'URL is the page with the ceremonies. Each check passes, warns, fails, or is skipped where there is nothing to check, and names the fix and the rule. The page and the files at /.well-known/ of the RP ID are fetched, without cookies; only the two hosts are contacted, with at most 30 requests, which are listed. Redirects to other hosts are reported and not followed.',
      'Exits 0 when no check fails, 1 when one does (with --fail-on warn, or warns), 2 for wrong usage, 4 when the page does not answer.',
    ),
    REPORTERS,
    examples(
      'passkey doctor https://shop.example',
      'passkey doctor https://shop.test/login --rp-id shop.example --json',
      'passkey doctor https://shop.example --resolve shop.example=127.0.0.1:8443 --ca root.pem',
      'passkey doctor https://shop.example --fail-on warn --reporter pretty,junit=doctor.xml',
    ),
  );
}

/** `passkey doctor URL` */
export async function run(io: Io, flags: Flags, [url = '']: readonly string[]): Promise<number> {
  const destinations = readDestinations(io, flags);
  const failOn = flags.failOn === undefined ? 'fail' : readFlag(io, oneOf(['warn', 'fail']), '--fail-on', flags.failOn);
  const options = {
    ...(await readReach(io, flags)),
    url: readPage(url),
    rpId: flags.rpId === undefined ? undefined : readFlag(io, text({ placeholder: 'id' }), '--rp-id', flags.rpId),
    now: io.now,
    version: version(),
  };
  await prepareFiles(io, destinations);
  return interruptible(io, async (signal) => {
    const report = await examine({ ...options, signal });
    await write(io, destinations, report, failOn);
    return report.checks.some((check) => isFailure(check, failOn)) ? CHECK_FAILED : 0;
  });
}

/** @throws PasskeyError `usage` */
function readPage(url: string): URL {
  const page = parseUrl(url);
  if (page !== undefined && /^https?:$/.test(page.protocol) && page.username === '' && page.password === '') return page;
  throw new PasskeyError(
    'usage',
    `Expected the http or https URL of a page, without user and password; got "${withoutPassword(url)}". Give for example https://example.com/login.`,
  );
}

async function write(io: Io, destinations: readonly Destination[], report: DoctorReport, failOn: FailOn): Promise<void> {
  const cases = toCaseReport(report, failOn);
  const toText = (reporter: Destination['reporter'], style = PLAIN): string => {
    if (reporter === 'json') return `${toJson(report, 2)}\n`;
    return reporter === 'pretty' ? renderReport(printableValues(report), style) : render(reporter, cases);
  };
  const style = { colour: hasColour(io, io.stdout), width: measureWidth(io) };
  await printAll(
    io,
    listPrinted(destinations).map((reporter) => toText(reporter, style)),
  );
  await writeFiles(io, destinations, cases, toText);
}
