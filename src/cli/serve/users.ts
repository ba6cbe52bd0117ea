import type { Accounts } from '../../accounts/accounts.js';
import { findOrAdd } from '../../accounts/owners.js';
import type { Owner } from '../../accounts/ports.js';
import { PasskeyError } from '../../errors.js';
import type { Io } from '../io.js';

/** Help text of the flag --user, for commands that start a server and can add users to it. */
export const USER_FLAG = 'add this user if it does not exist: an e-mail, or TYPE:ID of an existing user; repeatable';

/** Value of `via` in records of changes that `passkey serve` itself makes. */
export const VIA_SERVE = 'passkey serve';
export const VIA_EXEC = 'passkey exec';

/** Bearer tokens for the users that `--user` names. */
export interface UserTokens {
  /** The users in the order of `--user`, each with a bearer token. */
  readonly tokens: readonly { readonly owner: Owner; readonly token: string }[];
  /** Revokes all these tokens. Call this when the server ends. */
  end(): Promise<void>;
}

/**
 * Finds the users that `--user` names by e-mail address, `TYPE:ID` or `ID`. If an e-mail address is unknown, adds a user with it.
 *
 * @param via name of the command that is running.
 * @throws PasskeyError `owner_not_found`, `ambiguous_user`, `validation_failed`
 */
export async function findOrAddUsers(accounts: Accounts, named: readonly string[], via: string): Promise<readonly Owner[]> {
  const owners: Owner[] = [];
  // One after another: the same e-mail may be named twice, and ids count up in the order of the flags.
  for (const user of named) owners.push(await findOrAddUser(accounts, user, via));
  return owners;
}

function findOrAddUser(accounts: Accounts, user: string, via: string): Promise<Owner> {
  const find = async (): Promise<Owner | undefined> => {
    try {
      return await accounts.resolveUser(user);
    } catch (error) {
      if (user.includes('@') && error instanceof PasskeyError && error.code === 'owner_not_found') return undefined;
      throw error;
    }
  };
  return findOrAdd(find, () => accounts.addOwner({ email: user, name: user }, { via }));
}

/** Creates a bearer token for each user. @param via name of the command that is running, which becomes the label of the tokens. */
export async function createTokens(accounts: Accounts, owners: readonly Owner[], via: string): Promise<UserTokens> {
  const made: { readonly owner: Owner; readonly token: string; readonly id: number }[] = [];
  for (const owner of owners) {
    const { token, access } = await accounts.createToken({ owner: { type: owner.type, id: owner.id }, label: via }, { via });
    made.push({ owner, token, id: access.id });
  }
  return {
    tokens: made.map(({ owner, token }) => ({ owner, token })),
    async end() {
      for (const { id } of made) await accounts.revokeToken(id, { via });
    },
  };
}

/**
 * Makes the environment variables for calling a server, with its URL and tokens: `PASSKEY_URL`, `PASSKEY_TOKEN`, `PASSKEY_TOKEN_2` and so
 * on.
 */
export function serverVariables(url: string, { tokens }: Pick<UserTokens, 'tokens'>): Readonly<Record<string, string>> {
  const named = tokens.map(({ token }, index) => [tokenVariable(index), token] as const);
  return { PASSKEY_URL: url, ...Object.fromEntries(named) };
}

/** Reads the bearer tokens from the variables that {@link serverVariables} makes, in order. */
export function tokensIn(env: Io['env']): string[] {
  const tokens: string[] = [];
  for (;;) {
    const token = env[tokenVariable(tokens.length)];
    if (token === undefined || token === '') return tokens;
    tokens.push(token);
  }
}

const TOKEN = 'PASSKEY_TOKEN';
const tokenVariable = (index: number): string => (index === 0 ? TOKEN : `${TOKEN}_${index + 1}`);

/** Checks whether an environment variable has the name of one of the {@link serverVariables}. */
export const isServerVariable = (name: string): boolean => name === 'PASSKEY_URL' || /^PASSKEY_TOKEN(?:_\d+)?$/.test(name);
