import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RefusedFile } from '../large/refused.js';
import { runIn } from './run-in.js';
import { tempFolder } from './temp-folder.js';

/** A command with a file that is refused exits with 2 and says why, in one line. */
export async function expectRefused(command: readonly string[], { file, bytes, says }: RefusedFile): Promise<void> {
  const folder = await tempFolder();
  await writeFile(join(folder, file), bytes());
  const { code, stdout, stderr } = await runIn(folder, [...command, file]);
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^passkey: [^\n]*\n$/) });
  expect(stderr).toContain(file);
  expect(stderr).toContain(says);
}
