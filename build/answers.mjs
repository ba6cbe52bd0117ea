// What is known of the command line before it runs, from its definitions (src/cli/answers.ts): the answers that bin/passkey.js writes,
// and the options of the commands that are read without commander.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

export async function writeAnswers(root, version) {
  const folder = join(root, 'dist/cli/answers');
  const fresh = `${folder}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  const { knownAnswers } = await sources(root, version);
  for (const [words, text] of Object.entries(await knownAnswers())) await writeFile(join(fresh, `${words}.txt`), text);
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
}

/** Before the command line is bundled, since it is a part of that. */
export async function writeQuickOptions(root, version) {
  const text = (await sources(root, version)).quickOptionsSource();
  await writeFile(join(root, 'src/cli/quick/options.generated.ts'), text);
}

/** The sources, without what the commands load when they run. */
async function sources(root, version) {
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
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

const commandsLeftOut = {
  name: 'commands-left-out',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined));
  },
};
