import pc from 'picocolors';
import { isLoopbackHost } from '../../webauthn/loopback.js';
import { hasColour, type Io, print, say } from '../io.js';
import { printable, toJson } from '../output/printable.js';
import { ownCommand } from '../own-command.js';
import type { Serving } from '../schemas/serve.js';

interface AnnounceOptions {
  readonly json: boolean;
  readonly record: string | undefined;
  readonly storeFlag: string;
  /** Whether the page signs anybody in. */
  readonly signIn: boolean;
}

/** The URL on stdout, alone or as one JSON document on one line; what a person needs besides on stderr. */
export function announce(io: Io, serving: Serving, o: AnnounceOptions): void {
  const { bold, dim, yellow } = pc.createColors(hasColour(io, io.stderr));
  const production = serving.mode === 'production';
  const row = (name: string, value: string) => say(io, `  ${dim(name.padEnd(8))}${value}`);

  if (o.json) {
    print(io, toJson(serving));
  } else {
    say(io, `${bold(`passkey ${serving.version}`)} ${dim(serving.mode)}`);
    print(io, serving.url);
    if (serving.page !== null) row('page', serving.page);
    row('API', `${serving.url}/openapi.json`);
    row('store', printable(serving.store));
    if (o.record !== undefined) row('record', printable(o.record));
    for (const [index, line] of tokenLines(io, serving, o).entries()) row(index === 0 ? 'token' : '', printable(line));
    row('stop', 'Ctrl-C');
  }
  if (!production && !isLoopbackHost(serving.host)) {
    say(
      io,
      yellow(
        `warning: development mode on ${serving.host}: others on the network reach the API and its error details. Add --production, or leave --host out.`,
      ),
    );
  }
}

/** How to get a bearer token for what was started here. */
function tokenLines(io: Io, { store, mode }: Serving, { storeFlag, signIn }: AnnounceOptions): readonly string[] {
  if (store === 'memory:') {
    return [
      signIn
        ? 'sign in on the page: this store ends with the server'
        : `none: a store in memory has no users${mode === 'production' ? '' : ', and development sign-in is closed'}; give --store a path`,
    ];
  }
  const passkey = ownCommand(io);
  return [
    `${passkey} user add --email you@example.com --name You${storeFlag}`,
    `${passkey} token create --user you@example.com${storeFlag}`,
  ];
}
