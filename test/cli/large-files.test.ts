import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REFUSED } from '../large/refused.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

describe.each(Object.entries(REFUSED))('%s', (_, { file, bytes, says }) => {
  const commands = [['explain'], ...(file.endsWith('.json') ? [['simulate', '--fixtures']] : [])];
  test.each(commands.map((command) => [command.join(' '), command] as const))(
    '%s exits 2 and says why',
    { timeout: 120_000 },
    async (__, command) => {
      const folder = await tempFolder();
      await writeFile(join(folder, file), bytes());
      const { code, stdout, stderr } = await runIn(folder, [...command, file]);
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^passkey: [^\n]*\n$/) });
      expect(stderr).toContain(file);
      expect(stderr).toContain(says);
    },
  );
});
