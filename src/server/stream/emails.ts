import type { Accounts } from '../../accounts/accounts.js';
import { nameOwner, type OwnerRef } from '../../kernel/owner.js';

/** Maximum number of owners whose e-mail addresses are kept. */
const MOST = 1_000;

/** Finds the e-mail addresses of owners. Each owner is looked up only once. */
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

  /** Finds an owner's e-mail address. Undefined if the owner no longer exists, or the store fails. */
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
