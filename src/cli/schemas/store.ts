import type { Static } from 'typebox';
import * as Type from 'typebox';
import { strict } from '../../kernel/schema-kit.js';

const version = Type.Integer({ minimum: 0, description: 'Version of the schema; 0 where there were no tables.' });

export const storeMigration = Type.Object(
  { store: Type.String({ description: 'URL of the database, without user and password.' }), from: version, to: version },
  { ...strict, title: 'passkey store migrate --json' },
);
export type StoreMigration = Static<typeof storeMigration>;

const counted = Type.Integer({ minimum: 0 });

const report = {
  store: Type.String({ description: 'Its file, symbolic links resolved.' }),
  users: counted,
  passkeys: counted,
  revoked: Type.Integer({ minimum: 0, description: 'Of the passkeys.' }),
  accesses: Type.Integer({ minimum: 0, description: 'Sessions and tokens, ended ones included.' }),
  pending: Type.Integer({ minimum: 0, description: 'Changes in the journal that are not in the file yet.' }),
  damages: Type.Array(
    Type.Object(
      {
        file: Type.String(),
        place: Type.String({ description: 'A line, line:column, a JSON Pointer, or empty for the whole file.' }),
        reason: Type.String(),
      },
      strict,
    ),
    { description: 'What cannot be read; the numbers above leave it out.' },
  ),
};

export const storeCheck = Type.Object(report, { ...strict, title: 'passkey store check --json' });
export type StoreCheck = Static<typeof storeCheck>;

export const storeRepair = Type.Object(
  { ...report, out: Type.String({ description: 'The new file.' }) },
  { ...strict, title: 'passkey store repair --json' },
);
export type StoreRepair = Static<typeof storeRepair>;
