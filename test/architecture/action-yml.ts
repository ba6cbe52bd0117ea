import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { tempFolder } from '../cli/temp-folder.js';
import { collect, ROOT } from '../e2e/passkey-process.js';

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}
interface Action {
  readonly name: string;
  readonly description: string;
  readonly branding: { readonly icon: string; readonly color: string };
  readonly inputs: Readonly<Record<string, { readonly description: string; readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description: string; readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** What action.yml says. */
export const action: Action = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8'));

const stepNamed = (id: string): Step => action.runs.steps.find((step) => step.id === id) ?? {};

/** The step that finds out which version to run. */
export const versionStep: Step = stepNamed('version');

/** The step that runs it. */
export const script: Step = stepNamed('simulate');

/** The input that an expression stands for. */
export const inputOf = (expression = ''): string | undefined => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1];

/**
 * Runs the step that runs passkey as the runner does, with the passkey of the project.
 *
 * @param commands scripts by their paths in a folder of their own, in which it runs; `bin` is on the PATH.
 */
export async function runScript(inputs: Readonly<Record<string, string>>, commands: Readonly<Record<string, string>>) {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'package.json'), '{ "private": true }');
  for (const [path, text] of Object.entries(commands)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text, { mode: 0o755 });
  }
  const files = { GITHUB_OUTPUT: join(cwd, 'output'), GITHUB_STEP_SUMMARY: join(cwd, 'summary.md'), RUNNER_TEMP: join(cwd, 'temp') };
  await mkdir(files.RUNNER_TEMP);
  await writeFile(join(cwd, 'script.sh'), script.run ?? '');
  const env = Object.entries(script.env ?? {}).map(([name, expression]) => {
    if (name === 'VERSION') return [name, 'installed'];
    const input = inputOf(expression) ?? '';
    return [name, inputs[input] ?? action.inputs[input]?.default ?? ''];
  });
  const path = [join(cwd, 'bin'), join(process.execPath, '..'), process.env['PATH']].join(delimiter);
  // https://docs.github.com/actions/reference/workflow-syntax-for-github-actions#jobsjob_idstepsshell
  const { code, stdout, stderr } = await collect(
    spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', 'script.sh'], {
      cwd,
      env: { PATH: path, HOME: cwd, ...Object.fromEntries(env), ...files },
    }),
  );
  const text = (file: string) => readFile(file, 'utf8').catch(() => '');
  const outputs = Object.fromEntries(
    (await text(files.GITHUB_OUTPUT)).split('\n').flatMap((line) => (line === '' ? [] : [line.split('=')])),
  );
  return {
    code,
    stdout,
    stderr,
    outputs,
    summary: await text(files.GITHUB_STEP_SUMMARY),
    words: await text(join(cwd, 'words')),
    files: await readdir(cwd),
  };
}
