import { run } from '../../src/cli/main.js';
import { fakeIo } from './fake-io.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** One command line in a folder, in this process, without a terminal. */
export async function runIn(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const { io, written } = fakeIo({ cwd, env });
  const code = await run(argv, io);
  return { code, ...written };
}
