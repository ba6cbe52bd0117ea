// The packages that went into dist/, by esbuild's own account.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a package contains that is not its authors'. */
const CONTENTS = {
  tldts: [
    {
      name: 'public-suffix-list',
      license: 'MPL-2.0',
      url: 'https://publicsuffix.org/list/',
      notice:
        'It contains the Public Suffix List, which is subject to the terms of the Mozilla Public License, v. 2.0\n(https://mozilla.org/MPL/2.0/). The list is at https://publicsuffix.org/list/public_suffix_list.dat.',
    },
  ],
};

/**
 * Every package with a file among the inputs of the bundle (the keys of esbuild's `inputs`), sorted by name and version; one that is there twice in the same version comes once.
 *
 * @returns `{ folder, name, version, license, manifest, integrity, contents }` of each, `folder` as in package-lock.json.
 */
export async function bundledPackages(root, inputs) {
  const folders = new Set(Object.keys(inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const found = new Map();
  for (const folder of [...folders].toSorted()) {
    const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const { name, version, license } = manifest;
    const locked = lock.packages[folder];
    if (locked?.version !== version || locked.integrity === undefined) {
      throw new Error(`Expected ${name} ${version} in ${folder}, as package-lock.json has it. Run npm ci.`);
    }
    const id = `${name} ${version}`;
    if (!found.has(id)) {
      found.set(id, { folder, name, version, license, manifest, integrity: locked.integrity, contents: CONTENTS[name] ?? [] });
    }
  }
  return [...found.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}
