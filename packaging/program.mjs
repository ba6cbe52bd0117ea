// The program as the executables carry it: the modules of dist/ that the command line can reach, turned into CommonJS, which is all that
// Node runs inside an executable. npm package and executables thus run the same code.
import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** What the loader starts: the command line, and a thread of `simulate`. */
const STARTED = ['cli/main.js', 'simulate-thread.js'];

/** What pg loads where it is there. */
const ABSENT = new Set(['pg-native']);

/** `{ main, assets }`: the script that the executable runs, and the assets by name; all of them texts. */
export async function programOf() {
  const loader = await readFile(join(import.meta.dirname, 'loader.cjs'), 'utf8');
  const modules = await modulesFrom(STARTED);
  return {
    main: loader,
    assets: {
      'simulate-thread.cjs': loader,
      'fixtures.json': JSON.stringify(await fixtures()),
      ...Object.fromEntries([...modules].map(([name, text]) => [`program/${name}`, text])),
    },
  };
}

/** The text of every module that these lead to, by its path in dist/. */
async function modulesFrom(entries) {
  const modules = new Map();
  const names = new Set(entries);
  // The set grows while it is walked.
  for (const name of names) {
    const { text, imports } = await asCommonJs(name);
    modules.set(name, text);
    for (const specifier of imports) {
      if (specifier.startsWith('.')) names.add(posix.join(name, '..', specifier));
      else if (!isBuiltin(specifier) && !ABSENT.has(specifier)) {
        throw new Error(`dist/${name} imports ${specifier}, which no executable contains. Bundle it (esbuild.config.mjs).`);
      }
    }
  }
  return modules;
}

async function asCommonJs(name) {
  const { outputFiles, metafile } = await build({
    // Not as a file: of one in a package of ES modules, esbuild takes what it requires for CommonJS by origin, without a default export.
    stdin: { contents: await readFile(join(root, 'dist', name), 'utf8'), sourcefile: name },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    // What is imported late is loaded late by `require`.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': '__url' },
    minifySyntax: true,
    minifyWhitespace: true,
    // Their terms are in LICENSES.txt.
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [{ name: 'by-itself', setup: ({ onResolve }) => onResolve({ filter: /./ }, external) }],
  });
  const [{ imports }] = Object.values(metafile.outputs);
  return { text: outputFiles[0].text, imports: imports.map(({ path }) => path) };
}

function external({ kind, path }) {
  return kind === 'entry-point' ? undefined : { path, external: true };
}

/** The fixtures that ship with the package: text by path. */
async function fixtures() {
  const files = await readdir(join(root, 'fixtures'), { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile() && file.name.endsWith('.json'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  const texts = await Promise.all(
    paths.map(async (path) => [path.slice(root.length + 1).replaceAll('\\', '/'), await readFile(path, 'utf8')]),
  );
  return Object.fromEntries(texts);
}
