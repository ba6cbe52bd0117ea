import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addStep } from '../../../src/browse/flow-recorder.js';
import { readFlows } from '../../../src/cli/browse/flow-file.js';
import { fakeIo } from '../fake-io.js';
import { tempFolder } from '../temp-folder.js';

const button = (name: string) => ({ click: { role: 'button', name } });
const field = (name: string, value: string) => ({ fill: { role: 'textbox', name }, value });
const FLOWS = { register: [{ goto: '/new' }, field('Password', '${env:FLOW_PASSWORD}-{n}'), button('Create')], login: [button('Log in')] };

async function read(text: string, env: Readonly<Record<string, string>> = { FLOW_PASSWORD: 'horse' }) {
  const cwd = await tempFolder();
  await writeFile(join(cwd, 'flow.json'), text);
  return await readFlows(fakeIo({ cwd, env }).io, 'flow.json');
}

describe('the file of --flow', () => {
  test('gets the variables of the environment', async () => {
    const flows = await read(JSON.stringify({ ...FLOWS, remove: [button('Remove')], $schema: './flows.schema.json' }));
    expect(flows).toEqual({
      register: [{ goto: '/new' }, field('Password', 'horse-{n}'), button('Create')],
      login: [button('Log in')],
      remove: [button('Remove')],
    });
  });

  test.for([
    ['{', 'flow.json:1:2: expected'],
    [JSON.stringify({ register: FLOWS.register }), '/login is missing'],
    [JSON.stringify({ ...FLOWS, login: [] }), '/login'],
    [JSON.stringify({ ...FLOWS, login: [{ click: { role: 'button' } }] }), '/login/0'],
    [JSON.stringify({ ...FLOWS, login: [{ press: 'Enter' }] }), '/login/0'],
    [JSON.stringify({ ...FLOWS, logout: [button('Log out')] }), '/logout'],
    [JSON.stringify([]), 'the document'],
  ] as const)('is refused where it is %s', async ([text, message]) => {
    await expect(read(text)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
  });

  test('is refused where a variable is not set', async () => {
    await expect(read(JSON.stringify(FLOWS), {})).rejects.toMatchObject({
      code: 'usage',
      message: '--flow flow.json: the field "Password" needs the variable FLOW_PASSWORD. Set it in the environment.',
    });
  });
});

test('what is typed into a field again takes the place of what was typed before', () => {
  const steps = [
    field('Name', 'A'),
    field('Name', 'Ada'),
    field('Mail', 'a@b.example'),
    field('Name', 'Eve'),
    button('Save'),
    button('Save'),
  ];
  expect(steps.reduce(addStep, [])).toEqual([
    field('Name', 'Ada'),
    field('Mail', 'a@b.example'),
    field('Name', 'Eve'),
    button('Save'),
    button('Save'),
  ]);
});
