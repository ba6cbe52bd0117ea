import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify';
import type { Logger } from 'pino';
import type { Accounts } from '../accounts/accounts.js';
import type { RelyingParty } from '../relying-party/relying-party.js';
import type { ServerSettings } from './settings.js';
import type { Mutations, SoftwareAnswers } from './software-answers.js';
import type { FollowedSite } from './stream/outside-port.js';
import type { OtherProcesses } from './stream/port.js';

/** A Fastify instance whose request bodies have the types of their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The built test page. */
export interface PageFiles {
  readonly html: string;
  readonly css: string;
  readonly js: string;
  /** Scripts that it loads when they are needed, by file name: under `/page/`. */
  readonly later: Readonly<Record<string, string>>;
}

/** Everything that the server is given; it makes none of it itself. */
export interface AppOptions {
  readonly relyingParty: RelyingParty;
  readonly accounts: Accounts;
  readonly settings: ServerSettings;
  readonly logger: Logger | false;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Rejects when the store cannot be read. `/healthz` asks it. */
  readonly checkStore: () => Promise<void>;
  /** The test page, served in development mode; without it `/` is a 404. */
  readonly page?: (() => Promise<PageFiles>) | undefined;
  /** The pages of the documentation by their path, served in development mode; without them, problems have no `documentation`. */
  readonly docs?: (() => Promise<{ readonly pages: Readonly<Record<string, string>> }>) | undefined;
  /** `POST /dev/answer` and `GET /dev/personas`, in development mode; without it there are none. */
  readonly software?: SoftwareAnswers | undefined;
  /** `GET /dev/mutations`, in development mode; without it there is none. */
  readonly mutations?: Mutations | undefined;
  /** The stream of ceremonies that the test page shows, in development mode. Default true. */
  readonly stream?: boolean | undefined;
  /** Another site whose ceremonies the stream lists too. */
  readonly site?: FollowedSite | undefined;
  /** Changes by other processes on the same store, for the stream. */
  readonly others?: OtherProcesses | undefined;
  /** The version that `/openapi.json` and recorded fixtures state. */
  readonly version?: string;
}
