import { createHash } from 'node:crypto';
import { PasskeyError } from '../errors.js';
import { encodeBase64url } from '../webauthn/base64url.js';
import type { OwnerRef } from '../webauthn/user-handle.js';
import type { Access, AccountStore, Owner } from './ports.js';

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

export interface Authenticated {
  readonly owner: Owner;
  readonly access: Access;
}

export interface AccessKeeping {
  /** `token` is returned this once only; the store keeps its SHA-256. @throws PasskeyError `owner_not_found` */
  createToken(token: NewToken): Promise<{ readonly token: string; readonly access: Access }>;
  /** `secret` is returned this once only; the store keeps its SHA-256. @throws PasskeyError `owner_not_found` */
  createSession(session: NewSession): Promise<{ readonly secret: string; readonly access: Access }>;
  /**
   * The owner of a secret; undefined when it is unknown, expired, idle for too long, revoked or of another kind, or when its owner was
   * removed. Of a session this is a use.
   */
  authenticate(kind: Access['kind'], secret: string): Promise<Authenticated | undefined>;
  endAccess(id: number): Promise<void>;
  listTokens(filter?: { readonly owner?: OwnerRef }): Promise<Access[]>;
  /** Leaves a token that was revoked before as it is. @throws PasskeyError `token_not_found` */
  revokeToken(id: number): Promise<Access>;
}

interface AccessKeepingOptions {
  readonly store: AccountStore;
  readonly now: () => number;
  readonly randomBytes: (n: number) => Uint8Array;
  readonly findOwner: (ref: OwnerRef) => Promise<Owner | undefined>;
  readonly sessionIdle?: number | undefined;
}

/** 12 hours. */
export const DEFAULT_SESSION_IDLE = 43_200_000;
/** A use is noted when this part of the time has passed since the last one was, so that few requests write. */
const NOTED_PART = 60;

const SECRET_BYTES = 32;
/** 32 bytes as base64url. */
const SESSION_SECRET = /^[\w-]{43}$/;

/** Whether it has the form of a session's secret. What has not needs no look-up. */
export function isSessionSecret(text: string): boolean {
  return SESSION_SECRET.test(text);
}

/** Makes our tokens recognizable to secret scanners and people. */
const TOKEN_PREFIX = 'pk_';

export function createAccessKeeping(options: AccessKeepingOptions): AccessKeeping {
  const { store, now, randomBytes, findOwner, sessionIdle = DEFAULT_SESSION_IDLE } = options;

  async function open(access: Pick<Access, 'kind' | 'owner' | 'passkeyId' | 'label' | 'expiresAt'>, prefix: string) {
    if ((await findOwner(access.owner)) === undefined) {
      throw new PasskeyError('owner_not_found', `There is no user ${access.owner.type}:${access.owner.id} to open a ${access.kind} for.`);
    }
    const secret = prefix + encodeBase64url(randomBytes(SECRET_BYTES));
    const owner = { type: access.owner.type, id: access.owner.id };
    return { secret, access: await store.insertAccess({ ...access, owner, hash: sha256(secret), createdAt: now() }) };
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

  return {
    async createToken({ owner, expiresAt, label, passkeyId }) {
      const { secret, access } = await open({ kind: 'token', owner, expiresAt, label, passkeyId }, TOKEN_PREFIX);
      return { token: secret, access };
    },

    createSession: ({ owner, expiresAt, passkeyId }) => open({ kind: 'session', owner, expiresAt, passkeyId, label: undefined }, ''),

    async authenticate(kind, secret) {
      const access = await store.findAccess(kind, sha256(secret));
      if (access === undefined || access.revokedAt !== undefined || (access.expiresAt !== undefined && access.expiresAt <= now())) {
        return undefined;
      }
      const used = access.kind === 'session' ? await use(access) : access;
      const owner = used && (await findOwner(used.owner));
      return used === undefined || owner === undefined ? undefined : { owner, access: used };
    },

    async endAccess(id) {
      await store.revokeAccess(id, now());
    },

    listTokens: ({ owner } = {}) => store.listAccess({ kind: 'token', ...(owner === undefined ? {} : { owner }) }),

    async revokeToken(id) {
      const tokens = await store.listAccess({ kind: 'token' });
      const token = tokens.find((each) => each.id === id);
      if (token?.revokedAt !== undefined) {
        return token;
      }
      const revoked = token && (await store.revokeAccess(id, now()));
      if (revoked === undefined) {
        throw new PasskeyError('token_not_found', `There is no token ${id}. \`passkey token list\` shows them.`);
      }
      return revoked;
    },
  };
}

function sha256(text: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(text, 'utf8').digest());
}
