/** `passkey-cli/accounts`: owners of passkeys, and the tokens and sessions that act for them. */
export type { Authenticated, NewLogin, NewSession, NewToken } from './access.js';
export { type Accounts, type AccountsOptions, createAccounts } from './accounts.js';
export {
  BUILT_IN_AUTH_ACTIONS,
  type BuiltInAuthAction,
  type BuiltInAuthActionOptions,
  type LoginGrant,
  runBuiltInAuthAction,
} from './auth-actions.js';
export type { AccessChanged, AccountsEvent, AccountsListener, OwnerChanged, OwnerGone } from './events.js';
export { MAX_OWNER_ID, type NewOwner, type OwnerChange } from './owners.js';
export type {
  Access,
  AccessesChange,
  AccessFilter,
  AccessQuery,
  AccessSortKey,
  AccountStore,
  NewAccess,
  OpeningUse,
  Owner,
  OwnerFilter,
  OwnerQuery,
  OwnerRemoval,
  OwnerSortKey,
  OwnersChange,
  PasskeyTraits,
} from './ports.js';
