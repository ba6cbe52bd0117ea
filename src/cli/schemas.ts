import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import { explanation } from '../explain/document-schema.js';
import { fixtureSchema } from '../fixture/format.js';
import { id, orNull, strict } from '../kernel/schema-kit.js';
import { listedCaseSchema, simulateReportSchema } from '../simulate/engine/report.js';
import { loadReportSchema } from '../simulate/load/report.js';
import { probeReportSchema } from '../simulate/target/probe-report.js';
import { targetProfileSchema } from '../simulate/target/profile-schema.js';
import { AuditEntry } from '../store/audit/entry.js';
import { attestationRoot } from './commands/attestation-root.js';
import { profileWritten } from './commands/simulate-profile.js';
import {
  credentialAnswer,
  credentialConversion,
  credentialCreated,
  credentialList,
  credentialRemoval,
  credentialsFile,
  mutationList,
} from './schemas/credentials.js';
import { fixtureCheck, fixtureImport, fixtureList } from './schemas/fixtures.js';
import { passkeyChange, passkeyInFull, passkeyList, purge } from './schemas/passkeys.js';
import { storeCheck, storeMigration, storeRepair } from './schemas/store.js';
import { storeBackup, storeCopy, storeExport, storeExportLine, storeImport } from './schemas/store-moving.js';
import { tokenCreated, tokenList, tokenRevocation, user, userEdited, userInFull, userList, userRemoval } from './schemas/users.js';
import { statistics } from './statistics.js';

const serving = Type.Object(
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
        { description: 'With --print-token: one for each --user.' },
      ),
    ),
  },
  { ...strict, title: 'passkey serve --json' },
);
export type Serving = Static<typeof serving>;

const simulateList = Type.Array(listedCaseSchema, { title: 'passkey simulate --list --json' });

/** Schemas that the package ships as `dist/schemas/<name>.schema.json`: the outputs of `--json`, and the formats of files. */
export const schemas: Readonly<Record<string, TSchema>> = {
  list: passkeyList,
  show: passkeyInFull,
  stats: statistics,
  revoke: passkeyChange,
  restore: passkeyChange,
  purge,
  explain: explanation,
  serve: serving,
  'fixture-import': fixtureImport,
  'fixture-check': fixtureCheck,
  'fixture-list': fixtureList,
  'attestation-root': attestationRoot,
  'credential-create': credentialCreated,
  'credential-answer': credentialAnswer,
  'credential-mutations': mutationList,
  'credential-list': credentialList,
  'credential-remove': credentialRemoval,
  'credential-convert': credentialConversion,
  'user-add': user,
  'user-list': userList,
  'user-show': userInFull,
  'user-edit': userEdited,
  'user-remove': userRemoval,
  'store-migrate': storeMigration,
  audit: Type.Array(AuditEntry, { title: 'passkey audit --json' }),
  'audit-entry': AuditEntry,
  'token-create': tokenCreated,
  'token-list': tokenList,
  'token-revoke': tokenRevocation,
  'store-check': storeCheck,
  'store-repair': storeRepair,
  'store-export': storeExport,
  'store-import': storeImport,
  'store-copy': storeCopy,
  'store-backup': storeBackup,
  'simulate-list': simulateList,
  'simulate-init-profile': profileWritten,
  'simulate-probe': probeReportSchema,
  'passkey-simulate-report': simulateReportSchema,
  'passkey-target-profile': targetProfileSchema,
  'passkey-load-report': loadReportSchema,
  'passkey-fixture-1': fixtureSchema,
  'passkey-store-export-1': storeExportLine,
  'passkey-credentials-1': credentialsFile,
};
