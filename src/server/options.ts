import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchema,
  FastifySchemaCompiler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Logger } from 'pino';
import type { Accounts } from '../accounts/accounts.js';
import type { RelyingParty } from '../relying-party/relying-party.js';
import type { AuthActionSetting } from './auth-action.js';
import type { SignInKey } from './development-key.js';
import type { Mutations, SoftwareAnswers } from './software-answers.js';

/** A Fastify instance whose request bodies have the types of their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** How the server behaves. Times are milliseconds; origins are as `URL.origin` writes them. */
export interface ServerSettings {
  /** `production`: no test page, no `/dev` endpoints, problems without `detail` and `step`. */
  readonly mode: 'development' | 'production';
  /** The server's own origin, e.g. `http://localhost:7277`. `https` makes its cookies `Secure`. */
  readonly origin: string;
  /** Origins that ceremonies may come from (`--origin`). Empty: any. */
  readonly origins: readonly string[];
  /** Host names that the server answers to besides its own (`--allowed-host`). In production, without any, it answers to every host. */
  readonly allowedHosts: readonly string[];
  /** Type of owners that are named without one. */
  readonly ownerType: string;
  readonly authAction: AuthActionSetting;
  /** Takes the client's address, host and scheme from the `X-Forwarded-*` headers of the nearest proxy. */
  readonly trustProxy: boolean;
  /**
   * Who may use the `/dev` routes without a bearer token, and sign in there as any user: a browser on this machine (`local`), one that
   * also has the key of this start, or nobody (`off`). In production there are no such routes.
   */
  readonly devSignIn: 'local' | SignInKey | 'off';
  /** Requests per minute and address on the public endpoints; undefined means no limit. */
  readonly rateLimit: number | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Connections that are open at once. Each takes a file descriptor. */
  readonly maxConnections: number;
  readonly sessionTtl: number;
  /** Of tokens that the auth action `expiring_token` hands out. */
  readonly tokenTtl: number;
  /** Also answers the FIDO server API (`--fido-api`). Its callers prove nothing, so it exists in development mode only. */
  readonly fidoApi: boolean;
}

/** The settings of `passkey serve` without any flag, all but the origin. */
export const DEFAULT_SETTINGS: Omit<ServerSettings, 'origin'> = Object.freeze({
  mode: 'development',
  origins: [],
  allowedHosts: [],
  ownerType: 'User',
  authAction: 'session',
  trustProxy: false,
  devSignIn: 'local',
  rateLimit: 120,
  bodyLimit: 65_536,
  maxConnections: 1_000,
  sessionTtl: 86_400_000,
  tokenTtl: 86_400_000,
  fidoApi: false,
});

/** The built test page. */
export interface PageFiles {
  readonly html: string;
  readonly css: string;
  readonly js: string;
}

/** What the server is given; it makes none of these itself. */
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
  /** `POST /dev/answer` and `GET /dev/personas`, in development mode; without it there are none. */
  readonly software?: SoftwareAnswers | undefined;
  /** `GET /dev/mutations`, in development mode; without it there is none. */
  readonly mutations?: Mutations | undefined;
  /** The version that `/openapi.json` and recorded fixtures state. */
  readonly version?: string;
  /** `validatorCompiler` of another application of this kind: shares the schemas that it has compiled. Default: its own. */
  readonly validatorCompiler?: FastifySchemaCompiler<FastifySchema> | undefined;
}
