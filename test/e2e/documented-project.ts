import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { tempFolder } from '../cli/temp-folder.js';
import { collect, ROOT } from './passkey-process.js';

interface Project {
  /** Texts by file name. */
  readonly files: ReadonlyMap<string, string>;
  /** Packages that somebody has installed who follows the documentation. */
  readonly packages: readonly string[];
}

/** A project of its own with the files of a documentation; returns its folder, which goes with the test. */
export async function documentedProject({ files, packages }: Project): Promise<string> {
  const folder = await tempFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'example', type: 'module' }));
  for (const [name, text] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const modules = join(folder, 'node_modules');
  for (const name of packages) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(name === 'passkey-cli' ? ROOT : installed(name), join(modules, name));
  }
  return folder;
}

/** Folder of a package: that of test/release/package.json, whose vitest finds jsdom beside it, or ours. */
function installed(name: string): string {
  const ofRelease = join(ROOT, 'test/release/node_modules', name);
  return existsSync(ofRelease) ? ofRelease : join(ROOT, 'node_modules', name);
}

/** Runs a program of the project as if no test had begun it. */
export async function runIn(cwd: string, argv: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { VITEST: _, ...inherited } = process.env;
  return await collect(spawn(process.execPath, argv, { cwd, env: { ...inherited, NO_COLOR: '1', ...env } }));
}

/** The blocks of code of a Markdown text whose first line names the file that they are. */
export function namedBlocks(markdown: string, language: string): ReadonlyMap<string, string> {
  const blocks = markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(?://|#) (\\S+)\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return new Map([...blocks].map(([, name = '', text = '']) => [name, text]));
}
