import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import { objectOf } from '../../webauthn/json-value.js';
import type { StreamEntry } from '../schemas/stream.js';

/** The challenge that a response names, in base64url; undefined where it cannot be read. */
export function challengeNamed(response: unknown): string | undefined {
  const { clientDataJSON: text } = objectOf(objectOf(response)['response']);
  const decoded = typeof text === 'string' ? decodeBase64(text) : undefined;
  if (decoded === undefined) return undefined;
  try {
    const challenge = decodeBase64(decodeClientData(decoded.bytes).challenge);
    return challenge && encodeBase64url(challenge.bytes);
  } catch {
    return undefined;
  }
}

export interface SoftwareNote {
  readonly software: NonNullable<StreamEntry['software']>;
  /** Of the options that were answered; a response that was tampered with may name another. */
  readonly challenge: string;
}

const MOST = 1_000;

/** What the software authenticators of this server answered, by the challenge that the response names. */
export class SoftwareNotes {
  readonly #notes = new Map<string, SoftwareNote>();

  set(named: string, note: SoftwareNote): void {
    this.#notes.delete(named);
    this.#notes.set(named, note);
    const [oldest] = this.#notes.keys();
    if (this.#notes.size > MOST && oldest !== undefined) this.#notes.delete(oldest);
  }

  /** Each is good for one answer. */
  take(named: string | undefined): SoftwareNote | undefined {
    const note = named === undefined ? undefined : this.#notes.get(named);
    if (named !== undefined) this.#notes.delete(named);
    return note;
  }
}
