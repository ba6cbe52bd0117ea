// node build/if-changed.mjs: builds, unless dist/ is as a build of these very sources left it. `npm ci` builds; `npm start` and `npm test`
// need not do so again.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What a build reads, its own scripts and the installed packages included. */
const READ = [
  'src',
  'build',
  'docs',
  'bin',
  'esbuild.config.mjs',
  'package.json',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'LICENSE',
];
const WRITTEN = ['dist', 'generated'];

const noteIn = (root) => join(root, 'node_modules/.cache/passkey-build.json');

/** Writes down what has just been built, and of what. */
export async function noteBuild(root) {
  await mkdir(dirname(noteIn(root)), { recursive: true });
  await writeFile(noteIn(root), JSON.stringify(await stateOf(root)));
}

/** By content: times say nothing of a copy or a checkout. */
async function stateOf(root) {
  const configurations = (await readdir(root)).filter((name) => /^tsconfig.*\.json$/.test(name));
  return { node: process.version, read: await digest(root, [...READ, ...configurations]), written: await digest(root, WRITTEN) };
}

async function digest(root, names) {
  const hash = createHash('sha256');
  const files = (await Promise.all(names.map((name) => filesOf(root, name)))).flat();
  for (const file of files.toSorted((one, other) => (one < other ? -1 : 1))) {
    const content = await readFile(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

async function filesOf(root, name) {
  const kind = await stat(join(root, name)).catch(() => undefined);
  if (!kind?.isDirectory()) return kind === undefined ? [] : [name];
  const entries = await readdir(join(root, name), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = dirname(dirname(fileURLToPath(import.meta.url)));
  // npm writes it when all packages are there.
  if (!existsSync(join(root, 'node_modules/.package-lock.json'))) {
    process.stderr.write('The packages are not installed, or not all of them. Run npm ci first.\n');
    process.exit(1);
  }
  const noted = await readFile(noteIn(root), 'utf8').catch(() => undefined);
  // Where something is missing, a build says what.
  const isBuilt = noted !== undefined && noted === JSON.stringify(await stateOf(root).catch(() => undefined));
  const build = [join(root, 'esbuild.config.mjs'), '--types'];
  // stdout belongs to the command that follows.
  if (!isBuilt) process.exitCode = spawnSync(process.execPath, build, { cwd: root, stdio: ['inherit', 2, 'inherit'] }).status ?? 1;
}
