import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const src = join(root, 'src');

/** What each part may import, by the first folder or by a single file. `type:` allows it for type imports only. */
const ALLOWED: Record<string, readonly string[]> = {
  errors: [],
  kernel: ['errors'],
  webauthn: ['kernel', 'errors'],
  authenticator: ['webauthn', 'kernel', 'errors'],
  // Both sides of hmac-secret stand in one file: what the platform encrypts, the authenticator reads.
  client: ['webauthn', 'kernel', 'errors', 'type:authenticator/ports', 'authenticator/hmac-secret', 'authenticator/pin-uv-auth-protocol'],
  'relying-party': ['webauthn', 'kernel', 'errors'],
  accounts: ['webauthn', 'kernel', 'errors'],
  // How a file is written whole or not at all, also on Windows, is one fact.
  fixture: ['webauthn', 'kernel', 'errors', 'type:relying-party', 'store/file-system', 'store/replace-file'],
  explain: ['relying-party', 'fixture', 'webauthn', 'kernel', 'errors'],
  // Names and pure rules only: it decodes nothing by itself and asks the server, so that it shows the same trees and steps as the command line.
  page: [
    'webauthn',
    'kernel',
    'explain/annotate/page-run',
    'explain/browser-errors/cancelled',
    'explain/nothing-explained',
    'explain/parse-expectation',
    // The members of a response that do not belong in a file are one list.
    'fixture/response',
    'type:explain',
    'type:server/schemas',
    'type:relying-party/passkey-document',
  ],
  store: [
    'webauthn/base64url',
    'webauthn/loopback',
    'kernel',
    'errors',
    'type:relying-party/ports',
    'type:relying-party/credential-record',
    'type:relying-party/events',
    'type:accounts/ports',
    'type:accounts/events',
  ],
  server: ['relying-party', 'accounts', 'fixture', 'explain', 'webauthn', 'kernel', 'errors'],
  simulate: [
    'client',
    'authenticator',
    'relying-party',
    'accounts',
    'fixture',
    'server',
    'store/memory',
    'type:store/store',
    'webauthn',
    'kernel',
    'errors',
    'explain',
  ],
  testing: [
    // What the build makes of the script for pages.
    '../generated/init-script',
    '../generated/watch-page',
    'client',
    'authenticator',
    'simulate',
    'server',
    'relying-party',
    'accounts',
    'explain',
    'store/memory',
    'webauthn',
    'kernel',
    'errors',
  ],
  // It is given the software authenticator, the mutations and the stream.
  browse: [
    '../generated/watch-page',
    'client',
    'explain',
    'fixture',
    'testing/credentials',
    'testing/page',
    'webauthn',
    'kernel',
    'errors',
  ],
  cli: [
    'accounts',
    'authenticator',
    'browse',
    'client',
    'errors',
    'explain',
    'fixture',
    'kernel',
    // What the build makes of the page.
    '../generated/docs',
    '../generated/page',
    'relying-party',
    'server',
    'simulate',
    'store',
    'testing/page',
    'webauthn',
  ],
};

/** What folders within a part may import of that part. Folders that are not named may import all of it. */
const ALLOWED_WITHIN: Record<string, readonly string[]> = {
  'simulate/report': ['simulate/report'],
  'simulate/http': ['simulate/http'],
  'simulate/findings': ['simulate/findings', 'simulate/report'],
  'simulate/target': ['simulate/target', 'simulate/http', 'simulate/report'],
  'simulate/engine': ['simulate/engine', 'simulate/target', 'simulate/http', 'simulate/report'],
  'simulate/cases': ['simulate/cases', 'simulate/engine', 'simulate/http', 'simulate/report', 'type:simulate/target/driver'],
  // Measures ceremonies; knows no cases.
  'simulate/load': ['simulate/load', 'simulate/target', 'simulate/http', 'simulate/engine/in-process', 'simulate/engine/remote'],
  'simulate/reporters': ['simulate/reporters', 'simulate/report', 'type:simulate/load/report'],
};

/** Packages that only one part, or one file, may import. */
const PACKAGES: Record<string, RegExp> = {
  '@simplewebauthn/server': /^(?:relying-party\/simplewebauthn|simulate\/demo\/shop)\.ts$/,
  lowdb: /^store\//,
  fastify: /^server\//,
  commander: /^cli\//,
  yaml: /^simulate\/target\/(?:read|write)-profile\.ts$/,
  'node-html-parser': /^simulate\/target\/html\.ts$/,
  'tough-cookie': /^simulate\/target\/cookie-jar\.ts$/,
  entities: /^simulate\/target\/filters\.ts$/,
  pg: /^store\/postgres\/database\.ts$/,
  leven: /^kernel\/nearest\.ts$/,
  inquirer: /^cli\//,
  open: /^cli\//,
  // The page bundles the rest of webauthn, and must not carry the public suffix list.
  preact: /^page\//,
  tldts: /^webauthn\/registrable-suffix\.ts$/,
};

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
  readonly dynamic: boolean;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(src, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

const STATEMENT = /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s*)?['"]([^'"]+)['"]/gm;
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

function importsOf(file: string): Import[] {
  // Comments may speak of imports.
  const text = readFileSync(join(src, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '');
  const found: Import[] = [];
  for (const [, type, to] of text.matchAll(STATEMENT)) {
    found.push({ from: file, to: to ?? '', typeOnly: type !== undefined, dynamic: false });
  }
  for (const [, to] of text.matchAll(DYNAMIC)) found.push({ from: file, to: to ?? '', typeOnly: false, dynamic: true });
  return found.map((entry) => ({
    ...entry,
    to: entry.to.startsWith('.') ? posix.join(posix.dirname(file), entry.to).replace(/\.js$/, '') : entry.to,
  }));
}

/** The source file of an import, with its ending; undefined for a package. */
const sourceOf = ({ to }: Import): string | undefined => ['.ts', '.tsx'].map((end) => `${to}${end}`).find((file) => sourceSet.has(file));
const isOurs = (entry: Import): boolean => sourceOf(entry) !== undefined || entry.to.startsWith('../generated/');
const files = sourceFiles(src);
const sourceSet = new Set(files);
const all = files.flatMap(importsOf);
const partOf = (path: string): string => path.split('/')[0]?.replace(/\.ts$/, '') ?? '';

/** Why this import breaks the rules; undefined when it does not. */
function violation(entry: Import): string | undefined {
  const part = partOf(entry.from);
  if (!ALLOWED[part]) return `src/${part} is no part that DESIGN names`;
  const within = partOf(entry.to) === part;
  const rules = within ? ALLOWED_WITHIN[entry.from.split('/').slice(0, 2).join('/')] : ALLOWED[part];
  if (!rules) return undefined;
  const fits = (rule: string) => entry.to === rule || entry.to.startsWith(`${rule}/`);
  for (const rule of rules) {
    if (rule.startsWith('type:') ? entry.typeOnly && fits(rule.slice(5)) : fits(rule)) return undefined;
  }
  return `${entry.from} may not import ${entry.to}`;
}

describe('import rules', () => {
  test('every import of our own obeys the table', () => {
    expect(all.length).toBeGreaterThan(50);
    expect(all.filter(isOurs).map(violation).filter(Boolean)).toEqual([]);
  });

  test('the rules catch what they forbid', () => {
    const forbidden: Import[] = [
      { from: 'authenticator/a.ts', to: 'relying-party/policy', typeOnly: true, dynamic: false },
      { from: 'store/a.ts', to: 'accounts/accounts', typeOnly: true, dynamic: false },
      { from: 'store/a.ts', to: 'relying-party/ports', typeOnly: false, dynamic: false },
      { from: 'server/a.ts', to: 'cli/main', typeOnly: false, dynamic: true },
      { from: 'simulate/engine/a.ts', to: 'simulate/cases/all-cases', typeOnly: true, dynamic: false },
      { from: 'simulate/engine/a.ts', to: 'simulate/simulate', typeOnly: true, dynamic: false },
      { from: 'simulate/cases/a.ts', to: 'simulate/reporters/pretty', typeOnly: false, dynamic: false },
      { from: 'simulate/load/a.ts', to: 'simulate/engine/run-scenario', typeOnly: false, dynamic: false },
      { from: 'simulate/load/a.ts', to: 'simulate/cases/all-cases', typeOnly: true, dynamic: false },
      { from: 'simulate/reporters/a.ts', to: 'simulate/engine/scenario', typeOnly: false, dynamic: false },
    ];
    expect(forbidden.map(violation)).not.toContain(undefined);
  });

  test('no cycles, type imports counted', () => {
    const graph = new Map<string, string[]>();
    for (const entry of all) {
      const to = sourceOf(entry);
      if (to !== undefined) graph.set(entry.from, [...(graph.get(entry.from) ?? []), to]);
    }
    expect([...graph.values()].flat().some((file) => file.endsWith('.tsx'))).toBe(true);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      if (path.includes(file) || done.has(file)) return;
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test('no two folders import each other, type imports counted', () => {
    // Two levels below src: a room, or a folder of it. A folder and one inside of it are one.
    const folderOf = (file: string) => posix.dirname(file).split('/').slice(0, 2).join('/');
    const edges = new Set(
      all.flatMap((entry) => {
        const to = sourceOf(entry);
        return to === undefined ? [] : [`${folderOf(entry.from)} ${folderOf(to)}`];
      }),
    );
    const isMutual = (one: string, other: string) =>
      one < other && edges.has(`${other} ${one}`) && !one.startsWith(`${other}/`) && !other.startsWith(`${one}/`);
    const mutual = [...edges].filter((edge) => {
      const [one = '', other = ''] = edge.split(' ');
      return isMutual(one, other);
    });
    expect(edges.size).toBeGreaterThan(100);
    expect(mutual).toEqual([]);
  });

  test.each(Object.entries(PACKAGES))('%s is imported only where it belongs', (name, where) => {
    const importers = all.filter((entry) => !entry.typeOnly && (entry.to === name || entry.to.startsWith(`${name}/`)));
    expect(importers.map((entry) => entry.from).filter((file) => !where.test(file))).toEqual([]);
  });

  test('the verification library is imported late, and so is the shop that stands on it', () => {
    const shop = 'simulate/demo/shop.ts';
    const atOnce = all.filter(({ typeOnly, dynamic }) => !typeOnly && !dynamic);
    expect(atOnce.filter(({ from, to }) => (to === '@simplewebauthn/server' && from !== shop) || to === shop)).toEqual([]);
  });

  test('what the page bundles uses no Node API', () => {
    const offending = files
      .filter((file) => /^(kernel|webauthn|explain\/annotate)\//.test(file))
      .filter((file) =>
        /\bBuffer\b|['"]node:|\bprocess\./.test(readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')),
      );
    expect(offending).toEqual([]);
  });

  // It lies on Node 20: see webauthn/parse-url.ts.
  test('nothing asks URL.canParse', () => {
    const asking = files.filter((file) =>
      /canParse/.test(readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')),
    );
    expect(asking).toEqual([]);
  });

  test('no barrels: only the public.ts of a part re-exports, and nothing inside imports it', () => {
    const reexports = files.filter((file) => /^\s*export (?:type )?(?:\*|\{[^}]*\}) from/m.test(readFileSync(join(src, file), 'utf8')));
    expect(reexports.length).toBeGreaterThan(2);
    expect(reexports.filter((file) => !/^[a-z-]+\/public\.ts$/.test(file))).toEqual([]);
    expect(files.filter((file) => file.endsWith('index.ts'))).toEqual([]);
    expect(all.filter((entry) => entry.to.endsWith('/public')).map((entry) => entry.from)).toEqual([]);
  });

  test('a public.ts names what it gives, from its own part or the kernel', () => {
    const publics = files.filter((file) => file.endsWith('/public.ts'));
    for (const file of publics) expect([file, readFileSync(join(src, file), 'utf8').includes('export *')]).toEqual([file, false]);
    expect(all.filter((entry) => publics.includes(entry.from) && ![partOf(entry.from), 'kernel'].includes(partOf(entry.to)))).toEqual([]);
  });
});
