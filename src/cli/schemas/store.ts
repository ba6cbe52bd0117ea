import Type, { type Static } from 'typebox';
import { strict } from '../../webauthn/schema-kit.js';

const version = Type.Integer({ minimum: 0, description: 'Version of the schema; 0 where there were no tables.' });

export const storeMigration = Type.Object(
  { store: Type.String({ description: 'URL of the database, without user and password.' }), from: version, to: version },
  { ...strict, title: 'passkey store migrate --json' },
);
export type StoreMigration = Static<typeof storeMigration>;
