// dist/cli/answers: what the command line answers without doing anything, as bin/passkey.js writes it: src/cli/answers.ts.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

export async function writeAnswers(root, version) {
  const folder = join(root, 'dist/cli/answers');
  const fresh = `${folder}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  for (const [words, text] of Object.entries(await knownAnswers(root, version))) await writeFile(join(fresh, `${words}.txt`), text);
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}

/** Asks the sources, without what the commands load when they run. */
async function knownAnswers(root, version) {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/cli/answers.ts')],
    plugins: [commandsLeftOut],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    define: { 'process.env.PASSKEY_BUILD_VERSION': JSON.stringify(version) },
    banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr("file:///");' },
    logLevel: 'warning',
  });
  const sources = `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`;
  return (await import(sources)).knownAnswers();
}

const commandsLeftOut = {
  name: 'commands-left-out',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};
