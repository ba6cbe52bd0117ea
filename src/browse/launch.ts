import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { PasskeyError } from '../errors.js';
import { DevTools } from './devtools.js';

interface LaunchOptions {
  /** Path of the browser. If undefined, the first browser found on this machine is started. */
  readonly browser: string | undefined;
  /** Empty folder for the browser's profile. */
  readonly profile: string;
  readonly headless: boolean;
  /** Additional command line flags for the browser. */
  readonly flags?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Flags that suppress the browser's own requests and first-run pages. */
const FLAGS = [
  '--remote-debugging-pipe',
  '--enable-unsafe-extension-debugging',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,OptimizationHints,MediaRouter,Translate',
];

/**
 * Starts Chromium. The browser ends when the connection to it ends, and therefore also when this process is killed.
 *
 * @throws PasskeyError `configuration_invalid` if no browser is found, or if the browser does not start.
 */
export async function launchBrowser({ browser, profile, headless, env, flags = [] }: LaunchOptions): Promise<DevTools> {
  const path = browser ?? findBrowser(env);
  const own = [
    ...FLAGS,
    ...flags,
    `--user-data-dir=${profile}`,
    ...(headless ? ['--headless'] : []),
    ...(isRoot() ? ['--no-sandbox'] : []),
  ];
  const child = spawn(path, [...own, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    env: { ...env },
  });
  const [, , , input, output] = child.stdio;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const devtools = new DevTools((receiver) => {
    void ended.then(() => receiver.closed());
    if (!(input instanceof Writable && output instanceof Readable)) throw new TypeError('Expected both pipes of the browser to be open.');
    const { send, close } = pipeTransport(input, output, receiver.receive);
    return {
      send,
      close() {
        close();
        // One that hangs does not end with its pipe.
        const hangs = setTimeout(() => child.kill('SIGKILL'), END_WITHIN);
        void ended.then(() => clearTimeout(hangs));
      },
    };
  });
  const silent = setTimeout(() => child.kill('SIGKILL'), START_WITHIN);
  try {
    await devtools.send('Browser.getVersion');
  } catch (cause) {
    const display = headless || hasDisplay(env) ? '' : ', or --headless: DISPLAY is not set';
    const message = `${path} does not start as a browser. Give --browser the path of a Chromium${display}.`;
    throw new PasskeyError('configuration_invalid', message, { cause });
  } finally {
    clearTimeout(silent);
  }
  return devtools;
}

const hasDisplay = (env: LaunchOptions['env']) => process.platform !== 'linux' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);

/** How long the browser may take to exit by itself, in milliseconds. */
const END_WITHIN = 3000;
/** How long the browser may take to start, in milliseconds. */
const START_WITHIN = 30_000;

/** Checks whether this process runs as root. Chromium then refuses to start with its sandbox. */
const isRoot = (): boolean => process.getuid?.() === 0;

/** Creates a transport that reads and writes messages through pipes. A null character ends each message. */
function pipeTransport(input: Writable, output: Readable, receive: (text: string) => void) {
  let rest = '';
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const [first = '', ...more] = chunk.split('\0');
    const texts = [rest + first, ...more];
    rest = texts.pop() ?? '';
    for (const text of texts) receive(text);
  });
  // The end of the browser is heard elsewhere.
  input.on('error', () => {});
  output.on('error', () => {});
  return { send: (text: string) => void input.write(`${text}\0`), close: () => void input.end() };
}

const NAMES = ['chromium', 'chromium-browser', 'chrome-for-testing', 'microsoft-edge', 'microsoft-edge-stable'];
const BRANDED = ['google-chrome', 'google-chrome-stable'];
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  String.raw`C:\Program Files\Chromium\Application\chrome.exe`,
  String.raw`C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`,
  String.raw`C:\Program Files\Microsoft\Edge\Application\msedge.exe`,
];
const ADVICE = 'Install Chromium, Microsoft Edge or Chrome for Testing (`npx @puppeteer/browsers install chrome`), or give --browser PATH.';

/** Finds an installed Chromium. @throws PasskeyError `configuration_invalid` that says what to install, if there is none. */
function findBrowser(env: LaunchOptions['env']): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const inPath = (names: readonly string[]) => names.flatMap((name) => folders.map((folder) => join(folder, name)));
  const found = [...inPath(NAMES), ...APPLICATIONS].find((path) => existsSync(path));
  if (found !== undefined) return found;
  const branded = inPath(BRANDED).find((path) => existsSync(path));
  const why =
    branded === undefined ? 'Found no browser that can load the extension.' : `Found only ${branded}, which may refuse the extension.`;
  throw new PasskeyError('configuration_invalid', `${why} ${ADVICE}`);
}
