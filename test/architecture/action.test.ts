import { describe, expect, test } from 'vitest';
import { action, inputOf, script, versionStep } from './action-yml.js';

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

  test('every output is one that its script writes', () => {
    for (const [name, { value }] of Object.entries(action.outputs)) {
      expect(value).toBe(`\${{ steps.${script.id}.outputs.${name} }}`);
      expect(script.run).toMatch(new RegExp(`[\`n]${name}=`));
    }
  });
});
