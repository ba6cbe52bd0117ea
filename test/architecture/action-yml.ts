import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../e2e/passkey-process.js';

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
