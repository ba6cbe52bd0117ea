// The package on every version of Node that it is for: the packed package's entry points and command line, and on those that do not run it anyway,
// `npm test` without processes and browsers, or with PASSKEY_NODES=suite all of it. Alone: node test/release/nodes.mjs [--node 22]... [--suite] [FILE...]
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { checksOn, packAndInstall, tally } from './package.mjs';
import { runVitest } from './runner/vitest.mjs';

const VERSIONS = ['20', '22', '24', '26'];

/** @param {(line: string) => void} say */
export async function run(say) {
  const files = process.env.PASSKEY_NODES === 'suite' ? [] : ['--project', 'unit'];
  return runOn({ versions: VERSIONS, suite: VERSIONS.filter((version) => !isThis(version)), files }, say);
}

const isThis = (version) => process.versions.node.startsWith(`${version}.`);

/** @param suite the versions that run the tests, too: all, or these files. */
async function runOn({ versions, suite, files }, say) {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-nodes-'));
  const total = { passed: 0, failed: 0, skipped: 0 };
  const add = (counts) => {
    for (const key of Object.keys(total)) total[key] += counts[key] ?? 0;
  };
  try {
    const { installed } = await packAndInstall(folder);
    for (const version of versions) {
      const node = await nodeOf(version, folder).catch((error) => error);
      if (node instanceof Error) {
        // A bare machine may have no registry; a CI has.
        say(`Node ${version} cannot be installed (${node.message.split('\n')[0]}).`);
        add(process.env.CI ? { failed: 1 } : { skipped: 1 });
        continue;
      }
      say(`Node ${(await promisify(execFile)(node, ['--version'])).stdout.trim().slice(1)}`);
      add(await tally(checksOn(node, installed), say));
      if (suite.includes(version)) add(await runSuite(node, files, say));
    }
    return total;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Node as npm has it: this one where the version is the same, else a package without install scripts. */
async function nodeOf(version, folder) {
  if (isThis(version)) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const own = join(folder, `node-${version}`);
  await mkdir(own, { recursive: true });
  await writeFile(join(own, 'package.json'), '{ "private": true }');
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${version}`];
  await promisify(execFile)('npm', args, { cwd: own });
  return join(own, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** `npm test` without the build, or some of its files. What the tests start by name, such as npm, is run by that Node, too. */
function runSuite(node, files, say) {
  const path = [dirname(node), process.env.PATH ?? ''].join(delimiter);
  // CI would have it write where the first run has written.
  return runVitest({ node, args: files, env: { ...process.env, PATH: path, CI: '' } }, say);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values, positionals } = parseArgs({
    options: { node: { type: 'string', multiple: true }, suite: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const versions = values.node ?? VERSIONS;
  const suite = values.suite || positionals.length > 0 ? versions : [];
  const { passed, failed, skipped } = await runOn({ versions, suite, files: positionals }, console.log);
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
}
