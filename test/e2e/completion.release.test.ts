import { spawn, spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempFolder } from '../cli/temp-folder.js';
import { canGiveTerminal } from './exec-process.js';
import { passkeyHere } from './passkey-in-process.js';
import { BIN, collect } from './passkey-process.js';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/**
 * How each is started without anybody's settings, and reads the script. A function takes the place of the program, which shows the
 * arguments that it gets; the script asks the program itself.
 */
const SHELLS: readonly [shell: string, argv: string, setUp: string][] = [
  ['bash', 'bash --norc --noprofile -i', `eval "$(passkey completion bash)"; passkey() { printf '<%s>' "$@"; }`],
  ['zsh', 'zsh -f -i', `autoload -Uz compinit; compinit -D -u; eval "$(passkey completion zsh)"; passkey() { printf '<%s>' "$@"; }`],
  ['fish', 'fish --no-config -i', `command passkey completion fish | source; function passkey; printf '<%s>' $argv; end`],
];
for (const [shell] of SHELLS) if (!has(shell)) console.warn(`SKIPPED a part of test/e2e/completion.release.test.ts: no ${shell} here`);
if (!canGiveTerminal) console.warn('SKIPPED test/e2e/completion.release.test.ts: no `script` of util-linux to give a shell a terminal');
console.warn('SKIPPED a part of test/e2e/completion.release.test.ts: PowerShell is not tried out');

const HOSTILE = 'a$(touch${IFS}pwned)`touch${IFS}pwned`@example.com';
const LABEL = 'my "token" $(touch pwned) `touch pwned`\n; touch pwned';

/** A folder with users and tokens whose names a shell could take for commands, and this passkey on the path. */
async function folderOfHostiles() {
  const cwd = await tempFolder();
  for (const [email, name] of [
    ["o'brien@example.com", "$(touch pwned) O'Brien"],
    [HOSTILE, 'Eve'],
  ] as const) {
    await passkeyHere(['user', 'add', '--email', email, '--name', name], { cwd });
  }
  for (const label of [LABEL, 'ci']) await passkeyHere(['token', 'create', '--user', 'User:1', '--label', label], { cwd });
  await writeFile(join(cwd, 'passkey'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`, { mode: 0o755 });
  return cwd;
}

const environment = (cwd: string) => ({
  ...process.env,
  PATH: [cwd, process.env['PATH']].join(delimiter),
  HOME: cwd,
  TERM: 'xterm',
  NO_COLOR: '1',
});

/** Types into a shell on a terminal: each line once the one before is done. */
async function typeInto(argv: string, cwd: string, lines: readonly string[]) {
  const child = spawn('script', ['-qec', argv, '/dev/null'], { cwd, env: environment(cwd), stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let seen = '';
  let at = 0;
  const type = () => child.stdin.write(at === lines.length ? 'exit\r' : `${lines[at]}; echo; echo do''ne ${at}\r`);
  child.stdout.on('data', (text: Buffer) => {
    const isFirst = seen === '';
    seen += text.toString('utf8');
    // What is typed is echoed, and has quotes in it.
    const isDone = seen.includes(`done ${at}`);
    if (isDone) at += 1;
    if (isFirst || isDone) type();
  });
  const { stdout } = await collect(child);
  return stdout;
}

describe.skipIf(!canGiveTerminal)('completion in a shell', () => {
  test.each(SHELLS.filter(([shell]) => has(shell)))('%s puts words in as they are, and runs nothing of them', async (_, argv, setUp) => {
    const cwd = await folderOfHostiles();
    const screen = await typeInto(argv, cwd, [
      setUp,
      'passkey user remove o\t',
      'passkey user remove --user a\t',
      'passkey list --user User:2\t',
      'passkey tok\t',
      'passkey serve --attestation=ind\t',
      'passkey token revoke \t\t',
    ]);
    expect(screen).toContain("<user><remove><o'brien@example.com>");
    expect(screen).toContain(`<user><remove><--user><${HOSTILE}>`);
    expect(screen).toContain('<list><--user><User:2>');
    expect(screen).toContain('<token>');
    expect(screen).toContain('<serve><--attestation=indirect>');
    expect(screen).toContain('my "token" $(touch pwned)');
    expect((await readdir(cwd)).filter((name) => !name.startsWith('.'))).toEqual(['passkey']);
  });
});
