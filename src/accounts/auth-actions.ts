import type { AccessKeeping } from './access.js';
import type { Owner } from './ports.js';

/** What the service can hand out after a login without a module of the user's. */
export const BUILT_IN_AUTH_ACTIONS = ['session', 'token', 'expiring_token'] as const;
export type BuiltInAuthAction = (typeof BUILT_IN_AUTH_ACTIONS)[number];

export interface BuiltInAuthActionOptions {
  readonly accounts: Pick<AccessKeeping, 'createSession' | 'createToken'>;
  readonly owner: Owner;
  /** The passkey that logged in: revoking it ends what is handed out here. */
  readonly passkeyId: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds. */
  readonly sessionTtl: number;
  /** Milliseconds; of `expiring_token`. */
  readonly tokenTtl: number;
}

/** What a login opened. `secret` goes to the client and nowhere else. Times are milliseconds since the epoch. */
export type LoginGrant =
  | { readonly kind: 'session'; readonly secret: string; readonly expiresAt: number }
  | { readonly kind: 'token'; readonly secret: string; readonly expiresAt: number | undefined };

export function isBuiltInAuthAction(text: string): text is BuiltInAuthAction {
  return BUILT_IN_AUTH_ACTIONS.some((action) => action === text);
}

export async function runBuiltInAuthAction(action: BuiltInAuthAction, options: BuiltInAuthActionOptions): Promise<LoginGrant> {
  const { accounts, owner, passkeyId, now } = options;
  if (action === 'session') {
    const expiresAt = now + options.sessionTtl;
    const { secret } = await accounts.createSession({ owner, expiresAt, passkeyId });
    return { kind: 'session', secret, expiresAt };
  }
  const expiresAt = action === 'expiring_token' ? now + options.tokenTtl : undefined;
  const { token } = await accounts.createToken({ owner, passkeyId, label: 'login', ...(expiresAt === undefined ? {} : { expiresAt }) });
  return { kind: 'token', secret: token, expiresAt };
}
