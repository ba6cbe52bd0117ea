import { expect, test } from 'vitest';
import type { Flags } from '../../../src/cli/config/resolve.js';
import { selectScenarios } from '../../../src/cli/simulate/selection.js';
import { listCases } from '../../../src/simulate/simulate.js';
import { fakeIo } from '../fake-io.js';

const { io } = fakeIo();

test('what waits for a challenge to expire is listed with --slow only', async () => {
  const ids = async (flags: Flags) =>
    (await listCases({ ...selectScenarios(io, flags, ['*.answered-*'], undefined), fixtures: [] })).map(({ id }) => id);
  await expect(ids({})).rejects.toThrow('The case "*.answered-*" waits until a challenge expires. Add --slow to run it.');
  expect(await ids({ slow: true })).toEqual([
    'register.answered-late',
    'login.answered-late',
    'register.answered-in-time',
    'login.answered-in-time',
  ]);
});
