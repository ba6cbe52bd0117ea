// The executables: builds them, and runs every command of the one for this platform with no environment and no Node; that for
// linux-arm64 under qemu, where that is installed; and reads the signatures of those for macOS.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';
import { binaryOf, HOST, installPackages, PLATFORMS, run as runProgram } from '../../packaging/node-packages.mjs';
import { codeDirectoryOf } from '../packaging/code-directory.mjs';
import { openEmptyEnvironment } from '../packaging/empty-environment.mjs';
import { everyCommand, promptOnTerminal } from '../packaging/every-command.mjs';

const ROOT = join(import.meta.dirname, '../..');
const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
/** Of Debian: `qemu-user-static`, and `libstdc++6-arm64-cross` for the libraries. */
const QEMU = '/usr/bin/qemu-aarch64-static';
const ARM_LIBRARIES = '/usr/aarch64-linux-gnu';

/** @param {(line: string) => void} say */
export async function run(say) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const skip = (what, why) => {
    counts.skipped += 1;
    say(`SKIPPED: ${what}: ${why}`);
  };
  const check = async (what, work) => {
    const start = performance.now();
    try {
      await work();
      counts.passed += 1;
      say(`${what}, ${((performance.now() - start) / 1000).toFixed(0)} s`);
    } catch (error) {
      counts.failed += 1;
      say(`FAILED: ${what}: ${error instanceof Error ? error.stack : error}`);
    }
  };
  try {
    await installPackages();
  } catch (error) {
    // Without the registry they cannot be built; in CI that is a failure.
    if (process.env.CI) throw error;
    skip('the executables', String(error));
    return counts;
  }
  if (PLATFORMS[HOST] === undefined) {
    skip('the executables', `there is none for ${HOST}`);
    return counts;
  }
  const out = await mkdtemp(join(tmpdir(), 'passkey-executables-'));
  const fileOf = (platform) => join(out, `passkey-${version}-${platform}${platform.startsWith('win-') ? '.exe' : ''}`);
  try {
    const platforms = [...new Set([HOST, 'linux-arm64', 'macos-arm64'])];
    await check('building', () => runProgram(process.execPath, [join(ROOT, 'packaging/build.mjs'), '--out', out, ...platforms]));
    await hostExecutable({ executable: fileOf(HOST), check, skip });
    await armExecutable({ executable: fileOf('linux-arm64'), check, skip });
    await check('signatures for macOS', () => signatures(fileOf('macos-arm64')));
  } finally {
    await rm(out, { recursive: true, force: true });
  }
  say(`${counts.passed} checks passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts;
}

/** Every command of the program's own definition. */
async function hostExecutable({ executable, check, skip }) {
  const { COMMANDS } = await tsImport('../cli/all-commands.ts', import.meta.url);
  const { HAS_POSTGRES, postgresServer } = await tsImport('../store/postgres-server.ts', import.meta.url);
  const postgres = HAS_POSTGRES ? await postgresServer() : undefined;
  const database = await postgres?.newDatabase();
  if (database === undefined) skip('the executable on PostgreSQL', 'see above');
  const environment = await openEmptyEnvironment({ executable });
  try {
    const ran = await everyCommand(environment, check, { version, executable, database });
    // It started a server for each of its checks.
    ran.add('serve');
    if (database === undefined) ran.add('store migrate');
    const missing = COMMANDS.map(([name]) => name).filter((name) => !ran.has(name));
    await check('every command ran', async () => assert.deepEqual(missing, [], 'add them to test/packaging/every-command.mjs'));
    if (spawnSync('script', ['--version']).status === 0 && process.platform === 'linux') {
      await check('a prompt on a terminal', () => promptOnTerminal(environment, executable));
    } else skip('a prompt on a terminal', 'script of util-linux is not installed');
  } finally {
    const codes = await environment.close();
    await postgres?.stop();
    await check('servers stop at SIGTERM', async () => assert.deepEqual(new Set(codes), new Set([0])));
  }
}

async function armExecutable({ executable, check, skip }) {
  const emulated = HOST !== 'linux-arm64';
  if (emulated && !(existsSync(QEMU) && existsSync(`${ARM_LIBRARIES}/lib/libstdc++.so.6`))) {
    skip('the executable for linux-arm64', 'needs the Debian packages qemu-user-static and libstdc++6-arm64-cross');
    return;
  }
  const environment = await openEmptyEnvironment({ executable, before: emulated ? [QEMU, '-L', ARM_LIBRARIES] : [] });
  try {
    await check('linux-arm64: --version', async () => {
      assert.deepEqual(await environment.exec(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
    });
    await check('linux-arm64: simulate', async () => {
      const { code, stdout } = await environment.exec(['simulate', '--step', 'challenge', '--json']);
      const { summary } = JSON.parse(stdout);
      assert.deepEqual([code, summary.passed], [0, summary.total]);
      assert.ok(summary.total > 5);
    });
  } finally {
    await environment.close();
  }
}

/** Our reading of signatures is right: it confirms Apple's own of the Node inside, and refuses any change. */
async function signatures(executable) {
  const node = codeDirectoryOf(await readFile(binaryOf('macos-arm64')));
  assert.equal(node.wrong, 0);
  assert.equal(node.identifier, 'node');
  const bytes = await readFile(executable);
  const { pages, ...ours } = codeDirectoryOf(bytes);
  assert.deepEqual(ours, { identifier: 'passkey', flags: 0x20002, wrong: 0 });
  assert.ok(pages > 25_000);
  bytes[50_000_000] ^= 1;
  assert.equal(codeDirectoryOf(bytes).wrong, 1);
}
