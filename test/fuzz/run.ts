// `npm run fuzz -- --target NAME [--seed N] [--inputs N] [--only INDEX]`: fuzzes one target, or all of them. The same seed makes the same
// inputs; `--only` makes one of them again. Exits 1 with every failure, its saved input and the command that reproduces it.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { describeFindings } from './report.js';
import { isTarget, TARGETS, type Target } from './targets.js';

const { values } = parseArgs({
  options: {
    target: { type: 'string', default: 'parsers' },
    seed: { type: 'string' },
    inputs: { type: 'string', default: '10000' },
    only: { type: 'string' },
  },
});

function number(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error(`--${name} expects a whole number; got ${text}.`);
  return Number(text);
}

const seed = values.seed === undefined ? randomInt(2 ** 31) : number('seed', values.seed);
const named = values.target.split(',');
const targets = named[0] === 'all' ? (Object.keys(TARGETS) as Target[]) : named.filter(isTarget);
if (targets.length === 0) throw new Error(`--target expects all or some of ${Object.keys(TARGETS).join(',')}; got ${values.target}.`);
const from = values.only === undefined ? 0 : number('only', values.only);
const inputs = values.only === undefined ? number('inputs', values.inputs) : 1;

for (const target of targets) {
  console.log(`${target}: seed ${seed}, ${inputs} from ${from} on`);
  const began = performance.now();
  const onProgress = (done: number) => console.log(`  ${done} after ${Math.round((performance.now() - began) / 1000)} s`);
  const result = await TARGETS[target]({ seed, inputs, from, onProgress });
  for (const [outcome, count] of [...result.outcomes].toSorted(([a], [b]) => a.localeCompare(b))) {
    console.log(`  ${String(count).padStart(9)}  ${outcome}`);
  }
  console.log(
    `${target}: ${result.done} done in ${Math.round((performance.now() - began) / 1000)} s, ${result.findings.length} kinds of failure`,
  );
  if (result.findings.length > 0) {
    console.log(describeFindings(result));
    process.exitCode = 1;
  }
}
