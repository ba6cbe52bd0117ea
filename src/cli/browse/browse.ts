import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import pc from 'picocolors';
import { PERSONA_NAMES } from '../../authenticator/personas/personas.js';
import { attachBrowser } from '../../browse/attach.js';
import type { Call, EndedCeremony, SiteCeremony } from '../../browse/ceremony.js';
import type { DevTools } from '../../browse/devtools.js';
import { RECORDER_FLAGS } from '../../browse/flow-recorder.js';
import { followBrowser } from '../../browse/follow.js';
import { launchBrowser } from '../../browse/launch.js';
import { type RecordedFixture, recordCeremony } from '../../browse/recording.js';
import { PasskeyError } from '../../errors.js';
import { writeFixture } from '../../fixture/write.js';
import type { OutsideCeremony } from '../../server/stream/outside-port.js';
import { parseUrl } from '../../webauthn/rp-id.js';
import { keptInMemory, keptInServerFile } from '../answer/keeper.js';
import { type Flags, readFlag, resolveExecSettings } from '../config/resolve.js';
import { type Kind, oneOf, parsed, path, text } from '../config/values.js';
import { CREDENTIALS_REMARK, PERSONAS_REMARK } from '../credential-rows.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { stopped } from '../interruption.js';
import { chooseOutput, hasColour, type Io, print, say, warn } from '../io.js';
import { printable, toJson } from '../output/printable.js';
import { version } from '../package.js';
import { makeRecordingFolder } from '../serve/compose.js';
import { startServer } from '../serve/start.js';
import { makeTemporaryFolder } from '../temporary-folder.js';
import { createAnswerer } from './answerer.js';
import { writeBrowsed } from './document.js';
import { renderCeremony } from './line.js';
import { recordFlows } from './record-flow.js';
import { toStream } from './site.js';

export function define(command: Command): void {
  addFlags(
    command,
    {
      persona: true,
      tamper: 'break the responses of one kind on purpose; passkey credential answer --list-tampers lists the IDs',
      credentials: 'file that keeps the private keys of credentials (default: in memory)',
      record: 'write one fixture for each ceremony into this directory',
      watch: 'let real authenticators respond, and only explain',
      headless: 'start the browser without a window',
      browser: 'browser to start (default: the first Chromium, Edge or Chrome for Testing that is found)',
      attach: 'use a browser that another program drives: the port or the ws: address of its DevTools',
      json: 'print one JSON document per ceremony',
    },
    'Browser and files:',
  );
  addFlags(
    command,
    {
      check: {
        value: undefined,
        about: 'test the page by its calls and requests: play the flows of --flow for each case',
        conflicts: ['watch', 'attach', 'record', 'credentials', 'tamper'],
      },
      flow: 'file with the flows of the page, as JSON: go to, fill, click, wait for',
      recordFlow: { about: 'write the flows that you perform once in the window into this file', conflicts: ['watch', 'attach', 'check'] },
      list: 'list what --check would run',
      reporter: 'how to report: pretty, brief, json, junit, tap, github, html or sarif, and to which file (default: pretty); repeatable',
      failOn: 'fail only for findings of at least this severity: critical, high, medium, low or note (default: low)',
      baseline: 'report of an earlier run; its failures do not fail this run',
      writeBaseline: 'write the failures of this run to this file, for --baseline',
      jobs: 'number of pages that are open at the same time (default: 4)',
    },
    'Check of a page:',
  );
  addHelp(command, {
    examples: [
      'passkey browse https://example.org',
      'passkey browse http://localhost:3000 --persona yubikey-5 --tamper login.signature-bit',
      'passkey browse http://localhost:3000 --watch --record fixtures',
      'passkey browse --attach 9222 --json',
      'passkey browse http://localhost:3000/account --check --flow flow.json',
    ],
    remarks: [
      'Starts a browser with a temporary profile, and opens URL. Its pages get their passkeys from a software authenticator, through a Chromium interface that no script of the page can detect. Each ceremony is printed when the site has responded: remarks on its options, the result of every step that can be checked from outside, and the response of the site.',
      'Nothing is clicked without --check, and only the hosts of the pages are contacted. The browser and its profile end with the command, and the command ends with the browser; an attached browser stays, and gets its own authenticators back.',
      'A call with mediation “conditional” waits, like autofill: press the down arrow key in the field to pick the newest passkey.',
      CREDENTIALS_REMARK,
      PERSONAS_REMARK,
    ],
    common: ['--persona', '--tamper', '--check', '--flow', '--json'],
    page: 'browse.md',
  });
}

const address = parsed({
  placeholder: 'url',
  expects: 'the http or https URL of a page, such as http://localhost:3000',
  parse: (raw) => {
    const url = parseUrl(String(raw));
    return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
  },
});

/** Runs `passkey browse [URL]` until the browser is closed, or until SIGINT or SIGTERM. With `--check`, runs `runCheck` instead. */
export async function run(io: Io, flags: Flags, [given, ...patterns]: readonly string[]): Promise<number | void> {
  const read = <T>(kind: Kind<T>, name: string, raw: unknown): T | undefined =>
    raw === undefined ? undefined : readFlag(io, kind, name, raw);
  const url = read(address, 'URL', given);
  const persona = read(oneOf(PERSONA_NAMES), '--persona', flags.persona);
  const tamper = read(text({ placeholder: 'id' }), '--tamper', flags.tamper);
  const credentials = read(path('file'), '--credentials', flags.credentials);
  const record = read(path('dir'), '--record', flags.record);
  const flow = read(path('file'), '--record-flow', flags.recordFlow);
  if (flags.check !== true && (flags.list === true || patterns.length > 0)) {
    const what = flags.list === true ? '--list' : `The case "${patterns[0]}"`;
    throw new PasskeyError('usage', `${what} is for --check. Add it, or leave ${flags.list === true ? '--list' : 'the case'} out.`);
  }
  if (flags.list === true) return await (await import('./list-cases.js')).listPageCases(io, flags, patterns);
  if (url === undefined && flags.attach === undefined) {
    throw new PasskeyError('usage', 'Give the URL of a page to open, or --attach with the DevTools port of a running browser.');
  }
  if (flags.check === true && url !== undefined) {
    const [{ runCheck }, { choosePageCases }] = [await import('./check.js'), await import('../../testing/page/cases.js')];
    const [browser, cases] = [read(path('path'), '--browser', flags.browser), choosePageCases(patterns)];
    return await runCheck(io, flags, { url, persona, browser, cases });
  }
  if (flags.flow !== undefined) throw new PasskeyError('usage', '--flow needs --check. Add --check, or leave --flow out.');
  const keeper = credentials === undefined ? keptInMemory() : keptInServerFile(credentials);
  const { answer, persona: answerer, tamper: next, choose, ended } = createAnswerer(keeper, { persona, tamper });
  // An unusable file or folder is named before a browser opens.
  if (record !== undefined) await makeRecordingFolder(record);
  if (flags.watch !== true) await keeper.change({ create: true }, async () => {});
  const listeners = new Set<(ceremony: OutsideCeremony) => void>();
  const site = {
    url: url ?? 'the attached browser',
    get persona() {
      return flags.watch === true ? null : answerer();
    },
    get tamper() {
      return flags.watch === true ? null : next();
    },
    choose,
    onCeremony: (listener: (ceremony: OutsideCeremony) => void) => void listeners.add(listener),
  };
  const write = createWriter(io, { json: flags.json === true, record });
  let written: Promise<void> = Promise.resolve();
  let flowEnded: ((ceremony: EndedCeremony) => Promise<void>) | undefined;
  const onEnded = (ceremony: EndedCeremony) => {
    ended(ceremony);
    written = written.then(async () => {
      const recorded = await recordCeremony(ceremony, { tool: { tool: 'passkey browse', version: version() }, now: io.now() });
      for (const listener of listeners) listener(toStream(ceremony, recorded, io.now()));
      await write(ceremony, recorded);
      await flowEnded?.(ceremony);
    });
  };
  const onUnjudged = ({ kind, origin }: SiteCeremony, cause: unknown) =>
    warn(io, printable(`The ${kind} at ${origin} cannot be explained: ${cause instanceof Error ? cause.message : String(cause)}`));
  const onWaiting = ({ origin }: Call, isEmpty: boolean) => {
    const what = isEmpty ? 'there is no passkey to pick.' : 'waiting. Press the down arrow key in the field to pick a passkey.';
    say(io, printable(`autofill at ${origin}: ${what}`));
  };
  const stop = stopped(io);
  // A browser that hangs never closes its connection.
  io.exitWhenDone?.();
  const folder = await makeTemporaryFolder('browse');
  const settings = await resolveExecSettings(io, {});
  const started = await startServer(io, { ...settings, production: false }, site);
  try {
    const devtools = await openBrowser(io, flags, join(folder.path, 'profile'));
    try {
      const recording = flow === undefined || url === undefined ? undefined : recordFlows(io, devtools, { url, file: flow });
      flowEnded = recording?.ended;
      const following = followBrowser(devtools, folder.path, {
        prepare: recording?.prepare,
        answer,
        watch: flags.watch === true,
        now: io.now,
        onEnded,
        onUnjudged,
        onWaiting,
      });
      const leave = await Promise.race([following, stop.then(() => sleep(LIMIT, undefined, UNREF))]);
      if (leave === undefined) return;
      if (recording !== undefined) await recording.open();
      else if (url !== undefined) await devtools.send('Target.createTarget', { url });
      const who = flags.watch === true ? 'watching' : `answering as ${persona ?? 'a plain authenticator'}`;
      say(
        io,
        printable(`passkey browse: ${who}${url === undefined ? '' : ` at ${url}`}. ${started.url} explains each ceremony. Ctrl-C ends it.`),
      );
      await Promise.race([stop, devtools.over, ...(recording === undefined ? [] : [recording.done])]);
      if (devtools.failure !== undefined) throw devtools.failure;
      await leave();
      await written;
      recording?.close();
    } finally {
      devtools.close();
      await Promise.race([devtools.closed, sleep(CLOSE_LIMIT, undefined, UNREF)]);
    }
  } finally {
    await started.close();
    await keeper.close?.();
    await folder.remove();
  }
}

/**
 * How long an interrupted command waits for the browser to finish loading the extension, in milliseconds. Only then can the extension be
 * unloaded.
 */
const LIMIT = 2_000;
/**
 * Maximum time in milliseconds for which the command waits until the browser closes the connection. By then, a browser that this command
 * started has been killed.
 */
const CLOSE_LIMIT = 15_000;
/** Options of a timer that does not keep the process running. */
const UNREF = { ref: false };

async function openBrowser(io: Io, flags: Flags, profile: string): Promise<DevTools> {
  if (flags.attach !== undefined) return await attachBrowser(readFlag(io, text({ placeholder: 'endpoint' }), '--attach', flags.attach));
  const browser = flags.browser === undefined ? undefined : readFlag(io, path('path'), '--browser', flags.browser);
  const more = flags.recordFlow === undefined ? {} : { flags: RECORDER_FLAGS };
  return await launchBrowser({ browser, profile, headless: flags.headless === true, env: io.env, ...more });
}

/** Prints each ceremony, and writes its fixture with `--record`. */
function createWriter(io: Io, { json, record }: { readonly json: boolean; readonly record: string | undefined }) {
  const paint = pc.createColors(hasColour(io, chooseOutput(io)));
  return async (ceremony: EndedCeremony, recorded: RecordedFixture): Promise<void> => {
    print(io, json ? toJson(writeBrowsed(ceremony)) : renderCeremony(ceremony, paint));
    if (record === undefined) return;
    const written =
      'fixture' in recorded
        ? writeFixture(record, recorded.fixture).then((path) => `recorded ${path}`)
        : `not recorded: ${recorded.reason}`;
    say(io, printable(await Promise.resolve(written).catch((error: unknown) => `cannot record into ${record}: ${String(error)}`)));
  };
}
