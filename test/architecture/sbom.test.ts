import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { build } from 'esbuild';
import { describe, expect } from 'vitest';
import { ROOT } from '../e2e/passkey-process.js';
import { quick as test, thorough } from '../thorough.js';

/** Folders of the packages that the sources pull into a bundle, asked of the bundler anew. */
const bundledPackages = await findBundledPackages();

async function findBundledPackages(): Promise<string[]> {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(ROOT, 'src', file));
  const { metafile } = await build({
    entryPoints: sources,
    outdir: join(ROOT, 'dist'),
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native', 'supports-color'],
    logLevel: 'silent',
    absWorkingDir: ROOT,
  });
  const folders = Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

interface Component {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly licenses: readonly { readonly license?: { readonly id: string }; readonly expression?: string }[];
  readonly externalReferences: readonly { readonly type: string; readonly hashes?: readonly { readonly content: string }[] }[];
  readonly components?: readonly Component[];
}

interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Licences that code of others may have in this package, which is MIT. The public suffix list is data under the MPL, unchanged and
 * named in dist/THIRD-PARTY-LICENSES.txt.
 */
const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];
const LICENCES_OF_DATA = ['MPL-2.0'];

const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

describe('dist/sbom.cdx.json', () => {
  const sbom: Sbom = read('dist/sbom.cdx.json');
  const byName = new Map(sbom.components.map((each) => [`${[each.group, each.name].filter(Boolean).join('/')} ${each.version}`, each]));
  const { packages: locked }: { readonly packages: Readonly<Record<string, { readonly integrity?: string }>> } = read('package-lock.json');
  const nameOf = (folder: string) => {
    const { name, version } = read(`${folder}/package.json`);
    return `${name} ${version}`;
  };

  thorough('is CycloneDX 1.6', () => {
    const schema = (name: string) => read(`test/release/node_modules/@cyclonedx/cyclonedx-library/res/schema/${name}.SNAPSHOT.schema.json`);
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
    for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs']) {
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    }
    const validate = ajv.compile(schema('bom-1.6'));
    validate(sbom);
    expect(validate.errors).toBeNull();
    validate({ ...sbom, components: [{ ...sbom.components[0], licenses: [{ license: { id: 'none' } }] }] });
    expect(validate.errors).not.toBeNull();
  });

  test('it has every bundled package as the lock file has it, and nothing else', () => {
    const expected = bundledPackages.map((folder) => {
      const sha512 = Buffer.from(locked[folder]?.integrity?.replace('sha512-', '') ?? '', 'base64').toString('hex');
      return { name: nameOf(folder), purl: `pkg:npm/${nameOf(folder).replace('@', '%40').replace(' ', '@')}`, sha512: [sha512] };
    });
    const listed = [...byName].map(([name, { purl, externalReferences }]) => ({
      name,
      purl,
      sha512: externalReferences.flatMap(({ hashes }) => hashes ?? []).map(({ content }) => content),
    }));
    const byPurl = (one: { purl: string }, other: { purl: string }) => (one.purl < other.purl ? -1 : 1);
    const unique = [...new Map(expected.map((each) => [each.purl, each])).values()];
    expect(listed.toSorted(byPurl)).toEqual(unique.toSorted(byPurl));
    expect(listed.filter(({ sha512 }) => !/^[0-9a-f]{128}$/.test(sha512.join()))).toEqual([]);
  });

  test('everything in it has a licence that this package may ship', () => {
    const wrong = ({ licenses }: Component, allowed: readonly string[]) =>
      licenses.some(({ license }) => license === undefined || !allowed.includes(license.id));
    const others = sbom.components.filter((each) => wrong(each, LICENCES));
    const data = sbom.components.flatMap(({ components = [] }) => components).filter((each) => wrong(each, LICENCES_OF_DATA));
    expect([...others, ...data].map((each) => each['bom-ref'])).toEqual([]);
  });

  test('what depends on what is told of everything', () => {
    const refs = [sbom.metadata.component, ...sbom.components].map((each) => each['bom-ref']);
    expect(sbom.dependencies.map(({ ref }) => ref)).toEqual(refs);
    expect(new Set(refs).size).toBe(refs.length);
    const reached = new Set(refs.slice(0, 1));
    const dependsOn = new Map(sbom.dependencies.map(({ ref, dependsOn: on }) => [ref, on]));
    for (const ref of reached) for (const next of dependsOn.get(ref) ?? []) reached.add(next);
    expect(refs.filter((ref) => !reached.has(ref))).toEqual([]);
  });

  thorough('is packed, with the terms', () => {
    const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' });
    const [{ files }]: [{ files: readonly { path: string }[] }] = JSON.parse(listed);
    const paths = files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['dist/sbom.cdx.json', 'dist/THIRD-PARTY-LICENSES.txt', 'LICENSE']));
  });
});

test('publishing asks for provenance', () => {
  expect(read('package.json').publishConfig).toEqual({ access: 'public', provenance: true });
});

const headingOf = (folder: string) => {
  const { name, version, license } = read(`${folder}/package.json`);
  return `${name} ${version} (${license})`;
};

describe('dist/THIRD-PARTY-LICENSES.txt', () => {
  const text = readFileSync(join(ROOT, 'dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  const headings = text
    .split(/^(?=\S+ \d\S* \(.+\)\n=+$)/m)
    .slice(1)
    .map((section) => /^(.+)\n=+\n\n([\s\S]*)/.exec(section) ?? [section]);
  const named = new Map(headings.map(([, heading = '', terms = '']) => [heading, terms]));

  test('there are packages to name', () => expect(bundledPackages).toContain('node_modules/fastify'));

  test('each is named, with its terms', () => {
    expect(bundledPackages.filter((folder) => (named.get(headingOf(folder))?.trim().length ?? 0) <= 100)).toEqual([]);
  });

  test('they stand in order, each once', () => {
    const order = headings.map(([, heading]) => heading ?? '');
    expect(order).toEqual([...new Set(order)].toSorted());
  });

  test('what a package contains of others is named with it', () => {
    const tldts = bundledPackages.find((folder) => folder.endsWith('node_modules/tldts')) ?? '';
    expect(named.get(headingOf(tldts))).toMatch(/Public Suffix List[\s\S]*Mozilla Public License/);
  });
});
