import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { recordings } from '../cli/simulate/recordings.js';
import { quick as test, thorough } from '../thorough.js';
import { action, inputOf, runScript, script, versionStep } from './action-yml.js';

describe('action.yml', () => {
  test('is a composite action as GitHub takes it', () => {
    // https://docs.github.com/actions/reference/metadata-syntax-for-github-actions
    expect(Object.keys(action)).toEqual(['name', 'description', 'branding', 'inputs', 'outputs', 'runs']);
    expect(action.description.length).toBeLessThanOrEqual(125);
    expect(action.branding).toEqual({
      icon: 'key',
      color: expect.stringMatching(/^(?:white|black|yellow|blue|green|orange|red|purple|gray-dark)$/),
    });
    expect(action.runs.using).toBe('composite');
    for (const input of Object.values(action.inputs)) {
      expect(input).toEqual({ description: expect.any(String), default: expect.any(String) });
    }
    const known = ['id', 'if', 'name', 'uses', 'with', 'run', 'shell', 'env', 'working-directory', 'continue-on-error'];
    for (const step of action.runs.steps) {
      expect(known).toEqual(expect.arrayContaining(Object.keys(step)));
      expect([step.run, step.shell].filter(Boolean).length).toBe(step.uses === undefined ? 2 : 0);
      if (step.uses !== undefined) expect(step.uses).toMatch(/^[\w-]+\/[\w-]+@v\d+$/);
    }
  });

  test('hands inputs on by environment, never in the text of the script, and uses them all', () => {
    for (const step of [versionStep, script]) expect(step.run).not.toContain('${{');
    const everywhere = JSON.stringify(action.runs.steps);
    const used = [...everywhere.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(action.inputs)));
    for (const [name, expression] of Object.entries(script.env ?? {})) {
      if (name === 'VERSION') expect(expression).toBe('${{ steps.version.outputs.version }}');
      else expect(inputOf(expression)).toBeDefined();
      expect(script.run).toContain(`$${name.replace('INPUT_TAGS', '{INPUT_TAGS')}`);
    }
  });

  test('leaves the Node.js of the job alone, unless it is given a version', () => {
    const [setup] = action.runs.steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@'));
    expect(setup?.if).toBe("${{ inputs.node-version != '' }}");
    expect(action.inputs['node-version']?.default).toBe('');
  });
});

describe('the outputs of action.yml', () => {
  /** The report of a run of a good and a bad recording; the flags decide what becomes of the bad one. */
  async function reportOf(...flags: readonly string[]) {
    const { cwd, simulate } = await recordings();
    await simulate(['--write-baseline', 'base.json']);
    await simulate([...flags, '--reporter', 'json=report.json']);
    return join(cwd, 'report.json');
  }

  /** The script, with an `npx` that leaves this report where it was asked to. */
  const outputsOf = async (report: string) => {
    const { outputs } = await runScript(
      {},
      { 'bin/npx': `#!/bin/sh\nfor word; do case $word in json=*) cp '${report}' "\${word#json=}"; esac; done\n` },
    );
    return outputs;
  };

  const all = { total: '2', passed: '1', failed: '0', tolerated: '0', findings: '0', 'not-applicable': '0', incomplete: 'false' };

  test.each([['a failure', [], { failed: '1', findings: '1' }] as const])('of a run with %s', expectOutputs);

  thorough.each([
    ['a failure that --fail-on tolerates', ['--fail-on', 'medium'], { tolerated: '1' }],
    ['a failure that the baseline has', ['--baseline', 'base.json'], {}],
    ['no failure', ['good'], { total: '1' }],
  ] as const)('of a run with %s', expectOutputs);

  async function expectOutputs(_: string, flags: readonly string[], expected: Readonly<Record<string, string>>): Promise<void> {
    const outputs = await outputsOf(await reportOf(...flags));
    expect(outputs).toEqual({ ...all, ...expected, report: expect.stringMatching(/\.json$/) });
    for (const [name, { value }] of Object.entries(action.outputs)) {
      expect(value).toBe(`\${{ steps.${script.id}.outputs.${name} }}`);
      expect(outputs).toHaveProperty(name);
    }
  }

  thorough('of a run that was interrupted', async () => {
    const report = await reportOf();
    const { incomplete: _, ...whole } = JSON.parse(await readFile(report, 'utf8'));
    await writeFile(report, JSON.stringify({ ...whole, incomplete: true }));
    expect(await outputsOf(report)).toMatchObject({ failed: '1', incomplete: 'true' });
  });

  test('are none where nothing could run', async () => {
    expect(await runScript({}, { 'bin/npx': '#!/bin/sh\nexit 2\n' })).toMatchObject({ code: 2, outputs: {} });
  });
});
