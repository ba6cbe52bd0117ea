import Type, { type Static } from 'typebox';
import { orNull, strict } from '../../webauthn/schema-kit.js';

export const serving = Type.Object(
  {
    url: Type.String({ format: 'uri', description: 'Where the API answers.' }),
    page: orNull(
      Type.String({
        format: 'uri',
        description: 'The test page, null in production mode. With --dev-sign-in key its fragment is a secret.',
      }),
    ),
    host: Type.String(),
    port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    mode: Type.Enum(['development', 'production']),
    store: Type.String(),
    origins: Type.Array(Type.String(), { description: 'As given with --origin.' }),
    pid: Type.Integer({ minimum: 1 }),
    version: Type.String(),
  },
  { ...strict, title: 'passkey serve --json' },
);
export type Serving = Static<typeof serving>;
