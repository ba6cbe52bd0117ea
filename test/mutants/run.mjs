// npm run mutants -- src/browse [--count 40] [--seed 1] [--tests test/browse] [--also 'test/e2e/browse*']
// Switches on seeded faults of one expression each, one at a time, in a clone of HEAD, and runs the unit tests that execute the expression,
// those of its own folder first; of the unit tests only those below --tests. What survives them meets the build and the tests of --also.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { listFaults } from './faults.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: 'test' },
    also: { type: 'string', multiple: true, default: [] },
  },
});
const UNIT = ['--project', 'unit'];
const [folder] = positionals;
if (folder === undefined) {
  console.error('Expected a folder, got none. For example: npm run mutants -- src/browse --seed 7');
  process.exit(2);
}

const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim();
const clone = mkdtempSync(join(tmpdir(), 'passkey-mutants-'));
process.on('exit', () => rmSync(clone, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));
execFileSync('git', ['clone', '--quiet', '--local', root, clone]);
for (const modules of ['node_modules', 'test/release/node_modules'].filter((path) => existsSync(join(root, path)))) {
  cpSync(join(root, modules), join(clone, modules), { recursive: true, verbatimSymlinks: true });
}
build();

/** Numbers from 0 to 1 that the seed decides (mulberry32). */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function choose() {
  const next = random(Number(values.seed));
  const files = readdirSync(join(clone, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .map((file) => join(clone, folder, file))
    .toSorted();
  const all = files.flatMap((file) => listFaults(file, readFileSync(file, 'utf8')));
  const shuffled = all.map((fault) => ({ ...fault, place: next() })).toSorted((one, other) => one.place - other.place);
  const chosen = [];
  for (const fault of shuffled) {
    const overlaps = ({ file, start, end }) => file === fault.file && start < fault.end && fault.start < end;
    if (chosen.length < Number(values.count) && !chosen.some(overlaps)) chosen.push({ ...fault, id: chosen.length });
  }
  return chosen;
}

function build() {
  execFileSync(process.execPath, ['esbuild.config.mjs'], { cwd: clone, stdio: 'ignore' });
}

/** @returns whether every test passed. A run that does not end within five minutes has failed. */
function passes(words, env = {}) {
  const config = ['--config', 'test/mutants/vitest.config.ts', '--bail', env.PASSKEY_MUTANT_HITS ? '0' : '1'];
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...words, ...config, '--passWithNoTests'], {
    cwd: clone,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    timeout: env.PASSKEY_MUTANT_HITS ? 1_800_000 : 300_000,
  });
  return status === 0;
}

/** Writes other text in the places of faults of one file. */
function write(faults, by) {
  const [{ file, text }] = faults;
  // From the end, so that the places of the others stay.
  const ordered = faults.toSorted((one, other) => other.start - one.start);
  writeFileSync(
    file,
    ordered.reduce((edited, fault) => edited.slice(0, fault.start) + by(fault) + edited.slice(fault.end), text),
  );
}

/** Finds the test files that execute each fault; `atLoad`: a module does so as it is loaded. */
function record(faults) {
  const byFile = [...new Set(faults.map(({ file }) => file))].map((path) => faults.filter(({ file }) => file === path));
  const recording = ({ id, key, was }) => `${key}(globalThis.recordMutant?.(${id}), (${was}))`;
  for (const ofFile of byFile) write(ofFile, recording);
  const hits = join(clone, 'hits.jsonl');
  passes(['run', ...UNIT, values.tests], { PASSKEY_MUTANT_HITS: hits });
  for (const ofFile of byFile) write(ofFile, ({ was }) => was);
  const lines = readFileSync(hits, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ownTests = folder.replace(/^src/, 'test');
  return ({ id, atLoad }) => {
    const files = lines.filter(({ inTests }) => inTests.includes(id)).map(({ file }) => relative(clone, file));
    return {
      atLoad: atLoad || lines.some((line) => line.atLoad.includes(id)),
      groups: [files.filter((file) => file.startsWith(ownTests)), files.filter((file) => !file.startsWith(ownTests))],
    };
  };
}

const faults = choose();
const executing = record(faults);
let detected = 0;
for (const fault of faults) {
  const { atLoad, groups } = executing(fault);
  write([fault], ({ key, by }) => key + by);
  let survives = groups.every((files) => files.length === 0 || passes(['run', ...UNIT, ...files]));
  if (survives && atLoad) {
    survives = passes(values.tests === 'test' ? ['related', '--run', ...UNIT, fault.file] : ['run', ...UNIT, values.tests]);
  }
  if (survives && values.also.length > 0) {
    build();
    survives = passes(['run', ...values.also]);
  }
  write([fault], ({ was }) => was);
  if (!survives) detected += 1;
  const line = fault.text.slice(0, fault.start).split('\n').length;
  const count = groups.flat().length;
  const ran = count === 0 && !atLoad ? 'no unit test executes it' : `${count} files${atLoad ? ' and at load' : ''}`;
  console.log(`${survives ? 'SURVIVED' : 'detected'} ${relative(clone, fault.file)}:${line}  ${fault.was} -> ${fault.by}  (${ran})`);
}
console.log(`${detected} of ${faults.length} detected in ${folder}, seed ${values.seed}`);
