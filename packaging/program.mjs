// The program as the executables carry it: the command line and the threads of `simulate` in one CommonJS file, which is what Node runs inside
// an executable.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

const ENTRY = `
import { isMainThread } from 'node:worker_threads';
if (isMainThread) void import('./src/cli/main.js').then(({ main }) => main({ command: process.argv0 }));
else void import('./src/simulate/thread.js');
`;

/** `{ main, assets }`: the script that the executable runs, and the assets by name; all of them texts. */
export async function programOf() {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: root, sourcefile: 'executable.ts' },
    bundle: true,
    write: false,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    define: { 'process.env.PASSKEY_BUILD_VERSION': JSON.stringify(version), 'import.meta.url': '__url' },
    // No file lies below the executable, so what is looked for beside a module is not found.
    banner: { js: 'const __url=require("node:url").pathToFileURL(process.execPath+"/passkey.js").href;' },
    // Their terms are in LICENSES.txt.
    legalComments: 'none',
    // What pg and debug load where it is there; it is not.
    external: ['pg-native', 'supports-color'],
    logLevel: 'warning',
    absWorkingDir: root,
  });
  const main = outputFiles[0].text;
  const shop = await readFile(join(root, 'src/simulate/demo/shop.ts'), 'utf8');
  return { main, assets: { 'simulate-thread.cjs': main, 'fixtures.json': JSON.stringify(await fixtures()), 'shop.ts': shop } };
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
