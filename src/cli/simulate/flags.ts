import type { Command } from 'commander';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';

/** Help text of `--reporter`, with all reporters. */
export const REPORTERS =
  'Reporters: pretty, brief (at most 2 kB: the findings, worst first, with remedy and command, and what was not judged), json, junit, tap (version 14), github (annotations, and the summary of the job where GITHUB_STEP_SUMMARY is set), html (one file), sarif (2.1.0). Without =FILE a report is printed; only pretty and github can be printed together. Files appear whole, when the run has ended.';

const SELECTION = [
  'CASE is the name of a fixture or case; * matches any text. By default the fixtures and cases that ship with passkey run. Each way to select narrows the others. A fixture may have 16 MiB and 100,000 values.',
  'Exits 0 when every outcome is as expected, 1 when one is not, or could not be judged, or nothing could run, 2 for wrong usage, a profile with mistakes, a server where a plain registration or login fails, or where more than 5 % of the cases cannot be prepared, or a report that cannot be written, 4 when the relying party of --url never answered. A request without an answer in time is a failed case; after three in a row, or when it no longer answers at all, the rest are not run. SIGINT, SIGTERM and SIGHUP end the run with its reports, marked incomplete, and exit 130, 143 or 129.',
  'A URL in place of --url finds the profile by itself: the recording of --har, else what fits of the profiles in this folder and the built-in ones, each tried with a registration and a login of a test user. It says which fits, or which command makes one.',
  'With --url, test users named passkey-simulate-… and their passkeys are made on that relying party and deleted where its profile says how; nothing else is deleted. Attacks run only against this machine unless --allow-host names the host. What the target does not have is listed as not applicable, with the reason, never as passed. The run waits when the target limits the rate of requests.',
  'With --load, latencies count from the intended start where --rate is given, so that a target which stalls is not spared; with --concurrency a slow target gets fewer requests. Afterwards registered passkeys must log in, the sign counts that were accepted last must be refused, and excludeCredentials must name them. Exits 0 when all is there, 1 when something was lost, or could not be checked, or nothing was accepted; refusals and failures under load are only counted. An answer 429 counts as refused. Ctrl-C ends the run with the report so far, and exits 130.',
  'Failures with one cause are one finding. The most serious comes first: critical (access to another account), high (phishing, replay, a lost second factor, a server that one request ends), medium (policy that is not enforced), low (the standard requires it; no attack known), note (correct servers differ).',
  'A failure that the report of --baseline has as well is known, however it fails now, and under the new name of its case: it is reported, but does not fail the run. Repeats that end differently are flaky, and a failure.',
];

/** Adds the flags and the help of `passkey simulate`. */
export function addSimulateFlags(command: Command): void {
  addFlags(
    command,
    {
      fixtures: 'replay only this fixture or folder of fixtures; repeatable',
      replay: 'verbatim or rebound (default: both)',
      tag: 'run only what has this tag (see --list); repeatable',
      step: 'run only what tests this step of the standard, such as origin; repeatable',
      attestationFormat: 'run only what is about this attestation statement format; repeatable',
      slow: 'run also what waits until a challenge expires, some minutes each',
      rerunFailed: 'run only what failed in this JSON report; exits 1 when nothing did',
      list: 'list what would run, and with --target why some would not; describes up to ten cases that are named in full',
    },
    'Selection:',
  );
  addFlags(
    command,
    {
      bail: 'stop at the first failure',
      keepGoing: 'run the cases although a plain registration or login fails; exits 1 at best',
      repeat: 'run each case N times, up to 1000 (default: 1)',
      jobs: 'run up to N cases at once, at most 64 (default: 4 against a running server that allows it, else one for each core)',
    },
    'Run:',
  );
  addFlags(
    command,
    {
      baseline: 'fail only for failures that this JSON report does not have',
      allowIncomplete: 'take the report of an interrupted run for --baseline or --rerun-failed',
      demo: 'test a small shop that ships with passkey and has three mistakes; ends by naming its wrong lines, and exits 1',
    },
    'Reports:',
  );
  addFlags(
    command,
    {
      url: 'run against the relying party at this URL, which may have a path; registers passkeys there',
      target: 'how to talk to it: a built-in profile or a file in JSON or YAML (default: passkey, our own API)',
      set: 'replace a variable of the profile; repeatable',
      origin: {
        about: 'origin of the application whose ceremonies run (default: that of the profile, else of the URL)',
        value: 'origin',
      },
      appUrl: { about: 'old name of --origin', isHidden: true },
      token: 'bearer token of a user, where the profile needs one; give two, of different users (default: PASSKEY_TOKEN, PASSKEY_TOKEN_2)',
      tokenFile: 'as --token: a file with a bearer token in each line, which only its owner should be able to read',
      allowHost: 'attack this host too, besides this machine; repeatable',
      restart: 'shell command that starts the relying party again when it has died or hangs',
    },
    'Server:',
  );
  addFlags(
    command,
    {
      load: 'measure instead of testing: register passkeys and log in with them for a time, then check that none was lost',
      concurrency: 'with --load: keep so many ceremonies under way, up to 10000 (default: 10)',
      rate: 'with --load, instead of --concurrency: begin so many ceremonies per second, up to 10000/s',
      duration: 'with --load: how long ceremonies begin, up to 1h (default: 10s)',
      mix: 'with --load: how many of which (default: 1:9)',
      check: 'with --load: how many of the registered passkeys are checked, up to 10000 (default: 1000)',
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

/** Adds the flags that say how to reach a running server. */
export function addReachFlags(command: Command): Command {
  return addFlags(
    command,
    {
      ca: 'PEM certificates to trust for https, besides the usual ones',
      resolve: 'connect to this address, with a port or without, in place of the host; repeatable',
      timeout: 'how long it may take for one answer (default: 30s)',
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
      failOn: 'fail only for findings at least so serious: critical, high, medium, low or note (default: low)',
      failOnLibrary: 'fail also for known faults of the library that the profile names',
      verbose: 'show every case of a finding, not three, and what was sent at length',
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

/** Adds the flags that write or try a target profile. */
function addProfileFlags(command: Command): Command {
  return addFlags(
    command,
    {
      probe:
        'with --url: register and log in once, step by step, and name the line of the profile that did not fit; where all fit, measure what the server has',
      write: 'with --probe: write what it found into "has" of the profile, in YAML with the evidence beside it',
      initProfile:
        'write a target profile to start from, in YAML with comments, or in JSON for a FILE in .json (default: passkey-target.yaml)',
      from: { about: 'with --init-profile: start from this built-in profile', value: 'profile' },
      har: 'one recorded registration and login, an HTTP archive: how to talk to the server at URL, or with --init-profile to a file',
      force: 'with --init-profile: replace FILE if it exists',
    },
    'Profiles:',
  );
}

const PROFILE_TOOLS = [
  'For --har, open the developer tools, sign up, register a passkey, sign out, log in with it, and export the archive with its contents. Its cookies, passwords and tokens stay out of the profile.',
];
