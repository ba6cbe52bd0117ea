import type { Command } from 'commander';
import { PasskeyError } from '../../errors.js';
import type { Flags } from '../config/resolve.js';
import { addHelp } from '../help.js';
import type { Io } from '../io.js';
import { BASH, FISH, POWERSHELL, ZSH } from './scripts.js';

export function define(command: Command): void {
  addHelp(command, {
    examples: ['passkey completion bash', 'passkey completion zsh'],
    remarks: [
      'Completes commands, flags and their values, files, and stored data: passkeys and tokens with their labels, users, credentials, cases. Data in a PostgreSQL store is not completed.',
      'bash: add this line to ~/.bashrc: eval "$(passkey completion bash)"',
      'zsh: add this line to ~/.zshrc, after compinit: eval "$(passkey completion zsh)"',
      'fish: passkey completion fish > ~/.config/fish/completions/passkey.fish',
      'PowerShell: add this line to the file of $PROFILE: passkey completion powershell | Out-String | Invoke-Expression',
    ],
    page: 'ci.md',
  });
}

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL };

/** Runs `passkey completion SHELL`, which prints the script that completes `passkey` commands in this shell. */
export async function run(io: Io, _: Flags, [shell = '']: readonly string[]): Promise<void> {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined) {
    throw new PasskeyError('usage', `Expected a shell, one of ${Object.keys(SCRIPTS).join(', ')}; got "${shell}".`);
  }
  io.stdout.write(script);
}
