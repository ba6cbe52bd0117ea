// The declarations of the entry points, written by the compiler while the modules are bundled.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);

/** Ends the build with the compiler's exit code where the sources have a mistake. */
export async function writeTypes(root) {
  // What an earlier build left would be packed.
  await rm(join(root, 'dist/types'), { recursive: true, force: true });
  const tsc = join(dirname(resolve('typescript/package.json')), 'bin/tsc');
  const compiler = spawn(process.execPath, [tsc, '-p', 'tsconfig.types.json'], { cwd: root, stdio: 'inherit' });
  const [code] = await once(compiler, 'exit');
  if (code !== 0) process.exit(code ?? 1);
  await import('./standalone-types.mjs');
}
