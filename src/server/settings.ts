import type { AuthActionSetting } from './auth-action.js';
import type { SignInKey } from './development-key.js';

/** Settings of the server. Times are in milliseconds, and origins have the form of `URL.origin`. */
export interface ServerSettings {
  /**
   * Mode of the server. In `production`, there is no test page and there are no `/dev` endpoints, and problem documents have no `detail`
   * and no `step`.
   */
  readonly mode: 'development' | 'production';
  /** The server's own origin, such as `http://localhost:7277`. If its scheme is https, cookies are `Secure`. */
  readonly origin: string;
  /** Origins that ceremonies may come from (`--origin`). Empty: any origin. */
  readonly origins: readonly string[];
  /**
   * Additional host names under which clients may call the server (`--allowed-host`). In production, an empty list means that every host
   * name is allowed.
   */
  readonly allowedHosts: readonly string[];
  /** Owner type that is assumed if an owner is named without a type. */
  readonly ownerType: string;
  readonly authAction: AuthActionSetting;
  /** Whether to read the client's address, host and scheme from the `X-Forwarded-*` headers that the nearest proxy sends. */
  readonly trustProxy: boolean;
  /**
   * Which browsers may use the `/dev` routes without a bearer token, and sign in as any user. `local` means any browser on this machine. A
   * `SignInKey` means a browser on this machine that knows the key of this start of the server. `off` means none. In production, the `/dev`
   * routes do not exist.
   */
  readonly devSignIn: 'local' | SignInKey | 'off';
  /** Maximum number of requests per minute that each address may send to the public endpoints. Undefined means no limit. */
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
  /** Front end that is served in addition to the API (`--app`), in development mode only. It is a folder, or the origin of a dev server. */
  readonly frontEnd?: string | undefined;
  /** Folder whose files are served below `/.well-known/`. */
  readonly wellKnown?: string | undefined;
}

/** Determines the path of the test page: `/`, or `/dev` if a front end is served at `/`. */
export function testPagePath({ frontEnd }: Pick<ServerSettings, 'frontEnd'>): '/' | '/dev' {
  return frontEnd === undefined ? '/' : '/dev';
}

/** Determines the path below which the documentation is served: `/docs`, or `/dev/docs` if a front end is served at `/`. */
export function docsPath({ frontEnd }: Pick<ServerSettings, 'frontEnd'>): '/docs' | '/dev/docs' {
  return frontEnd === undefined ? '/docs' : '/dev/docs';
}

/** Settings of `passkey serve` if no flag is given, except for the origin. */
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
