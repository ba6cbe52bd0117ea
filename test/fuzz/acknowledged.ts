import type { Owner } from '../../src/accounts/ports.js';
import type { Passkey } from '../../src/relying-party/credential-record.js';
import { encodeBase64 } from '../../src/webauthn/base64url.js';
import { hold } from './parser.js';
import type { Random } from './random.js';

/** What is known of one passkey: what was acknowledged, and what may have happened because it was asked for. */
interface Known {
  readonly id: number;
  readonly credentialId: string;
  labels: Set<string>;
  count: number;
  revoked: 'no' | 'perhaps' | 'yes';
}

/** What servers and commands have acknowledged, and what they were asked and never answered. */
export class Acknowledged {
  readonly #passkeys = new Map<number, Known>();
  readonly #users = new Set<string>();
  /** Credentials whose registration was sent and not answered. */
  readonly #pending = new Set<string>();

  somePasskey(random: Random): number | undefined {
    const live = [...this.#passkeys.values()].filter(({ revoked }) => revoked === 'no');
    return live.length === 0 ? undefined : random.pick(live).id;
  }

  isLive(id: number): boolean {
    return this.#passkeys.get(id)?.revoked === 'no';
  }

  /** Each of these says that something is asked for, and returns what says that it was done. */
  registering(credentialId: string): (id: number, label: string) => void {
    this.#pending.add(credentialId);
    return (id, label) => {
      this.#pending.delete(credentialId);
      this.#passkeys.set(id, { id, credentialId, labels: new Set([label]), count: 0, revoked: 'no' });
    };
  }

  renaming(id: number, label: string): () => void {
    const known = this.#passkeys.get(id);
    known?.labels.add(label);
    return () => {
      if (known !== undefined) known.labels = new Set([label]);
    };
  }

  revoking(id: number): () => void {
    const known = this.#passkeys.get(id);
    if (known !== undefined && known.revoked === 'no') known.revoked = 'perhaps';
    return () => {
      if (known !== undefined) known.revoked = 'yes';
    };
  }

  /** A login was accepted with this signature counter. */
  used(id: number, count: number): void {
    const known = this.#passkeys.get(id);
    if (known !== undefined) known.count = Math.max(known.count, count);
  }

  addingUser(email: string): () => void {
    return () => this.#users.add(email);
  }

  /** Holds a store against what is known, and takes over what the kill left open. */
  check(passkeys: readonly Passkey[], owners: readonly Owner[]): void {
    const byId = new Map(passkeys.map((passkey) => [passkey.id, passkey]));
    for (const known of this.#passkeys.values()) {
      const passkey = byId.get(known.id);
      hold(passkey !== undefined, `passkey ${known.id} was acknowledged and is lost`);
      hold(encodeBase64(passkey.credential.id) === known.credentialId, `passkey ${known.id} has the credential that was registered`);
      hold(known.labels.has(passkey.label), `passkey ${known.id} is called ${passkey.label}; expected ${[...known.labels].join(' or ')}`);
      hold(passkey.credential.signCount >= known.count, `the count of passkey ${known.id} went back to ${passkey.credential.signCount}`);
      hold(known.revoked !== 'yes' || passkey.revokedAt !== undefined, `passkey ${known.id} was revoked and is live again`);
      hold(known.revoked !== 'no' || passkey.revokedAt === undefined, `passkey ${known.id} is revoked, and nobody asked for it`);
      known.labels = new Set([passkey.label]);
      known.count = passkey.credential.signCount;
      known.revoked = passkey.revokedAt === undefined ? 'no' : 'yes';
    }
    for (const passkey of passkeys.filter(({ id }) => !this.#passkeys.has(id))) {
      const credentialId = encodeBase64(passkey.credential.id);
      hold(this.#pending.has(credentialId), `passkey ${passkey.id} is one that nobody registered`);
      this.registering(credentialId)(passkey.id, passkey.label);
    }
    this.#pending.clear();
    const emails = new Set(owners.map(({ email }) => email));
    for (const email of this.#users) hold(emails.has(email), `the user ${email} was acknowledged and is lost`);
  }
}
