import type { OperationContext } from '../kernel/events.js';
import type { AccessKeeping } from './access.js';
import type { OpeningUse, Owner } from './ports.js';

/** Access that the service can hand out after a login without a module of the user's. */
export const BUILT_IN_AUTH_ACTIONS = ['session', 'token', 'expiring_token'] as const;
export type BuiltInAuthAction = (typeof BUILT_IN_AUTH_ACTIONS)[number];

export interface BuiltInAuthActionOptions {
  readonly accounts: Pick<AccessKeeping, 'openLogin'>;
  readonly owner: Owner;
  /** The passkey that logged in: revoking it ends what is handed out here. */
  readonly passkeyId: number;
  /** Noted in one change with what is handed out. */
  readonly use: OpeningUse;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds. */
  readonly sessionTtl: number;
  /** Milliseconds; of `expiring_token`. */
  readonly tokenTtl: number;
  readonly context?: OperationContext;
}

/** Access that a login opened. `secret` goes to the client and nowhere else. Times are milliseconds since the epoch. */
export type LoginGrant =
  | { readonly kind: 'session'; readonly secret: string; readonly expiresAt: number }
  | { readonly kind: 'token'; readonly secret: string; readonly expiresAt: number | undefined };

export function isBuiltInAuthAction(text: string): text is BuiltInAuthAction {
  return BUILT_IN_AUTH_ACTIONS.some((action) => action === text);
}

/** Undefined, and nothing is changed, when the record of the passkey has changed since it was read. */
export async function runBuiltInAuthAction(action: BuiltInAuthAction, options: BuiltInAuthActionOptions): Promise<LoginGrant | undefined> {
  const { accounts, owner, passkeyId, use, now, context } = options;
  if (action === 'session') {
    const expiresAt = now + options.sessionTtl;
    const login = await accounts.openLogin({ kind: 'session', owner, passkeyId, expiresAt, use }, context);
    return login && { kind: 'session', secret: login.secret, expiresAt };
  }
  const expiresAt = action === 'expiring_token' ? now + options.tokenTtl : undefined;
  const login = await accounts.openLogin({ kind: 'token', owner, passkeyId, expiresAt, use }, context);
  return login && { kind: 'token', secret: login.secret, expiresAt };
}
