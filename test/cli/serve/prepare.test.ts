import { expect, test } from 'vitest';
import { runIn } from '../run-in.js';
import { tempFolder } from '../temp-folder.js';

test.each([
  [['--record-name', 'a'], '--record-name names recordings. Name their folder with --record DIR'],
  [['--record', 'r', '--record-name', 'A b'], '--record-name expects 1 to 64 lower-case letters'],
])('serve %j is refused', async (flags, message) => {
  const { code, stderr } = await runIn(await tempFolder(), ['serve', '--port', '0', '--no-open', ...flags]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
