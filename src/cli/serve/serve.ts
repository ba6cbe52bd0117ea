import type { Command } from 'commander';
import { PasskeyError } from '../../errors.js';
import { testPagePath } from '../../server/settings.js';
import { addSettings } from '../command.js';
import { type Flags, resolveServeSettings } from '../config/resolve.js';
import type { ServeSettings } from '../config/settings.js';
import { SERVE_SETTINGS } from '../config/settings.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { stopped } from '../interruption.js';
import { type Io, say } from '../io.js';
import { version } from '../package.js';
import { storeFlag } from '../store-flag.js';
import { announce, canShowPage, openPage } from './announce.js';
import { type Started, startServer } from './start.js';
import { createTokens, findOrAddUsers, USER_FLAG, type UserTokens, VIA_SERVE } from './users.js';

export function define(command: Command): void {
  addFlags(
    addSettings(command, SERVE_SETTINGS),
    {
      user: { about: USER_FLAG, isRepeatable: true },
      printToken: 'print PASSKEY_URL=… and, for each --user, a PASSKEY_TOKEN=… that ends with the server',
      json: 'print one JSON document with the URL once the server listens',
    },
    'Output:',
  );
  addHelp(command, {
    examples: [
      'passkey serve',
      'passkey serve --port 8080 --user-verification required --record fixtures/recorded',
      'passkey serve --record fixtures --record-name checkout',
      'passkey serve --algorithms EdDSA,ES256 --auth-action expiring_token --token-ttl 1h',
      'passkey serve --production --host 0.0.0.0 --allowed-host login.example.com --origin https://login.example.com --trust-proxy',
      'passkey serve --store memory: --no-open --json',
      'passkey serve --store memory: --user ada@example.com --print-token > test.env',
    ],
    remarks: [
      'Durations: 500ms, 60s, 5m, 12h, 30d; a bare number is milliseconds. Lists: repeat the flag, or use commas.',
      'Flags override PASSKEY_* variables, which override the configuration file, which overrides the defaults.',
      'The configuration file takes the same names in camelCase: { "port": 8080, "allowedHost": ["passkeys.test"] }.',
    ],
    common: ['--port', '--app', '--origin', '--user', '--store'],
    page: 'serve.md',
  });
}

/** Runs `passkey serve` until SIGINT or SIGTERM, then exits 0. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveServeSettings(io, flags);
  requireTokens(settings, flags);
  const stop = stopped(io);
  const started = await startServer(io, settings);
  let users: UserTokens | undefined;
  try {
    users = await prepareUsers(started, flags);
    const { url, port, prepared } = started;
    const mode = settings.production ? 'production' : 'development';
    const address = `${url}${testPagePath({ frontEnd: settings.app })}`;
    const page = mode === 'production' ? null : prepared.key === undefined ? address.replace(/\/$/, '') : `${address}#key=${prepared.key}`;
    announce(
      io,
      {
        url,
        page,
        host: settings.host,
        port,
        mode,
        store: started.location,
        origins: [...(settings.origin ?? [])],
        pid: process.pid,
        version: version(),
      },
      {
        json: flags.json === true,
        record: settings.record,
        signIn: prepared.devSignIn !== 'off' && !settings.trustProxy,
        storeFlag: storeFlag(flags.store ?? io.env.PASSKEY_STORE),
        users,
      },
    );
    if (settings.open && page !== null && flags.json !== true && canShowPage(io, process.platform)) await openPage(page);

    started.prepareWhenQuiet();
    const signal = await stop;
    if (io.stderr.isTTY === true) say(io, `${signal}: stopping. Press again to quit at once.`);
    await users?.end();
  } finally {
    await started.close();
  }
}

/** Checks the flags that add users and print tokens, before the server or the store is opened. */
function requireTokens({ production }: ServeSettings, { user, printToken }: Flags): void {
  if (printToken !== true) return;
  if (user === undefined) throw new PasskeyError('usage', '--print-token prints the tokens of --user. Name at least one user.');
  if (production) {
    throw new PasskeyError(
      'usage',
      '--print-token and --production exclude each other: the output of a service ends up in logs. Use `passkey token create` instead.',
    );
  }
}

/** Adds the users that `--user` names, and creates their tokens. Undefined if no tokens are to be printed. */
async function prepareUsers({ parties: { accounts } }: Started, { user, printToken }: Flags): Promise<UserTokens | undefined> {
  const owners = await findOrAddUsers(accounts, Array.isArray(user) ? user.map(String) : [], VIA_SERVE);
  return printToken === true ? createTokens(accounts, owners, VIA_SERVE) : undefined;
}
