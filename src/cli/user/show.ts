import type { Command } from 'commander';
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { toHex } from '../../kernel/bytes.js';
import { orNull, strict, timestamp } from '../../kernel/schema-kit.js';
import { formatTimestamp, groupedCount } from '../../kernel/wording.js';
import { PasskeyRow, passkeyRow } from '../../relying-party/passkey-document.js';
import { encodeBase64url } from '../../webauthn/base64url.js';
import { printableText } from '../../webauthn/text-encoding.js';
import { addStoreSettings } from '../command.js';
import { type Flags, resolveStoreSettings } from '../config/resolve.js';
import { addFlags } from '../flags.js';
import { addHelp } from '../help.js';
import { type Io, print, printAll, printJson, say } from '../io.js';
import { printable } from '../output/printable.js';
import { withParties } from '../parties.js';
import { passkeyTable } from '../passkey/rows.js';
import { tokenRow, toTokenRow } from '../token/rows.js';
import { toUserRow, userRow, WHO } from './rows.js';

export function define(command: Command): void {
  addHelp(addStoreSettings(addFlags(command, { json: true })), {
    examples: ['passkey user show ada@example.com', 'passkey user show User:1 --json'],
    remarks: [WHO],
    common: ['--json'],
    page: 'admin.md',
  });
}

const handle = (o: object) => orNull(Type.String({ ...o, description: 'User handle; null before the first registration.' }));

export const userInFull = Type.Object(
  {
    ...userRow.properties,
    revoked_passkeys: Type.Integer({ minimum: 0 }),
    user_handle: handle({ contentEncoding: 'base64url' }),
    user_handle_hex: handle({ pattern: '^([0-9a-f]{2})+$' }),
    user_handle_text: orNull(Type.String({ description: 'The user handle as text, if it is text.' })),
    last_used_at: orNull(timestamp),
    live_sessions: Type.Integer({ minimum: 0 }),
    tokens: Type.Array(tokenRow, { description: 'Number of live bearer tokens.' }),
    passkey_list: Type.Array(PasskeyRow, { description: 'All passkeys of the user, including revoked ones.' }),
  },
  { ...strict, title: 'passkey user show --json' },
);
type UserInFull = Static<typeof userInFull>;

/** Runs `passkey user show USER`. */
export async function run(io: Io, flags: Flags, [named = '']: readonly string[]): Promise<void> {
  const settings = await resolveStoreSettings(io, flags);
  const { document, passkeys } = await withParties(io, { settings, create: false }, async ({ accounts, relyingParty }) => {
    const owner = await accounts.resolveUser(named);
    const ref = { type: owner.type, id: owner.id };
    const all = await relyingParty.list({ owner: ref, revoked: true });
    const live = await accounts.listLive({ owner: ref });
    const lastUsedAt = all.reduce<number | undefined>((last, each) => later(last, each.lastUsedAt), undefined);
    const handle = owner.userHandle;
    const full = {
      ...toUserRow({ owner, livePasskeys: all.filter(({ revokedAt }) => revokedAt === undefined).length }),
      revoked_passkeys: all.filter(({ revokedAt }) => revokedAt !== undefined).length,
      user_handle: handle === undefined ? null : encodeBase64url(handle),
      user_handle_hex: handle === undefined ? null : toHex(handle),
      user_handle_text: (handle && printableText(handle)) ?? null,
      last_used_at: lastUsedAt === undefined ? null : formatTimestamp(lastUsedAt),
      live_sessions: live.filter(({ kind }) => kind === 'session').length,
      tokens: live.filter(({ kind }) => kind === 'token').map(toTokenRow),
    };
    return { document: full, passkeys: all };
  });
  if (flags.json === true) return printJson(io, { ...document, passkey_list: passkeys.map(passkeyRow) } satisfies UserInFull);
  print(io, lines(document));
  if (passkeys.length > 0) await printAll(io, ['\n', ...passkeyTable(io, passkeys)]);
  else say(io, 'No passkey has been registered for this user.');
}

const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

function lines({ tokens, passkeys, revoked_passkeys, ...rest }: Omit<UserInFull, 'passkey_list'>): string {
  const entries: [string, string][] = [
    ...Object.entries(rest).map(([name, value]): [string, string] => [name.replaceAll('_', ' '), value === null ? '-' : String(value)]),
    [
      'live tokens',
      tokens.length === 0 ? '-' : tokens.map(({ id, label }) => (label === null ? String(id) : `${id} (${label})`)).join(', '),
    ],
    ['passkeys', `${groupedCount(passkeys, 'live passkey')}, ${revoked_passkeys} revoked`],
  ];
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}`).join('\n');
}
