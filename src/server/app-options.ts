import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import type { Logger } from 'pino';
import type { Accounts } from '../accounts/accounts.js';
import type { RelyingParty } from '../relying-party/relying-party.js';
import type { ServerSettings } from './settings.js';

/** The built test page. */
export interface PageFiles {
  readonly html: string;
  readonly css: string;
  readonly js: string;
}

/** What the HTTP shell is given; it makes none of these itself. */
export interface AppOptions {
  readonly relyingParty: RelyingParty;
  readonly accounts: Accounts;
  readonly settings: ServerSettings;
  readonly logger: Logger | false;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Rejects when the store cannot be read: readiness. */
  readonly checkStore: () => Promise<void>;
  /** The test page, served in development mode; without it `/` is a 404. */
  readonly page?: (() => Promise<PageFiles>) | undefined;
  /** Version told by `/openapi.json`. */
  readonly version?: string;
  /** `validatorCompiler` of another such application, to share the schemas that it has compiled; default: one of its own. */
  readonly validatorCompiler?: FastifySchemaCompiler<FastifySchema> | undefined;
}
