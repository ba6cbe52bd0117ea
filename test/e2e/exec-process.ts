import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BIN, collect, spawnPasskey } from './passkey-process.js';

/** A command that prints what it was given as JSON, a line; `then` is what it does after that. */
export async function scriptIn(cwd: string, then = ''): Promise<readonly string[]> {
  const file = join(cwd, 'command.cjs');
  const seen = `{ pid: process.pid, env: Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('PASSKEY_'))) }`;
  await writeFile(file, `${then}\nprocess.stdout.write(JSON.stringify(${seen}) + '\\n');\n`);
  return [process.execPath, file];
}

export interface Seen {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
}

/** What the command of {@link scriptIn} has printed. */
export const seenIn = (stdout: string): Seen => JSON.parse(stdout);

/** `passkey exec` whose command has begun. */
export function execBegun(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  return begun(spawnPasskey(['exec', ...argv], { cwd, env }));
}

/** The same, started by something else. */
export async function begun(child: ChildProcess) {
  const ended = collect(child);
  const seen = await new Promise<Seen>((resolve, reject) => {
    child.stdout?.once('data', (line: string) => resolve(seenIn(line)));
    void ended.then(({ stderr }) => reject(new Error(`passkey exec ended before its command had begun: ${stderr}`)));
  });
  return { child, seen, ended };
}

/** util-linux's `script` gives a child a terminal of its own; that of macOS and BSD takes other arguments. */
export const canGiveTerminal =
  process.platform === 'linux' && spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux');

/** `passkey exec` on a terminal, where `keys` are typed once the command prints `ready`. */
export async function execOnTerminal(command: string, { cwd, keys }: { readonly cwd: string; readonly keys: string }) {
  const child = spawn('script', ['-qec', `exec "${process.execPath}" "${BIN}" exec -- ${command}`, '/dev/null'], { cwd });
  child.stdout.once('data', () => child.stdin.write(keys));
  return await collect(child);
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when a process has gone; its parent may have to be told by the system first. */
export async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}
