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

/** The files of the built test page. */
export interface PageFiles {
  readonly html: string;
  readonly css: string;
  readonly js: string;
  /** Scripts that the page loads when it needs them, by file name. They are served below `/page/`. */
  readonly later: Readonly<Record<string, string>>;
}

/** Everything that the server depends on. The caller of the server creates all of it. */
export interface AppOptions {
  readonly relyingParty: RelyingParty;
  readonly accounts: Accounts;
  readonly settings: ServerSettings;
  readonly logger: Logger | false;
  /** Returns the current time, in milliseconds since the epoch. */
  readonly now: () => number;
  /** Rejects if the store cannot be read. `/healthz` calls this function. */
  readonly checkStore: () => Promise<void>;
  /** Loads the test page, which is served in development mode. Without this function, a request for `/` gets a 404. */
  readonly page?: (() => Promise<PageFiles>) | undefined;
  /**
   * Loads the pages of the documentation by path, which are served in development mode. Without this function, problem documents have no
   * `documentation` member.
   */
  readonly docs?: (() => Promise<{ readonly pages: Readonly<Record<string, string>> }>) | undefined;
  /** Implements `POST /dev/answer` and `GET /dev/personas` in development mode. Without it, these two routes do not exist. */
  readonly software?: SoftwareAnswers | undefined;
  /** Implements `GET /dev/mutations` in development mode. Without it, this route does not exist. */
  readonly mutations?: Mutations | undefined;
  /** Whether the test page shows the stream of ceremonies, in development mode. Default: true. */
  readonly stream?: boolean | undefined;
  /** Another site whose ceremonies the stream also lists. */
  readonly site?: FollowedSite | undefined;
  /** Reports changes that other processes make to the same store. The stream of the test page lists them. */
  readonly others?: OtherProcesses | undefined;
  /** The program version that `/openapi.json` and recorded fixtures state. */
  readonly version?: string;
}
