import type { Command } from 'commander';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';

/** Help text of `--reporter`, which lists all reporters. */
export const REPORTERS =
  'Reporters: pretty, brief (at most 2 kB: the findings, worst first, with remedy and command, and what was not checked), json, junit, tap (version 14), github (annotations, and the summary of the job if GITHUB_STEP_SUMMARY is set), html (one file), sarif (2.1.0). Without =FILE a report is printed; only pretty and github can be printed together. Files appear whole, when the run has ended.';

const SELECTION = [
  'CASE is the name of a fixture or case; * matches any text. By default the fixtures and cases that ship with passkey run. Each way to select narrows the others. A fixture may have 16 MiB and 100,000 values.',
  'Exits 0 when every outcome is as expected; 1 when an outcome is not, or could not be judged, or nothing could run; 2 for wrong usage, a profile with mistakes, a report that cannot be written, and a server where a plain registration or login fails or more than 5 % of the cases cannot be prepared; 4 when the relying party of --url never responded. A request without a response in time is a failed case; after three in a row, or when the server no longer responds at all, the rest are not run. SIGINT, SIGTERM and SIGHUP end the run with its reports, marked incomplete, and exit 130, 143 or 129.',
  'With a URL instead of --url, passkey finds the profile: the recording of --har, or otherwise the first that fits among the profiles in this folder and the built-in ones, each tried with a registration and a login of a test user. It says which one fits, or which command creates one.',
  'With --url, the run creates test users named passkey-simulate-… and passkeys on that relying party, and deletes them if its profile says how; nothing else is deleted. Attacks run only against this machine unless --allow-host names the host. Cases that need something the target lacks are listed as not applicable, with the reason, never as passed. The run waits when the target limits the rate of requests.',
  'With --load and --rate, latencies count from the intended start, so that they include the time for which a target stalls; with --concurrency a slow target gets fewer requests. Afterwards registered passkeys must log in, the sign counts that were accepted last must be refused, and excludeCredentials must name the passkeys. Exits 0 when nothing was lost, 1 when something was lost, or could not be checked, or nothing was accepted; refusals and failures under load are only counted. A response 429 counts as refused. Ctrl-C ends the run with the report so far, and exits 130.',
  'Failures with the same cause are one finding. The most serious comes first: critical (access to another account), high (phishing, replay, a lost second factor, a server that one request stops), medium (policy that is not enforced), low (the standard requires it; no attack known), note (correct servers differ).',
  'A failure that is also in the report of --baseline is known, even if it now fails in another way or its case has a new name: it is reported, but does not fail the run. Repeats with different results are flaky, and count as a failure.',
];

/** Adds the flags and the help of `passkey simulate`. */
export function addSimulateFlags(command: Command): void {
  addFlags(
    command,
    {
      fixtures: 'replay only this fixture or folder of fixtures; repeatable',
      replay: 'verbatim or rebound (default: both)',
      tag: 'run only cases and fixtures with this tag (see --list); repeatable',
      step: 'run only cases and fixtures that test this step of the standard, such as origin; repeatable',
      attestationFormat: 'run only cases and fixtures about this attestation statement format; repeatable',
      slow: 'also run cases that wait until a challenge expires, some minutes each',
      rerunFailed: 'run only what failed in this JSON report; exits 1 when nothing had failed',
      list: 'list what would run, and with --target why some cases would not; describes up to ten cases that are named in full',
    },
    'Selection:',
  );
  addFlags(
    command,
    {
      bail: 'stop at the first failure',
      keepGoing: 'run the cases even if a plain registration or login fails; the exit code is then never 0',
      repeat: 'run each case N times, up to 1000 (default: 1)',
      jobs: 'run up to N cases at once, at most 64 (default: 4 against a running server that allows it, otherwise one for each core)',
    },
    'Run:',
  );
  addFlags(
    command,
    {
      baseline: 'fail only for failures that are not in this JSON report',
      allowIncomplete: 'accept the report of an interrupted run for --baseline or --rerun-failed',
      demo: 'test a small shop that ships with passkey and has three mistakes; prints its wrong lines at the end, and exits 1',
    },
    'Reports:',
  );
  addFlags(
    command,
    {
      url: 'run against the relying party at this URL, which may have a path; registers passkeys there',
      target: 'how to reach the server: a built-in profile or a file in JSON or YAML (default: passkey, our own API)',
      set: 'replace a variable of the profile; repeatable',
      origin: {
        about: 'origin of the application whose ceremonies run (default: that of the profile, otherwise of the URL)',
        value: 'origin',
      },
      appUrl: { about: 'old name of --origin', isHidden: true },
      token: 'bearer token of a user, if the profile needs one; give two, of different users (default: PASSKEY_TOKEN, PASSKEY_TOKEN_2)',
      tokenFile: 'file with a bearer token on each line, instead of --token; only its owner should be able to read it',
      allowHost: 'host that may be attacked, in addition to this machine; repeatable',
      restart: 'shell command that starts the relying party again when it has died or hangs',
    },
    'Server:',
  );
  addFlags(
    command,
    {
      load: 'measure instead of testing: register passkeys and log in with them for a time, then check that none was lost',
      concurrency: 'with --load: keep this many ceremonies under way, up to 10000 (default: 10)',
      rate: 'with --load, instead of --concurrency: begin this many ceremonies per second, up to 10000/s',
      duration: 'with --load: begin new ceremonies for this long, up to 1h (default: 10s)',
      mix: 'with --load: ratio of registrations to logins (default: 1:9)',
      check: 'with --load: number of registered passkeys to check, up to 10000 (default: 1000)',
    },
    'Load:',
  );
  addHelp(addProfileFlags(addReportFlags(addReachFlags(command))), {
    examples: [
      'passkey simulate --demo',
      "passkey simulate 'login.*' --bail",
      'passkey simulate login.signature-bit --list',
      'passkey simulate http://localhost:3000 --reporter brief',
      'passkey simulate --init-profile shop.yaml --har recording.har',
      'passkey simulate --target shop.yaml --url http://localhost:3000 --probe --write',
      'passkey simulate --target better-auth --url http://localhost:3000 --reporter pretty,junit=reports/junit.xml',
    ],
    remarks: [...SELECTION, REPORTERS, ...PROFILE_TOOLS],
    common: ['--url', '--target', '--token', '--demo', '--reporter'],
    page: 'simulate.md',
  });
}

/** Adds the flags that tell how to reach a running server. */
export function addReachFlags(command: Command): Command {
  return addFlags(
    command,
    {
      ca: 'PEM certificates to trust for https, in addition to the usual ones',
      resolve: 'connect to this address, with or without a port, instead of the host; repeatable',
      timeout: 'time limit for one response (default: 30s)',
    },
    'Connection:',
  );
}

/** Adds the flags that determine how a report is written, and when the run fails. */
function addReportFlags(command: Command): Command {
  addFlags(
    command,
    {
      writeBaseline: 'write the failures of this run, one per line, for --baseline',
      failOn: 'fail only for findings of at least this severity: critical, high, medium, low or note (default: low)',
      failOnLibrary: 'also fail for known faults of the library that the profile names',
      verbose: 'show every case of a finding instead of three, and more of each request',
      failOnNotApplicable: 'exit 1 when a case is not applicable',
    },
    'Reports:',
  );
  return addReporterFlags(command);
}

/** Adds the flags that determine how a report is written. */
export function addReporterFlags(command: Command): Command {
  return addFlags(
    command,
    {
      reporter: 'how to report, and to which file (default: pretty); repeatable',
      json: 'print one JSON document, as --reporter json does',
    },
    'Reports:',
  );
}

/** Adds the flags that write a target profile, or try one out. */
function addProfileFlags(command: Command): Command {
  return addFlags(
    command,
    {
      probe:
        'with --url: register and log in once, step by step, and name the line of the profile that did not fit; if all fit, measure what the server supports',
      write: 'with --probe: write the result into "has" of the profile, in YAML with the evidence next to it',
      initProfile:
        'write a target profile as a template, in YAML with comments, or in JSON for a FILE in .json (default: passkey-target.yaml)',
      from: { about: 'with --init-profile: start from this built-in profile', value: 'profile' },
      har: 'HTTP archive with one recorded registration and login, from which to learn how to reach the server at URL; with --init-profile, write the result to a file',
      force: 'with --init-profile: replace FILE if it exists',
    },
    'Profiles:',
  );
}

const PROFILE_TOOLS = [
  'For --har, open the developer tools, sign up, register a passkey, sign out, log in with it, and export the archive with its contents. Its cookies, passwords and tokens are not copied to the profile.',
];
