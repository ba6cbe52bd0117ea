// Runs an executable with no environment at all, in an empty folder: no Node, no PATH, no home.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `exec` runs a command line to its end, `serve` runs a server until `close`. `before` is what an emulator needs.
 *
 * @param {{ executable: string, before?: readonly string[] }} options
 */
export async function openEmptyEnvironment({ executable, before = [] }) {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-empty-'));
  const [command, ...first] = [...before, executable];
  const servers = new Set();

  function start(parameters) {
    const child = spawn(command, [...first, ...parameters], { cwd: folder, env: {} });
    const written = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (text) => {
        written[name] += text;
      });
    }
    return { child, written, ended: once(child, 'close') };
  }

  /** `{ code, stdout, stderr }` of a command line. */
  async function exec(parameters, { input = '' } = {}) {
    const { child, written, ended } = start(parameters);
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const [code] = await ended;
    return { code, ...written };
  }

  /** What `serve --json` says of itself. */
  async function serve(parameters) {
    const { child, written, ended } = start(['serve', '--port', '0', '--json', ...parameters]);
    servers.add({ child, ended });
    const line = new Promise((resolve) => {
      child.stdout.on('data', () => written.stdout.endsWith('\n') && resolve(JSON.parse(written.stdout)));
    });
    const gone = ended.then(([code]) => {
      throw new Error(`serve exited with ${code}: ${written.stderr}`);
    });
    // It ends in time, when nobody waits for its line any more.
    gone.catch(() => {});
    return Promise.race([line, gone]);
  }

  async function close() {
    const codes = [];
    for (const { child, ended } of servers) {
      child.kill('SIGTERM');
      codes.push((await ended)[0]);
    }
    await rm(folder, { recursive: true, force: true });
    return codes;
  }

  return { folder, exec, serve, close };
}
