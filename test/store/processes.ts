import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';

export interface Worker {
  readonly child: ChildProcess;
  /** What it said so far. */
  readonly lines: string[];
  /** Resolves when it has said so many lines, or has ended. */
  said(count: number): Promise<void>;
  /** Resolves to its exit code and what it wrote to stderr. */
  readonly ended: Promise<{ code: number | null; stderr: string }>;
}

/** Bundles a worker once, and beside it what may be loaded before it, so that a process starts in a tenth of a second. */
export async function buildWorker(folder: string, source = './worker.ts'): Promise<string> {
  await build({
    entryPoints: Object.entries({ worker: source, 'faulty-system': './faulty-system.ts' }).map(([out, file]) => ({
      in: fileURLToPath(new URL(file, import.meta.url)),
      out,
    })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return join(folder, 'worker.mjs');
}

interface WorkerOptions {
  /** A shell line that runs first, e.g. to set a limit. */
  readonly prelude?: string;
  /** Whether its disk fails and its clock jumps: see `faulty-system.ts`. */
  readonly faulty?: boolean;
}

/** The process ends with the test at the latest. */
export function startWorker(bundle: string, args: readonly string[], options?: WorkerOptions): Worker {
  const worker = spawnWorker(bundle, args, options);
  onTestFinished(() => {
    worker.child.kill('SIGKILL');
  });
  return worker;
}

export function spawnWorker(bundle: string, args: readonly string[], { prelude, faulty = false }: WorkerOptions = {}): Worker {
  const system = faulty ? ['--import', pathToFileURL(join(dirname(bundle), 'faulty-system.mjs')).href] : [];
  const command = [process.execPath, ...system, bundle, ...args] as const;
  const child = prelude === undefined ? spawn(command[0], command.slice(1)) : spawn('sh', ['-c', `${prelude}; exec "$0" "$@"`, ...command]);
  const lines: string[] = [];
  let rest = '';
  let stderr = '';
  let over = false;
  const waiting: (() => void)[] = [];
  const wake = (): void => waiting.splice(0).forEach((each) => each());
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => {
    over = true;
    wake();
    return { code: code ?? null, stderr };
  });
  const said = async (count: number): Promise<void> => {
    while (lines.length < count && !over) {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
  };
  return { child, lines, said, ended };
}
