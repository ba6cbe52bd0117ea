import type { TSchema } from 'typebox';
import * as Type from 'typebox';
import { explanation } from '../explain/document-schema.js';
import { fixtureSchema } from '../fixture/format.js';
import { vectorIndexSchema } from '../fixture/vector-list.js';
import { strict } from '../kernel/schema-kit.js';
import { doctorReportSchema } from '../simulate/doctor/report.js';
import { loadReportSchema } from '../simulate/load/report.js';
import { listedCaseSchema, simulateReportSchema } from '../simulate/report/report.js';
import { probeReportSchema } from '../simulate/target/probe-report.js';
import { targetProfileSchema } from '../simulate/target/profile-schema.js';
import { AuditEntry } from '../store/audit/entry.js';
import { EndLine, HeadLine, LINES } from '../store/log-lines.js';
import { flowsSchema } from '../testing/page/flow.js';
import { credentialAnswer, mutationList } from './answer/document.js';
import { attestationRoot } from './attestation-root.js';
import { auditList } from './audit/audit.js';
import { browsed } from './browse/document.js';
import { CONFIG_SETTINGS } from './config/settings.js';
import { credentialConversion } from './credential/convert.js';
import { credentialCreated } from './credential/create.js';
import { credentialsFile } from './credential/file-schema.js';
import { credentialList } from './credential/list.js';
import { credentialRemoval } from './credential/remove.js';
import { explainSummary } from './explain/summary.js';
import { fixtureCheck } from './fixture/check.js';
import { fixtureExport } from './fixture/export.js';
import { fixtureImport } from './fixture/import.js';
import { fixtureList } from './fixture/list.js';
import { passkeyChange } from './passkey/change.js';
import { passkeyInFull } from './passkey/in-full.js';
import { purge } from './passkey/purge.js';
import { passkeyList } from './passkey/rows.js';
import { statistics } from './passkey/statistics.js';
import { serving } from './serve/announce.js';
import { profileWritten } from './simulate/profile.js';
import { storeBackup } from './store/backup.js';
import { storeCopy } from './store/copy.js';
import { storeExport } from './store/export.js';
import { storeImport } from './store/import.js';
import { storeMigration } from './store/migrate.js';
import { storeRepair } from './store/repair.js';
import { storeCheck } from './store/report.js';
import { tokenCreated } from './token/create.js';
import { tokenList } from './token/list.js';
import { tokenRevocation } from './token/revoke.js';
import { userAdded } from './user/add.js';
import { userEdited } from './user/edit.js';
import { userList } from './user/list.js';
import { userRemoval } from './user/remove.js';
import { userInFull } from './user/show.js';
import { vocabularySchema } from './vocabulary-schema.js';

const storeLine = Type.Union([HeadLine, ...Object.values(LINES), EndLine], {
  type: 'object',
  title: 'A line of the file of a store, or of an export',
  description:
    'The first line is a head, then each row is a line. If a row has several lines, the last one counts. An export ends with an end mark.',
});

/** Schema of `passkey.config.json`. */
const configuration = Type.Object(
  Object.fromEntries([
    ['$schema', Type.Optional(Type.String())],
    ...Object.entries(CONFIG_SETTINGS).map(([key, { kind, about }]) => {
      const description = `${about}; ${kind.expects}`;
      return [key, Type.Optional(Type.Unsafe<unknown>({ ...kind.schema, description }))] as const;
    }),
  ]),
  { ...strict, title: 'passkey.config.json' },
);

const simulateList = Type.Array(listedCaseSchema, { title: 'passkey simulate --list --json' });

/** Schemas that the package contains as `dist/schemas/<name>.schema.json`. They describe `--json` outputs and file formats. */
export const schemas: Readonly<Record<string, TSchema>> = {
  list: passkeyList,
  show: passkeyInFull,
  stats: statistics,
  revoke: passkeyChange,
  restore: passkeyChange,
  purge,
  explain: explanation,
  'explain-summary': explainSummary,
  serve: serving,
  browse: browsed,
  'fixture-export': fixtureExport,
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
  'user-add': userAdded,
  'user-list': userList,
  'user-show': userInFull,
  'user-edit': userEdited,
  'user-remove': userRemoval,
  'store-migrate': storeMigration,
  audit: auditList,
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
  doctor: doctorReportSchema,
  'simulate-list': simulateList,
  'simulate-init-profile': profileWritten,
  'simulate-probe': probeReportSchema,
  'passkey-simulate-report': simulateReportSchema,
  'passkey-target-profile': targetProfileSchema,
  'passkey-config': configuration,
  'passkey-load-report': loadReportSchema,
  'passkey-fixture-1': fixtureSchema,
  'passkey-store-1': storeLine,
  'passkey-credentials-1': credentialsFile,
  'passkey-vectors-1': vectorIndexSchema,
  'passkey-vocabulary-1': vocabularySchema,
  'passkey-flows-1': flowsSchema,
};
