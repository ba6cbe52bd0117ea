// Builds the executables: `node packaging/build.mjs [--out FOLDER] [PLATFORM…]`, by default all of them into dist-executables/. Needs a
// built dist/ and the npm registry, nothing else. Prints a row for each, and writes SHA256SUMS, executables.json and the licences.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { licences } from './licences.mjs';
import { signAdHoc } from './macho-signature.mjs';
import { cacheForPkg, installPackages, NODE_VERSION, nodeOfHost, PLATFORMS, run } from './node-packages.mjs';
import { programOf } from './program.mjs';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** The platforms named on the command line. */
function chosen(names) {
  const unknown = names.filter((name) => PLATFORMS[name] === undefined);
  if (unknown.length === 0) return names.length === 0 ? Object.keys(PLATFORMS) : [...new Set(names)];
  throw new Error(`Expected platforms out of ${Object.keys(PLATFORMS).join(', ')}, received ${unknown.join(', ')}.`);
}

/** Lets pkg make one executable, below `work`. */
async function make(platform, { work, main, assets, out }) {
  const { pkg } = PLATFORMS[platform];
  const output = join(out, `passkey-${version}-${platform}${platform.startsWith('win-') ? '.exe' : ''}`);
  const targets = [{ nodeRange: `node${NODE_VERSION}`, platform: pkg.platform, arch: pkg.arch, output }];
  const task = join(work, `${platform}.json`);
  await writeFile(task, JSON.stringify({ main, targets, seaConfig: { assets } }));
  await rm(output, { force: true });
  // pkg keeps its copies of Node below the home folder, which is ours, so that it finds them and asks nobody for them.
  await run(nodeOfHost(), [join(import.meta.dirname, 'pkg.cjs'), task], { HOME: work, USERPROFILE: work });
  await nameMain(output, main);
  if (platform.startsWith('macos-')) await signAdHoc(output, { identifier: 'passkey' });
  await chmod(output, 0o755);
  return output;
}

/** Node writes where the main script was at the time of the build, for stack traces: of no use there, and nobody's business. */
async function nameMain(output, main) {
  const bytes = await readFile(output);
  const at = bytes.indexOf(main);
  if (at < 0 || bytes.indexOf(main, at + 1) >= 0) throw new Error(`Expected the path of the main script once in ${output}.`);
  bytes.write(basename(main).padStart(Buffer.byteLength(main), './'), at);
  await writeFile(output, bytes);
}

async function sha256(file) {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('hex');
}

/** Writes main script and assets as files, where pkg reads them. */
async function writeProgram(work) {
  const program = await programOf();
  const main = join(work, 'passkey.cjs');
  await writeFile(main, program.main);
  const folder = join(work, 'assets');
  await mkdir(folder);
  const assets = {};
  for (const [index, [name, text]] of Object.entries(program.assets).entries()) {
    assets[name] = join(folder, String(index));
    await writeFile(assets[name], text);
  }
  return { main, assets };
}

async function build({ out, platforms }) {
  await installPackages();
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(join(out, '.work-'));
  try {
    await cacheForPkg(work, platforms);
    const program = await writeProgram(work);
    const files = [];
    for (const platform of platforms) {
      const file = await make(platform, { work, ...program, out });
      const { size } = await stat(file);
      files.push({ name: basename(file), platform, bytes: size, sha256: await sha256(file) });
      console.log(`${basename(file).padEnd(34)} ${(size / 1e6).toFixed(1).padStart(6)} MB  ${files.at(-1).sha256}`);
    }
    return files;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: 'string', default: join(root, 'dist-executables') } },
});
const out = resolve(values.out);
const executables = await build({ out, platforms: chosen(positionals) });
await writeFile(join(out, 'LICENSES.txt'), await licences());
await writeFile(join(out, 'executables.json'), `${JSON.stringify({ version, node: NODE_VERSION, executables }, null, 2)}\n`);
const sums = [...executables, { name: 'LICENSES.txt', sha256: await sha256(join(out, 'LICENSES.txt')) }];
await writeFile(join(out, 'SHA256SUMS'), sums.map(({ name, sha256: sum }) => `${sum}  ${name}\n`).join(''));
