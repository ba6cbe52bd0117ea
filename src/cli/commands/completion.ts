import { PasskeyError } from '../../errors.js';
import { BASH, FISH, POWERSHELL, ZSH } from '../completion/scripts.js';
import type { Io } from '../io.js';

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

/** `passkey completion SHELL`: the script that completes `passkey` in this shell. */
export async function run(io: Io, shell: string): Promise<void> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    throw new PasskeyError('usage', `Expected a shell, one of ${Object.keys(SCRIPTS).join(', ')}; got "${shell}".`);
  }
  io.stdout.write(script);
}
