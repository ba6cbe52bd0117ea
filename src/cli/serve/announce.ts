import pc from 'picocolors';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { id, orNull, strict } from '../../kernel/schema-kit.js';
import { isLoopbackHost } from '../../webauthn/loopback.js';
import { hasColour, type Io, print, say } from '../io.js';
import { printable, toJson } from '../output/printable.js';
import { ownCommand } from '../own-command.js';
import { serverVariables, type UserTokens } from './users.js';

export const serving = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'URL of the API.' }),
    page: orNull(
      Type.String({
        format: 'uri',
        description: 'URL of the test page; null in production mode. With --dev-sign-in key its fragment is a secret.',
      }),
    ),
    host: Type.String(),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    mode: Type.Enum(['development', 'production']),
    store: Type.String(),
    origins: Type.Array(Type.String(), { description: 'The origins as given with --origin.' }),
    pid: Type.Integer({ minimum: 1 }),
    version: Type.String(),
    tokens: Type.Optional(
      Type.Array(
        Type.Object(
          {
            user_id: id,
            user_type: Type.String(),
            email: Type.String(),
            token: Type.String({ description: 'A bearer token that ends with the server.' }),
          },
          strict,
        ),
        { description: 'With --print-token: one token for each --user.' },
      ),
    ),
  },
  { ...strict, title: 'passkey serve --json' },
);
type Serving = Static<typeof serving>;

interface AnnounceOptions {
  readonly json: boolean;
  readonly record: string | undefined;
  readonly storeFlag: string;
  /** Whether users can sign in on the test page in a browser. */
  readonly signIn: boolean;
  /** The users whose tokens are printed. */
  readonly users?: UserTokens | undefined;
}

/**
 * Prints the server's URL on stdout. The output is the URL alone, an env file with URL and tokens, or one line of JSON. Hints for people go
 * to stderr.
 */
export function announce(io: Io, serving: Serving, o: AnnounceOptions): void {
  const { bold, dim, yellow } = pc.createColors(hasColour(io, io.stderr));
  const production = serving.mode === 'production';
  const row = (name: string, value: string) => say(io, `  ${dim(name.padEnd(8))}${value}`);

  if (o.json) {
    print(io, toJson(o.users === undefined ? serving : { ...serving, tokens: o.users.tokens.map(tokenMember) }));
  } else {
    say(io, `${bold(`passkey ${serving.version}`)} ${dim(serving.mode)}`);
    if (o.users === undefined) print(io, serving.url);
    else for (const [name, value] of Object.entries(serverVariables(serving.url, o.users))) print(io, `${name}=${value}`);
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
        `warning: development mode on ${serving.host}: others on the network can reach the API and its error details. Add --production, or leave --host out.`,
      ),
    );
  }
}

function tokenMember({ owner, token }: UserTokens['tokens'][number]): NonNullable<Serving['tokens']>[number] {
  return { user_id: owner.id, user_type: owner.type, email: owner.email, token };
}

/** Explains how to get a bearer token for this server. */
function tokenLines(io: Io, { store, mode }: Serving, { storeFlag, signIn, users }: AnnounceOptions): readonly string[] {
  if (users !== undefined) return [`of ${users.tokens.map(({ owner }) => owner.email).join(', ')}; ends with the server`];
  if (store === 'memory:') {
    return [
      signIn
        ? 'sign in on the page; this store ends with the server'
        : `none: a memory store has no users${mode === 'production' ? '' : ', and development sign-in is closed'}; give --store the path of a file`,
    ];
  }
  const passkey = ownCommand(io);
  return [
    `${passkey} user add --email you@example.com --name You${storeFlag}`,
    `${passkey} token create --user you@example.com${storeFlag}`,
  ];
}

/** Checks whether the user would see a page that is opened: there must be a terminal and a display, and this must not be CI. */
export function canShowPage(io: Io, platform: NodeJS.Platform): boolean {
  if (io.stdout.isTTY !== true || (io.env.CI && io.env.CI !== 'false')) return false;
  if (platform === 'darwin' || platform === 'win32') return true;
  // Without a display xdg-open would start a text browser in this terminal.
  return Boolean(io.env.DISPLAY || io.env.WAYLAND_DISPLAY || io.env.WSL_DISTRO_NAME);
}

/** Opens the test page in the user's browser. Ignores a failure, since the URL is printed anyway. */
export async function openPage(url: string): Promise<void> {
  try {
    const { default: open } = await import('open');
    const child = await open(url);
    child.on('error', () => undefined);
  } catch {
    // No xdg-open, or no browser.
  }
}
