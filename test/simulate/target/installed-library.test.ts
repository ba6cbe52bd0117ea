import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findInstalledVersion } from '../../../src/simulate/target/installed-library.js';
import { tempFolder } from '../../cli/temp-folder.js';

const NAME = '@simplewebauthn/server';
const INSTALLED = `node_modules/${NAME}/package.json`;

const npmLock = (...folders: readonly (readonly [folder: string, version: string])[]) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { version: '9.9.9' },
      'node_modules/@simplewebauthn/server-extra': { version: '9.9.8' },
      ...Object.fromEntries(folders.map(([folder, version]) => [folder, { version }])),
    },
  });

const YARN = `# yarn lockfile v1

"@simplewebauthn/browser@^13.0.0":
  version "13.0.9"

"@simplewebauthn/server@^13.0.0", "@simplewebauthn/server@^13.1.0":
  version "13.1.1"
  resolved "https://registry.yarnpkg.com/@simplewebauthn/server/-/server-13.1.1.tgz"
`;

const BERRY = `__metadata:
  version: 8

"@simplewebauthn/server@npm:^13.1.0":
  version: 13.1.2
  resolution: "@simplewebauthn/server@npm:13.1.2"
`;

const PNPM_9 = `lockfileVersion: '9.0'

importers:

  .:
    dependencies:
      '@simplewebauthn/server':
        specifier: ^13.1.0
        version: 13.1.3

packages:

  '@simplewebauthn/server@13.1.3':
    resolution: {integrity: sha512-AA==}

snapshots:

  '@simplewebauthn/server@13.1.3(typescript@5.9.3)':
    dependencies:
      '@hexagon/base64': 1.1.28
`;

const PNPM_6 = `lockfileVersion: '6.0'

packages:

  /@simplewebauthn/server@13.1.4(typescript@5.9.3):
    resolution: {integrity: sha512-AA==}
`;

const PNPM_5 = `lockfileVersion: 5.4

packages:

  /@simplewebauthn/server/13.1.5_typescript@5.9.3:
    resolution: {integrity: sha512-AA==}
`;

const BUN = `{
  "lockfileVersion": 1,
  "packages": {
    "@simplewebauthn/server": ["@simplewebauthn/server@13.1.6", "", {}, "sha512-AA=="],
  }
}
`;

test.each<[string, Readonly<Record<string, string>>, string | undefined]>([
  ['node_modules', { [INSTALLED]: '{ "version": "14.0.2" }' }, '14.0.2'],
  ['node_modules, whatever an older lock file says', { [INSTALLED]: '{ "version": "14.0.2" }', 'yarn.lock': YARN }, '14.0.2'],
  ['package-lock.json', { 'package-lock.json': npmLock([`node_modules/${NAME}`, '13.1.0']) }, '13.1.0'],
  ['npm-shrinkwrap.json', { 'npm-shrinkwrap.json': npmLock([`node_modules/auth/node_modules/${NAME}`, '13.0.8']) }, '13.0.8'],
  [
    'package-lock.json of version 1',
    {
      'package-lock.json': JSON.stringify({
        dependencies: { auth: { version: '1.0.0', dependencies: { [NAME]: { version: '12.0.1' } } } },
      }),
    },
    '12.0.1',
  ],
  ['yarn.lock of version 1', { 'yarn.lock': YARN }, '13.1.1'],
  ['yarn.lock of version 8', { 'yarn.lock': BERRY }, '13.1.2'],
  ['yarn.lock with the line ends of Windows', { 'yarn.lock': YARN.replaceAll('\n', '\r\n') }, '13.1.1'],
  ['pnpm-lock.yaml of version 9', { 'pnpm-lock.yaml': PNPM_9 }, '13.1.3'],
  ['pnpm-lock.yaml of version 6', { 'pnpm-lock.yaml': PNPM_6 }, '13.1.4'],
  ['pnpm-lock.yaml of version 5', { 'pnpm-lock.yaml': PNPM_5 }, '13.1.5'],
  ['bun.lock', { 'bun.lock': BUN }, '13.1.6'],
  ['a folder above', { [`../../${INSTALLED}`]: '{ "version": "14.0.1" }' }, '14.0.1'],
  ['the nearest folder', { [INSTALLED]: '{ "version": "14.0.2" }', '../../yarn.lock': YARN }, '14.0.2'],
  [
    'none of several',
    { 'package-lock.json': npmLock([`node_modules/${NAME}`, '14.0.3'], [`node_modules/auth/node_modules/${NAME}`, '13.3.3']) },
    undefined,
  ],
  ['nothing malformed', { [INSTALLED]: '{', 'package-lock.json': '[', 'yarn.lock': '' }, undefined],
  [
    'no other package',
    { 'package-lock.json': npmLock(), 'node_modules/@simplewebauthn/browser/package.json': '{"version":"14.0.0"}' },
    undefined,
  ],
])('the version is that of %s', async (_, files, version) => {
  const folder = join(await tempFolder(), 'apps/web');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  expect(await findInstalledVersion(NAME, folder)).toBe(version);
});

test.each(['../escape', 'a/b', '(.*)', ''])('%j is no name of a package', async (name) => {
  const folder = join(await tempFolder(), 'inner');
  await mkdir(join(folder, 'node_modules', name), { recursive: true });
  await writeFile(join(folder, 'node_modules', name, 'package.json'), '{ "version": "1.2.3" }');
  expect(await findInstalledVersion(name, folder)).toBeUndefined();
});
