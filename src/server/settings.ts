import type { AuthActionSetting } from './auth-action.js';
import type { SignInKey } from './development-key.js';

/** Settings of the server. Times are in milliseconds, and origins have the form of `URL.origin`. */
export interface ServerSettings {
  /** In `production` there is no test page and no `/dev` endpoints, and problem documents have no `detail` and `step`. */
  readonly mode: 'development' | 'production';
  /** The server's own origin, such as `http://localhost:7277`. With `https`, cookies are `Secure`. */
  readonly origin: string;
  /** Origins that ceremonies may come from (`--origin`). Empty: any origin. */
  readonly origins: readonly string[];
  /** Additional host names under which clients may call the server (`--allowed-host`). In production, an empty list allows every host. */
  readonly allowedHosts: readonly string[];
  /** Type of owners that are named without a type. */
  readonly ownerType: string;
  readonly authAction: AuthActionSetting;
  /** Whether to take the client's address, host and scheme from the `X-Forwarded-*` headers of the nearest proxy. */
  readonly trustProxy: boolean;
  /**
   * Which browsers may use the `/dev` routes without a bearer token, and sign in as any user: any browser on this machine (`local`), one on
   * this machine that also has the key of this start, or none (`off`). In production these routes do not exist.
   */
  readonly devSignIn: 'local' | SignInKey | 'off';
  /** Maximum requests per minute and address on the public endpoints. Undefined: no limit. */
  readonly rateLimit: number | undefined;
  /** Maximum size of a request body, in bytes. */
  readonly bodyLimit: number;
  /** Maximum number of open connections. Each uses a file descriptor. */
  readonly maxConnections: number;
  readonly sessionTtl: number;
  /** Lifetime of tokens that the auth action `expiring_token` creates, in milliseconds. */
  readonly tokenTtl: number;
  /** Whether to serve the FIDO server API (`--fido-api`). Its callers are not authenticated, so it exists in development mode only. */
  readonly fidoApi: boolean;
  /** Front end to serve in addition to the API (`--app`): a folder, or the origin of a dev server. In development mode only. */
  readonly frontEnd?: string | undefined;
  /** Folder whose files are served below `/.well-known/`. */
  readonly wellKnown?: string | undefined;
}

/** Path of the test page. If a front end is served at `/`, the page is at `/dev`. */
export function testPagePath({ frontEnd }: Pick<ServerSettings, 'frontEnd'>): '/' | '/dev' {
  return frontEnd === undefined ? '/' : '/dev';
}

/** Path below which the documentation is served. */
export function docsPath({ frontEnd }: Pick<ServerSettings, 'frontEnd'>): '/docs' | '/dev/docs' {
  return frontEnd === undefined ? '/docs' : '/dev/docs';
}

/** Settings of `passkey serve` without any flag, except for the origin. */
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
