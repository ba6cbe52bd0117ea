import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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

/** Bundles a worker once, so that a process starts in a tenth of a second. */
export async function buildWorker(folder: string, source = './worker.ts'): Promise<string> {
  const outfile = `${folder}/worker.mjs`;
  await build({
    entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return outfile;
}

/** `prelude` is a shell line that runs first, e.g. to set a limit. The process ends with the test at the latest. */
export function startWorker(bundle: string, args: readonly string[], prelude?: string): Worker {
  const worker = spawnWorker(bundle, args, prelude);
  onTestFinished(() => {
    worker.child.kill('SIGKILL');
  });
  return worker;
}

export function spawnWorker(bundle: string, args: readonly string[], prelude?: string): Worker {
  const child =
    prelude === undefined
      ? spawn(process.execPath, [bundle, ...args])
      : spawn('sh', ['-c', `${prelude}; exec "$0" "$@"`, process.execPath, bundle, ...args]);
  const lines: string[] = [];
  let rest = '';
  let stderr = '';
  let over = false;
  let wake = (): void => {};
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
        wake = resolve;
      });
    }
  };
  return { child, lines, said, ended };
}
