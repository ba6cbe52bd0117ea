import { domException } from './members.js';

/** Members that the client reads of an HTTP response; a `Response` of the Fetch standard is one. */
export interface FetchedResponse {
  readonly status: number;
  /** After redirections. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** `fetch`, or a stand-in for tests. The client calls it without credentials and without a referrer. */
export type FetchPort = (
  url: string,
  init: { readonly credentials: 'omit'; readonly referrerPolicy: 'no-referrer'; readonly signal?: AbortSignal },
) => Promise<FetchedResponse>;

/** Chromium reads no more than 256 KiB. */
const MAX_CHARACTERS = 262_144;

/**
 * Fetches a JSON document from a well-known place, over https all the way.
 *
 * @throws DOMException `SecurityError` that starts with `refused` and says what was wrong with the answer.
 */
export async function fetchWellKnown(fetch: FetchPort, url: string, refused: string): Promise<unknown> {
  const wrong = (detail: string) => domException('SecurityError', `${refused} ${detail}`);
  const response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer' }).catch((cause: unknown) => {
    throw wrong(`${url} could not be fetched: ${cause instanceof Error ? cause.message : String(cause)}.`);
  });
  if (response.url !== '' && !response.url.startsWith('https://')) throw wrong(`${url} led to ${response.url}, which is not https.`);
  if (response.status !== 200) throw wrong(`${url} answered with status ${response.status}.`);
  const type = response.headers.get('content-type') ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw wrong(`Expected ${url} to have the content type application/json; got ${JSON.stringify(type)}.`);
  }
  const text = await response.text();
  if (text.length > MAX_CHARACTERS) throw wrong(`${url} is longer than ${MAX_CHARACTERS} characters.`);
  try {
    const document: unknown = JSON.parse(text);
    return document;
  } catch {
    throw wrong(`${url} is not JSON.`);
  }
}
