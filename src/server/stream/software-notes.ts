import { asObject } from '../../kernel/json-value.js';
import { decodeBase64, encodeBase64url } from '../../webauthn/base64url.js';
import { decodeClientData } from '../../webauthn/client-data.js';
import type { StreamEntry } from '../schemas/stream.js';

/** The challenge in a response, in base64url; undefined if it cannot be read. */
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

/** The text of the response's client data, whatever it is; empty without any. */
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
  /** Challenge of the options that were answered; a response that was tampered with may name another, or none. */
  readonly challenge: string;
}

const MOST = 1_000;

/** Notes on the answers given here, by the client data of the response, which returns unchanged. */
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
