import type { Accounts } from '../../accounts/accounts.js';
import { nameOwner, type OwnerRef } from '../../kernel/owner.js';

/** Owners whose e-mail is remembered. */
const MOST = 1_000;

/** E-mails of owners, each asked for once. */
export class Emails {
  readonly #accounts: Pick<Accounts, 'findOwner'>;
  readonly #known = new Map<string, string>();

  constructor(accounts: Pick<Accounts, 'findOwner'>) {
    this.#accounts = accounts;
  }

  get(owner: OwnerRef): string | undefined {
    return this.#known.get(nameOwner(owner));
  }

  set(owner: OwnerRef, email: string): void {
    const name = nameOwner(owner);
    this.#known.delete(name);
    this.#known.set(name, email);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
  }

  /** Undefined if the owner no longer exists, or the store fails. */
  async find(owner: OwnerRef): Promise<string | undefined> {
    try {
      const found = await this.#accounts.findOwner(owner);
      if (found !== undefined) this.set(owner, found.email);
      return found?.email;
    } catch {
      return undefined;
    }
  }
}
