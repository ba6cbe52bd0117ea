// Gets a release ready, and says what is left to do. Publishes nothing itself, unless it is told to and runs in a CI that npm knows:
//   node build/release.mjs                  checks, builds, tests, packs, and tries `npm publish` without publishing
//   node build/release.mjs --quick          the same without lint and tests
//   node build/release.mjs --publish        in a CI only, and only when nothing is left to mend
//   node build/release.mjs --rehearse URL   the same, for a registry on this machine, where nobody signs (http://localhost:4873)
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isRehearsal, wrongInAddresses, wrongInChangelog, wrongInRepository } from './release-checks.mjs';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    rehearse: { type: 'string' },
  },
});
const { rehearse } = values;
if (rehearse !== undefined && (values.publish || !isRehearsal(rehearse))) {
  console.error('--rehearse expects the URL of a registry on this machine, such as http://localhost:4873, and no --publish.');
  process.exit(2);
}
if (values.publish && values.quick) {
  console.error('--publish takes no --quick: what was not tested is not published.');
  process.exit(2);
}
const publishes = values.publish || rehearse !== undefined;
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const { name, version } = manifest;

/** What a release needs of the checkout; each answers what is wrong, or nothing. */
const CHECKS = {
  'the working tree is clean': () => outputOf('git', ['status', '--porcelain']).trim().split('\n').filter(Boolean).join(', '),
  'the lockfile has the same version': async () => {
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
    return lock.version === version ? '' : `it has ${lock.version}`;
  },
  [`CHANGELOG.md has ${version} with a date`]: async () =>
    wrongInChangelog(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), version, new Date().toISOString().slice(0, 10)),
  'package.json names the public repository that it is built from': () =>
    wrongInRepository(manifest, { remote: remoteOf(), env: process.env }),
  'package.json names a home page, and where faults are reported': () => wrongInAddresses(manifest),
  'publishConfig asks for provenance': () => (manifest.publishConfig?.provenance === true ? '' : 'set it'),
  'every commit is published': () =>
    values.publish ? outputOf('git', ['log', '--oneline', '--branches', '--not', '--remotes', '-1']).trim() : '',
};

/** Empty without one. */
function remoteOf() {
  const { status, stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

function outputOf(file, args) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: ROOT, encoding: 'utf8' });
  return status === 0 ? stdout : stderr || `${file} exits ${status}`;
}

/** On Windows npm is a script, which only a shell runs. */
function run(file, args, o = {}) {
  console.log(`$ ${file} ${args.join(' ')}`);
  const { status } = spawnSync(file, args, { cwd: ROOT, stdio: 'inherit', shell: process.platform === 'win32', ...o });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} exits ${status}.`);
}

let missing = 0;
for (const [what, check] of Object.entries(CHECKS)) {
  const wrong = await check();
  console.log(`${wrong === '' ? '✓' : '✗'} ${what}${wrong === '' ? '' : `: ${wrong}`}`);
  if (wrong !== '') missing += 1;
}
if (publishes && (missing > 0 || (values.publish && !process.env.CI))) {
  console.error(
    missing > 0 ? 'Not published: mend what is marked ✗.' : 'Not published: only a CI can sign the provenance. Run this there.',
  );
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'passkey-publish-'));
try {
  run('npm', ['ci', '--engine-strict', '--no-audit', '--no-fund']);
  if (!values.quick) {
    run('npm', ['run', 'lint']);
    run('npm', ['test']);
    run('npm', ['run', 'test:release']);
  }
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  const tarball = join(folder, `${name}-${version}.tgz`);
  // Without a CI there is nobody who could sign where it was built.
  const provenance = process.env.CI && rehearse === undefined ? ['--provenance'] : ['--no-provenance'];
  const registry = rehearse === undefined ? [] : ['--registry', rehearse];
  run('npm', ['publish', tarball, ...provenance, ...registry, ...(publishes ? [] : ['--dry-run'])]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (rehearse !== undefined) {
  console.log(`${name} ${version} is in ${rehearse}, and nowhere else.`);
} else if (!values.publish) {
  console.log(missing === 0 ? `${name} ${version} is ready: run this with --publish in CI.` : `${missing} left to mend: see ✗ above.`);
}
process.exitCode = missing === 0 ? 0 : 1;
