import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { onTestFinished } from 'vitest';
import type { BrowsedLine } from '../../src/cli/browse/document.js';
import { tempFolder } from '../cli/temp-folder.js';
import { chromiumPath } from './browser.js';
import { spawnPasskey } from './passkey-process.js';

/** A page that registers and logs in at the routes of `startSimpleWebAuthn` by itself. */
export const SIMPLE_PAGE = `<!doctype html><title>A shop</title><script type="module">
const read = async (path, body) => (await fetch(path, body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
const creation = PublicKeyCredential.parseCreationOptionsFromJSON(await read('/generate-registration-options'));
await read('/verify-registration', await navigator.credentials.create({ publicKey: creation }));
const request = PublicKeyCredential.parseRequestOptionsFromJSON(await read('/generate-authentication-options'));
await read('/verify-authentication', await navigator.credentials.get({ publicKey: request }));
</script>`;

/** `passkey browse URL --headless --json` in a process of its own; ends with the test. */
export async function browse(url: string, flags: readonly string[] = []) {
  const cwd = await tempFolder();
  const env = { PASSKEY_CHROMIUM: chromiumPath ?? '', TMPDIR: cwd };
  const child = spawnPasskey(['browse', url, '--headless', '--json', '--browser', chromiumPath ?? '', ...flags], { cwd, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const lines = readLines(child);
  return {
    cwd,
    child,
    stderr: () => stderr,
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
