import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { onTestFinished } from 'vitest';
import type { writeBrowsed } from '../../src/cli/browse/document.js';
import { tempFolder } from '../cli/temp-folder.js';
import { listen } from '../targets/http.js';
import { chromiumPath, launchBrowser } from './browser.js';
import { spawnPasskey } from './passkey-process.js';

type BrowsedLine = ReturnType<typeof writeBrowsed>;

/** A page that registers, but not with `#login`, and logs in at the routes of `startSimpleWebAuthn` by itself. */
export const SIMPLE_PAGE = `<!doctype html><title>A shop</title><script type="module">
const read = async (path, body) => (await fetch(path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
if (location.hash !== '#login') {
  const creation = PublicKeyCredential.parseCreationOptionsFromJSON(await read('/generate-registration-options'));
  await read('/verify-registration', await navigator.credentials.create({ publicKey: creation }));
}
const request = PublicKeyCredential.parseRequestOptionsFromJSON(await read('/generate-authentication-options'));
await read('/verify-authentication', await navigator.credentials.get({ publicKey: request }));
document.title = 'Done';
</script>`;

/** `passkey browse --json` in a browser without a window. */
export const browse = async (url: string, flags: readonly string[] = []) =>
  await startBrowsing([url, '--headless', '--browser', chromiumPath ?? '', ...flags]);

/** `passkey browse --json` in a process of its own; ends with the test. */
export async function startBrowsing(flags: readonly string[]) {
  const cwd = await tempFolder();
  // Node 20 has WebSocket only with this flag.
  const env = { TMPDIR: cwd, NODE_OPTIONS: process.version.startsWith('v20.') ? '--experimental-websocket' : '' };
  const child = spawnPasskey(['browse', '--json', ...flags], { cwd, env });
  const closed = once(child, 'close');
  onTestFinished(async () => {
    child.kill('SIGINT');
    await closed;
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const lines = readLines(child);
  const isReady = async () => {
    while (!stderr.includes('passkey')) await once(child.stderr ?? child, 'data');
  };
  await Promise.race([isReady(), closed]);
  return {
    cwd,
    child,
    stderr: () => stderr,
    /** Address of the page beside it. */
    page: () => /http:\/\/localhost:\d+(?= explains)/.exec(stderr)?.[0] ?? '',
    /** The next ceremonies. */
    async next(count: number): Promise<BrowsedLine[]> {
      const found: BrowsedLine[] = [];
      while (found.length < count) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error(`passkey browse ended after ${found.length} ceremonies: ${stderr}`);
        found.push(JSON.parse(value));
      }
      return found;
    },
    /** Resolves to its exit code. */
    ended: closed.then(([code]: unknown[]) => code),
    async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<unknown> {
      child.kill(signal);
      const [code]: unknown[] = await closed;
      return code;
    },
  };
}

function readLines(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error('Expected a pipe.');
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

/** A browser with a page in a context of its own, as Playwright has them, and the port of its DevTools. */
export async function drive(ignoreDefaultArgs: string[] = ['--disable-extensions'], flags: readonly string[] = []) {
  const port = await freePort();
  const args = ['--enable-unsafe-extension-debugging', `--remote-debugging-port=${port}`, ...flags];
  const browser = await launchBrowser({ args, ignoreDefaultArgs });
  onTestFinished(() => browser.close());
  const context = await browser.newContext();
  return { port, browser, context, page: await context.newPage() };
}

/** A port that was free just now. Playwright keeps the one that the browser would choose to itself. */
export async function freePort(): Promise<string> {
  const free = await listen(() => () => {});
  await free.close();
  return new URL(free.url).port;
}
