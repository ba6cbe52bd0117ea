import type { Command } from 'commander';
import { PasskeyError } from '../../errors.js';
import { spellFlag } from '../../kernel/wording.js';
import { examine } from '../../simulate/doctor/doctor.js';
import type { ProvenTarget } from '../../simulate/doctor/proof.js';
import { type DoctorReport, type FailOn, isFailure, toCaseReport } from '../../simulate/doctor/report.js';
import { withoutPassword } from '../../simulate/target/open-driver.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { type Flags, readFlag } from '../config/resolve.js';
import { oneOf, text } from '../config/values.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { interruptible } from '../interruption.js';
import { hasColour, type Io, printAll } from '../io.js';
import { printableValues, toJson } from '../output/printable.js';
import { measureWidth } from '../output/table.js';
import { version } from '../package.js';
import { addReachFlags, addReporterFlags, REPORTERS } from '../simulate/flags.js';
import { listPrinted } from '../simulate/outcome.js';
import { prepareFiles, writeFiles } from '../simulate/report-files.js';
import { type Destination, readDestinations, render } from '../simulate/reporters.js';
import { readReach, readTarget, sayPause } from '../simulate/target.js';
import { renderReport } from './pretty.js';

const CHECK_FAILED = 1;
const PLAIN = { colour: false, width: 100 };

export function define(command: Command): void {
  addFlags(
    command,
    {
      rpId: "RP ID of the ceremonies (default: that of the server's options with --target, otherwise the host of the URL)",
      target: 'also register and log in: how to reach the server, as in `passkey simulate`',
      set: 'replace a variable of the profile; repeatable',
      token: 'bearer token of a user, if the profile needs one (default: PASSKEY_TOKEN)',
      origin: 'origin of the page (default: that of the profile, otherwise of the URL)',
      allowHost: 'host at which to register and log in, in addition to this machine; repeatable',
      failOn: {
        about: 'exit 1 for failures, or with warn also for warnings (default: fail)',
        value: 'result',
        completes: { words: ['warn', 'fail'] },
      },
    },
    'Server:',
  );
  addHelp(addReporterFlags(addReachFlags(command)), {
    examples: [
      'passkey doctor https://shop.example',
      'passkey doctor https://shop.test/login --rp-id shop.example --json',
      'passkey doctor https://shop.example --resolve shop.example=127.0.0.1:8443 --ca root.pem',
      'passkey doctor https://shop.example --target simplewebauthn --allow-host shop.example',
      'passkey doctor https://shop.example --fail-on warn --reporter pretty,junit=doctor.xml',
    ],
    remarks: [
      'URL is the page with the ceremonies. Each check passes, warns, fails, or is skipped if there is nothing to check, and names the fix and the rule. It fetches the page and the files at /.well-known/ of the RP ID without cookies. It contacts only the two hosts, and hosts of the same site that /.well-known/webauthn redirects to, with at most 30 requests, which are listed. Redirects to other hosts are reported and not followed.',
      'With --target, it registers test users and logs in, checks the options, and tries each origin that the files name, with exactly that origin in the client data. A server that refuses such an origin contradicts the files. Test users are named passkey-simulate-…, and are deleted if the profile says how.',
      'Exits 0 when no check fails, 1 when one does (or with --fail-on warn, when one warns), 2 for wrong usage, 4 when the page does not respond.',
      REPORTERS,
    ],
    common: ['--target', '--origin', '--rp-id', '--fail-on', '--json'],
    page: 'doctor.md',
  });
}

/** Runs `passkey doctor URL`. Returns the exit code. */
export async function run(io: Io, flags: Flags, [url = '']: readonly string[]): Promise<number> {
  const destinations = readDestinations(io, flags);
  const failOn = flags.failOn === undefined ? 'fail' : readFlag(io, oneOf(['warn', 'fail']), '--fail-on', flags.failOn);
  const page = readPage(url);
  const options = {
    ...(await readReach(io, flags)),
    url: page,
    target: await readProvenTarget(io, flags, page),
    rpId: flags.rpId === undefined ? undefined : readFlag(io, text({ placeholder: 'id' }), '--rp-id', flags.rpId),
    now: io.now,
    version: version(),
  };
  await prepareFiles(io, destinations);
  return interruptible(io, async (signal) => {
    const report = await examine({ ...options, signal, onPause: (milliseconds) => sayPause(io, milliseconds) });
    await write(io, destinations, report, failOn);
    return report.checks.some((check) => isFailure(check, failOn)) ? CHECK_FAILED : 0;
  });
}

/** Names of the flags that tell how to reach the server for ceremonies. */
const TALKING = ['set', 'token', 'origin', 'allowHost'];

/**
 * Reads how to perform ceremonies with the server, which is the server of the page.
 *
 * @throws PasskeyError `usage`, `configuration_invalid`
 */
async function readProvenTarget(io: Io, flags: Flags, page: URL): Promise<ProvenTarget | undefined> {
  if (flags.target !== undefined) {
    const target = await readTarget(io, { ...flags, url: page.origin });
    return target?.profile && { ...target, profile: target.profile };
  }
  const stray = TALKING.find((key) => flags[key] !== undefined);
  if (stray === undefined) return undefined;
  throw new PasskeyError('usage', `${spellFlag(stray)} is for ceremonies. Name the profile of the server with --target.`);
}

/** Parses the URL of the page to check. @throws PasskeyError `usage` */
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
