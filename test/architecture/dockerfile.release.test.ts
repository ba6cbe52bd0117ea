import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { ROOT } from '../e2e/passkey-process.js';

const run = (command: string, args: readonly string[], cwd: string) =>
  spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 });
const hasDocker = run('docker', ['info'], ROOT).status === 0;
if (!hasDocker) console.warn('SKIPPED a part of test/architecture/dockerfile.release.test.ts: no docker runs here, the image is not built');

// The build and its types take minutes where other programs run as well.
describe('Dockerfile', { timeout: 600_000 }, () => {
  test('builds from what .dockerignore lets through, and runs from the package alone', async () => {
    const folder = await tempFolder();
    const [source, packed] = [join(folder, 'source'), join(folder, 'packed')];
    const rules = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const name of rules.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))) {
      cpSync(join(ROOT, name), join(source, name), { recursive: true });
    }
    cpSync(join(ROOT, 'node_modules'), join(source, 'node_modules'), { recursive: true, verbatimSymlinks: true });
    mkdirSync(packed);
    const built = run('npm', ['run', 'build'], source);
    expect([built.status, built.stderr.match(/error/i)]).toEqual([0, null]);
    expect(run('npm', ['pack', '--ignore-scripts', '--pack-destination', packed], source).status).toBe(0);
    const [tarball = ''] = readdirSync(packed);
    expect(run('tar', ['-xzf', tarball, '--strip-components=1'], packed).status).toBe(0);
    const { status, stdout } = run(process.execPath, ['bin/passkey.js', 'simulate', 'login.signature-bit', '--json'], packed);
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { summary: { passed: 1 } }]);
  });

  test.skipIf(!hasDocker)('is built, and its server turns healthy', () => {
    const image = `passkey-test-${process.pid}`;
    try {
      const built = run('docker', ['build', '--quiet', '--tag', image, '.'], ROOT);
      expect([built.status, built.stderr]).toEqual([0, '']);
      const { stdout: version } = run('docker', ['run', '--rm', image, '--version'], ROOT);
      expect(version.trim()).toBe(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version);
      const { stdout: user } = run('docker', ['run', '--rm', '--entrypoint', 'id', image, '-un'], ROOT);
      expect(user.trim()).toBe('node');
    } finally {
      run('docker', ['image', 'rm', '--force', image], ROOT);
    }
  });
});
