import type { LoginAccess } from '../kernel/access.js';
import type { AccessOperations } from './access.js';

/** Access that the service can hand out after a login without a module of the user's. */
export const BUILT_IN_AUTH_ACTIONS = ['session', 'token', 'expiring_token'] as const;
export type BuiltInAuthAction = (typeof BUILT_IN_AUTH_ACTIONS)[number];

export interface BuiltInAuthActionOptions {
  readonly accounts: Pick<AccessOperations, 'prepareLogin'>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds. */
  readonly sessionTtl: number;
  /** Milliseconds; of `expiring_token`. */
  readonly tokenTtl: number;
}

/** The access that an accepted login hands out. `secret` goes to the client and nowhere else. Times are milliseconds since the epoch. */
export type LoginGrant =
  | { readonly kind: 'session'; readonly secret: string; readonly expiresAt: number }
  | { readonly kind: 'token'; readonly secret: string; readonly expiresAt: number | undefined };

export function isBuiltInAuthAction(text: string): text is BuiltInAuthAction {
  return BUILT_IN_AUTH_ACTIONS.some((action) => action === text);
}

/**
 * Prepares the access that a login grants. `authenticate` of the relying party takes it as `opens`, and stores it together with the use of
 * the passkey.
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
