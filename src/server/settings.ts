import type { AuthActionSetting } from './auth-action.js';
import type { SignInKey } from './development-key.js';

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
  /** Type of owners that are named without a type. */
  readonly ownerType: string;
  readonly authAction: AuthActionSetting;
  /** Takes the client's address, host and scheme from the `X-Forwarded-*` headers of the nearest proxy. */
  readonly trustProxy: boolean;
  /**
   * Who may use the `/dev` routes without a bearer token, and sign in there as any user: a browser on this machine (`local`), one that
   * also has the key of this start, or not at all (`off`). In production there are no such routes.
   */
  readonly devSignIn: 'local' | SignInKey | 'off';
  /** Requests per minute and address on the public endpoints; undefined means no limit. */
  readonly rateLimit: number | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Connections that are open at once. Each takes a file descriptor. */
  readonly maxConnections: number;
  readonly sessionTtl: number;
  /** Lifetime of the tokens that the auth action `expiring_token` hands out. */
  readonly tokenTtl: number;
  /** Also answers the FIDO server API (`--fido-api`). Its callers are unauthenticated, so it exists in development mode only. */
  readonly fidoApi: boolean;
  /** Front end to serve in addition to the API (`--app`): a folder, or the origin of a dev server. In development mode only. */
  readonly frontEnd?: string | undefined;
  /** Folder served at `/.well-known/`. */
  readonly wellKnown?: string | undefined;
}

/** Path of the test page: a front end takes `/`. */
export function testPagePath({ frontEnd }: Pick<ServerSettings, 'frontEnd'>): '/' | '/dev' {
  return frontEnd === undefined ? '/' : '/dev';
}

/** Path below which the documentation is. */
export function docsPath({ frontEnd }: Pick<ServerSettings, 'frontEnd'>): '/docs' | '/dev/docs' {
  return frontEnd === undefined ? '/docs' : '/dev/docs';
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
