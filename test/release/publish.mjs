// build/release.mjs to its end, in a copy of this checkout that has what a release needs: it tries `npm publish` without publishing, then
// publishes to a registry on this machine, from which the package is installed. Nothing leaves the machine but what `npm ci` fetches.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const NAME = 'passkey-cli';

/** @param {(line: string) => void} say */
export async function run(say) {
  if (spawnSync('git', ['--version']).status !== 0) {
    say('SKIPPED: git is not installed');
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const folder = await mkdtemp(join(tmpdir(), 'passkey-publish-test-'));
  const registry = await startRegistry();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const check = async (what, work) => {
    try {
      await work();
      counts.passed += 1;
      say(what);
    } catch (error) {
      counts.failed += 1;
      say(`FAILED: ${what}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
    }
  };
  try {
    const checkout = await copyCheckout(join(folder, 'checkout'));
    // What npm is told here, and an account that every registry but this one refuses.
    const userConfig = join(folder, 'npmrc');
    const { stdout: own } = await promisify(execFile)('npm', ['config', 'get', 'userconfig']);
    const told = await readFile(own.trim(), 'utf8').catch(() => '');
    await writeFile(userConfig, `${told}\n//${new URL(registry.url).host}/:_authToken=rehearsal\n`);
    const release = (args, env = {}) => script(checkout, args, { ...cleanEnvironment(), npm_config_userconfig: userConfig, ...env });

    await check('what is not ready is refused, each fault in a sentence', async () => {
      const { code, stdout, stderr } = await release(['--publish'], { CI: 'true' });
      assert.equal(code, 1, stderr);
      assert.match(stdout, /✗ CHANGELOG\.md has \S+ with a date: add a heading "## \[\S+\] - \d{4}-\d\d-\d\d"/);
      assert.match(stdout, /✗ package\.json names the public repository .*: set "repository" to .*: npm refuses provenance without it/);
      assert.match(stdout, /✗ package\.json names a home page, .*: set "homepage" to/);
      assert.match(stderr, /^Not published: mend what is marked ✗\.$/m);
    });
    const version = await makeReady(checkout, registry.url);
    await check('what is ready is published in a CI only', async () => {
      const { code, stdout, stderr } = await release(['--publish'], { CI: '' });
      assert.deepEqual([code, stdout.match(/✗.*/g)], [1, null], stdout);
      assert.match(stderr, /^Not published: only a CI can sign the provenance\. Run this there\.$/m);
    });
    await check('the untested is published nowhere, and rehearsed on this machine only', async () => {
      assert.equal((await release(['--publish', '--quick'], { CI: 'true' })).code, 2);
      assert.equal((await release(['--rehearse', 'https://registry.npmjs.org'])).code, 2);
    });
    await check('without --publish, npm publish runs dry', async () => {
      const { code, stdout, stderr } = await release(['--quick']);
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, new RegExp(`^\\$ npm publish \\S+${NAME}-${version}\\.tgz --no-provenance --dry-run$`, 'm'));
      assert.match(stdout, new RegExp(`^\\+ ${NAME}@${version}$`, 'm'));
      assert.equal(stdout.trimEnd().split('\n').at(-1), `${NAME} ${version} is ready: run this with --publish in CI.`);
      assert.equal(registry.published.size, 0);
    });
    await check('a rehearsal puts one whole package into the registry', async () => {
      const { code, stdout, stderr } = await release(['--quick', '--rehearse', registry.url]);
      assert.equal(code, 0, stdout + stderr);
      assert.equal(stdout.trimEnd().split('\n').at(-1), `${NAME} ${version} is in ${registry.url}, and nowhere else.`);
      const { versions, _attachments: attachments, 'dist-tags': tags } = registry.published.get(NAME);
      assert.deepEqual(
        [Object.keys(versions), tags, Object.keys(attachments)],
        [[version], { latest: version }, [`${NAME}-${version}.tgz`]],
      );
      const { integrity } = versions[version].dist;
      assert.equal(integrity, `sha512-${createHash('sha512').update(registry.tarball(NAME)).digest('base64')}`);
      assert.equal(versions[version].repository.url, 'git+https://code.ada.dev/ada/passkey.git');
    });
    await check('from there it is installed, and runs', async () => {
      const project = join(folder, 'project');
      await mkdir(project);
      await writeFile(join(project, 'package.json'), '{ "private": true }');
      const env = { ...cleanEnvironment(), npm_config_userconfig: userConfig, npm_config_cache: join(folder, 'cache') };
      const npm = (...args) => promisify(execFile)('npm', [...args, '--registry', registry.url], { cwd: project, env });
      await npm('install', '--no-audit', '--no-fund', NAME);
      assert.equal((await npm('exec', '--no', '--', NAME, '--version')).stdout, `${version}\n`);
    });
  } finally {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  }
  return counts;
}

/** Without what the npm that runs us, or git, has set for this checkout. */
export function cleanEnvironment() {
  const kept = ['npm_config_registry', 'npm_config_cache'];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => kept.includes(name) || !/^(?:npm_|GIT_|GITHUB_|CI)/.test(name)));
}

/** What a clean checkout has, as the first commit of a repository of its own. */
export async function copyCheckout(checkout) {
  const ignored = (await readFile(join(ROOT, '.gitignore'), 'utf8')).split('\n').filter((line) => line !== '');
  const left = new Set(['.git', ...ignored.map((line) => line.replace(/\/$/, ''))]);
  const filter = (source) => {
    const path = relative(ROOT, source).replaceAll('\\', '/');
    return !left.has(path) && !/(?:^|\/)node_modules$/.test(path) && !/^test-results.*\.json$|\.tsbuildinfo$/.test(path);
  };
  await cp(ROOT, checkout, { recursive: true, filter });
  git(checkout, 'init', '--quiet');
  commit(checkout);
  return checkout;
}

/** @returns the version. */
async function makeReady(checkout, registry) {
  const manifest = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'));
  const page = 'https://code.ada.dev/ada/passkey';
  manifest.repository = { type: 'git', url: `git+${page}.git` };
  manifest.homepage = `${page}#readme`;
  manifest.bugs = { url: `${page}/issues` };
  // npm publish asks there what is published, in a dry run too.
  manifest.publishConfig.registry = registry;
  await writeFile(join(checkout, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const changelog = await readFile(join(checkout, 'CHANGELOG.md'), 'utf8');
  const heading = `## [Unreleased]\n\n## [${manifest.version}] - ${new Date().toISOString().slice(0, 10)}`;
  await writeFile(join(checkout, 'CHANGELOG.md'), changelog.replace('## [Unreleased]', heading));
  // That every commit is published shows at a remote.
  git(checkout, 'init', '--quiet', '--bare', '../remote.git');
  git(checkout, 'remote', 'add', 'origin', '../remote.git');
  commit(checkout);
  git(checkout, 'push', '--quiet', 'origin', 'HEAD:main');
  return manifest.version;
}

function commit(checkout) {
  git(checkout, 'add', '--all');
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@ada.dev', '-c', 'commit.gpgsign=false'];
  git(checkout, ...author, 'commit', '--quiet', '--message', 'State of the checkout');
}

function git(cwd, ...args) {
  const { status, stderr } = spawnSync('git', args, { cwd, env: cleanEnvironment(), encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} fails: ${stderr}`);
}

/** Whatever it exits with. */
async function script(checkout, args, env) {
  const options = { cwd: checkout, env, maxBuffer: 64 * 1024 * 1024 };
  const {
    code = 0,
    stdout,
    stderr,
  } = await promisify(execFile)(process.execPath, ['build/release.mjs', ...args], options).catch((error) => error);
  return { code, stdout, stderr };
}

/** As much of a registry as `npm publish` and `npm install` use. */
async function startRegistry() {
  const published = new Map();
  const tarball = (name) => Buffer.from(Object.values(published.get(name)._attachments)[0].data, 'base64');
  const handle = async (request, response) => {
    const [, name = '', ...rest] = decodeURIComponent(new URL(request.url, 'http://localhost').pathname).split('/');
    const answer = (status, body) => {
      response.writeHead(status, { 'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json' });
      response.end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    };
    if (request.method === 'PUT') {
      if (request.headers.authorization !== 'Bearer rehearsal') return answer(401, { error: 'unknown account' });
      const chunks = await collect(request);
      published.set(name, JSON.parse(Buffer.concat(chunks).toString('utf8')));
      return answer(201, { ok: true });
    }
    const found = request.method === 'GET' ? published.get(name) : undefined;
    if (found === undefined) return answer(404, { error: 'not found' });
    if (rest.length > 0) return answer(200, tarball(name));
    const { _attachments, ...document } = found;
    return answer(200, document);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    published,
    tarball,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function collect(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
