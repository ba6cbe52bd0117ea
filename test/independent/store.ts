import { randomBytes } from 'node:crypto';
import { sameBytes, toBase64url } from './bytes.js';
import type { CoseKey } from './cose.js';
import type { FaultId } from './faults.js';
import { check, type Party, refuse } from './party.js';

export interface User {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

export const USERS: readonly User[] = [
  { id: 1, name: 'Ada Lovelace', email: 'ada@independent.example' },
  { id: 2, name: 'Grace Hopper', email: 'grace@independent.example' },
];

/** base64url of the decimal id. */
export const handleOf = (userId: number, { faults, policy }: Party): string => {
  if (faults.has('user-handle-is-email')) return toBase64url(Buffer.from(USERS.find(({ id }) => id === userId)?.email ?? `${userId}`));
  return toBase64url(Buffer.from(String(faults.has('user-handle-shared') ? 0 : userId).padStart(policy.handleBytes ?? 1, '0')));
};

/** How many bytes of a credential ID are kept, with these faults. */
const CUT: readonly (readonly [FaultId, number])[] = [
  ['credential-id-cut-at-255', 255],
  ['credential-id-cut-at-1022', 1022],
];

/** With these a removed passkey is found, in some ceremonies. */
const REMOVED_ACCEPTED: readonly FaultId[] = [
  'removed-passkey-accepted',
  'removed-passkey-accepted-without-name',
  'step-up-with-removed-passkey',
];

/** A credential record (§4) with what the API tells of it. */
export interface Passkey {
  readonly id: number;
  readonly userId: number;
  readonly rpId: string;
  readonly origin: string;
  readonly credentialId: Uint8Array;
  /** The id as the registration spelled it. */
  readonly idText: string;
  readonly key: CoseKey;
  /** SubjectPublicKeyInfo; present only where the unsigned copy is believed. */
  readonly unsignedKey?: Uint8Array;
  readonly backupEligible: boolean;
  readonly transports: readonly string[] | undefined;
  readonly createdAt: number;
  label: string;
  backedUp: boolean;
  signCount: number;
  removed: boolean;
}

interface Session {
  readonly userId: number;
  readonly passkeyId: number | undefined;
  readonly by: 'passkey' | 'token' | 'account' | 'password' | 'recovery';
  /** When its user signed in, or stepped up. */
  freshAt: number;
}

/** How a session begins; `session`: the one that a faulty server keeps. */
interface Opening {
  readonly passkey?: Passkey;
  readonly by?: Session['by'];
  readonly session?: string | undefined;
}

/** Users, passkeys and sessions, in memory. */
export class Store {
  readonly #party: Party;
  #passkeys: Passkey[] = [];
  readonly #users = [...USERS];
  readonly #sessions = new Map<string, Session>();
  readonly #gates = new Map<number, Set<string>>();
  readonly #tokens: ReadonlyMap<string, number>;
  readonly tokens: readonly [string, string];
  #lastId = 0;
  /** Who signed in last. */
  latestUser: number | undefined;

  constructor(party: Party) {
    this.#party = party;
    this.tokens = [randomBytes(24).toString('hex'), randomBytes(24).toString('hex')];
    this.#tokens = new Map(this.tokens.map((token, n) => [token, n + 1]));
  }

  userOf(token: string | undefined, session: string | undefined): User {
    const opened = this.#sessions.get(session ?? '');
    // A removed passkey takes the sessions that it opened along.
    const gone = opened?.passkeyId !== undefined && !this.#passkeys.some((one) => one.id === opened.passkeyId && !one.removed);
    const live = !gone || this.#party.faults.has('removed-passkey-keeps-sessions');
    const signedIn = this.#party.faults.has('sessions-of-latest-login') ? opened && this.latestUser : opened?.userId;
    const id = this.#tokens.get(token ?? '') ?? (live ? signedIn : undefined);
    return this.user(id) ?? refuse('sign_in_first', 'A bearer token or a session is needed.', 401);
  }

  user(id: number | undefined): User | undefined {
    return this.#users.find((user) => user.id === id);
  }

  byEmail(email: string): User | undefined {
    return this.#users.find((user) => user.email === email);
  }

  byHandle(handle: unknown): User | undefined {
    return this.#users.find(({ id }) => handleOf(id, this.#party) === handle);
  }

  /** The states because of which a user may not sign in. */
  gatesOf(userId: number): Set<string> {
    const gates = this.#gates.get(userId) ?? new Set();
    this.#gates.set(userId, gates);
    return gates;
  }

  /** @throws Refusal for a user who may not sign in, unless that line is the fault */
  checkGates(userId: number, fault: FaultId): void {
    check(this.gatesOf(userId).size === 0 || this.#party.faults.has(fault), 'gated', 'This account is closed for now.', 403);
  }

  userByToken(token: unknown): User | undefined {
    return this.user(this.#tokens.get(String(token)));
  }

  addUser(email: string): User {
    const user = { id: this.#users.length + 1, name: email, email };
    this.#users.push(user);
    return user;
  }

  isOpen(session: string | undefined): boolean {
    return this.#sessions.has(session ?? '');
  }

  #newSession(userId: number): string {
    if (!this.#party.faults.has('session-id-of-user')) return randomBytes(24).toString('hex');
    return Buffer.from(`session of ${userId}`).toString('hex');
  }

  openSession(userId: number, { passkey, by = 'token', session = this.#newSession(userId) }: Opening = {}): string {
    this.#sessions.set(session, { userId, passkeyId: passkey?.id, by, freshAt: this.#party.now() });
    this.latestUser = userId;
    return session;
  }

  /** After a step-up. */
  refresh(session: string | undefined, userId: number): void {
    const everywhere = this.#party.faults.has('step-up-of-all-sessions');
    for (const [id, one] of this.#sessions) if (id === session || (everywhere && one.userId === userId)) one.freshAt = this.#party.now();
  }

  /** Whether the session may change passkeys: it is fresh, and a password did not open it beside a passkey. */
  checkChange(session: string | undefined, change: 'add' | 'remove'): void {
    const opened = this.#sessions.get(session ?? '');
    const { faults, policy } = this.#party;
    if (opened === undefined || policy.freshFor === undefined) return;
    const fresh = this.#party.now() - opened.freshAt <= policy.freshFor;
    check(fresh || faults.has(`stale-session-may-${change}`), 'not_fresh', 'Enter your password again.', 403);
    const alone = opened.by === 'password' && this.live(opened.userId).length > 0;
    check(!alone || faults.has(`password-may-${change}`), 'passkey_needed', 'Sign in with your passkey.', 403);
  }

  /** What a recovery from a copy does. */
  restoreAll(userId: number): void {
    for (const passkey of this.#passkeys) if (passkey.userId === userId) passkey.removed = false;
  }

  endSessions(userId: number): void {
    for (const [id, one] of this.#sessions) if (one.userId === userId) this.#sessions.delete(id);
  }

  endSession(session: string | undefined): void {
    const { userId } = this.#sessions.get(session ?? '') ?? {};
    if (this.#party.faults.has('sign-out-ends-all-of-user') && userId !== undefined) this.endSessions(userId);
    if (this.#party.faults.has('sign-out-ends-all')) this.#sessions.clear();
    if (!this.#party.faults.has('session-outlives-sign-out')) this.#sessions.delete(session ?? '');
  }

  /** Passkeys of a user, and of one RP ID where it is given. */
  live(userId: number, rpId?: string): Passkey[] {
    const everybody = rpId === undefined && this.#party.faults.has('others-passkeys-listed');
    return this.#passkeys.filter(
      (one) => !one.removed && (one.userId === userId || everybody) && (rpId === undefined || one.rpId === rpId),
    );
  }

  /** The newest with this credential ID that was not removed. */
  byCredentialId(id: Uint8Array): Passkey | undefined {
    const { faults } = this.#party;
    const removed = REMOVED_ACCEPTED.some((fault) => faults.has(fault));
    return this.#passkeys.findLast((one) => this.#isSame(one.credentialId, this.#kept(id)) && (!one.removed || removed));
  }

  ofHandle(handle: string | undefined): Passkey | undefined {
    return this.#passkeys.find((one) => !one.removed && handleOf(one.userId, this.#party) === handle);
  }

  /** §7.1 step 27: no credential ID twice, whoever's it is. */
  insert(passkey: Omit<Passkey, 'id' | 'removed'>): Passkey {
    const { faults } = this.#party;
    const credentialId = this.#kept(passkey.credentialId);
    const same = (one: Passkey) =>
      faults.has('known-credential-by-text') ? one.idText === passkey.idText : this.#isSame(one.credentialId, credentialId);
    const known = this.#passkeys.find(same);
    const own = known?.userId === passkey.userId;
    const again = faults.has('known-credential-replaced') || faults.has('known-credential-twice');
    const taken = known !== undefined && !(own ? again : faults.has('known-credential-of-another-user'));
    check(!taken, 'credential_known', 'This credential is registered already.', 409);
    if (own && !faults.has('known-credential-twice')) this.#passkeys = this.#passkeys.filter((one) => one !== known);
    const inserted = { ...passkey, credentialId, id: ++this.#lastId, removed: false };
    this.#passkeys.push(inserted);
    return inserted;
  }

  /** What the column keeps of a credential ID. */
  #kept(id: Uint8Array): Uint8Array {
    const cut = CUT.find(([fault]) => this.#party.faults.has(fault));
    return cut === undefined ? id : id.subarray(0, cut[1]);
  }

  #isSame(one: Uint8Array, other: Uint8Array): boolean {
    const { faults } = this.#party;
    if (faults.has('credential-id-case-folded')) return toBase64url(one).toLowerCase() === toBase64url(other).toLowerCase();
    return faults.has('credential-id-cut-at-64') ? sameBytes(one.subarray(0, 64), other.subarray(0, 64)) : sameBytes(one, other);
  }

  /** Passkeys of all users. */
  everybodys(rpId: string): Passkey[] {
    return this.#passkeys.filter((one) => !one.removed && one.rpId === rpId);
  }

  any(id: number): Passkey {
    return this.#passkeys.find((one) => one.id === id && !one.removed) ?? refuse('no_such_passkey', 'This passkey is not there.', 404);
  }

  /** A passkey of the user; anybody else's is not there. */
  own(userId: number, id: number, act: 'removed' | 'renamed'): Passkey {
    const any = this.#party.faults.has(`others-passkey-${act}`);
    const passkey = this.#passkeys.find((one) => one.id === id && !one.removed && (one.userId === userId || any));
    return passkey ?? refuse('no_such_passkey', 'This passkey is not there.', 404);
  }
}
