// Builds dist/: every entry point of the package as split ES modules, the command line by itself, and before that what runs in browsers
// as modules, so that sources, bundle and executables run the same code.
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { writeAnswers, writeQuickOptions } from './build/answers.mjs';
import { bundledPackages } from './build/bundled-packages.mjs';
import { buildCommandLine } from './build/command-line.mjs';
import { noteBuild } from './build/if-changed.mjs';
import { writeLicences } from './build/licences.mjs';
import { writeSbom } from './build/sbom.mjs';
import { writeTypes } from './build/types.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** Entry points: what `exports` in package.json names. */
const entryPoints = {
  accounts: 'src/accounts/public.ts',
  errors: 'src/errors.ts',
  explain: 'src/explain/public.ts',
  'relying-party': 'src/relying-party/public.ts',
  server: 'src/server/public.ts',
  schemas: 'src/cli/schemas.ts',
  simulate: 'src/simulate/public.ts',
  // What a thread of `simulate` runs.
  'simulate-thread': 'src/simulate/thread.ts',
  store: 'src/store/public.ts',
  testing: 'src/testing/public.ts',
  'testing/playwright': 'src/testing/playwright/playwright.ts',
  webauthn: 'src/webauthn/public.ts',
  // By itself: the public suffix list takes as long to load as all the rest.
  'webauthn/registrable-suffix': 'src/webauthn/registrable-suffix.ts',
};

/**
 * Entry points that tests import by themselves, each in one file, since every file costs time to load. They share with the others only the
 * errors, which `instanceof` compares.
 */
const quickEntryPoints = {
  authenticator: 'src/authenticator/public.ts',
  client: 'src/client/public.ts',
  // What the authenticator loads when a shape of another program is asked for: by itself, so that it shares no files with it.
  'authenticator-interchange': 'src/authenticator/interchange/shapes.ts',
};

/** Leaves the shapes of other programs to a file of their own. */
const laterShapes = {
  name: 'later-shapes',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/shapes\.js$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './authenticator-interchange.js', external: true } : undefined,
    );
  },
};

/** Leaves the errors where the other entry points have them. */
const sharedErrors = {
  name: 'shared-errors',
  setup({ onResolve }) {
    onResolve({ filter: /\/errors\.js$/ }, ({ path, resolveDir }) =>
      join(resolveDir, path) === join(root, 'src/errors.js') ? { path: 'passkey-cli/errors', external: true } : undefined,
    );
  },
};

/** Bundles a source for browsers. */
function bundleForBrowsers(entry, options) {
  return build({
    entryPoints: [join(root, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    absWorkingDir: root,
    target: ['chrome120', 'firefox120', 'safari17'],
    format: 'esm',
    charset: 'utf8',
    legalComments: 'none',
    ...options,
  });
}

/** What the page takes from other parts only declares: a module of them that it uses nothing of is left out. */
const declarations = {
  name: 'declarations',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^\.\.?\/.+\.js$/ }, async ({ path, pluginData, ...from }) => {
      const file = relative(root, join(from.resolveDir, path)).split(sep).join('/');
      if (pluginData === declarations || !/^src\/(?:kernel\/|webauthn\/|errors\.js)/.test(file)) return undefined;
      return { ...(await resolve(path, { ...from, pluginData: declarations })), sideEffects: false };
    });
  },
};

/**
 * The page's script, and in files of their own what it loads when that is first shown. Returns what went into the page.
 */
async function buildPage() {
  const page = join(root, 'src/page');
  const [html, js, css] = await Promise.all([
    readFile(join(page, 'index.html'), 'utf8'),
    bundleForBrowsers('page/main.tsx', {
      splitting: true,
      outdir: root,
      entryNames: 'page',
      chunkNames: 'page/[hash]',
      plugins: [declarations],
      // Children as arguments: with the JSX runtime, every element would name its member `children`, which is 3 % of the script.
      tsconfigRaw: { compilerOptions: { jsx: 'react', jsxFactory: 'h', jsxFragmentFactory: 'Fragment', verbatimModuleSyntax: true } },
      inject: [join(root, 'build/page-jsx.mjs')],
    }),
    bundleForBrowsers('page/page.css'),
  ]);
  const scripts = Object.fromEntries(js.outputFiles.map(({ path, text }) => [relative(root, path).split(sep).join('/'), text.trim()]));
  const { 'page.js': script, ...later } = scripts;
  // What the script imports at once; without a word in the document, the browser would ask for it only after it has read the script.
  const { imports } = js.metafile.outputs['page.js'];
  const atOnce = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => `<link rel="modulepreload" href="/${path}">`);
  const files = {
    html: html.replace('<script', [...atOnce, '<script'].join('\n    ')),
    css: css.outputFiles[0].text.trim(),
    js: script,
    later: Object.fromEntries(Object.entries(later).map(([path, text]) => [basename(path), text])),
  };
  const lines = Object.entries(files).map(([name, content]) => {
    const type = typeof content === 'string' ? 'string' : 'Readonly<Record<string, string>>';
    return `export const ${name}: ${type} = ${JSON.stringify(content)};`;
  });
  await writeFile(
    join(page, 'assets.generated.ts'),
    `// Generated by esbuild.config.mjs from the sources of the page.\n${lines.join('\n')}\n`,
  );
  return { ...js.metafile.inputs, ...css.metafile.inputs };
}

/** The script that puts the software authenticator into pages. Returns what went into it. */
async function buildInitScript() {
  // With keepNames, the interfaces keep the names that pages know them by.
  const script = await bundleForBrowsers('testing/playwright/init-script.ts', {
    format: 'iife',
    globalName: 'passkeyInPage',
    keepNames: true,
  });
  const text = script.outputFiles[0].text.trim();
  await writeFile(
    join(root, 'src/testing/playwright/init-script.generated.ts'),
    `// Generated by esbuild.config.mjs from init-script.ts.\nexport const pageScript: string = ${JSON.stringify(text)};\n`,
  );
  return script.metafile.inputs;
}

/** Returns what went into the modules. */
async function buildModules() {
  const alone = Object.entries(quickEntryPoints).map(([out, file]) => buildEntryPoints({ [out]: file }, [sharedErrors, laterShapes]));
  const [commandLine, ...built] = await Promise.all([buildCommandLine(root, version), buildEntryPoints(entryPoints), ...alone]);
  const [inputs, outputs] = ['inputs', 'outputs'].map((side) => Object.assign({}, ...built.map(({ metafile }) => metafile[side])));
  await chmod(join(root, 'bin/passkey.js'), 0o755);
  await removeStale(new Set([...Object.keys(outputs), ...commandLine.outputs]));
  return { ...inputs, ...commandLine.inputs };
}

function buildEntryPoints(files, plugins = []) {
  return build({
    entryPoints: Object.fromEntries(Object.entries(files).map(([out, file]) => [out, join(root, file)])),
    plugins,
    outdir: join(root, 'dist'),
    bundle: true,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    chunkNames: 'chunks/[name]-[hash]',
    define: { 'process.env.PASSKEY_BUILD_VERSION': JSON.stringify(version) },
    // CommonJS parts of dependencies call require().
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
    legalComments: 'linked',
    // What pg loads where it is there; it is not.
    external: ['pg-native'],
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
  });
}

/** What an earlier build left; the new files are in place before the old ones go, so that whoever runs meanwhile finds either. */
async function removeStale(outputs) {
  const files = await readdir(join(root, 'dist'), { recursive: true });
  const stale = files
    .map((file) => `dist/${file.split(sep).join('/')}`)
    .filter((file) => /\.js(\.LEGAL\.txt)?$/.test(file) && !outputs.has(file));
  await Promise.all(stale.map((file) => rm(join(root, file))));
}

/** JSON Schemas of what the command line prints and of the fixture format, from the schemas that validate. */
async function writeSchemas() {
  const { schemas } = await import(pathToFileURL(join(root, 'dist/schemas.js')).href);
  await mkdir(join(root, 'dist/schemas'), { recursive: true });
  for (const [name, schema] of Object.entries(schemas)) {
    await writeFile(join(root, 'dist/schemas', `${name}.schema.json`), `${JSON.stringify(schema, null, 2)}\n`);
  }
}

await writeQuickOptions(root, version);
const [page, initScript] = [await buildPage(), await buildInitScript()];
// All sources are there now.
const isWhole = process.argv.includes('--types');
const types = isWhole ? writeTypes(root) : undefined;
const packages = await bundledPackages(root, { ...page, ...initScript, ...(await buildModules()) });
await writeAnswers(root, version);
await writeLicences(root, packages);
await writeSbom(root, packages);
if (process.env.PASSKEY_SCHEMAS !== 'skip') await writeSchemas();
await types;
if (isWhole) await noteBuild(root);
