import { COLOUR, type Slots, slots, UNASKING } from './slots.js';

const BROWSED = 'test/e2e/browse.test.ts';

/** It ends before a browser starts: it has no flows. What its flags do is in test/e2e/browse-check.release.test.ts. */
const CHECKED = 'browse http://localhost:1/ --check --browser program';

/** Of the recordings `bad` and `good`, the first fails. */
const REPLAY = 'simulate --fixtures fixtures --replay verbatim';
/** Its server hears what is sent, and answers nothing of use. */
const TARGET = 'simulate login.default --target small.json --url $SMALL';
/** One ceremony, whatever the clock says. */
const LOAD_ONCE = 'simulate --load --json --duration 1ms --rate 5/s';
const DOCTOR = 'doctor $SMALL --target small.json';
const SECURE = '--allow-host shop.example --resolve shop.example=$SECURE';

export const AGAINST: Readonly<Record<string, Slots>> = {
  simulate: slots(REPLAY, {
    '--fixtures': { line: 'simulate --list', value: 'fixtures' },
    '--replay': { line: 'simulate --list --fixtures fixtures', value: 'rebound' },
    '--tag': { line: 'simulate --list login.*', value: 'sign-count' },
    '--step': { line: 'simulate --list login.*', value: 'origin' },
    '--attestation-format': { line: 'simulate --list register.*', value: 'tpm' },
    '--slow': { line: 'simulate --list *expire*' },
    '--rerun-failed': 'earlier.json',
    '--list': '',
    '--bail': '',
    '--keep-going': { line: TARGET },
    '--repeat': '2',
    '--jobs': { line: TARGET, value: '0' },
    '--baseline': 'earlier.json',
    '--allow-incomplete': { more: '--baseline incomplete.json' },
    '--demo': { line: 'simulate login.default' },
    '--url': { line: 'simulate login.default', value: '$SMALL --token one' },
    '--target': { line: 'simulate login.default --url $SMALL --token one', value: 'small.json' },
    '--set': { line: TARGET, value: 'shop=shoes' },
    '--origin': { line: TARGET, value: 'http://shop.localhost:7277' },
    '--app-url': { line: TARGET, value: 'http://shop.localhost:7277' },
    '--token': { line: 'simulate login.default --url $SMALL --token one --keep-going', value: 'two' },
    '--token-file': { line: 'simulate login.default --url $SMALL', value: 'tokens' },
    '--allow-host': {
      line: 'simulate login.default --target small.json --url http://shop.test --resolve shop.test=$ADDRESS',
      value: 'shop.test',
    },
    '--restart': {
      file: 'test/cli/interrupted.test.ts',
      title: 'a run that waits for the server of --restart ends that server, and writes its report',
    },
    '--load': { line: 'simulate', more: '--list' },
    // How much it gets done differs from run to run.
    '--concurrency': { file: 'test/cli/simulate/load.test.ts', title: 'Ctrl-C ends it with the report so far' },
    '--rate': { line: LOAD_ONCE, value: '4/s' },
    '--duration': { line: LOAD_ONCE, value: '2ms' },
    '--mix': { line: LOAD_ONCE, value: '1:1' },
    '--check': { file: 'test/cli/simulate/load.test.ts', title: 'checks as many of the registered passkeys as --check says' },
    '--ca': { line: `simulate login.default --target small.json --url https://shop.example ${SECURE}`, value: 'root.pem' },
    '--resolve': {
      line: 'simulate login.default --target small.json --url http://shop.test --allow-host shop.test --resolve shop.test=localhost:1',
      value: 'shop.test=$ADDRESS',
    },
    '--timeout': { line: 'simulate login.default --target small.json --url $SILENT --timeout 100ms', value: '200ms' },
    '--write-baseline': 'failures.json',
    '--fail-on': { line: 'simulate --fixtures fixtures', value: 'critical' },
    '--fail-on-library': {
      file: 'test/cli/simulate/library-version.test.ts',
      title: '--fail-on-library fails for a fault that no version has mended',
    },
    '--verbose': '',
    '--fail-on-not-applicable': { line: TARGET, more: 'http.ready --keep-going' },
    '--reporter': 'tap',
    '--json': '',
    '--probe': { line: TARGET },
    '--write': { file: 'test/cli/simulate-profile.test.ts', title: 'writes %s to start from; --probe then finds what does not fit' },
    '--init-profile': 'out.yaml',
    '--from': { line: 'simulate --init-profile out.yaml', value: 'better-auth' },
    '--har': { line: 'simulate --init-profile out.yaml', value: 'login.har' },
    '--force': { line: 'simulate --init-profile small.json' },
    '--quiet': { line: 'simulate --list login.default' },
    ...COLOUR,
    ...UNASKING,
  }),
  doctor: slots(DOCTOR, {
    '--rp-id': 'localhost.test',
    '--target': { line: 'doctor $SMALL', value: 'small.json' },
    '--set': 'shop=shoes',
    '--token': { line: 'doctor $SMALL --target passkey', value: 'one' },
    '--origin': 'http://shop.localhost:7277',
    '--allow-host': { line: 'doctor http://shop.test --target small.json --resolve shop.test=$ADDRESS', value: 'shop.test' },
    '--fail-on': { line: 'doctor https://shop.example --resolve shop.example=$SECURE --ca root.pem', value: 'warn' },
    '--ca': { line: 'doctor https://shop.example --resolve shop.example=$SECURE', value: 'root.pem' },
    '--resolve': { line: 'doctor http://shop.test --resolve shop.test=localhost:1', value: 'shop.test=$ADDRESS' },
    '--timeout': { line: 'doctor $SILENT --timeout 100ms', value: '200ms' },
    '--reporter': 'tap',
    '--json': '',
    '--quiet': { line: 'doctor $SMALL', idle: true },
    ...COLOUR,
    ...UNASKING,
  }),
  browse: slots('browse http://localhost:1/ --browser program', {
    '--persona': { file: BROWSED, title: 'answers a site as a persona, and judges both ceremonies' },
    '--tamper': {
      file: BROWSED,
      title: 'answers the pages of a browser that Playwright drives, gives them back, and watches and records them',
    },
    '--credentials': {
      file: BROWSED,
      title: 'logs in with the passkey that an earlier session kept in a file, and lints the options of the site',
    },
    '--record': 'recorded',
    '--watch': {
      file: BROWSED,
      title: 'answers the pages of a browser that Playwright drives, gives them back, and watches and records them',
    },
    '--headless': '',
    '--browser': { line: 'browse http://localhost:1/', value: 'program' },
    '--attach': 'localhost:1',
    '--check': '',
    '--flow': 'flow.json',
    '--list': { line: CHECKED },
    '--record-flow': { line: 'browse --attach localhost:1', value: 'recorded.json' },
    '--reporter': { line: CHECKED, value: 'nothing' },
    '--fail-on': { line: CHECKED, value: 'nothing' },
    '--baseline': { line: CHECKED, value: 'absent.json' },
    '--write-baseline': { line: CHECKED, value: '.' },
    '--jobs': { line: CHECKED, value: '0' },
    '--json': { file: 'test/e2e/browse-harness.ts', title: "spawnPasskey(['browse', '--json'" },
    '--quiet': { idle: true },
    // It prints ceremonies, and there is none.
    '--no-color': { terminal: true, idle: true },
    ...UNASKING,
  }),
};
