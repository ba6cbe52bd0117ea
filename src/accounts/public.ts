/** `passkey-cli/accounts`: owners of passkeys, and the tokens and sessions that act for them. */
export type { Access, LoginAccess, NewAccess } from '../kernel/access.js';
export type { Authenticated, NewSession, NewToken, PreparedLogin } from './access.js';
export { type Accounts, type AccountsOptions, createAccounts } from './accounts.js';
export {
  BUILT_IN_AUTH_ACTIONS,
  type BuiltInAuthAction,
  type BuiltInAuthActionOptions,
  type LoginGrant,
  prepareAuthAction,
} from './auth-actions.js';
export type { AccessChanged, AccountsEvent, AccountsListener, OwnerChanged, OwnerGone } from './events.js';
export { MAX_OWNER_ID, type NewOwner, type OwnerChange } from './owners.js';
export type {
  AccessesChange,
  AccessFilter,
  AccessQuery,
  AccessSortKey,
  AccountStore,
  Owner,
  OwnerFilter,
  OwnerQuery,
  OwnerRemoval,
  OwnerSortKey,
  OwnersChange,
  PasskeyTraits,
} from './ports.js';
