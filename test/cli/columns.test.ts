import { expect, test } from 'vitest';
import type { Listing } from '../../src/cli/listing.js';
import { type Column, tableLines } from '../../src/cli/output/table.js';
import { PASSKEYS } from '../../src/cli/passkey/rows.js';
import { TOKENS } from '../../src/cli/token/rows.js';
import { USERS } from '../../src/cli/user/rows.js';
import { fakeIo } from './fake-io.js';

/** The width of each column where there is more than room for in all that can give way; `-` where the column is left out. */
function measure(columns: readonly Column[], width: number | undefined): string {
  const { io } = fakeIo(width === undefined ? {} : { terminal: true, columns: width, env: { NO_COLOR: '1' } });
  const letter = (index: number) => String.fromCodePoint(0x61 + index);
  const [, line = ''] = [
    ...tableLines(io, columns, ['row'], () =>
      columns.map((_, index) => letter(index).repeat((columns[index]?.yields ?? 0) > 0 ? 100 : 10)),
    ),
  ];
  return columns.map((_, index) => new RegExp(`${letter(index)}+…?`).exec(line)?.[0].length ?? '-').join(' ');
}

interface Expected {
  /** Widths in a terminal of 60, 80, 100 and 130 columns, and in a pipe. */
  readonly table: readonly string[];
  /** The most that each column takes, of those that `--columns` can name. */
  readonly most: string;
  readonly right: readonly string[];
  readonly sorts: readonly string[];
}

const rows: readonly (readonly [string, Listing<never, string>, Expected])[] = [
  [
    'passkeys',
    PASSKEYS,
    {
      table: ['10 6 15 6 - 10', '10 10 29 8 - 10', '10 10 34 8 10 10', '10 10 60 12 10 10', '10 40 60 40 10 10'],
      most: '10 40 60 10 10 40 40 60 10 10 10 60 60 40 10 10 10 60 10 10 10 10 60 40',
      right: ['id', 'passkeeable_id', 'sign_count'],
      sorts: [
        'id: id',
        'label: label',
        'credential_id: credentialId',
        'created_at: createdAt',
        'passkeeable_id: ownerId',
        'passkeeable_type: ownerType',
        'rp_id: rpId',
        'aaguid: aaguid',
        'sign_count: signCount',
        'last_used_at: lastUsedAt',
        'revoked_at: revokedAt',
        'email: email',
        'backup_state: backupState',
      ],
    },
  ],
  [
    'users',
    USERS,
    {
      table: ['7 16 6 10 10', '27 16 6 10 10', '40 23 6 10 10', '40 53 6 10 10', '40 60 40 10 10'],
      most: '10 40 60 40 10 10 40',
      right: ['id', 'passkeys'],
      sorts: ['id: id', 'type: type', 'email: email', 'name: name', 'created_at: createdAt', 'passkeys: passkeys'],
    },
  ],
  [
    'tokens',
    TOKENS,
    {
      table: ['10 6 6 10 10 10', '10 14 10 10 10 10', '10 34 10 10 10 10', '10 60 14 10 10 10', '10 60 40 10 10 10'],
      most: '10 40 10 40 10 10 10 10 60 60 10',
      right: ['id', 'user_id', 'passkey_id'],
      sorts: [
        'id: id',
        'label: label',
        'user_id: ownerId',
        'user_type: ownerType',
        'passkey_id: passkeyId',
        'created_at: createdAt',
        'expires_at: expiresAt',
        'revoked_at: revokedAt',
        'email: email',
      ],
    },
  ],
];

test.each(rows)(
  'the columns of %s: their widths, from narrow to wide, their side, and how they sort',
  (_, { columns, table }, expected) => {
    const shown = table([]).flatMap((name) => columns[name] ?? []);
    expect([60, 80, 100, 130, undefined].map((width) => measure(shown, width))).toEqual(expected.table);
    const all = Object.entries(columns);
    expect(all.map(([, column]) => measure([column], undefined)).join(' ')).toBe(expected.most);
    expect(all.flatMap(([name, { align }]) => (align === 'right' ? [name] : []))).toEqual(expected.right);
    expect(all.flatMap(([name, { sort }]) => (sort === undefined ? [] : [`${name}: ${sort}`]))).toEqual(expected.sorts);
  },
);

test('how the columns give way from wide to narrow is recorded, those of the table and all', async () => {
  const lines = rows.flatMap(([name, { columns, table }]) => {
    const shown = table([]).flatMap((column) => columns[column] ?? []);
    const all: readonly Column[] = Object.values(columns);
    const widths = (from: number, step: number) => Array.from({ length: 24 }, (_, index) => from + index * step);
    return [
      ...widths(40, 6).map((width) => `${name} ${width}: ${measure(shown, width)}`),
      ...widths(120, 24).map((width) => `${name} with all columns ${width}: ${measure(all, width)}`),
    ];
  });
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('columns.txt');
});
