// The package as npm would publish it: packed, checked by publint and Are the Types Wrong, installed into an empty folder, compiled against
// and run. test/release/nodes.mjs runs the installed package on other versions of Node.
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const { exports, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
const ENTRIES = Object.keys(exports).filter((name) => typeof exports[name] === 'object');

/** What the types of these entry points take from the caller. */
const PEERS = { './server': ['fastify', 'pino'], './testing/playwright': ['@playwright/test'] };

/** @param {(line: string) => void} say */
export async function run(say) {
  const folder = await mkdtemp(join(tmpdir(), 'passkey-package-'));
  try {
    const { tarball, installed } = await packAndInstall(folder);
    const checks = {
      'publint finds nothing': () => lint(tarball),
      'Are the Types Wrong finds nothing, for ES modules': () => checkTypes(tarball),
      'an install warns of nothing': () => installQuietly(tarball, join(folder, 'quiet')),
      'npx runs it without an install': () => runByNpx(tarball, join(folder, 'npx')),
      'an install adds this package alone': () => countPackages(installed, say),
      'its types compile alone in a strict project': () => compile(installed, false),
      'its types compile beside its optional peers': () => compile(installed, true),
      ...checksOn(process.execPath, installed),
    };
    return await tally(checks, say);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs checks one after the other; a check fails by throwing. */
export async function tally(checks, say) {
  const total = { passed: 0, failed: 0 };
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      total.passed += 1;
    } catch (error) {
      total.failed += 1;
      say(`FAILED: ${name}: ${error.message}${error.stderr ? `\n${error.stderr}` : ''}${error.stdout ? `\n${error.stdout}` : ''}`);
    }
  }
  say(`${total.passed} of ${total.passed + total.failed} checks of the package passed`);
  return total;
}

/** Packs dist/ as it is, and installs the tarball, with nothing but it, into an empty project in `folder`. */
export async function packAndInstall(folder) {
  const packed = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT);
  const [{ filename }] = JSON.parse(packed);
  const tarball = join(folder, filename);
  const installed = join(folder, 'project');
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{ "name": "project", "private": true, "type": "module" }');
  // Offline: there is nothing to fetch.
  await npm(['install', '--engine-strict', '--offline', '--no-audit', '--no-fund', tarball], installed);
  return { tarball, installed };
}

/** A script that npm would run at the install of a package, such as prepare, makes it warn. */
async function installQuietly(tarball, project) {
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "private": true }');
  const { stderr } = await promisify(execFile)('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project });
  equal(stderr, '');
}

/** As docs/install.md shows it, from the tarball. */
async function runByNpx(tarball, project) {
  await mkdir(project);
  const options = { cwd: project, env: { ...process.env, npm_config_cache: join(project, 'cache'), NO_COLOR: '1' } };
  const argv = ['--offline', '--yes', '--package', tarball, 'passkey-cli', 'simulate', '--demo'];
  const { code, stdout, stderr } = await promisify(execFile)('npx', argv, options).catch((error) => error);
  equal([code, /^critical, another-user-signed-in: /m.test(stdout)], [1, true]);
  equal(/ npx passkey-cli simulate --init-profile own\.yaml$/m.test(stderr), true);
}

async function lint(tarball) {
  const { publint } = await import('publint');
  const bytes = await readFile(tarball);
  const { messages } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) },
    strict: true,
  });
  equal(
    messages.map(({ code, path }) => `${code} at ${path.join('.')}`),
    [],
  );
}

/** CommonJS takes the package by `require` of ES modules or `import()`, and Node 10 knows no `exports`. */
async function checkTypes(tarball) {
  const { checkPackage, createPackageFromTarballData } = await import('@arethetypeswrong/core');
  const { problems, entrypoints } = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
  const modules = ({ kind, resolutionKind, entrypoint }) =>
    !['node10', 'node16-cjs'].includes(resolutionKind) &&
    !/^\.\/(?:package\.json|schemas\/)/.test(entrypoint ?? '') &&
    kind !== 'CJSResolvesToESM';
  equal(
    ENTRIES.filter((entry) => entrypoints[entry] === undefined),
    [],
  );
  equal(
    problems.filter(modules).map(({ kind, entrypoint }) => `${kind} at ${entrypoint}`),
    [],
  );
}

async function countPackages(installed, say) {
  const { packages } = JSON.parse(await readFile(join(installed, 'node_modules/.package-lock.json'), 'utf8'));
  const files = (await readdir(join(installed, 'node_modules'), { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  const megabytes = sizes.reduce((sum, size) => sum + size, 0) / 1e6;
  say(`an install adds ${Object.keys(packages).length} package, ${files.length} files, ${megabytes.toFixed(1)} MB`);
  equal(Object.keys(packages), ['node_modules/passkey-cli']);
}

/** Declarations included. Node's own types are those of whoever compiles. */
async function compile(installed, withPeers) {
  const project = join(installed, withPeers ? 'with-peers' : 'alone');
  const entries = ENTRIES.filter((entry) => withPeers || PEERS[entry] === undefined);
  await mkdir(join(project, 'node_modules'), { recursive: true });
  // A copy, so that nothing above is found in its stead.
  await cp(join(installed, 'node_modules/passkey-cli'), join(project, 'node_modules/passkey-cli'), { recursive: true });
  for (const name of ['@types/node', ...(withPeers ? Object.values(PEERS).flat() : [])]) {
    await mkdir(dirname(join(project, 'node_modules', name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  const names = entries.map((entry, index) => `import * as entry${index} from ${JSON.stringify(`passkey-cli${entry.slice(1)}`)};`);
  await writeFile(
    join(project, 'entries.ts'),
    [...names, `export const entries = [${entries.map((_, index) => `entry${index}`)}];`].join('\n'),
  );
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2023',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: ['node'],
    skipLibCheck: false,
  };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['entries.ts'] }));
  await execute(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', project], project);
}

/** What the installed package does on one Node. */
export function checksOn(node, installed) {
  const bin = join(installed, 'node_modules/passkey-cli/bin/passkey.js');
  const passkey = (...args) => execute(node, [bin, ...args], installed);
  const evaluate = (script) => execute(node, ['--input-type=module', '-e', script], installed);
  const store = join(installed, `store-${randomUUID()}.json`);
  const entries = ENTRIES.map((entry) => [
    `passkey-cli${entry.slice(1)} can be imported`,
    () => evaluate(`const entry = await import('passkey-cli${entry.slice(1)}'); if (Object.keys(entry).length === 0) process.exit(1);`),
  ]);
  return {
    ...Object.fromEntries(entries),
    'both names of the command are linked': async () => {
      for (const name of ['passkey', 'passkey-cli']) {
        equal(await npm(['exec', '--offline', '--no', '--', name, '--version'], installed, dirname(node)), `${version}\n`);
      }
    },
    'the command tells its version and helps': async () => {
      equal(await passkey('--version'), `${version}\n`);
      equal((await passkey('--help')).includes('\nUsage: passkey '), true);
    },
    'an error is a PasskeyError whichever entry point throws it': async () => {
      const script = `import { tamper, createCeremonies } from 'passkey-cli/testing'; import { PasskeyError } from 'passkey-cli/errors';
        const { response } = await createCeremonies().registration();
        await tamper(response, 'no-such-thing').catch((error) => console.log(error instanceof PasskeyError));`;
      equal(await evaluate(script), 'true\n');
    },
    'users, tokens and passkeys are kept': async () => {
      await passkey('user', 'add', '--email', 'ada@example.com', '--name', 'Ada', '--store', store);
      const token = await passkey('token', 'create', '--user', 'ada@example.com', '--store', store);
      equal(/^\S{20,}\n$/.test(token), true);
      await passkey('credential', 'create', '--user', 'ada@example.com', '--store', store, '--credentials', `${store}.keys`);
      const [{ rp_id: rpId }, ...others] = JSON.parse(await passkey('list', '--json', '--store', store));
      equal([rpId, others], ['localhost', []]);
    },
    'a catalogue of ceremonies runs, in threads too': async () => {
      const report = JSON.parse(await passkey('simulate', '--json', '--jobs', '2', '--tag', 'algorithm'));
      equal(report.summary.failed, 0);
      equal(report.summary.passed > 0, true);
    },
    'serve answers, with its page, and stops': () => serve(node, bin, installed),
  };
}

async function serve(node, bin, cwd) {
  const child = spawn(node, [bin, 'serve', '--json', '--no-open', '--port', '0', '--store', 'memory:'], {
    cwd,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const [line] = await once(child.stdout, 'data');
    const { url } = JSON.parse(String(line).split('\n')[0]);
    for (const path of ['/healthz', '/', '/openapi.json']) equal((await fetch(new URL(path, url))).status, 200);
  } finally {
    child.kill('SIGTERM');
  }
  equal(await once(child, 'exit'), [0, null]);
}

/** @param first a folder that is searched for programs before the others. */
async function execute(file, args, cwd, first) {
  const env = first === undefined ? process.env : { ...process.env, PATH: [first, process.env.PATH].join(delimiter) };
  const { stdout } = await promisify(execFile)(file, args, { cwd, env, maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

const npm = (args, cwd, first) => execute('npm', args, cwd, first);

function equal(actual, expected) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`expected ${b}, got ${a}`);
}
