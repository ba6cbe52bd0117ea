import { createHash, randomBytes } from 'node:crypto';
import { sha256 } from './bytes.js';
import type { FaultId } from './faults.js';
import { type CeremonyKind, check, type Party, refuse } from './party.js';
import { newKeys, readToken, writeToken } from './tokens.js';

/** What a begun ceremony is bound to. */
export interface CeremonyInput {
  readonly kind: CeremonyKind;
  readonly rpId: string;
  readonly origin: string;
  /** Whose registration this is, or whose passkey was asked for. */
  readonly userId?: number;
  /** SHA-256 of the one credential ID that may answer, in hexadecimal; absent: any discoverable one. */
  readonly credentialId?: string;
  /** A login's challenge steps nobody up, and the other way round. */
  readonly purpose?: 'step-up';
  /** A login whose options were for a user or a credential. */
  readonly isNamed?: boolean;
  readonly userVerification: string;
  readonly algorithms: readonly number[];
  readonly attestation: string;
}

export interface Ceremony extends CeremonyInput {
  readonly challenge: string;
  readonly openedAt: number;
  /** Every origin that options were asked for. */
  readonly originsSeen: readonly string[];
  /** By which the client keeps it, where the server does not. */
  readonly token?: string;
  spent: boolean;
}

/** With these the challenge of one user registers for another. */
const UNBOUND: readonly FaultId[] = [
  'challenge-of-another-user',
  'challenge-shared',
  'challenge-of-the-minute',
  'user-of-body',
  'user-of-header',
  'signed-out-registers',
  'token-of-any-user',
];

/** With these a token that the client keeps is good again and again. */
const REUSABLE: readonly FaultId[] = ['token-reusable', 'cookie-of-challenge-reusable', 'signed-challenge-reusable'];

/** Challenges that are not random, by the number of the ceremony and the time. */
const WEAK: readonly (readonly [FaultId, (number: number, now: number) => Buffer])[] = [
  ['challenge-short', () => randomBytes(8)],
  ['challenge-counted', (number) => Buffer.concat([sha256('counter').subarray(0, 14), writeNumber(number, 2)])],
  ['challenge-counted-downwards', (number) => Buffer.concat([writeNumber(number, 8).reverse(), sha256('counter').subarray(0, 8)])],
  ['challenge-of-clock', (number, now) => Buffer.concat([Buffer.alloc(5), writeNumber(now * 1_000 + (number % 1_000), 8), randomBytes(3)])],
  ['challenge-of-clock-text', (_, now) => Buffer.from(`${now}-${String(randomBytes(2).readUInt16BE() % 10_000).padStart(4, '0')}`)],
  ['challenge-with-constant', () => Buffer.concat([sha256('constant').subarray(0, 12), randomBytes(4)])],
];

function writeNumber(number: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(number));
  return bytes.subarray(8 - length);
}

/** Who answers: the user of a registration, the credential of an authentication and its user. */
type Answerer = Pick<CeremonyInput, 'kind' | 'userId' | 'credentialId' | 'purpose'>;

/** The open and spent challenges (§13.4.3). */
export class Ceremonies {
  readonly #party: Party;
  readonly #all = new Map<string, Ceremony>();
  readonly #origins = new Set<string>();
  readonly #keys = newKeys();
  /** Challenges that were answered, where the client keeps them. */
  readonly #used = new Set<string>();
  #begun = 0;

  constructor(party: Party) {
    this.#party = party;
  }

  begin(input: CeremonyInput): Ceremony {
    const { faults, policy } = this.#party;
    this.#origins.add(input.origin);
    if (faults.has('one-challenge-for-all')) this.#ofKind(input.kind).forEach((other) => (other.spent = true));
    if (faults.has('only-newest-challenge')) this.#open(input).forEach((other) => (other.spent = true));
    const constant = createHash('sha256').update(`${input.kind} ${input.userId} ${input.credentialId}`).digest('base64url');
    const open = policy.openChallenges === 'given-again' ? this.#open(input)[0]?.challenge : undefined;
    const [, weak] = WEAK.find(([fault]) => faults.has(fault)) ?? [];
    const number = ++this.#begun;
    const drawn =
      policy.newChallenge ?? (() => weak?.(number, this.#party.now()).toString('base64url') ?? randomBytes(32).toString('base64url'));
    const shared = this.#shared(input.kind);
    const challenge = faults.has('challenge-constant') ? constant : (shared ?? open ?? drawn());
    const begun = { ...input, challenge, openedAt: this.#party.now(), originsSeen: [...this.#origins] };
    if (policy.challenges !== undefined) {
      const token = writeToken(begun, this.#keys, this.#party);
      return { ...begun, ...(policy.challenges === 'itself' && { challenge: token }), token, spent: false };
    }
    const ceremony = { ...begun, spent: false };
    this.#all.set(challenge, ceremony);
    return ceremony;
  }

  /** What all users get, with these faults. */
  #shared(kind: CeremonyKind): string | undefined {
    const { faults, now } = this.#party;
    if (faults.has('challenge-of-the-minute')) return sha256(`${kind} ${Math.floor(now() / 60_000)}`).toString('base64url');
    return faults.has('challenge-shared') ? this.#ofKind(kind).findLast(({ spent }) => !spent)?.challenge : undefined;
  }

  /** §7.1 step 8, §7.2 step 11. The first response that names a challenge spends it. */
  take(sent: string, by: Answerer, token?: string): Ceremony {
    const { faults, policy } = this.#party;
    const ceremony = policy.challenges === undefined ? this.#find(sent, by) : this.#read(sent, token);
    check(!ceremony.spent, 'challenge_not_ours', 'This challenge was answered before.');
    if (!faults.has('challenge-kept-after-failure') && !faults.has('challenge-spent-late')) this.spend(ceremony);
    const young = this.#party.now() - ceremony.openedAt <= policy.challengeLifetime;
    const old = faults.has('challenge-never-expires') || faults.has('token-never-expires');
    if (!old) check(young, 'challenge_not_ours', 'This challenge is too old.');
    this.#checkBinding(ceremony, by);
    const { userId, userVerification } = this.#ofKind(by.kind).at(-1) ?? ceremony;
    if (faults.has('owner-of-latest-registration') && userId !== undefined) return { ...ceremony, userId };
    return faults.has('options-of-latest-ceremony') ? { ...ceremony, userVerification } : ceremony;
  }

  #find(sent: string, by: Answerer): Ceremony {
    const found = this.#all.get(sent) ?? this.#open(by).find(({ challenge }) => this.#fits(sent, challenge, by.kind));
    return found ?? refuse('challenge_not_ours', 'No ceremony was begun with this challenge.');
  }

  /** Of the token that the client has kept. */
  #read(sent: string, token: string | undefined): Ceremony {
    const read = readToken(this.#party.policy.challenges === 'itself' ? sent : token, this.#keys, this.#party);
    check(read.challenge === sent, 'challenge_not_ours', 'The challenge is not that of the token.');
    return { ...read, spent: this.#used.has(sent) };
  }

  spend(ceremony: Ceremony): void {
    if (ceremony.purpose === 'step-up' && this.#party.faults.has('step-up-reusable')) return;
    if (!REUSABLE.some((fault) => this.#party.faults.has(fault))) this.#used.add(ceremony.challenge);
    if (!this.#party.faults.has(`${ceremony.kind}-challenge-reusable`)) ceremony.spent = true;
  }

  #checkBinding(ceremony: Ceremony, by: Answerer): void {
    const { faults } = this.#party;
    const mixed =
      faults.has(by.kind === 'create' ? 'create-takes-challenge-of-get' : 'get-takes-challenge-of-create') ||
      faults.has('token-of-any-ceremony');
    check(mixed || ceremony.kind === by.kind, 'challenge_not_ours', 'This challenge is of the other ceremony.');
    check(ceremony.purpose === by.purpose, 'challenge_not_ours', 'This challenge is for something else.');
    const unbound = UNBOUND.some((fault) => faults.has(fault));
    if (by.kind === 'create' && ceremony.kind === 'create' && !unbound) {
      check(ceremony.userId === by.userId, 'challenge_not_ours', 'This challenge was given to another user.');
    }
    const named = ceremony.kind === 'get' && by.kind === 'get' && ceremony.credentialId !== undefined;
    if (named && !faults.has('allow-list-unenforced')) {
      const sameUser = faults.has('allow-list-by-user') && ceremony.userId === by.userId;
      check(ceremony.credentialId === by.credentialId || sameUser, 'credential_not_asked', 'Another credential was asked for.', 403);
    }
  }

  #ofKind(kind: CeremonyKind): Ceremony[] {
    return [...this.#all.values()].filter((one) => one.kind === kind);
  }

  /** Open ceremonies that this user or credential may answer, the newest first. */
  #open(by: Answerer): Ceremony[] {
    const mine = (one: Ceremony) =>
      by.kind === 'create' ? one.userId === by.userId : [undefined, by.credentialId].includes(one.credentialId);
    return this.#ofKind(by.kind)
      .filter((one) => !one.spent && mine(one))
      .reverse();
  }

  #fits(sent: string, challenge: string, kind: CeremonyKind): boolean {
    const { faults } = this.#party;
    const loose = (text: string) => Buffer.from(text, 'base64');
    return (
      faults.has(`${kind}-challenge-unchecked`) ||
      faults.has('step-up-challenge-unchecked') ||
      (faults.has('challenge-trimmed') && sent.trim() === challenge) ||
      (faults.has('challenge-as-c-string') && sent.split('\0', 1)[0] === challenge) ||
      (faults.has('challenge-may-end-early') && challenge.startsWith(sent)) ||
      (faults.has('challenge-may-go-on') && sent.startsWith(challenge)) ||
      (faults.has('challenge-by-first-characters') && sent.slice(0, 16) === challenge.slice(0, 16)) ||
      (faults.has('challenge-by-length') && sent.length === challenge.length) ||
      (faults.has('challenge-case-folded') && sent.toLowerCase() === challenge.toLowerCase()) ||
      (faults.has('challenge-decoded-loosely') && loose(sent).equals(loose(challenge)))
    );
  }
}
