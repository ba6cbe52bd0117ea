import type { TSchema } from 'typebox';
import { explanation } from '../explain/document-schema.js';
import { fixtureSchema } from '../fixture/format.js';
import { simulateReportSchema } from '../simulate/engine/report.js';
import { passkeyChange, passkeyInFull, passkeyList } from './schemas/passkeys.js';
import { serving } from './schemas/serve.js';
import { simulateList } from './schemas/simulate.js';
import { tokenCreated, tokenList, tokenRevocation, user, userList, userRemoval } from './schemas/users.js';

/** What the package ships as `dist/schemas/<name>.schema.json`: the outputs of `--json` and the fixture format. */
export const schemas: Readonly<Record<string, TSchema>> = {
  list: passkeyList,
  show: passkeyInFull,
  revoke: passkeyChange,
  restore: passkeyChange,
  explain: explanation,
  serve: serving,
  'user-add': user,
  'user-list': userList,
  'user-remove': userRemoval,
  'token-create': tokenCreated,
  'token-list': tokenList,
  'token-revoke': tokenRevocation,
  'simulate-list': simulateList,
  'passkey-simulate-report': simulateReportSchema,
  'passkey-fixture-1': fixtureSchema,
};
