import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { toBase64url } from './bytes.js';
import { check, type Party, refuse } from './party.js';
import { type Json, textOf } from './request.js';
import type { Store, User } from './store.js';

/** Milliseconds in which a code for a recovery is good. */
const CODE_LIFETIME = 600_000;

interface Code {
  readonly text: string;
  readonly userId: number;
  readonly at: number;
}

/** Accounts that users open themselves, with an e-mail address and a password, and the ways back into them. */
export class Accounts {
  readonly #party: Party;
  readonly #store: Store;
  readonly #passwords = new Map<number, string>();
  #codes: Code[] = [];
  readonly #secret = randomBytes(32);

  constructor(party: Party, store: Store) {
    this.#party = party;
    this.#store = store;
  }

  /** @returns the session, and with a fault the code of a later recovery */
  async open(json: Json): Promise<{ readonly session?: string; readonly code?: string }> {
    const { faults } = this.#party;
    const email = textOf(json, 'email', this.#party);
    const known = this.#store.byEmail(email);
    const session = (userId: number) => this.#store.openSession(userId, { by: 'account' });
    if (known !== undefined && faults.has('sign-up-signs-in-known')) return { session: session(known.id) };
    if (known !== undefined && faults.has('sign-up-replaces-password')) {
      this.#passwords.set(known.id, textOf(json, 'password', this.#party));
      return {};
    }
    check(known === undefined, 'email_taken', 'This address has an account.', 409);
    if (faults.has('sign-ups-at-once')) await setTimeout(20);
    const user = this.#store.addUser(email);
    this.#passwords.set(user.id, textOf(json, 'password', this.#party));
    return { session: session(user.id), ...(faults.has('recovery-code-of-sign-up') && { code: this.#newCode(user) }) };
  }

  #newCode({ id }: User): string {
    const isFixed = this.#party.faults.has('recovery-code-of-sign-up');
    return isFixed ? createHmac('sha256', this.#secret).update(`code ${id}`).digest('hex') : randomBytes(16).toString('hex');
  }

  /** @returns the session */
  enterPassword(json: Json): string {
    const user = this.#store.byEmail(textOf(json, 'email', this.#party));
    if (user === undefined && this.#party.faults.has('password-tells-users')) refuse('no_such_user', 'There is no such user.', 404);
    if (user === undefined || !this.#fits(user, json)) return refuse('wrong_password', 'Address or password is wrong.', 401);
    this.#store.checkGates(user.id, 'gate-unchecked-by-password');
    return this.#store.openSession(user.id, { by: 'password' });
  }

  /** Makes a session fresh. */
  stepUp(user: User, session: string | undefined, json: Json): void {
    check(this.#party.faults.has('step-up-unchecked') || this.#fits(user, json), 'wrong_password', 'The password is wrong.', 401);
    this.#store.refresh(session, user.id);
  }

  #fits(user: User, json: Json): boolean {
    const { faults } = this.#party;
    const [own, sent] = [this.#passwords.get(user.id) ?? '', textOf(json, 'password', this.#party)];
    if (faults.has('password-of-any-user')) return [...this.#passwords.values()].includes(sent);
    if (faults.has('password-case-folded')) return own.toLowerCase() === sent.toLowerCase();
    return faults.has('password-by-prefix') ? own.startsWith(sent) : own === sent;
  }

  /** @returns an answer that says nothing, but for a fault */
  beginRecovery(json: Json): Json {
    const user = this.#store.byEmail(textOf(json, 'email', this.#party));
    const { faults } = this.#party;
    if (user === undefined && faults.has('recovery-tells-users')) refuse('no_such_user', 'There is no such user.', 404);
    if (user === undefined) return {};
    if (!faults.has('recovery-codes-add-up')) this.#forget(user);
    const text = this.#newCode(user);
    this.#codes.push({ text, userId: user.id, at: this.#party.now() });
    if (faults.has('recovery-ends-at-once')) this.#end(user);
    return faults.has('recovery-code-answered') ? { sent: text } : {};
  }

  /** The newest letter to an address; stands for a mailbox. */
  letter(email: string): Json {
    const code = this.#codes.findLast(({ userId }) => userId === this.#store.byEmail(email)?.id);
    return code === undefined ? refuse('no_letter', 'There is no letter.', 404) : { code: code.text };
  }

  /** @returns the session */
  async endRecovery(json: Json): Promise<string> {
    const { faults } = this.#party;
    const user = this.#store.byEmail(textOf(json, 'email', this.#party)) ?? refuse('wrong_code', 'This code is not good.', 401);
    const sent = textOf(json, 'code', this.#party);
    const code = this.#codes.find(
      ({ text, userId }) => this.#isCode(text, sent) && (userId === user.id || faults.has('recovery-by-any-code')),
    );
    const empty = faults.has('recovery-empty-code') && sent === '';
    check(code !== undefined || empty, 'wrong_code', 'This code is not good.', 401);
    const late = code !== undefined && this.#party.now() - code.at > CODE_LIFETIME;
    check(!late || faults.has('recovery-never-expires'), 'wrong_code', 'This code is too old.', 401);
    if (faults.has('recovery-spent-late')) await setTimeout(20);
    if (faults.has('gate-lifted-by-recovery')) this.#store.gatesOf(user.id).clear();
    this.#store.checkGates(user.id, 'gate-unchecked-at-recovery');
    if (!faults.has('recovery-reusable')) this.#forget(user);
    this.#end(user);
    return this.#store.openSession(user.id, { by: 'recovery' });
  }

  #isCode(text: string, sent: string): boolean {
    return this.#party.faults.has('recovery-code-by-prefix') ? sent !== '' && text.startsWith(sent) : text === sent;
  }

  #forget(user: User): void {
    this.#codes = this.#codes.filter(({ userId }) => userId !== user.id);
  }

  #end(user: User): void {
    const { faults } = this.#party;
    if (faults.has('recovery-restores-passkeys')) this.#store.restoreAll(user.id);
    if (!faults.has('recovery-keeps-sessions')) this.#store.endSessions(user.id);
    const isKept = faults.has('recovery-keeps-passkeys') || faults.has('recovery-restores-passkeys');
    if (!isKept) this.#store.live(user.id).forEach((passkey) => (passkey.removed = true));
  }

  /** Descriptors for a login by an address; one that nobody has, or a user without passkey, gets one that always is the same. */
  descriptors(email: string): readonly Json[] {
    const { faults } = this.#party;
    const user = this.#store.byEmail(email);
    if (user === undefined && faults.has('unknown-user-refused')) refuse('no_such_user', 'There is no such user.', 404);
    const passkeys = user === undefined ? [] : this.#store.live(user.id);
    const known = passkeys.map(({ credentialId, transports }) => ({
      id: toBase64url(credentialId),
      type: 'public-key',
      ...(transports && { transports }),
    }));
    if (known.length > 0 || faults.has('unknown-user-without-list')) return known;
    const id = faults.has('unknown-user-random') ? randomBytes(32) : createHmac('sha256', this.#secret).update(email).digest();
    const transports = faults.has('unknown-user-without-transports') ? {} : { transports: ['hybrid', 'internal'] };
    return [{ id: toBase64url(id), type: 'public-key', ...transports }];
  }
}
