import type { AuthActionSetting } from './auth-action-module.js';
import type { SignInKey } from './development-key.js';

/** How the HTTP shell behaves. Times are milliseconds; origins are as `URL.origin` writes them. */
export interface ServerSettings {
  /** `production`: no test page, no `/dev` endpoints, problems without `detail` and `step`. */
  readonly mode: 'development' | 'production';
  /** The server's own origin, e.g. `http://localhost:7277`. `https` makes its cookies `Secure`. */
  readonly origin: string;
  /** Origins that ceremonies may come from (`--origin`). Empty: any. */
  readonly origins: readonly string[];
  /** Host names answered besides the own one (`--allowed-host`). In production, without any, every host is answered. */
  readonly allowedHosts: readonly string[];
  /** Type name of owners that are named without one. */
  readonly ownerType: string;
  readonly authAction: AuthActionSetting;
  /** Take the client's address, host and scheme from the `X-Forwarded-*` headers of the nearest proxy. */
  readonly trustProxy: boolean;
  /**
   * Who may use the `/dev` routes, and there sign in as any user, without a bearer token: a browser on this machine (`local`), one
   * that also brings the key of this start, or nobody (`off`). In production there are none.
   */
  readonly devSignIn: 'local' | SignInKey | 'off';
  /** Requests a minute and address on the public endpoints; undefined is no limit. */
  readonly rateLimit: number | undefined;
  /** Bytes. */
  readonly bodyLimit: number;
  readonly sessionTtl: number;
  /** Of tokens that the auth action `expiring_token` hands out. */
  readonly tokenTtl: number;
  /** Also answer the FIDO server API (`--fido-api`); its callers prove nothing, so in development mode only. */
  readonly fidoApi: boolean;
}

/** Everything but the origin, as `passkey serve` has it without any flag. */
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
  sessionTtl: 86_400_000,
  tokenTtl: 86_400_000,
  fidoApi: false,
});
