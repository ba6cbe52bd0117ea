import { createHash } from 'node:crypto';
import { PasskeyError } from '../errors.js';
import type { Access, LoginAccess, NewAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OperationContext } from '../kernel/events.js';
import type { OwnerRef } from '../kernel/owner.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { OwnerOperationsOptions } from './owners.js';
import type { AccessFilter, AccessQuery, AccountStore, Owner } from './ports.js';

export interface NewToken {
  readonly owner: OwnerRef;
  /** When the token expires, in milliseconds since the epoch. A token without this time never expires. */
  readonly expiresAt?: number;
  readonly label?: string;
  /** Id of the passkey whose login opens the session or token. If that passkey is revoked, the session or token ends. */
  readonly passkeyId?: number;
}

export interface NewSession {
  readonly owner: OwnerRef;
  /** When the session expires, in milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly passkeyId?: number;
}

/** A new secret, and the token or session that it will open. The caller must store the token or session before it hands out the secret. */
export interface PreparedLogin {
  /** The secret of the token or session. Send it only to the client, and only after the token or session is stored. */
  readonly secret: string;
  readonly opens: LoginAccess;
}

export interface Authenticated {
  readonly owner: Owner;
  readonly access: Access;
}

export interface AccessOperations {
  /**
   * Creates a bearer token. The result holds the only copy of the secret `token`; the store keeps only its SHA-256.
   * @throws PasskeyError `owner_not_found`
   */
  createToken(token: NewToken, context?: OperationContext): Promise<{ readonly token: string; readonly access: Access }>;
  /**
   * Opens a session. The result holds the only copy of `secret`; the store keeps only its SHA-256. @throws PasskeyError `owner_not_found`
   */
  createSession(session: NewSession, context?: OperationContext): Promise<{ readonly secret: string; readonly access: Access }>;
  /**
   * Generates the secret of the token or session that a login is about to open. It stores nothing: the store's `recordLogin` stores the
   * token or session later.
   */
  prepareLogin(access: Pick<LoginAccess, 'kind' | 'expiresAt'>): PreparedLogin;
  /** Emits the event for a token or session that the store's `recordLogin` has stored. */
  loginOpened(access: Access, context?: OperationContext): void;
  /**
   * Finds the token or session of a secret, and its owner. Also records the use of a session. Returns undefined if the secret is unknown,
   * expired, idle for too long, revoked or of another kind, or if the owner was removed.
   */
  authenticate(kind: Access['kind'], secret: string): Promise<Authenticated | undefined>;
  endAccess(id: number, context?: OperationContext): Promise<void>;
  /** Lists bearer tokens. Includes tokens that have ended, unless the query excludes them. */
  listTokens(query?: Omit<AccessQuery, 'kind'>): Promise<Access[]>;
  countTokens(filter?: Omit<AccessFilter, 'kind'>): Promise<number>;
  /** Counts the tokens, or the sessions, that have not ended. */
  countLive(kind: Access['kind']): Promise<number>;
  /** Lists tokens and sessions that have not ended. A session that was idle for too long counts as ended. */
  listLive(filter?: AccessFilter): Promise<Access[]>;
  /** Revokes one token. A token that was revoked earlier stays unchanged. @throws PasskeyError `token_not_found` */
  revokeToken(id: number, context?: OperationContext): Promise<Access>;
  /**
   * Revokes all of these tokens in one change, or none of them. The result is in ascending order of id.
   * @throws PasskeyError `token_not_found` if one of the tokens does not exist; the abort reason of `signal` if it is aborted.
   */
  revokeTokens(ids: readonly number[], change: TokenChange, context?: OperationContext): Promise<readonly Access[]>;
  /** Lists tokens and sessions that were revoked or expired before `before`, a time in milliseconds since the epoch. */
  listEnded(query: AccessQuery & { readonly before: number }): Promise<Access[]>;
}

interface TokenChange extends BulkOptions {
  /** Why the tokens are revoked. Listeners receive the reason; the store does not keep it. */
  readonly reason?: string | undefined;
}

export interface AccessOperationsOptions extends Pick<OwnerOperationsOptions, 'store' | 'now' | 'randomBytes' | 'emit'> {
  readonly findOwner: AccountStore['findOwner'];
  /** Milliseconds without use after which a session ends. Default: 12 hours. */
  readonly sessionIdle?: number | undefined;
}

/** 12 hours, in milliseconds. */
const DEFAULT_SESSION_IDLE = 43_200_000;
/** A use of a session is recorded only if a sixtieth of the idle limit has passed since the last recorded use. This keeps writes rare. */
const NOTED_PART = 60;

const SECRET_BYTES = 32;
/** Matches a session secret: 32 bytes in base64url. */
const SESSION_SECRET = /^[\w-]{43}$/;

/**
 * Checks whether a string has the form of a session secret. No other string can be a session secret, so it needs no look-up in the store.
 */
export function isSessionSecret(text: string): boolean {
  return SESSION_SECRET.test(text);
}

/** Prefix of every bearer token. Secret scanners and people recognize a token by it. */
export const TOKEN_PREFIX = 'pk_';

export function createAccessOperations(options: AccessOperationsOptions): AccessOperations {
  const { store, now, randomBytes, findOwner, sessionIdle = DEFAULT_SESSION_IDLE, emit } = options;

  /** Throws if the owner does not exist. @throws PasskeyError `owner_not_found` */
  async function requireOwner({ type, id }: OwnerRef, kind: Access['kind']): Promise<void> {
    if ((await findOwner({ type, id })) !== undefined) return;
    throw new PasskeyError('owner_not_found', `There is no user ${type}:${id} to open a ${kind} for.`);
  }

  function prepare(wanted: Pick<LoginAccess, 'kind' | 'label' | 'expiresAt'>): PreparedLogin {
    const secret = `${wanted.kind === 'token' ? TOKEN_PREFIX : ''}${encodeBase64url(randomBytes(SECRET_BYTES))}`;
    return { secret, opens: { ...wanted, hash: sha256(secret), createdAt: now() } };
  }

  async function open(wanted: Pick<NewAccess, 'kind' | 'label' | 'expiresAt' | 'passkeyId' | 'owner'>, context?: OperationContext) {
    const { passkeyId, owner, ...access } = wanted;
    await requireOwner(owner, access.kind);
    const { secret, opens } = prepare(access);
    return {
      secret,
      access: opened(await store.insertAccess({ ...opens, passkeyId, owner: { type: owner.type, id: owner.id } }), context),
    };
  }

  function opened(access: Access, context: OperationContext = {}): Access {
    emit({ type: access.kind === 'token' ? 'token-created' : 'session-opened', at: access.createdAt, context, access });
    return access;
  }

  function ended(access: Access, context: OperationContext = {}): Access {
    emit({ type: access.kind === 'token' ? 'token-revoked' : 'session-ended', at: now(), context, access });
    return access;
  }

  /** Records a use of a session. Returns undefined if the session was idle for too long, or was revoked or deleted in the meantime. */
  async function use(session: Access): Promise<Access | undefined> {
    const at = now();
    const idle = at - (session.lastUsedAt ?? session.createdAt);
    if (idle >= sessionIdle) return undefined;
    if (idle * NOTED_PART < sessionIdle) return session;
    return await store.touchAccess(session.id, at).catch((error: unknown) => {
      // The session then ends as if this use had not been, which is no reason to refuse it now.
      if (error instanceof PasskeyError && error.code === 'store_unavailable') return session;
      throw error;
    });
  }

  async function revokeTokens(ids: readonly number[], { reason, ...options }: TokenChange, context: OperationContext = {}) {
    const at = now();
    const change = await store.revokeAccesses(ids, { at, kind: 'token', ...options });
    if (change.status === 'missing') throw noTokens(change.ids);
    for (const access of change.accesses) {
      if (change.changed.has(access.id)) emit({ type: 'token-revoked', at, context, access, reason });
    }
    return change.accesses;
  }

  return {
    async createToken({ owner, expiresAt, label, passkeyId }, context) {
      const { secret, access } = await open({ kind: 'token', owner, expiresAt, label, passkeyId }, context);
      return { token: secret, access };
    },

    createSession: ({ owner, expiresAt, passkeyId }, context) =>
      open({ kind: 'session', owner, expiresAt, passkeyId, label: undefined }, context),

    prepareLogin: ({ kind, expiresAt }) => prepare({ kind, expiresAt, label: kind === 'token' ? 'login' : undefined }),

    loginOpened(access, context) {
      opened(access, context);
    },

    async authenticate(kind, secret) {
      const access = await store.findAccess(kind, sha256(secret));
      if (access === undefined || access.revokedAt !== undefined || (access.expiresAt !== undefined && access.expiresAt <= now())) {
        return undefined;
      }
      const used = access.kind === 'session' ? await use(access) : access;
      const owner = used && (await findOwner(used.owner));
      return used === undefined || owner === undefined ? undefined : { owner, access: used };
    },

    async endAccess(id, context) {
      const access = await store.revokeAccess(id, now());
      if (access !== undefined) ended(access, context);
    },

    listTokens: (query) => store.listAccess({ ...query, kind: 'token' }),
    countTokens: (filter) => store.countAccess({ ...filter, kind: 'token' }),

    async countLive(kind) {
      const at = now();
      const open = await store.countAccess({ kind, liveAt: at });
      if (kind === 'token') return open;
      // Times have microseconds: one that was last used at this moment has ended.
      const lastIdle = at - sessionIdle + 0.001;
      return open - (await store.countAccess({ kind, liveAt: at, unusedSince: lastIdle }));
    },

    async listLive(filter) {
      const at = now();
      const open = await store.listAccess({ ...filter, liveAt: at });
      return open.filter(({ kind, lastUsedAt, createdAt }) => kind === 'token' || at - (lastUsedAt ?? createdAt) < sessionIdle);
    },

    async revokeToken(id, context) {
      const [token] = await revokeTokens([id], {}, context);
      if (token === undefined) throw noTokens([id]);
      return token;
    },

    revokeTokens,

    listEnded: ({ before, ...query }) => store.listAccess({ ...query, endedBefore: before }),
  };
}

function noTokens(ids: readonly number[]): PasskeyError {
  return new PasskeyError(
    'token_not_found',
    `No token has the id ${ids.join(', ')}; nothing was changed. \`passkey token list --all\` lists all tokens.`,
  );
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
