import type { X509Certificate } from 'node:crypto';
import type { FaultId, Faults } from './faults.js';

/** What the operator of the independent relying party has decided. */
export interface Policy {
  /** Accepted origins; default: the origin of the app_url that the ceremony was begun with. */
  readonly origins?: readonly string[];
  /** Origins that may hold ours in a frame; none by default. */
  readonly topOrigins: readonly string[];
  /** Milliseconds. */
  readonly challengeLifetime: number;
  /** COSEAlgorithmIdentifiers that are offered where a request names none. */
  readonly algorithms: readonly number[];
  /** Whether certificates must lead to a root where attestation was asked for; `certificates-refused`: there is no root. */
  readonly trust: 'assessed' | 'unassessed' | 'certificates-refused';
  /** Whether self attestation will do where attestation was asked for. */
  readonly selfAttestation: 'accept' | 'refuse';
  /** Attestation statement formats that it takes; default: all that it knows. Without "none" among them it asks for attestation. */
  readonly formats?: readonly string[];
  /** AAGUIDs that it takes, in hexadecimal; default: all. */
  readonly models?: readonly string[];
  /** Whether authenticators must count; default: no. */
  readonly counts?: 'required';
  /** Draws a challenge, base64url; default: 32 random bytes. */
  readonly newChallenge?: () => string;
  /** Where the client keeps challenges: in a token that the options bring along, in a cookie, or in the challenge itself; default: the server does. */
  readonly challenges?: 'token' | 'cookie' | 'itself';
  /** Who asks again before answering gets the challenge that is open. */
  readonly openChallenges?: 'given-again';
  /** Bytes of a user handle, at the least. */
  readonly handleBytes?: number;
  /** Who may register a passkey: the owner of a bearer token, or the user who is signed in. */
  readonly registersBy: 'token' | 'session';
  /** Milliseconds after a sign-in in which its session may add and remove passkeys; default: always, whatever opened it. */
  readonly freshFor?: number;
  /** What a step-up is made with; default: the password. */
  readonly stepsUpBy?: 'passkey';
  /** What the options of a step-up with a passkey say; default: required. */
  readonly stepUpVerification?: 'preferred';
  /** Whether users can remove their last passkey; default: yes. */
  readonly lastPasskey?: 'kept';
}

export const DEFAULT_POLICY: Policy = {
  topOrigins: [],
  challengeLifetime: 120_000,
  algorithms: [-7, -257],
  trust: 'assessed',
  selfAttestation: 'refuse',
  registersBy: 'token',
};

/** What every check may look at. */
export interface Party {
  readonly faults: Faults;
  readonly policy: Policy;
  /** Trust anchors of attestation. */
  readonly roots: readonly X509Certificate[];
  /** Milliseconds since the epoch. */
  now(): number;
}

export type CeremonyKind = 'create' | 'get';

/** A 4xx answer, in words of this server. */
export class Refusal extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(reason: string, message: string, status = 400) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

/** An error that no line of a faulty server catches. */
export class Crash extends Error {}

export function refuse(reason: string, message: string, status?: number): never {
  throw new Refusal(reason, message, status);
}

export function check(ok: boolean, reason: string, message: string, status?: number): asserts ok {
  if (!ok) refuse(reason, message, status);
}

/** Turns whatever a reader throws into a refusal, unless that line is the fault. */
export function guarded<T>({ faults }: Pick<Party, 'faults'>, fault: FaultId, reason: string, read: () => T): T {
  if (faults.has(fault)) return read();
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal || error instanceof Crash) throw error;
    return refuse(reason, error instanceof Error ? error.message : String(error));
  }
}
