import { createHash } from 'node:crypto';
import { PasskeyError } from '../errors.js';
import { type Access, findEnd, type LoginAccess, type NewAccess } from '../kernel/access.js';
import type { BulkOptions } from '../kernel/bulk-change.js';
import type { OperationContext } from '../kernel/events.js';
import type { OwnerRef } from '../kernel/owner.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { OwnerOperationsOptions } from './owners.js';
import type { AccessFilter, AccessQuery, AccountStore, Owner } from './ports.js';

export interface NewToken {
  readonly owner: OwnerRef;
  /** Milliseconds since the epoch; without it the token has no end. */
  readonly expiresAt?: number;
  readonly label?: string;
  /** The passkey whose login opens it: revoking that passkey ends the token. */
  readonly passkeyId?: number;
}

export interface NewSession {
  readonly owner: OwnerRef;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly passkeyId?: number;
}

/** A secret, and the access that a login opens with it once the store has recorded both. */
export interface PreparedLogin {
  /** Goes to the client, once the access is stored, and nowhere else. */
  readonly secret: string;
  readonly opens: LoginAccess;
}

export interface Authenticated {
  readonly owner: Owner;
  readonly access: Access;
}

export interface AccessOperations {
  /** `token` is returned this once only; the store keeps its SHA-256. @throws PasskeyError `owner_not_found` */
  createToken(token: NewToken, context?: OperationContext): Promise<{ readonly token: string; readonly access: Access }>;
  /** `secret` is returned this once only; the store keeps its SHA-256. @throws PasskeyError `owner_not_found` */
  createSession(session: NewSession, context?: OperationContext): Promise<{ readonly secret: string; readonly access: Access }>;
  /** Makes the secret of a token or session that a login is to open. Stores nothing: `recordLogin` of the store does. */
  prepareLogin(access: Pick<LoginAccess, 'kind' | 'expiresAt'>): PreparedLogin;
  /** Emits the event of an access that `recordLogin` opened. */
  loginOpened(access: Access, context?: OperationContext): void;
  /**
   * The owner of a secret; undefined when it is unknown, expired, idle for too long, revoked or of another kind, or when its owner was
   * removed. Of a session this is a use.
   */
  authenticate(kind: Access['kind'], secret: string): Promise<Authenticated | undefined>;
  endAccess(id: number, context?: OperationContext): Promise<void>;
  /** Ended ones included, unless the query says otherwise. */
  listTokens(query?: Omit<AccessQuery, 'kind'>): Promise<Access[]>;
  countTokens(filter?: Omit<AccessFilter, 'kind'>): Promise<number>;
  /** How many have not ended. */
  countLive(kind: Access['kind']): Promise<number>;
  /** Tokens and sessions that have not ended. An idle session has. */
  listLive(filter?: AccessFilter): Promise<Access[]>;
  /** Leaves a token that was revoked before as it is. @throws PasskeyError `token_not_found` */
  revokeToken(id: number, context?: OperationContext): Promise<Access>;
  /**
   * All of them or none, in one change; in the order of the ids.
   * @throws PasskeyError `token_not_found` when one does not exist; the reason of `signal`.
   */
  revokeTokens(ids: readonly number[], change: TokenChange, context?: OperationContext): Promise<readonly Access[]>;
  /** Tokens and sessions that were revoked, or expired, before a time in milliseconds since the epoch. */
  listEnded(filter: AccessFilter & { readonly before: number }): Promise<Access[]>;
}

interface TokenChange extends BulkOptions {
  /** Passed on to listeners; not kept with the token. */
  readonly reason?: string | undefined;
}

export interface AccessOperationsOptions extends Pick<OwnerOperationsOptions, 'store' | 'now' | 'randomBytes' | 'emit'> {
  readonly findOwner: AccountStore['findOwner'];
  /** Milliseconds after which a session ends that is not used. Default 12 hours. */
  readonly sessionIdle?: number | undefined;
}

/** 12 hours. */
const DEFAULT_SESSION_IDLE = 43_200_000;
/** Part of the lifetime that must pass before another use is recorded, so that few requests write. */
const NOTED_PART = 60;

const SECRET_BYTES = 32;
/** 32 bytes as base64url. */
const SESSION_SECRET = /^[\w-]{43}$/;

/** Whether it has the form of a session's secret. What has not needs no look-up. */
export function isSessionSecret(text: string): boolean {
  return SESSION_SECRET.test(text);
}

/** Makes our tokens recognizable to secret scanners and people. */
export const TOKEN_PREFIX = 'pk_';

export function createAccessOperations(options: AccessOperationsOptions): AccessOperations {
  const { store, now, randomBytes, findOwner, sessionIdle = DEFAULT_SESSION_IDLE, emit } = options;

  /** @throws PasskeyError `owner_not_found` */
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

  /** Undefined when the session has been idle for too long, or ended at this very moment. */
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

    async listEnded({ before, ...filter }) {
      const found = await store.listAccess({ ...filter, createdBefore: Math.min(before, filter.createdBefore ?? before) });
      return found.filter((access) => findEnd(access) < before);
    },
  };
}

function noTokens(ids: readonly number[]): PasskeyError {
  return new PasskeyError(
    'token_not_found',
    `No token has the id ${ids.join(', ')}; nothing was changed. \`passkey token list --all\` shows those there are.`,
  );
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
