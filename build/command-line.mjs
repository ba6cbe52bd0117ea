// The command line as modules of its own, in few files: every file that a command loads costs it time. A short command loads bin/passkey.js,
// dist/cli/main.js and one more; what is heavy (the server, the verification library, the catalogue, the page) is loaded when it is needed.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import * as light from './light-typebox.mjs';

const OUT = 'dist/cli';
const ENTRY = 'entry';

/**
 * What is loaded together, with all that it imports: what each command loads first, and the commands that are done in the time that
 * Node takes to start.
 */
const TOGETHER = {
  main: /\/src\/cli\/main\.ts$|rolldown\/runtime/,
  short: /\/src\/cli\/commands\/(?:list|show|revoke|purge|stats|(?:token|user)(?:-[a-z]+)?)\.ts$|\/src\/store\/json-file\.ts$/,
};

/** Returns what was read for it and what was written, as paths below `root`. */
export async function buildCommandLine(root, version) {
  const modules = new Set();
  const noting = { name: 'noting', moduleParsed: ({ id }) => void modules.add(id) };
  const bundle = await rolldown({
    cwd: root,
    input: {
      [ENTRY]: 'src/cli/main.ts',
      // What a thread of `simulate` runs.
      'simulate-thread': 'src/simulate/thread.ts',
    },
    platform: 'node',
    plugins: [lightTypebox, noting],
    // What pg loads where it is there; it is not.
    external: ['pg-native'],
    transform: { target: 'node20.19', define: { 'process.env.PASSKEY_BUILD_VERSION': JSON.stringify(version) } },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'esm',
    // Names stay: reports of errors show them.
    minify: { compress: true, mangle: false, codegen: true },
    comments: { legal: false },
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: {
      groups: Object.entries(TOGETHER).map(([name, test], index) => ({ name, test, priority: 100 - index })),
    },
  });
  await bundle.close();
  const chunks = output.filter(({ type }) => type === 'chunk');
  const files = withoutFacades(chunks);
  await mkdir(join(root, OUT), { recursive: true });
  for (const [name, code] of files) await writeFile(join(root, OUT, name), code);
  const read = [...modules].filter((id) => !id.startsWith('\0') && !id.startsWith('rolldown/'));
  return {
    inputs: Object.fromEntries(read.map((id) => [relative(root, id.split('?')[0]).split(sep).join('/'), {}])),
    outputs: [...files.keys()].map((name) => `${OUT}/${name}`),
  };
}

/** For modules that only make plain schemas. */
export const lightTypebox = {
  name: 'light-typebox',
  async resolveId(source, importer) {
    if (source !== 'typebox' || importer === undefined) return null;
    const text = await readFile(importer, 'utf8');
    const used = [...text.matchAll(/\bType\.(?!Static\b|T[A-Z])(\w+)/g)].map(([, name]) => name);
    const isLight = /^import \* as Type from 'typebox';$/m.test(text) && used.every((name) => Object.hasOwn(light, name));
    return isLight ? join(import.meta.dirname, 'light-typebox.mjs') : null;
  },
};

/**
 * Where a module is in a chunk with others, the bundler writes a file for it that only names it in the other. Whoever imports that file
 * imports the chunk instead; the entry becomes the chunk.
 */
function withoutFacades(chunks) {
  const facades = new Map(chunks.map((chunk) => [chunk.fileName, targetOf(chunk)]).filter(([, target]) => target !== undefined));
  const main = facades.get(`${ENTRY}.js`);
  if (main === undefined) throw new Error('Expected the entry of the command line to be a part of the chunk "main".');
  const runtime = chunks.find(({ name }) => name === 'rolldown-runtime');
  const files = new Map();
  for (const { fileName, code } of chunks) {
    if (facades.has(fileName) || fileName === runtime.fileName) continue;
    const direct = code.replaceAll(/\bimport\((["'`])\.\/([^"'`]+)\1\)/g, (whole, _, name) => {
      const target = facades.get(name);
      if (target === undefined) return whole;
      const members = Object.entries(target.members).map(([member, exported]) => `${JSON.stringify(member)}:m.${exported}`);
      return `import("./${target.file}").then(m=>({${members.join(',')}}))`;
    });
    const isMain = fileName === main.file;
    const whole = isMain ? holding(runtime, exporting(direct, main.members)) : direct.replace(importOf(runtime), takeFromMain);
    files.set(isMain ? 'main.js' : fileName, whole.replaceAll(`./${main.file}`, './main.js'));
  }
  return files;
}

/** Of a file such as `export{t as run}from"./chunk.js";`, which does nothing else: the chunk, and what its members are called there. */
function targetOf({ code }) {
  const [, members, file] = /^export\s*\{([^}]*)\}\s*from\s*["']\.\/([^"']+)["'];?\s*$/.exec(code) ?? [];
  if (members === undefined) return undefined;
  return { file, members: Object.fromEntries(pairsOf(members).map(([name, member]) => [member, name])) };
}

/** `a as b, c` → [['a', 'b'], ['c', 'c']] */
function pairsOf(list) {
  return list.split(',').map((each) => {
    const [name, as = name] = each.trim().split(/\s+as\s+/);
    return [name, as];
  });
}

/** Exports members by their own names too, which other chunks know by shorter ones. */
function exporting(code, members, others = []) {
  const [whole, list] = exportsOf(code);
  if (list === undefined) throw new Error('Expected a chunk that ends with its exports.');
  const locals = new Map(pairsOf(list).map(([local, name]) => [name, local]));
  const added = Object.entries(members).map(([member, name]) => `${locals.get(name)} as ${member}`);
  return code.replace(whole, () => `export{${[list, ...added, ...others].join(',')}};\n`);
}

const exportsOf = (code) => /export\s*\{([^}]*)\}\s*;?\s*$/.exec(code) ?? [];

const importOf = ({ fileName }) => new RegExp(`import\\s*\\{([^}]*)\\}\\s*from\\s*["']\\./${fileName.replaceAll('.', '\\.')}["'];?`);

/** What the bundler's own helpers are called among the exports of `main.js`. */
const helperName = (name) => `__runtime_${name}`;

/** Puts the helpers of the bundler, a file of their own otherwise, into the first file that is loaded. */
function holding(runtime, code) {
  const [whole, list] = exportsOf(runtime.code);
  const helpers = pairsOf(list);
  const locals = new Map(helpers.map(([local, name]) => [name, local]));
  for (const [name, local] of pairsOf(importOf(runtime).exec(code)?.[1] ?? [])) {
    if (locals.get(name) !== local) throw new Error(`Expected main.js to call the helper ${locals.get(name)} by its name; got ${local}.`);
  }
  const exported = exporting(
    code,
    {},
    helpers.map(([local, name]) => `${local} as ${helperName(name)}`),
  );
  return `${runtime.code.replace(whole, '')}${exported.replace(importOf(runtime), '')}`;
}

function takeFromMain(_, list) {
  return `import{${pairsOf(list).map(([name, local]) => `${helperName(name)} as ${local}`)}}from"./main.js";`;
}
