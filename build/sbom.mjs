// dist/sbom.cdx.json: what the bundle contains, as CycloneDX 1.6 (https://cyclonedx.org/docs/1.6/json/). Without a time or anything
// else that differs between two builds of the same sources.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export async function writeSbom(root, packages) {
  const read = async (file) => JSON.parse(await readFile(join(root, file), 'utf8'));
  const [own, lock] = [await read('package.json'), await read('package-lock.json')];
  await writeFile(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(sbomOf({ own, lock, packages }), null, 2)}\n`);
}

/** Some of the development dependencies are in the bundle too: those that only a part of it loads. */
function sbomOf({ own, lock, packages }) {
  const self = { 'bom-ref': purlOf(own), type: 'application', ...namesOf(own), purl: purlOf(own), licenses: licensesOf(own.license) };
  const components = packages.map(componentOf);
  const dependencies = [
    { ref: self['bom-ref'], dependsOn: refsOf(Object.keys({ ...own.dependencies, ...own.devDependencies }), '', { lock, packages }) },
    ...packages.map((each) => {
      const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lock.packages[each.folder];
      const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, ...peerDependenciesMeta });
      return { ref: purlOf(each), dependsOn: refsOf(names, each.folder, { lock, packages }) };
    }),
  ];
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([self, components, dependencies]))}`,
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: self },
    components,
    dependencies,
  };
}

function componentOf({ name, version, license, manifest, integrity, contents }) {
  const [file] = name.split('/').slice(-1);
  const { homepage } = manifest;
  return {
    'bom-ref': purlOf({ name, version }),
    type: 'library',
    ...namesOf({ name, version }),
    purl: purlOf({ name, version }),
    licenses: licensesOf(license),
    externalReferences: [
      { type: 'distribution', url: `https://registry.npmjs.org/${name}/-/${file}-${version}.tgz`, hashes: hashesOf(integrity) },
      ...(typeof homepage === 'string' && homepage !== '' ? [{ type: 'website', url: homepage }] : []),
    ],
    ...(contents.length > 0 && {
      components: contents.map((content) => ({
        'bom-ref': `${purlOf({ name, version })}#${content.name}`,
        type: 'data',
        name: content.name,
        licenses: licensesOf(content.license),
        externalReferences: [{ type: 'website', url: content.url }],
      })),
    }),
  };
}

function namesOf({ name, version }) {
  const [, group, own] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [undefined, undefined, name];
  return { ...(group !== undefined && { group }), name: own, version };
}

/** https://github.com/package-url/purl-spec: the @ of a scope is escaped. */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function licensesOf(license) {
  return / (AND|OR|WITH) /.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
}

/** Of the package as npm serves it, from Subresource Integrity (`sha512-` and base64). */
function hashesOf(integrity) {
  return integrity.split(' ').map((each) => {
    const [, bits, base64] = /^sha(\d+)-(.+)$/.exec(each) ?? [];
    return { alg: bits === '1' ? 'SHA-1' : `SHA-${bits}`, content: Buffer.from(base64, 'base64').toString('hex') };
  });
}

/** The bundled packages that `names` stand for in the package at `folder`: beside it, or above. */
function refsOf(names, folder, { lock, packages }) {
  const bundled = new Set(packages.map(purlOf));
  const refs = names.map((name) => {
    const { version } = lock.packages[resolve(name, folder, lock)] ?? {};
    return purlOf({ name, version });
  });
  return [...new Set(refs.filter((ref) => bundled.has(ref)))].toSorted((a, b) => (a < b ? -1 : 1));
}

function resolve(name, folder, lock) {
  for (let above = folder; ; above = above.slice(0, Math.max(0, above.lastIndexOf('node_modules/') - 1))) {
    const path = `${above === '' ? '' : `${above}/`}node_modules/${name}`;
    if (path in lock.packages || above === '') return path;
  }
}

/** Version 8 of RFC 9562: of the contents, so that the same contents have the same. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
