import { userInfo } from 'node:os';
import { expect } from 'vitest';
import { run } from '../../src/cli/main.js';
import { fakeIo } from './fake-io.js';
import { type Ran, runIn } from './run-in.js';

/** Runs `passkey audit --follow`; `has` resolves once it has printed a text. */
export function follow(cwd: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { io, written } = fakeIo({ cwd, env });
  const ended = run(['audit', '--follow', ...argv], io);
  const has = (text: string) =>
    new Promise<void>((resolve) => {
      const look = () => written.stdout.includes(text) && resolve();
      io.stdout.on('data', look);
      look();
    });
  const { signals } = io;
  const stop = async (signal: 'SIGINT' | 'SIGTERM') => {
    if ('emit' in signals && typeof signals.emit === 'function') signals.emit(signal);
    return ended;
  };
  return { has, stop, written };
}

/** Runs commands on users and tokens; answers `passkey audit --json`. */
export async function changeAccounts(cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  for (const argv of [
    ['user', 'add', '--email', 'ada@example.com', '--name', 'Ada'],
    ['token', 'create', '--user', 'ada@example.com', '--label', 'ci'],
    ['token', 'revoke', '1'],
    ['token', 'revoke', '1'],
    ['user', 'remove', 'User:1', '--yes', '--reason', 'left'],
  ]) {
    expect(await runIn(cwd, argv, env)).toMatchObject({ code: 0 });
  }
  return runIn(cwd, ['audit', '--json'], env);
}

const by = { outcome: 'done', code: null, via: 'command', os_user: userInfo().username, actor: null, address: null, subject: 'User:1' };

/** What the log then has. */
export const ACCOUNT_CHANGES = [
  { ...by, action: 'user-add', source: 'passkey user add', email: 'ada@example.com' },
  { ...by, action: 'token-create', source: 'passkey token create', token_id: 1, label: 'ci' },
  { ...by, action: 'token-revoke', source: 'passkey token revoke', token_id: 1 },
  { ...by, action: 'user-remove', source: 'passkey user remove', email: 'ada@example.com', revoked_passkeys: [], reason: 'left' },
];
