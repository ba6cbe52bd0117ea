import { asObject } from '../../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import type { StreamEntry } from '../schemas/stream.js';

/** Reads the challenge in a response, in base64url. Undefined if the challenge cannot be read. */
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

/** Decodes the client data of a response to a string, even if it is invalid. Empty if the response has no client data. */
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
  /**
   * Challenge of the options that the response answers. If the response was broken on purpose, it may contain another challenge or none.
   */
  readonly challenge: string;
}

const MOST = 1_000;

/**
 * Remembers which responses this server's software authenticators made. When such a response arrives at the server, it is recognised by its
 * client data, which is unchanged.
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
