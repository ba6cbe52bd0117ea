import type { Command } from 'commander';
import type { Io } from '../io.js';
import { type Does, examples, remarks } from './options.js';

export function defineCompletion(program: Command, io: Io, does: Does): void {
  program
    .command('completion <shell>')
    .description('print the script that completes passkey in bash, zsh, fish or powershell')
    .addHelpText(
      'after',
      remarks(
        'It completes commands, flags and their values, files, and what is stored: passkeys and tokens with their labels, users, credentials, cases. What is stored in PostgreSQL is not looked up.',
        'bash: add this line to ~/.bashrc: eval "$(passkey completion bash)"',
        'zsh: add this line to ~/.zshrc, behind compinit: eval "$(passkey completion zsh)"',
        'fish: passkey completion fish > ~/.config/fish/completions/passkey.fish',
        'PowerShell: add this line to the file of $PROFILE: passkey completion powershell | Out-String | Invoke-Expression',
      ),
    )
    .addHelpText('after', examples('passkey completion bash', 'passkey completion zsh'))
    .action(does(async (_, [shell = '']) => (await import('../commands/completion.js')).run(io, shell)));

  // For those scripts only.
  program
    .command('__complete [word...]', { hidden: true })
    .option('--line <text>')
    .option('--bash <breaks>')
    .option('--plain')
    .action(does(async (flags, words) => (await import('../commands/complete.js')).complete(io, flags, words, program)));
}
