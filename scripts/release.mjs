// Gets a release ready, and says what is left to do. Publishes nothing itself, unless it is told to and runs in a CI that npm knows:
//   node scripts/release.mjs            checks, builds, tests, packs, and tries `npm publish` without publishing
//   node scripts/release.mjs --quick    the same without the tests
//   node scripts/release.mjs --publish  in a CI only
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, publish: { type: 'boolean', default: false } } });
const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const { name, version } = manifest;

/** What a release needs of the checkout; each answers what is wrong, or nothing. */
const CHECKS = {
  'the working tree is clean': () => outputOf('git', ['status', '--porcelain']).trim().split('\n').filter(Boolean).join(', '),
  'the lockfile has the same version': async () => {
    const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8'));
    return lock.version === version ? '' : `it has ${lock.version}`;
  },
  [`CHANGELOG.md has ${version} with a date`]: async () => {
    const changelog = await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8');
    return wrongInChangelog(changelog, version);
  },
  'package.json names the repository that it is built from': () =>
    manifest.repository === undefined
      ? 'set "repository" to { "type": "git", "url": "git+https://…" } of the public repository: npm refuses provenance for any other'
      : '',
  'publishConfig asks for provenance': () => (manifest.publishConfig?.provenance === true ? '' : 'set it'),
  'every commit is published': () =>
    values.publish ? outputOf('git', ['log', '--oneline', '--branches', '--not', '--remotes', '-1']).trim() : '',
};

/** `## 0.1.0 (2026-11-22)` or `## [0.1.0] - 2026-11-22`. */
function wrongInChangelog(changelog, wanted) {
  const heading = changelog.split('\n').find((line) => /^##\s/.test(line) && line.includes(wanted));
  if (heading === undefined) return `add a heading: ## ${wanted} (${new Date().toISOString().slice(0, 10)})`;
  return /\b\d{4}-\d\d-\d\d\b/.test(heading) ? '' : `give "${heading}" a date`;
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
if (values.publish && (missing > 0 || !process.env.CI)) {
  console.error(
    missing > 0 ? 'Not published: mend what is marked ✗.' : 'Not published: only a CI can sign the provenance. Run this there.',
  );
  process.exit(1);
}

const folder = await mkdtemp(join(tmpdir(), 'passkey-publish-'));
try {
  run('npm', ['ci', '--engine-strict', '--no-audit', '--no-fund']);
  run('npm', ['run', 'lint']);
  if (!values.quick) {
    run('npm', ['test']);
    run('npm', ['run', 'test:release']);
  }
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
  const tarball = join(folder, `${name}-${version}.tgz`);
  // Without a CI there is nobody who could sign where it was built.
  const provenance = process.env.CI ? ['--provenance'] : ['--no-provenance'];
  run('npm', ['publish', tarball, ...provenance, ...(values.publish ? [] : ['--dry-run'])]);
} finally {
  await rm(folder, { recursive: true, force: true });
}
if (!values.publish) {
  console.log(missing === 0 ? `${name} ${version} is ready: run this with --publish in CI.` : `${missing} left to mend: see ✗ above.`);
}
process.exitCode = missing === 0 ? 0 : 1;
