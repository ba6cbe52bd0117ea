// The first commands of README.md, as they stand, in a clone of this checkout, with a cache of npx that holds a broken package of our name,
// as an `npx passkey-cli` before `npm ci` leaves it behind.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tally } from './package.mjs';
import { cleanEnvironment, copyCheckout } from './publish.mjs';

/** @param {(line: string) => void} say */
export async function run(say) {
  if (process.platform === 'win32' || spawnSync('git', ['--version']).status !== 0) {
    say('SKIPPED: needs git and a POSIX shell');
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const folder = await mkdtemp(join(tmpdir(), 'passkey-clone-'));
  try {
    const checkout = await copyCheckout(join(folder, 'checkout'));
    const clone = join(folder, 'a clone');
    assert.equal(spawnSync('git', ['clone', '--quiet', checkout, clone], { env: cleanEnvironment() }).status, 0);
    const env = { ...cleanEnvironment(), npm_config_cache: await poisonedCache(join(folder, 'cache')), NO_COLOR: '1' };
    const shell = (command, cwd = clone) => {
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
      return { status, stdout, stderr };
    };
    const printed = ({ stderr }) => /`(.*)`/.exec(stderr)?.[1] ?? '';
    const list = 'npm run -s passkey -- list --json';
    return await tally(
      {
        'npx fails there, which is what the cache is for': () => assert.notEqual(shell('npx --offline passkey-cli --version').status, 0),
        'the first block of README.md runs': async () => {
          const [, command] = /^```console\n\$ (.*)$/m.exec(await readFile(join(clone, 'README.md'), 'utf8')) ?? [];
          const { status, stdout, stderr } = shell(command);
          assert.equal(status, 1, stderr);
          assert.match(stdout, /^critical, another-user-signed-in: /m, stderr);
          const [, rerun] = /run alone (.*)$/m.exec(stdout) ?? [];
          assert.equal(shell(rerun).status, 1);
        },
        'a command that is printed runs, and its output is data alone': () => {
          const added = shell('npm run -s passkey -- user add --email ada@example.com --name Ada');
          assert.equal(added.stdout, 'User:1\n');
          assert.match(shell(printed(added)).stdout, /^\S{20,}\n$/);
        },
        'so it does outside of the clone': () => {
          const added = shell(`node '${join(clone, 'bin/passkey.js')}' user add --email bob@example.com --name Bob --store b.json`, folder);
          assert.match(shell(printed(added), folder).stdout, /^\S{20,}\n$/);
        },
        'a build that comes first leaves stdout to the command': async () => {
          assert.equal(shell(list).stdout, '[]\n');
          await appendFile(join(clone, 'src/errors.ts'), '\n');
          assert.equal(shell(list).stdout, '[]\n');
        },
      },
      say,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What npm has fetched before, and in the place of npx's copy of our package one that has no files. */
async function poisonedCache(cache) {
  const { stdout } = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' });
  // npm names the folder after what it is asked for.
  const entry = join(cache, '_npx', createHash('sha512').update('passkey-cli').digest('hex').slice(0, 16));
  await mkdir(join(entry, 'node_modules/passkey-cli'), { recursive: true });
  await mkdir(join(stdout.trim(), '_cacache'), { recursive: true });
  await symlink(join(stdout.trim(), '_cacache'), join(cache, '_cacache'));
  const manifest = { name: 'passkey-cli', version: '0.1.0', bin: { 'passkey-cli': 'bin/passkey.js' } };
  await writeFile(join(entry, 'package.json'), JSON.stringify({ dependencies: { 'passkey-cli': '^0.1.0' } }));
  await writeFile(join(entry, 'node_modules/passkey-cli/package.json'), JSON.stringify(manifest));
  return cache;
}
