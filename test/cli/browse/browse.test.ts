import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../../src/cli/main.js';
import { asObject, type JsonObject } from '../../../src/kernel/json-value.js';
import { decodeBase64url, encodeBase64url } from '../../../src/webauthn/base64url.js';
import { decodeClientData } from '../../../src/webauthn/client-data.js';
import { until } from '../../until.js';
import { fakeIo } from '../fake-io.js';
import { runIn } from '../run-in.js';
import { seedCredentials } from '../seeded-credentials.js';
import { tempFolder } from '../temp-folder.js';
import { ACCEPTED, challengeOf, creation, ORIGIN, openSite, REFUSED, request } from './browsed.js';
import { playBrowser } from './played-browser.js';

type Played = Awaited<ReturnType<typeof playBrowser>>;
const START = `${ORIGIN}/start`;

/** The command, with a browser that the test plays, until it says that it is ready. */
async function start(browser: Played, argv: readonly string[] = [], folder?: string) {
  const cwd = folder ?? (await tempFolder());
  const { io, written, signals } = fakeIo({ cwd });
  const ended = run(['browse', START, '--browser', browser.program, ...argv], io);
  await Promise.race([until(() => written.stderr.includes('Ctrl-C')), ended]);
  const page = /http:\S+(?= explains)/.exec(written.stderr)?.[0] ?? '';
  const read = async (path: string): Promise<JsonObject> => asObject(await (await fetch(`${page}${path}`)).json());
  return {
    cwd,
    page,
    written,
    ended,
    /** The ceremonies that the page beside it shows. */
    entries: async () => (await read('/dev/stream'))['entries'],
    site: async () => (await read('/dev/state'))['site'],
    lines: (count: number) => until(() => written.stdout.split('\n').length > count),
    async stop() {
      signals.emit('SIGINT');
      return await ended;
    },
  };
}

const answeredChallenge = (response: JsonObject) =>
  decodeClientData(decodeBase64url(String(asObject(response['response'])['clientDataJSON']))).challenge;

describe.skipIf(process.platform === 'win32')('passkey browse', () => {
  test('prints, records and shows each ceremony, with the persona and the mutation of its command line', async () => {
    const browser = await playBrowser();
    const flags = ['--persona', 'yubikey-5', '--tamper', 'login.challenge-of-registration', '--headless'];
    const browsing = await start(browser, [...flags, '--record', 'recorded', '--credentials', 'keys.json']);
    const { cwd, written, page } = browsing;
    const [profile = ''] = browser.argv()?.flatMap((word) => /^--user-data-dir=(.*)/.exec(word)?.[1] ?? []) ?? [];
    expect([browser.argv()?.includes('--headless'), existsSync(dirname(profile))]).toEqual([true, true]);
    expect(browser.commands('Target.createTarget').map(({ params }) => params)).toEqual([{ url: START }]);
    expect(JSON.parse(await readFile(join(cwd, 'keys.json'), 'utf8'))).toMatchObject({ credentials: [] });
    const tamper = {
      id: 'login.challenge-of-registration',
      kind: 'authentication',
      title: expect.stringContaining('challenge'),
    };
    expect(await browsing.site()).toEqual({ url: START, persona: 'yubikey-5', tamper });

    const created = await browser.call('create', creation(1));
    browser.exchange(`${ORIGIN}/finish`, created, ACCEPTED);
    await browsing.lines(1);
    const got = await browser.call('get', request(2));
    browser.exchange(`${ORIGIN}/finish`, got, REFUSED);
    await browsing.lines(2);
    expect([answeredChallenge(created), answeredChallenge(got)]).toEqual([challengeOf(1), challengeOf(1)]);
    const failed = await browser.call('get', { ...request(3), rpId: 'other.example' });
    await browsing.lines(3);
    expect(failed).toMatchObject({ error: { name: 'NotAllowedError' } });
    expect(await browsing.entries()).toMatchObject([
      { kind: 'authentication', state: 'expired', finished_at: '2026-01-15T10:30:00.000000Z' },
      { kind: 'authentication', state: 'rejected', status: 403, software: { persona: 'yubikey-5', tamper: tamper.id } },
      { kind: 'registration', state: 'verified', status: 201, software: { persona: 'yubikey-5', tamper: null }, site: ORIGIN },
    ]);
    const chosen = await fetch(`${page}/dev/site`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"persona":"plain"}',
    });
    expect([chosen.status, await browsing.site()]).toEqual([204, { url: START, persona: 'plain', tamper }]);
    // What the folder was for is no folder any more.
    const fixtures = (await readdir(join(cwd, 'recorded'))).toSorted();
    await rm(join(cwd, 'recorded'), { recursive: true });
    await writeFile(join(cwd, 'recorded'), '');
    browser.exchange(`${ORIGIN}/finish`, await browser.call('create', creation(4)), ACCEPTED);
    await browsing.lines(4);

    expect(await browsing.stop()).toBe(0);
    expect(written.stdout.split('\n')).toEqual([
      `10:30:00 registration at ${ORIGIN} by yubikey-5: the site accepted it (201); every step accepts it · 2 remarks on the options`,
      expect.stringMatching(
        /^10:30:00 authentication at https:\/\/shop\.example\.org by yubikey-5, broken with login\.challenge-of-registration: .*§7\.2 step \d+ \(challenge\) rejects it/,
      ),
      expect.stringMatching(/^10:30:00 authentication at https:\/\/shop\.example\.org: .*NotAllowedError: /),
      expect.stringMatching(/^10:30:00 registration at https:\/\/shop\.example\.org by plain: /),
      '',
    ]);
    const folder = join(cwd, 'recorded');
    const [authentication, registration] = fixtures;
    expect(written.stderr.split('\n')).toEqual([
      `passkey browse: answering as yubikey-5 at ${START}. ${page} explains each ceremony. Ctrl-C ends it.`,
      `recorded ${folder}/${registration}`,
      `recorded ${folder}/${authentication}`,
      'not recorded: The ceremony got no response.',
      expect.stringMatching(/^cannot record into \/.*\/recorded: Error: /),
      '',
    ]);
    expect(JSON.parse(await readFile(join(cwd, 'keys.json'), 'utf8')).credentials).toHaveLength(2);
    expect(existsSync(dirname(profile))).toBe(false);
    await expect(fetch(page)).rejects.toThrow('fetch failed');
  });

  test('--watch leaves the browser its authenticators, and prints what its pages sent as JSON', async () => {
    const browser = await playBrowser();
    const browsing = await start(browser, ['--watch', '--json', '--credentials', 'keys.json']);
    expect(browsing.written.stderr).toBe(
      `passkey browse: watching at ${START}. ${browsing.page} explains each ceremony. Ctrl-C ends it.\n`,
    );
    expect(await browsing.site()).toEqual({ url: START, persona: null, tamper: null });
    const { response } = await openSite().perform('create');
    browser.exchange(`${ORIGIN}/finish`, response, ACCEPTED);
    await browsing.lines(1);
    expect(await browsing.stop()).toBe(0);
    expect(JSON.parse(browsing.written.stdout)).toMatchObject({
      ceremony: 'registration',
      origin: ORIGIN,
      persona: null,
      tamper: null,
      response: { type: 'public-key' },
      request: { method: 'POST', url: `${ORIGIN}/finish` },
      explanation: { server: { status: 201, verdict: 'accepted' } },
    });
    expect([browser.argv()?.includes('--headless'), existsSync(join(browsing.cwd, 'keys.json'))]).toEqual([false, false]);
    expect(browser.sent.map(({ method }) => method).filter((method) => method.startsWith('Extensions.'))).toEqual([]);
  });

  test('says what autofill waits for', async () => {
    const browser = await playBrowser();
    const browsing = await start(browser);
    expect(browsing.written.stderr).toMatch(/^passkey browse: answering as a plain authenticator at /);
    browser.tell('Target.attachedToTarget', { sessionId: 'page', targetInfo: { type: 'page' } });
    await until(() => browser.commands('Runtime.runIfWaitingForDebugger').length > 0);
    const sources = browser.commands('Page.addScriptToEvaluateOnNewDocument').map(({ params }) => String(params['source']));
    const [mark = ''] = sources.flatMap((source) => /new Uint8Array\(\[([\d,]+)\]\)/.exec(source)?.[1] ?? []);
    const id = encodeBase64url(Uint8Array.from(mark.split(',').map(Number)));
    const pick = () => browser.tell('Runtime.bindingCalled', { name: 'pickPasskey', payload: '' }, 'page');
    const { written } = browsing;
    const waiting = browser.call('get', { ...request(1), allowCredentials: [{ type: 'public-key', id }] });
    await until(() => written.stderr.includes('waiting'));
    pick();
    await until(() => written.stderr.includes('no passkey'));
    await browser.call('create', creation(2));
    pick();
    browser.exchange(`${ORIGIN}/finish`, await waiting, ACCEPTED);
    await browsing.lines(1);
    expect(written.stdout).toMatch(/^10:30:00 authentication from autofill at https:\/\/shop\.example\.org by plain: /);
    expect(await browsing.stop()).toBe(0);
    expect(written.stderr.split('\n').slice(1)).toEqual([
      `autofill at ${ORIGIN}: waiting. Press the down arrow key in the field to pick a passkey.`,
      `autofill at ${ORIGIN}: there is no passkey to pick.`,
      '',
    ]);
  });

  test('ends with its browser', async () => {
    const browser = await playBrowser();
    const { ended, written } = await start(browser);
    browser.quit();
    expect([await ended, written.stdout, written.stderr.split('\n').length]).toEqual([0, '', 2]);
  });

  test('names a browser that says what is no message', async () => {
    const browser = await playBrowser();
    const { ended, written } = await start(browser);
    browser.say('I am a teapot\0');
    expect(await ended).toBe(4);
    expect(written.stderr.split('\n').slice(1)).toEqual([
      'passkey: Expected messages of the DevTools protocol from the browser; got "I am a teapot".',
      '',
    ]);
  });

  test('--record-flow writes the two flows that end with a ceremony, each in a window of its own', async () => {
    let contexts = 0;
    const browser = await playBrowser({ 'Target.createBrowserContext': () => ({ browserContextId: `context ${(contexts += 1)}` }) });
    const browsing = await start(browser, ['--record-flow', 'flow.json']);
    const { cwd, written } = browsing;
    expect(browser.argv()).toContain('--enable-blink-features=ComputedAccessibilityInfo');
    const windows = () => browser.commands('Target.createTarget').map(({ params }) => params);
    const step = (session: string, what: JsonObject) =>
      browser.tell('Runtime.bindingCalled', { name: 'recordStep', payload: JSON.stringify(what) }, session);
    const open = async (session: string) => {
      const attached = browser.commands('Runtime.runIfWaitingForDebugger').length;
      browser.tell('Target.attachedToTarget', { sessionId: session, targetInfo: { type: 'page' } });
      await until(() => browser.commands('Runtime.runIfWaitingForDebugger').length > attached);
    };
    await open('first');
    step('first', { role: 'textbox', name: 'Password', value: null });
    step('first', { role: 'list', name: 'Country', isList: true });
    step('first', { role: 'button', name: 'Create' });
    // A ceremony without a response ends no flow.
    await browser.call('get', request(1));
    await browsing.lines(1);
    browser.exchange(`${ORIGIN}/finish`, await browser.call('create', creation(2)), ACCEPTED);
    await until(() => browser.commands('Target.disposeBrowserContext').length === 1);
    expect(browser.commands('Target.disposeBrowserContext').map(({ params }) => params)).toEqual([{ browserContextId: 'context 1' }]);
    expect(windows()).toEqual([
      { url: START, browserContextId: 'context 1' },
      { url: START, browserContextId: 'context 2' },
    ]);
    await open('second');
    step('first', { role: 'button', name: 'In the window before' });
    step('second', { role: 'button', name: 'Log in' });
    browser.exchange(`${ORIGIN}/finish`, await browser.call('get', request(3)), ACCEPTED);
    expect(await browsing.ended).toBe(0);
    expect(written.stderr.replaceAll(`${cwd}/`, '').split('\n').slice(1)).toEqual([
      'not recorded: the list "Country". Add the step to flow.json by hand.',
      'recorded the flow "register" in flow.json: 3 steps. Set FLOW_PASSWORD to the text that you typed before you use the flow.',
      'Now log in with the passkey, in the new window.',
      'recorded the flow "login" in flow.json: 2 steps.',
      '',
    ]);
    expect(JSON.parse(await readFile(join(cwd, 'flow.json'), 'utf8'))).toEqual({
      register: [
        { goto: '/start' },
        { fill: { role: 'textbox', name: 'Password' }, value: '${env:FLOW_PASSWORD}' },
        { click: { role: 'button', name: 'Create' } },
      ],
      login: [{ goto: '/start' }, { click: { role: 'button', name: 'Log in' } }],
    });
  });

  test.each([
    [[], ['not recorded: the flow "register" and "login".']],
    [
      ['get'],
      [
        'recorded the flow "login" in flow.json: 1 step.',
        'Now register a passkey, in the new window.',
        'not recorded: the flow "register".',
      ],
    ],
  ] as const)('--record-flow names the flows that are missing at the end, after %j', async (calls, said) => {
    const cwd = await tempFolder();
    await seedCredentials(cwd);
    const browser = await playBrowser();
    const browsing = await start(browser, ['--record-flow', 'flow.json', '--credentials', '.passkey/credentials.json'], cwd);
    for (const call of calls) browser.exchange(`${ORIGIN}/finish`, await browser.call(call, request(1)), ACCEPTED);
    await browsing.lines(calls.length);
    await until(() => browser.commands('Target.createTarget').length > calls.length);
    expect(await browsing.stop()).toBe(0);
    expect(browsing.written.stderr.replaceAll(`${cwd}/`, '').split('\n').slice(1, -1)).toEqual(said);
    expect(existsSync(join(cwd, 'flow.json'))).toBe(calls.length > 0);
  });
});

test.each([
  [[], 'Give the URL of a page to open, or --attach with the DevTools port of a running browser.'],
  [['ftp://localhost'], 'URL expects the http or https URL of a page, such as http://localhost:3000; got "ftp://localhost".'],
  [['--check'], 'Give the URL of a page to open, or --attach with the DevTools port of a running browser.'],
  [[START, '--flow', 'flow.json'], '--flow needs --check. Add --check, or leave --flow out.'],
  [['--attach', 'http://'], "--attach expects a port or the address of a browser's DevTools; got http://."],
  [
    [START, '--check'],
    '--check needs the flows of the page: give --flow FILE. `passkey browse URL --record-flow FILE` writes such a file.',
  ],
  [[START, '--check', '--flow', 'flow.json', '--jobs', '0'], '--jobs expects a whole number from 1 to 16; got "0".'],
  [[START, '--check', '--flow', 'flow.json', '--jobs', '17'], '--jobs expects a whole number from 1 to 16; got "17".'],
])('passkey browse %j is refused before a browser opens', async (argv, message) => {
  const { code, stdout, stderr } = await runIn(await tempFolder(), ['browse', ...argv]);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `passkey: ${message}\n` });
});
