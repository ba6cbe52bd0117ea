import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

export const root = resolve(import.meta.dirname, '../..');

/** Folders of the packages that the sources pull into a bundle, asked of the bundler anew. */
export const bundledPackages = await findBundledPackages();

async function findBundledPackages(): Promise<string[]> {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(root, 'src', file));
  const { metafile } = await build({
    entryPoints: sources,
    outdir: join(root, 'dist'),
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native', 'supports-color'],
    logLevel: 'silent',
    absWorkingDir: root,
  });
  const folders = Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}
