// Builds dist/: every entry point of the package and the command line as split ES modules, and before that what runs in browsers, as
// modules in generated/.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundledPackages } from './build/bundled-packages.mjs';
import { renderDocs } from './build/docs-pages.mjs';
import { noteBuild } from './build/if-changed.mjs';
import { writeLicences } from './build/licences.mjs';
import { writeSbom } from './build/sbom.mjs';
import { writeTypes } from './build/types.mjs';

const root = dirname(fileURLToPath(import.meta.url));
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** The command line, and what `exports` in package.json names. */
const entryPoints = {
  cli: 'src/cli/main.ts',
  accounts: 'src/accounts/public.ts',
  authenticator: 'src/authenticator/public.ts',
  client: 'src/client/public.ts',
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
  await writeGenerated('page', files);
  return { ...js.metafile.inputs, ...css.metafile.inputs };
}

/** The documentation as the server shows it, with its style sheet. */
async function buildDocs() {
  const css = await bundleForBrowsers('page/docs.css');
  await writeGenerated('docs', { pages: { ...(await renderDocs(join(root, 'docs'))), 'docs.css': css.outputFiles[0].text.trim() } });
  return css.metafile.inputs;
}

/** A script that drivers put into pages. Returns what went into it. */
async function buildPageScript(name, entry, globalName) {
  // With keepNames, the interfaces keep the names that pages know them by.
  const script = await bundleForBrowsers(entry, { format: 'iife', globalName, keepNames: true });
  await writeGenerated(name, { pageScript: script.outputFiles[0].text.trim() });
  return script.metafile.inputs;
}

/** Writes a module of texts, with its types. */
async function writeGenerated(name, texts) {
  const members = Object.entries(texts);
  const types = members.map(([member, value]) => {
    const type = typeof value === 'string' ? 'string' : 'Readonly<Record<string, string>>';
    return `export declare const ${member}: ${type};\n`;
  });
  const values = members.map(([member, value]) => `export const ${member} = ${JSON.stringify(value)};\n`);
  await mkdir(join(root, 'generated'), { recursive: true });
  await writeFile(join(root, 'generated', `${name}.js`), values.join(''));
  await writeFile(join(root, 'generated', `${name}.d.ts`), types.join(''));
}

/** Returns what went into the modules. */
async function buildModules() {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(Object.entries(entryPoints).map(([out, file]) => [out, join(root, file)])),
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
    // CommonJS parts of dependencies call require(); few chunks have any, and a command loads many chunks.
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=(id)=>__cr(import.meta.url)(id);' },
    legalComments: 'linked',
    // What pg and debug load where it is there; it is not.
    external: ['pg-native', 'supports-color'],
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
  });
  await chmod(join(root, 'bin/passkey.js'), 0o755);
  // Node looks for one beside every module that it loads: a tenth of the time that `list` takes to start.
  await writeFile(join(root, 'dist/chunks/package.json'), '{ "type": "module" }\n');
  await removeStale(new Set(Object.keys(metafile.outputs)));
  return metafile.inputs;
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

/** Writes a file that a script of build/reference makes from the tables of the sources. */
async function writeReference(script, file) {
  const args = ['--import', 'tsx', `build/reference/${script}`, file];
  const [code] = await once(spawn(process.execPath, args, { cwd: root, stdio: 'inherit' }), 'exit');
  if (code !== 0) process.exit(code ?? 1);
}

const inputs = {
  ...(await buildPage()),
  ...(await buildDocs()),
  ...(await buildPageScript('init-script', 'testing/playwright/init-script.ts', 'passkeyInPage')),
  ...(await buildPageScript('watch-page', 'testing/page/watch-page.ts', 'passkeyWatch')),
};
// All sources are there now.
const isWhole = process.argv.includes('--types');
const types = isWhole
  ? Promise.all([
      writeTypes(root),
      writeReference('man-page.ts', 'dist/passkey.1'),
      writeReference('vocabulary.ts', 'dist/vocabulary.json'),
    ])
  : undefined;
const packages = await bundledPackages(root, { ...inputs, ...(await buildModules()) });
await writeLicences(root, packages);
await writeSbom(root, packages);
if (process.env.PASSKEY_SCHEMAS !== 'skip') await writeSchemas();
await types;
if (isWhole) await noteBuild(root);
