import type { HarFinding } from './annotate/har.js';
import { plainBase64 } from './annotate/har-entries.js';
import type { ReadCredential } from './annotate/read-credential.js';
import type { KnownError } from './document-schema.js';

/**
 * Finds reasons in a recording why the server's session may lack the challenge: the response was already sent before, its cookie was not
 * sent, or newer options were requested in the meantime. Such a reason is only a suggestion and does not change the verdict.
 */
export function findSessionMistake(findings: readonly HarFinding[], credential: ReadCredential): KnownError | undefined {
  const index = findings.findIndex(({ found }) => 'credential' in found && found.credential === credential);
  const response = findings[index];
  if (response === undefined) return undefined;
  const earlier = findings.slice(0, index).filter(({ url }) => readHost(url) === readHost(response.url));
  const mistake = describeMistake(response, earlier);
  return mistake && { ...COMMON, ...mistake };
}

const COMMON = { from: 'recording', step: 'challenge', expectations: [], source: null };

type Described = Pick<KnownError, 'title' | 'causes' | 'next'>;

function describeMistake(response: HarFinding, earlier: readonly HarFinding[]): Described | undefined {
  const before = earlier.find(({ found }) => readSent(found) !== undefined && readSent(found) === readSent(response.found));
  if (before !== undefined) {
    return {
      title: 'This response was sent before',
      causes: [`It is the same as that of ${before.place}. A challenge can be used once: the server deletes it after the first response.`],
      next: 'Request new options for each attempt, even after a failed one.',
    };
  }
  const wanted = response.found.kind === 'registration' ? 'creation-options' : 'request-options';
  const asked = earlier.filter(({ found }) => found.kind === wanted);
  const own = asked.findIndex(({ found }) => readChallenge(found.json) === readAnswered(response));
  const options = asked[own];
  const newest = asked.at(-1);
  if (response.sendsCookie === false && (options?.setsCookie === true || options?.sendsCookie === true)) {
    return {
      title: 'The session cookie was not sent',
      causes: [
        `The request with the response (${response.place}) has no Cookie; the exchange of its options (${options.place}) has one. Without it the server cannot find its challenge.`,
      ],
      next: "Make the browser send it: set `credentials: 'include'` in both fetch calls. If the server is on another site than the page, set the cookie with `SameSite=None; Secure`.",
    };
  }
  if (options !== undefined && newest !== undefined && newest !== options && readChallenge(newest.found.json) !== readAnswered(response)) {
    return {
      title: 'The response answers options that are not the newest',
      causes: [
        `It answers the options of ${options.place}. Newer ones (${newest.place}), for a second tab or call, have replaced the challenge of the session.`,
      ],
      next: 'Store the challenge of each attempt separately, for example by an ID that the page sends back, or request options once per attempt.',
    };
  }
  return undefined;
}

function readHost(url: string): string {
  return /^\w+:\/\/([^/?#]*)/.exec(url)?.[1] ?? url;
}

function readChallenge({ challenge }: HarFinding['found']['json']): string | undefined {
  return typeof challenge === 'string' ? plainBase64(challenge) : undefined;
}

/** Reads the challenge in the client data of a response. */
export function readAnswered({ found }: HarFinding): string | undefined {
  const { decoded } = 'credential' in found ? found.credential.clientDataJSON : {};
  return decoded?.ok === true ? plainBase64(decoded.value.challenge) : undefined;
}

/** Reads the client data of a response in the encoding that the request used. */
function readSent(found: HarFinding['found']): string | undefined {
  return 'credential' in found ? JSON.stringify(found.credential.json) : undefined;
}
