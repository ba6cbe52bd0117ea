import type { Command } from 'commander';
import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';
import { line } from '../ask.js';
import { addStoreSettings } from '../command.js';
import { type Flags, readFlag, resolveStoreSettings } from '../config/resolve.js';
import { duration, text } from '../config/values.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printJson } from '../io.js';
import { withParties } from '../parties.js';
import { tokenRow, toTokenRow } from './rows.js';

export function define(command: Command): void {
  addFlags(command, {
    user: 'user of the token: e-mail, TYPE:ID or id (prompted for on a terminal)',
    expires: 'lifetime of the token, e.g. 12h or 30d; at least 1s (default: never expires)',
    label: 'name of the token in lists',
    json: true,
  });
  addHelp(addStoreSettings(command), {
    examples: ['passkey token create --user ada@example.com', 'TOKEN=$(passkey token create --user User:1 --expires 30d --label ci)'],
    common: ['--user', '--expires', '--label', '--json'],
    page: 'serve.md',
  });
}

export const tokenCreated = Type.Object(
  { token: Type.String({ description: 'The bearer token; shown only here.' }), ...tokenRow.properties },
  { ...strict, title: 'passkey token create --json' },
);

/**
 * Minimum and maximum lifetime of a token, in milliseconds. The minimum refuses `30`, for example: a bare number means milliseconds, so the
 * user probably meant `30d`.
 */
const LIFE = { min: 1000, max: 36_500 * 86_400_000 };

/** Runs `passkey token create --user USER`, which prints on stdout only the bearer token. */
export async function run(io: Io, flags: Flags): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const expires = flags.expires === undefined ? undefined : readFlag(io, duration(LIFE), '--expires', flags.expires);
  const label = flags.label === undefined ? undefined : readFlag(io, text({ placeholder: 'label' }), '--label', flags.label);
  const user = typeof flags.user === 'string' ? flags.user : await line(io, 'User (e-mail or TYPE:ID):', 'give --user');

  await withParties(io, { settings, create: false }, async ({ accounts }) => {
    const { type, id } = await accounts.resolveUser(user);
    const wanted = {
      owner: { type, id },
      ...(expires === undefined ? {} : { expiresAt: io.now() + expires }),
      ...(label === undefined ? {} : { label }),
    };
    const { token, access } = await accounts.createToken(wanted, { via: 'passkey token create' });
    if (flags.json === true) printJson(io, { token, ...toTokenRow(access) });
    else print(io, token);
  });
}
