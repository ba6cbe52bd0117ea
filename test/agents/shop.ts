import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { ROOT } from '../e2e/passkey-process.js';

/** A mistake of the shop, and what a report must say of it. */
export interface Evaluation {
  readonly name: string;
  readonly file: string;
  /** Texts of the file that are right, and those in their place that are wrong. */
  readonly changes: readonly { readonly fixed: string; readonly broken: string }[];
  readonly cause: string;
  /** A part of the remedy. */
  readonly remedy: string;
}

export async function readEvaluations(): Promise<readonly Evaluation[]> {
  return JSON.parse(await readFile(join(import.meta.dirname, 'evaluation.json'), 'utf8'));
}

/** A folder with the files of the shop, right but for one mistake. */
export async function writeShop(mistake?: Evaluation): Promise<string> {
  const cwd = await tempFolder();
  const page = await readFile(join(ROOT, 'docs/quick-start/README.md'), 'utf8');
  const files: Record<string, string> = {
    'passkeys.js': /^```js\n(\/\/ passkeys\.js\n[^]*?)^```$/m.exec(page)?.[1] ?? '',
    'shop.json': /^```json\n([^]*?)^```$/m.exec(page)?.[1] ?? '',
    'package.json': '{ "type": "module" }',
    'server.js': await readFile(join(import.meta.dirname, 'server.js'), 'utf8'),
  };
  if (mistake !== undefined) {
    const { file, changes } = mistake;
    for (const { fixed, broken } of changes) {
      const parts = (files[file] ?? '').split(fixed);
      if (parts.length !== 2) throw new TypeError(`Expected "${fixed}" once in ${file}, got it ${parts.length - 1} times.`);
      files[file] = parts.join(broken);
    }
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(cwd, name), text);
  await symlink(join(ROOT, 'node_modules'), join(cwd, 'node_modules'), 'junction');
  return cwd;
}

/** Starts the server of a folder; it ends with the test. Returns its URL. */
export async function startShop(cwd: string): Promise<string> {
  const server = spawn(process.execPath, ['server.js'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    const ended = once(server, 'exit');
    server.kill();
    await ended;
  });
  const [line] = await once(server.stdout, 'data');
  return String(line).trim();
}
