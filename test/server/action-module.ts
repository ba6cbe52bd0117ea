import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempFolder } from '../cli/temp-folder.js';

/** The path of a module for `--auth-action`, which goes when the test ends. */
export async function writeAction(source: string): Promise<string> {
  const path = join(await tempFolder(), 'action.mjs');
  await writeFile(path, source);
  return path;
}
