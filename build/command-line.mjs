// The command line as CommonJS of its own, in few files: every file that a command loads costs it time, and so does Node's loader of ES
// modules. A short command loads bin/passkey.js, dist/cli/main.js and one more; what is heavy (the server, the verification library, the
// catalogue, the page) is loaded when it is needed.
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { loadedWhenUsed } from './late-requires.mjs';
import * as light from './light-typebox.mjs';

const OUT = 'dist/cli';
const ENTRY = 'entry';

const BASICS = [
  'aaguid',
  'algorithms',
  'attestation-object',
  'authenticator-data',
  'base64url',
  'bytes',
  'cose-key',
  'der-writer',
  'enumerations',
  'json-location',
  'json-value',
  'limits',
  'loopback',
  'malformed',
  'nearest',
  'pem',
  'rp-id',
  'schema-kit',
  'shape',
  'subject-public-key-info',
  'text-encoding',
  'wording',
];

const anyOf = (...patterns) => new RegExp(patterns.map((each) => each.source ?? each).join('|'));

/** What is loaded together, with all that it imports and that is in no chunk before it. */
const TOGETHER = [
  // What each command loads first, and the basics that all of them need.
  [
    'main',
    anyOf(
      /\/src\/cli\/main\.ts$/,
      `/src/(?:kernel|webauthn)/(?:${BASICS.join('|')})\\.ts$`,
      /\/light-typebox\.mjs$|\/picocolors\//,
      /\/src\/(?:relying-party\/(?:show|policy|operation|steps\/step)|fixture\/named-file|cli\/config\/resolve)\.ts$/,
    ),
  ],
  // What only some of those need that import it.
  ['asn1', /\/node_modules\/@peculiar\/asn1-(?:schema\/|ecc\/build\/cjs\/ec_signature_value\.js$)/],
  ['x509', /\/node_modules\/(?:@peculiar|reflect-metadata|tsyringe)\//],
  // What verifies certificates and statements.
  [
    'statements',
    /\/src\/relying-party\/(?:attestation\/|simplewebauthn)|\/src\/webauthn\/(?:certificate|der|attestation-extensions|distinguished-name|subject-public-key-info|json-offsets|ml-dsa)/,
  ],
  ['suffixes', /\/node_modules\/tldts(?:-core)?\//],
  ['typebox', /\/node_modules\/typebox\//],
  // The commands that are done in the time that Node takes to start.
  ['short', /\/src\/cli\/commands\/(?:list|show|revoke|purge|stats|(?:token|user)(?:-[a-z]+)?)\.ts$|\/src\/store\/json-file\.ts$/],
  ['fixtures', /\/src\/fixture\/format\.ts$/],
  ['web', /\/node_modules\/(?:cookie|fast-deep-equal|fastify-plugin|rfdc|fast-json-stringify\/lib\/serializer\.js$)/],
  // What the server loads with the first request that needs it.
  ['validator', /\/node_modules\/(?:ajv|ajv-formats|@fastify\/ajv-compiler|fast-json-stringify|@fastify\/fast-json-stringify-compiler)\//],
  ['openapi', /\/node_modules\/(?:@fastify\/swagger|yaml)\//],
  ['inject', /\/node_modules\/light-my-request\//],
  ['explain', /\/src\/cli\/commands\/explain\.ts$/],
  ['serve', /\/src\/cli\/commands\/serve\.ts$|\/src\/cli\/serve\/(?:compose|logger)\.ts$|\/src\/server\/listen\.ts$/],
  // Reads the command lines that src/cli/quick does not.
  ['commander', /\/src\/cli\/program\.ts$/],
];

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
    plugins: [lightTypebox, lateReflection, lateStdout, onlySignatures, noting],
    // What pg loads where it is there; it is not.
    external: ['pg-native'],
    transform: { target: 'node20.19', define: { 'process.env.PASSKEY_BUILD_VERSION': JSON.stringify(version) } },
    logLevel: 'warn',
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    // Names of functions and classes stay: reports of errors show them.
    minify: { compress: true, mangle: { toplevel: false, keepNames: true }, codegen: true },
    comments: { legal: false },
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: TOGETHER.map(([name, test], index) => ({ name, test, priority: 100 - index })) },
  });
  await bundle.close();
  const files = withoutFacades(output.filter(({ type }) => type === 'chunk'));
  await mkdir(join(root, OUT), { recursive: true });
  // What bin/passkey.js has kept of those before.
  await rm(join(root, OUT, 'compiled'), { recursive: true, force: true, maxRetries: 5 });
  for (const [name, code] of files) await writeFile(join(root, OUT, name), marked(loadedWhenUsed(code)));
  // The package itself is one of ES modules.
  await writeFile(join(root, OUT, 'package.json'), '{ "type": "commonjs" }\n');
  const read = [...modules].filter((id) => !id.startsWith('\0') && !id.startsWith('rolldown/'));
  return {
    inputs: Object.fromEntries(read.map((id) => [relative(root, id.split('?')[0]).split(sep).join('/'), {}])),
    outputs: [...files.keys()].map((name) => `${OUT}/${name}`),
  };
}

/** By the mark, bin/passkey.js knows whether what it keeps is of this text. */
const marked = (code) => `/*${createHash('sha256').update(code).digest('base64url').slice(0, 16)}*/${code}`;

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

/** What adds `Reflect.getMetadata` is loaded with what needs it; the verification library loads it although only certificates need either. */
const lateReflection = {
  name: 'late-reflection',
  transform(code, id) {
    if (/\/@simplewebauthn\/server\/esm\/helpers\/\w+\.js$/.test(id)) return code.replace(/^import 'reflect-metadata';$/m, '');
    return id.endsWith('/@peculiar/x509/build/x509.cjs.js') ? `require('reflect-metadata');${code}` : undefined;
  },
};

/** What colours text is told by the command line whether it may, and must not open stdout to find out. */
const lateStdout = {
  name: 'late-stdout',
  transform(code, id) {
    if (!id.endsWith('/picocolors/picocolors.js')) return undefined;
    const asked = '(p.stdout || {}).isTTY';
    if (!code.includes(asked)) throw new Error(`Expected ${id} to ask for ${asked}.`);
    return code.replace(asked, 'false');
  },
};

/** For a login, the verification library needs the shape of an ECDSA signature, and not those of keys and certificates around it. */
const onlySignatures = {
  name: 'only-signatures',
  resolveId(source, importer) {
    if (source !== '@peculiar/asn1-ecc' || importer === undefined || !importer.endsWith('/unwrapEC2Signature.js')) return null;
    return join(dirname(fileURLToPath(import.meta.resolve(source))), 'ec_signature_value.js');
  },
};

/**
 * Where a module is in a chunk with others, the bundler writes a file for it that only names it in the other. Whoever imports that file
 * imports the chunk instead; the entry becomes the chunk. The bundler's own helpers, a file of their own otherwise, go into it too.
 */
function withoutFacades(chunks) {
  const runtime = chunks.find(({ name }) => name === 'rolldown-runtime');
  const facades = new Map(chunks.map((chunk) => [chunk.fileName, targetOf(chunk)]).filter(([, target]) => target !== undefined));
  const main = facades.get(`${ENTRY}.js`);
  if (main === undefined) throw new Error('Expected the entry of the command line to be a part of the chunk "main".');
  const files = new Map();
  for (const { fileName, code } of chunks) {
    if (facades.has(fileName) || fileName === runtime.fileName) continue;
    const isMain = fileName === main.file;
    const direct = code
      .replaceAll(/\brequire\((["'`])\.\/([^"'`]+)\1\)/g, (whole, _, name) => membersOf(facades.get(name)) ?? whole)
      .replaceAll(`require("./${runtime.fileName}")`, isMain ? 'bundler' : 'require("./main.js").bundler');
    const whole = isMain ? `${ownHelpers(runtime)}${direct};${exporting(main.members)}exports.bundler=bundler;\n` : direct;
    files.set(isMain ? 'main.js' : fileName, whole.replaceAll(`./${main.file}`, './main.js'));
  }
  return files;
}

/** Of a file such as `const m=require("./chunk.js");exports.run=m.t;`, which does nothing else: the chunk, and what its members are called there. */
function targetOf({ code }) {
  const [, variable, file] = /\bconst (\w+)=require\("\.\/([^"]+)"\);exports\./.exec(code) ?? [];
  if (variable === undefined) return undefined;
  const members = [...code.matchAll(/\bexports\.(\w+)=(\w+)\.(\w+)/g)];
  const rest = code
    .replaceAll(/\bexports\.(\w+)=(\w+)\.(\w+)[,;]?/g, '')
    .replace(/^Object\.defineProperty\(exports,Symbol\.toStringTag,\{value:`Module`\}\)[,;]/, '')
    .replace(/^require\("[^"]+"\);/, '')
    .replace(`const ${variable}=require("./${file}");`, '');
  if (rest.trim() !== '' || members.some(([, , from]) => from !== variable)) return undefined;
  return { file, members: Object.fromEntries(members.map(([, member, , exported]) => [member, exported])) };
}

function membersOf(target) {
  if (target === undefined) return undefined;
  const members = Object.entries(target.members).map(([member, exported]) => `${member}:m.${exported}`);
  return `(m=>({${members.join(',')}}))(require("./${target.file}"))`;
}

const exporting = (members) =>
  Object.entries(members)
    .map(([member, exported]) => `exports.${member}=exports.${exported};`)
    .join('');

function ownHelpers({ code }) {
  return `const bundler={};((exports)=>{${code}})(bundler);`;
}
