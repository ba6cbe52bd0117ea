// Makes the declarations of the entry points stand alone: what they name of other packages is declared in dist/types itself, but for the
// optional peers, and what no entry point reaches goes.
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const types = join(root, 'dist/types');

/** Packages that a file of this folder stands in for. */
const STAND_INS = { typebox: 'typebox.d.ts', '@fastify/type-provider-typebox': 'type-provider-typebox.d.ts' };

const SPECIFIER = /((?:\bfrom|\bimport\()\s*)(['"])([^'"]+)\2/g;

const { exports, peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
const entries = Object.values(exports).flatMap((target) => (target.types === undefined ? [] : [join(root, target.types)]));

for (const file of Object.values(STAND_INS)) await copyFile(join(import.meta.dirname, file), join(types, file));

const reached = new Set(entries);
for (const file of reached) {
  const text = await readFile(file, 'utf8');
  const alone = text.replaceAll(SPECIFIER, (whole, before, quote, specifier) => {
    const standIn = STAND_INS[specifier];
    const target = standIn === undefined ? resolve(dirname(file), specifier.replace(/\.js$/, '.d.ts')) : join(types, standIn);
    if (standIn !== undefined || specifier.startsWith('.')) reached.add(target);
    else if (!specifier.startsWith('node:') && !Object.hasOwn(peerDependencies, specifier)) {
      throw new Error(
        `${relative(root, file)} names ${specifier}, which is not installed with this package. Declare what is needed in build/.`,
      );
    }
    return standIn === undefined ? whole : `${before}${quote}${relativeSpecifier(file, target)}${quote}`;
  });
  if (alone !== text) await writeFile(file, alone);
}

for (const entry of await readdir(types, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  if (entry.isFile() && !reached.has(file)) await rm(file);
}

function relativeSpecifier(from, to) {
  const path = relative(dirname(from), to)
    .split(sep)
    .join(posix.sep)
    .replace(/\.d\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}
