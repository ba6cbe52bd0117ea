import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthActionInput } from '../../src/server/auth-action.js';
import { tempFolder } from '../cli/temp-folder.js';

/** The path of a module for `--auth-action`, which goes when the test ends. */
export async function writeAction(source: string): Promise<string> {
  const path = join(await tempFolder(), 'action.mjs');
  await writeFile(path, source);
  return path;
}

/** What an auth action is given, where that does not matter. */
export function anyInput(): AuthActionInput {
  return {
    passkey: { id: 1, label: '', credential_id: '', created_at: '' },
    owner: { id: 1, type: 'User', name: '', email: '' },
    request: new Request('http://localhost'),
  };
}
