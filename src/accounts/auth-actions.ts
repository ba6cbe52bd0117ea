import type { LoginAccess } from '../kernel/access.js';
import type { AccessOperations } from './access.js';

/** The built-in ways to give access after a login: a session, a token that never expires, or a token that expires. */
export const BUILT_IN_AUTH_ACTIONS = ['session', 'token', 'expiring_token'] as const;
export type BuiltInAuthAction = (typeof BUILT_IN_AUTH_ACTIONS)[number];

export interface BuiltInAuthActionOptions {
  readonly accounts: Pick<AccessOperations, 'prepareLogin'>;
  /** The current time, in milliseconds since the epoch. */
  readonly now: number;
  /** Lifetime of a session, in milliseconds. */
  readonly sessionTtl: number;
  /** Lifetime of a token made by `expiring_token`, in milliseconds. */
  readonly tokenTtl: number;
}

/** The access that an accepted login gives to the client. Send `secret` only to the client. Times are milliseconds since the epoch. */
export type LoginGrant =
  | { readonly kind: 'session'; readonly secret: string; readonly expiresAt: number }
  | { readonly kind: 'token'; readonly secret: string; readonly expiresAt: number | undefined };

export function isBuiltInAuthAction(text: string): text is BuiltInAuthAction {
  return BUILT_IN_AUTH_ACTIONS.some((action) => action === text);
}

/**
 * Prepares the session or token that a login grants. Pass it to the relying party's `authenticate` as `opens`. The store then saves the
 * session or token together with the use of the passkey, in one change.
 */
export function prepareAuthAction(
  action: BuiltInAuthAction,
  { accounts, now, sessionTtl, tokenTtl }: BuiltInAuthActionOptions,
): { readonly grant: LoginGrant; readonly opens: LoginAccess } {
  if (action === 'session') {
    const expiresAt = now + sessionTtl;
    const { secret, opens } = accounts.prepareLogin({ kind: 'session', expiresAt });
    return { grant: { kind: 'session', secret, expiresAt }, opens };
  }
  const expiresAt = action === 'expiring_token' ? now + tokenTtl : undefined;
  const { secret, opens } = accounts.prepareLogin({ kind: 'token', expiresAt });
  return { grant: { kind: 'token', secret, expiresAt }, opens };
}
