import { asObject } from '../../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import type { StreamEntry } from '../schemas/stream.js';

/** Reads the challenge in a response, in base64url. Undefined if it cannot be read. */
export function challengeNamed(response: unknown): string | undefined {
  const text = readClientData(response);
  const decoded = text === undefined ? undefined : decodeBase64(text);
  if (decoded === undefined) return undefined;
  try {
    const challenge = decodeBase64(decodeClientData(decoded.bytes).challenge);
    return challenge && encodeBase64url(challenge.bytes);
  } catch {
    return undefined;
  }
}

/** Returns the response's client data as text, even if it is invalid. Empty if there is none. */
export function clientDataText(response: unknown): string {
  const text = readClientData(response);
  const bytes = text === undefined ? undefined : decodeBase64(text)?.bytes;
  return bytes === undefined ? (text ?? '') : Buffer.from(bytes).toString();
}

function readClientData(response: unknown): string | undefined {
  const { clientDataJSON: text } = asObject(asObject(response)['response']);
  return typeof text === 'string' ? text : undefined;
}

interface SoftwareNote {
  readonly software: NonNullable<StreamEntry['software']>;
  /** Challenge of the options that were answered. The response may contain another challenge, or none, if it was broken on purpose. */
  readonly challenge: string;
}

const MOST = 1_000;

/**
 * Notes about responses that this server's software authenticators made. A response is recognised by its client data, which comes back
 * unchanged.
 */
export class SoftwareNotes {
  readonly #notes = new Map<string, SoftwareNote>();

  set(response: unknown, note: SoftwareNote): void {
    const text = readClientData(response);
    if (text === undefined) return;
    this.#notes.delete(text);
    this.#notes.set(text, note);
    const [oldest] = this.#notes.keys();
    if (this.#notes.size > MOST && oldest !== undefined) this.#notes.delete(oldest);
  }

  get(response: unknown): SoftwareNote | undefined {
    const text = readClientData(response);
    return text === undefined ? undefined : this.#notes.get(text);
  }
}
