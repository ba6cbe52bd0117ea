import { PasskeyError } from '../../errors.js';
import { type Flags, resolveServeSettings } from '../config/resolve.js';
import type { ServeSettings } from '../config/settings.js';
import { type Io, say, stopped } from '../io.js';
import { version } from '../package.js';
import { announce, canShowPage, openPage } from '../serve/announce.js';
import { type Started, startServer } from '../serve/start.js';
import { createTokens, findOrAddUsers, type UserTokens, VIA_SERVE } from '../serve/users.js';
import { storeFlag } from '../store-flag.js';

/** `passkey serve`: runs until SIGINT or SIGTERM, then exits 0. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveServeSettings(io, flags);
  requireTokens(settings, flags);
  const stop = stopped(io.signals);
  const started = await startServer(io, settings);
  let users: UserTokens | undefined;
  try {
    users = await prepareUsers(started, flags);
    const { url, port, prepared } = started;
    const mode = settings.production ? 'production' : 'development';
    const page = mode === 'production' ? null : prepared.key === undefined ? url : `${url}/#key=${prepared.key}`;
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

/** Before anything is started. */
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

/** Undefined when no tokens are to be printed. */
async function prepareUsers({ parties: { accounts } }: Started, { user, printToken }: Flags): Promise<UserTokens | undefined> {
  const owners = await findOrAddUsers(accounts, Array.isArray(user) ? user.map(String) : [], VIA_SERVE);
  return printToken === true ? createTokens(accounts, owners, VIA_SERVE) : undefined;
}
