import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FailedInput, InputResult } from './inputs.js';

/** One thing that went wrong, ready to be read: where, what, and the one command that shows it again. */
export interface Finding {
  readonly title: string;
  readonly detail: string;
  readonly reproduce: string;
}

/** What a run came to. */
export interface Result {
  readonly done: number;
  /** How often what came of an input, a request, an operation or a kill. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly findings: readonly Finding[];
}

export function tallied(outcomes: Map<string, number>, outcome: string): void {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

export function reproduce(target: string, seed: number, only: number): string {
  return `npm run fuzz -- --target ${target} --seed ${seed} --only ${only}`;
}

/** Saves the inputs that failed, as made and as shrunk. */
export function resultOfInputs(target: string, { outcomes, failures }: InputResult, folder = tmpdir()): Result {
  const findings = failures.map((failure) => ({
    title: `${failure.parser}: input ${failure.index} of seed ${failure.seed} (${failure.count} like it)`,
    detail: [shownError(failure.error), ...saved(target, failure, folder)].join('\n'),
    reproduce: reproduce(target, failure.seed, failure.index),
  }));
  return { done: [...outcomes.values()].reduce((sum, count) => sum + count, 0), outcomes, findings };
}

function saved(target: string, { parser, seed, index, input, shrunk }: FailedInput, folder: string): string[] {
  const base = join(folder, `passkey-fuzz-${target}-${parser}-${seed}-${index}`);
  writeFileSync(`${base}.bin`, input);
  writeFileSync(`${base}.min`, shrunk);
  const shown = /^[\t\n\r -~]*$/.test(Buffer.from(shrunk).toString('latin1'))
    ? Buffer.from(shrunk).toString('latin1')
    : Buffer.from(shrunk).toString('hex');
  return [`saved as ${base}.bin (${input.length} bytes) and .min (${shrunk.length} bytes)`, shown.slice(0, 400)];
}

export function shownError(error: unknown): string {
  return (error instanceof Error ? (error.stack ?? error.message) : String(error)).slice(0, 1_500);
}

/** All findings as one text; empty where there are none. */
export function describeFindings({ findings }: Result): string {
  return findings.map(({ title, detail, reproduce: command }) => `${title}\n${detail}\n${command}\n`).join('\n');
}
